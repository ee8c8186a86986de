"""Functions of the standard library whose result depends on their arguments alone: with known ones they are called."""

from __future__ import annotations

import importlib
import math
import string
from collections.abc import Callable
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.sizes import is_large_request
from importcycle.evaluate.symbols import UnknownError, apply, plain
from importcycle.values.model import Constant, InstanceValue, Symbolic, Value, constant

LONGEST_ARGUMENTS = 20_000
"""Characters of the arguments, written out, up to which a function is called."""

_FUNCTIONS = {
    "base64": "b64encode b64decode b32encode b16encode urlsafe_b64encode urlsafe_b64decode standard_b64encode",
    "binascii": "crc32 hexlify unhexlify",
    "calendar": "isleap monthrange weekday",
    "colorsys": "rgb_to_hls hls_to_rgb rgb_to_hsv hsv_to_rgb",
    "datetime": "timedelta date datetime time",
    "decimal": "Decimal",
    "difflib": "get_close_matches",
    "email.utils": "formataddr parseaddr quote unquote",
    "fnmatch": "fnmatch fnmatchcase translate filter",
    "fractions": "Fraction",
    "html": "escape unescape",
    "inspect": "cleandoc",
    "json": "dumps loads",
    "keyword": "iskeyword issoftkeyword",
    "locale": "normalize",
    "math": (
        "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist erf erfc exp exp2 expm1 fabs "
        "floor fmod frexp fsum gamma gcd hypot isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p "
        "log2 modf nextafter perm pow prod radians remainder sin sinh sqrt tan tanh trunc ulp"
    ),
    "mimetypes": "guess_type",
    "ntpath": "join split splitext basename dirname normpath isabs",
    "posixpath": "join split splitext basename dirname normpath isabs",
    "shlex": "quote split join",
    "string": "capwords",
    "struct": "calcsize pack unpack",
    "textwrap": "dedent indent wrap fill shorten",
    "unicodedata": "category name lookup normalize combining bidirectional east_asian_width decimal digit numeric",
    "urllib.parse": "quote quote_plus unquote unquote_plus urljoin urlencode",
    "zlib": "adler32 crc32",
}
_SPECIAL = {"trunc": "__trunc__", "floor": "__floor__", "ceil": "__ceil__"}
"""Functions of math that ask their argument itself; others ask it for a number."""
_CONSTANTS: dict[str, Any] = {
    **{f"string.{name}": value for name, value in vars(string).items() if isinstance(value, str)},
    **{f"math.{name}": value for name, value in vars(math).items() if isinstance(value, float)},
}


def _pure(module: str, name: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        if module == "math" and arguments.positional:
            special = machine.method_of(arguments.positional[0], _SPECIAL.get(name, "__float__"))
            if special is not None and isinstance(arguments.positional[0], InstanceValue):
                result = machine.call(special, Arguments())
                return result if name in _SPECIAL else model(machine, arguments.after_first().with_first(result))
        values = (*arguments.positional, *arguments.keywords.values())
        shown = f"{module}.{name}({', '.join(machine.describe(each) for each in values)})"
        function: Callable[..., Any] = getattr(importlib.import_module(module), name)
        if any(isinstance(each, Symbolic) for each in values) and not arguments.keywords:
            return apply(shown, function, *arguments.positional)
        try:
            contents = [plain(each, {}) for each in arguments.positional]
            keywords = {key: plain(each, {}) for key, each in arguments.keywords.items()}
        except UnknownError:
            return machine.unknown(shown)
        if arguments.is_open or is_large_request(contents) or len(repr(contents)) > LONGEST_ARGUMENTS:
            return machine.unknown(shown)
        try:
            return constant(function(*contents, **keywords))
        except Exception as error:
            machine.raise_error(type(error).__name__, str(error))

    return model


def _given(value: Any) -> Callable[[Any], Value]:
    return lambda machine: Constant(value)


MODELS: dict[str, Model] = {
    f"{module}.{name}": _pure(module, name) for module, names in _FUNCTIONS.items() for name in names.split()
}
VALUES: dict[str, Callable[[Any], Value]] = {name: _given(value) for name, value in _CONSTANTS.items()}
