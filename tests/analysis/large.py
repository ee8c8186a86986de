"""A generated project that is large enough to be worth other processes."""

from __future__ import annotations

from pathlib import Path

MODULES = 65
MODULES_OF_A_CYCLE = 5
_FUNCTION = '''
def function_{number}(value, other=1):
    """Does nothing that matters {filling}."""
    if value:
        return value + other
    return None
'''


def write_large_project(folder: Path) -> Path:
    """A package `big` whose modules form cycles, of which some fail; each file has many functions."""
    package = folder / "big"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    functions = "".join(_FUNCTION.format(number=number, filling="x" * 200) for number in range(100))
    for number in range(MODULES):
        first = number - number % MODULES_OF_A_CYCLE
        following = first + (number + 1) % MODULES_OF_A_CYCLE
        imported = f"import big.m{following}" if number > 9 else f"from big.m{following} import NAME_{following}"
        text = f"{imported}\n{functions}\n\nNAME_{number} = function_1({number})\n"
        (package / f"m{number}.py").write_text(text)
    return folder
