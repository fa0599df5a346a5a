"""The rules of the constructs themselves; those of quota management are in `quota_scheduler.rules`.

Ids are never used for another rule.
"""

from dataclasses import dataclass

from quota_constructs.errors import ConstructProblem, QuotaConstructError


@dataclass(frozen=True, slots=True)
class ConstructRule:
    """A rule about how the constructs are used.

    Args:
        id: `QC001` and so on.
        title: What holds, in one short sentence.
    """

    id: str
    title: str

    def problem(self, message: str, where: str = "") -> ConstructProblem:
        """Describe one breach."""
        return ConstructProblem(self.id, where, message)

    def broken(self, message: str, where: str = "") -> QuotaConstructError:
        """Make the error for one breach."""
        return QuotaConstructError([self.problem(message, where)])


TYPE = ConstructRule("QC001", "a parameter has the type it takes")
BORROW_LIMIT = ConstructRule("QC002", "a share that borrows has one limit: a percentage, or none by name")
SAME_PLACE = ConstructRule("QC003", "a share is in the app, the account and the Region of its queue")
ARN = ConstructRule("QC004", "an imported ARN names one resource, of the kind that is imported")
ONE_GUARD = ConstructRule("QC005", "the queues and shares of a stack agree on its guard")
HANDLER_FIRST = ConstructRule("QC006", "options of the handler come before the first queue or share of the stack")
NATIVE_ADOPTS_NOT = ConstructRule("QC007", "a native share is taken over with `cdk import`, not with adopt_existing")
GUARD_LIMIT = ConstructRule("QC008", "a limit of the guard is a number from 0")
INSTANCE_TYPE = ConstructRule("QC009", "an instance type is spelt as SageMaker spells it")
GATED = ConstructRule("QC010", "in the template, every queue and share waits for the guard of its stack")
AS_PROPOSED = ConstructRule(
    "QC011", "in the template, queues and shares are what the guard is told, and it is as it was made"
)
GRANT = ConstructRule("QC012", "permission to operate jobs names the tags of the jobs")
PLAN = ConstructRule("QC013", "what the deployment would do to running work is known, and acceptable")
HANDLER_OPTIONS = ConstructRule("QC014", "the options of the handler can all take effect")

RULES = {
    rule.id: rule
    for rule in (
        TYPE,
        BORROW_LIMIT,
        SAME_PLACE,
        ARN,
        ONE_GUARD,
        HANDLER_FIRST,
        NATIVE_ADOPTS_NOT,
        GUARD_LIMIT,
        INSTANCE_TYPE,
        GATED,
        AS_PROPOSED,
        GRANT,
        PLAN,
        HANDLER_OPTIONS,
    )
}
"""Every rule by its id."""
