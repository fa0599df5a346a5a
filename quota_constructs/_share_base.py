"""What an owned and an imported share have in common."""

from typing import TYPE_CHECKING, Protocol

from aws_cdk import Resource
from constructs import IConstruct

if TYPE_CHECKING:
    from quota_constructs.quota_share_grants import QuotaShareGrants


class IQuotaShare(IConstruct, Protocol):
    """A quota share: one of this app, or an imported one."""

    @property
    def quota_share_arn(self) -> str:
        """ARN of the share."""
        ...

    @property
    def quota_share_name(self) -> str:
        """Name of the share, unique on its queue."""
        ...

    @property
    def job_queue_arn(self) -> str:
        """ARN of the queue the share belongs to."""
        ...

    @property
    def grants(self) -> "QuotaShareGrants":
        """Permissions on the share."""
        ...


class ShareBase(Resource):
    """What an owned and an imported share have in common."""

    @property
    def quota_share_arn(self) -> str:
        """ARN of the share."""
        raise NotImplementedError

    @property
    def job_queue_arn(self) -> str:
        """ARN of the queue the share belongs to."""
        raise NotImplementedError

    @property
    def grants(self) -> "QuotaShareGrants":
        """Permissions on the share."""
        from quota_constructs.quota_share_grants import QuotaShareGrants

        return QuotaShareGrants(self.quota_share_arn, self.job_queue_arn)
