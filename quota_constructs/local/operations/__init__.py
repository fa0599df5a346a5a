"""The operations of quota management, one module a resource. Importing this package registers them all."""

from quota_constructs.local.operations import (
    job_queues,
    quota_shares,
    scheduling_policies,
    service_environments,
    service_job_lists,
    service_jobs,
    snapshots,
    tags,
)
from quota_constructs.local.operations.registry import OPERATIONS

__all__ = [
    "OPERATIONS",
    "job_queues",
    "quota_shares",
    "scheduling_policies",
    "service_environments",
    "service_job_lists",
    "service_jobs",
    "snapshots",
    "tags",
]
