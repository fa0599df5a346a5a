"""How long a job may wait at the head of its share for a reason that will not go away by itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quota_constructs._types import TypeChecks

if TYPE_CHECKING:
    from aws_cdk import Duration


@dataclass(frozen=True, slots=True)
class JobStateTimeLimit:
    """End jobs that stay RUNNABLE at the head for a given reason (an entry of `jobStateTimeLimitActions`).

    The service knows three reasons for SageMaker Training queues, one method each. The action is always to
    terminate the job, the only one these queues allow.

    Args:
        reason: The service's own text of the reason.
        max_time: How long to wait, 10 minutes to 24 hours.

    Raises:
        QuotaTypeError: A value has the wrong type, or the time is no whole number of seconds.

    Source: Batch user guide, "Automatic remediation with jobStateTimeLimitActions"; UpdateJobQueue.
    """

    reason: str
    max_time: "Duration"

    def __post_init__(self) -> None:
        checks = TypeChecks("")
        checks.text("reason", self.reason)
        checks.duration("max_time", self.max_time)
        checks.done()

    @classmethod
    def insufficient_instance_capacity(cls, max_time: "Duration") -> "JobStateTimeLimit":
        """End jobs for which no instances could be had; time in SCHEDULED counts over resubmissions."""
        return cls("CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", max_time)

    @classmethod
    def service_environment_max_resource(cls, max_time: "Duration") -> "JobStateTimeLimit":
        """End jobs that ask for more than the service environment holds."""
        return cls("MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE", max_time)

    @classmethod
    def quota_management_limit_exceeded(cls, max_time: "Duration") -> "JobStateTimeLimit":
        """End jobs that ask for more than their share can ever get, its borrowing included."""
        return cls("MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED", max_time)
