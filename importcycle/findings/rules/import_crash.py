"""IC101: the import fails whatever the platform and the environment."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import judge_failures
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.findings.rules.selection import crashes
from importcycle.findings.wording import crash_message, fix_advice


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    failures = [failure for failure in crashes(evidence) if failure.certain and failure.exact]
    return judge_failures(evidence, rule, failures, family="crash", message=crash_message, advice=fix_advice)


RULE = Rule(
    code="IC101",
    name="import-crash",
    severity=Severity.ERROR,
    meaning="importing the entry first fails, in every world; every call on the path is resolved exactly",
    example="""\
# shop/orders.py
from shop.customers import Customer

class Order: ...

# shop/customers.py
from shop.orders import Order      # 'import shop.orders' stops here: Order is not bound yet

class Customer: ...
""",
    why="""\
The module is in sys.modules from the moment its body starts to run, so the second import gets it half-loaded.
The name it asks for is bound further down, by a statement that has not run. Whether users notice depends on which
module they happen to import first: tests often import in the one order that works.""",
    fix="""\
Move what both modules need into a third one. Or import inside the function that uses the name. Or import the module
('from shop import orders') and look the name up when it is used. An import that only annotations need belongs under
'if TYPE_CHECKING:' together with 'from __future__ import annotations'.""",
    suppress="Only if nobody ever imports the entry first; then say so where you silence it.",
    detect=_detect,
)
