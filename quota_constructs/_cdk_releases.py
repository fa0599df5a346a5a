"""What differs between the releases of the CDK that this library runs on, from the oldest to the newest.

The oldest is 2.268: before it a failed validation raises nothing in Python, so that a breach would pass unnoticed.
"""

from typing import TYPE_CHECKING

from aws_cdk import Acknowledgment, Validations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from constructs import IConstruct


def acknowledge(scope: "IConstruct", reasons: "Mapping[str, str]") -> None:
    """Acknowledge findings of a validation plugin.

    Release 2.268 takes the colons in some ids of cdk-nag for separators; there such findings can be acknowledged
    in no way, and are left as they are.

    Args:
        scope: Where they are found.
        reasons: Why they are no problem, by the ids of the rules.
    """
    try:
        Validations.of(scope).acknowledge(
            *(Acknowledgment(id=rule_id, reason=reason) for rule_id, reason in reasons.items())
        )
    except RuntimeError as error:
        if "InvalidValidationId" not in str(error):
            raise
