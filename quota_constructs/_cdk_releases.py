"""What differs between the releases of the CDK that this library runs on, from the oldest to the newest.

The oldest is 2.268: before it a failed validation raises nothing in Python, so that a breach would pass unnoticed.
"""

from typing import TYPE_CHECKING

from aws_cdk import Acknowledgment, Validations

if TYPE_CHECKING:
    from constructs import IConstruct


def acknowledge(scope: "IConstruct", rule_id: str, reason: str) -> None:
    """Acknowledge a finding of a validation plugin.

    Release 2.268 takes the colons in some ids of cdk-nag for separators; there such a finding can be acknowledged
    in no way, and is left as it is.
    """
    try:
        Validations.of(scope).acknowledge(Acknowledgment(id=rule_id, reason=reason))
    except RuntimeError as error:
        if "InvalidValidationId" not in str(error):
            raise
