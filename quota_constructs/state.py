"""What a user sets on a queue, an environment or a share; what the service reports is its status."""

from enum import StrEnum


class State(StrEnum):
    """Whether new work is accepted.

    Disabled, a queue or a share takes no new jobs, and what was submitted may finish.

    Source: CreateJobQueue, CreateQuotaShare and CreateServiceEnvironment, member `state`.
    """

    ENABLED = "ENABLED"
    DISABLED = "DISABLED"
