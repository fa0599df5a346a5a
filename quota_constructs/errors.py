"""The errors the constructs raise.

    QuotaConstructError (ValueError)
    └── QuotaRuleError            rules of the model, with their ids
    QuotaTypeError (TypeError)

All carry sentences that say what is wrong, what was got, what is allowed and what to change.
"""


class QuotaConstructError(ValueError):
    """A value, or a combination of constructs, that cannot work."""


class QuotaTypeError(TypeError):
    """A value of another type than the parameter takes."""


class QuotaRuleError(QuotaConstructError):
    """Rules of quota management that a queue or a share breaks; all of them at once.

    Attributes:
        rule_ids: The ids of the broken rules, in the order of the message.
    """

    def __init__(self, message: str, rule_ids: tuple[str, ...]) -> None:
        super().__init__(message)
        self.rule_ids = rule_ids
