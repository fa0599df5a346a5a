"""What an owned and an imported queue have in common: the interface, and the parts that need only the queue's ARN."""

from typing import TYPE_CHECKING, Protocol, cast

from aws_cdk import Resource
from constructs import IConstruct

from quota_constructs import _arns
from quota_constructs._metrics import QueueMetrics
from quota_constructs.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk import Duration
    from aws_cdk.aws_cloudwatch import Metric

    from quota_constructs._queue_shares import QueueShares
    from quota_constructs.quota_managed_queue_grants import QuotaManagedQueueGrants
    from quota_constructs.quota_share import QuotaShare
    from quota_constructs.resource_sharing import ResourceSharing
    from quota_constructs.share_lifecycle import ShareLifecycle, ShareRemoval


class IQuotaManagedQueue(IConstruct, Protocol):
    """A queue with quota management: one of this app, or an imported one."""

    @property
    def job_queue_arn(self) -> str:
        """ARN of the job queue."""
        ...

    @property
    def job_queue_name(self) -> str:
        """Name of the job queue."""
        ...

    @property
    def grants(self) -> "QuotaManagedQueueGrants":
        """Permissions on the queue."""
        ...

    def add_share(
        self,
        construct_id: str,
        *,
        capacity_limits: "Mapping[str, int]",
        quota_share_name: str | None = None,
        resource_sharing: "ResourceSharing | None" = None,
        in_share_preemption: bool = False,
        state: State = State.ENABLED,
        lifecycle: "ShareLifecycle | None" = None,
        on_removal: "ShareRemoval | None" = None,
        adopt_existing: bool = False,
        tags: "Mapping[str, str] | None" = None,
    ) -> "QuotaShare":
        """Add a share below the queue."""
        ...

    def metric(
        self,
        metric_name: str,
        *,
        statistic: str = "Sum",
        period: "Duration | None" = None,
        label: str | None = None,
    ) -> "Metric":
        """Give one of the queue's metrics by its official name."""
        ...

    @property
    def _shares(self) -> "QueueShares":
        """What the shares of the queue need to know of it, and of each other."""
        ...


class QueueBase(QueueMetrics, Resource):
    """What an owned and an imported queue have in common."""

    _shares: "QueueShares"
    _tags: "Mapping[str, str]"
    _arn: str

    @property
    def job_queue_arn(self) -> str:
        """ARN of the job queue."""
        return self._arn

    @property
    def job_queue_name(self) -> str:
        """Name of the job queue."""
        return _arns.queue_name(self._arn)

    def add_share(
        self,
        construct_id: str,
        *,
        capacity_limits: "Mapping[str, int]",
        quota_share_name: str | None = None,
        resource_sharing: "ResourceSharing | None" = None,
        in_share_preemption: bool = False,
        state: State = State.ENABLED,
        lifecycle: "ShareLifecycle | None" = None,
        on_removal: "ShareRemoval | None" = None,
        adopt_existing: bool = False,
        tags: "Mapping[str, str] | None" = None,
    ) -> "QuotaShare":
        """Add a share below the queue; the arguments are those of `QuotaShare`.

        Args:
            construct_id: Id of the share within the queue; also its name unless `quota_share_name` is given.
            capacity_limits: See `QuotaShare`.
            quota_share_name: See `QuotaShare`.
            resource_sharing: See `QuotaShare`.
            in_share_preemption: See `QuotaShare`.
            state: See `QuotaShare`.
            lifecycle: See `QuotaShare`.
            on_removal: See `QuotaShare`.
            adopt_existing: See `QuotaShare`.
            tags: See `QuotaShare`; the queue's own tags are added to them.

        Returns:
            The share.

        Raises:
            QuotaConstructError: The share breaks a rule; see `QuotaShare`.
            QuotaTypeError: A value has the wrong type.
        """
        from quota_constructs.quota_share import QuotaShare

        return QuotaShare(
            self,
            construct_id,
            queue=cast("IQuotaManagedQueue", self),
            capacity_limits=capacity_limits,
            quota_share_name=quota_share_name,
            resource_sharing=resource_sharing,
            in_share_preemption=in_share_preemption,
            state=state,
            lifecycle=lifecycle,
            on_removal=on_removal,
            adopt_existing=adopt_existing,
            tags={**self._tags, **tags} if tags and self._tags else tags or self._tags,
        )
