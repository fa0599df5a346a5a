"""What stands in the way of a plan."""


class PlanError(ValueError):
    """Raised when a deployment cannot be planned; the message is one line for a person."""
