"""A quota share: a team's part of a queue's capacity."""

from typing import TYPE_CHECKING, Protocol, cast

from aws_cdk import CfnResource, Resource
from constructs import Construct, IConstruct

from quota_constructs import _proposal
from quota_constructs._proposal import ShareEntry
from quota_constructs._scope import place, stack_of
from quota_constructs.quota_handler import SERVICE_TIMEOUT_SECONDS
from quota_constructs.resource_sharing import ResourceSharing
from quota_constructs.share_lifecycle import ShareLifecycle, ShareRemoval
from quota_constructs.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_cdk import Stack

    from quota_constructs.quota_guard import QuotaGuard
    from quota_constructs.quota_managed_queue import IQuotaManagedQueue


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


class QuotaShare(Resource):
    """A part of a queue's capacity, with its rules for lending, borrowing and preemption.

    Args:
        scope: The stack, or a construct in it; also another stack than the queue's.
        construct_id: Id within the scope; also the name of the share unless `quota_share_name` is given.
        queue: The queue, of this app or imported.
        capacity_limits: The most instances of each type the share gets without borrowing, 1 to 5 types, each 1 or
            more. The amounts may be tokens.
        quota_share_name: Name on the queue. By default the construct id. Renaming makes a new share and takes the old
            one away.
        resource_sharing: Lending and borrowing. By default the share reserves what it has.
        in_share_preemption: Whether waiting jobs of the share may stop its own jobs of lower priority. By default
            not.
        state: Whether the share takes jobs. By default it does.
        lifecycle: Who makes the changes. By default this library's handler.
        on_removal: What happens to the share when it is removed. By default it is deleted when idle, and the
            deployment is refused when it is not.
        adopt_existing: Take over a share of this name that exists already. By default that is an error.
        tags: Tags of the share, beside those of `Tags.of`.

    Example:
        QuotaShare(
            team_stack,
            "Vision",
            queue=QuotaManagedQueue.from_job_queue_arn(team_stack, "Queue", arn),
            capacity_limits={"ml.g5.xlarge": 1},
            resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=100),
        )
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        queue: "IQuotaManagedQueue",
        capacity_limits: "Mapping[str, int]",
        quota_share_name: str | None = None,
        resource_sharing: ResourceSharing | None = None,
        in_share_preemption: bool = False,
        state: State = State.ENABLED,
        lifecycle: ShareLifecycle | None = None,
        on_removal: ShareRemoval | None = None,
        adopt_existing: bool = False,
        tags: "Mapping[str, str] | None" = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._queue_arn = queue.job_queue_arn
        self._name = quota_share_name or construct_id
        path = place(self, scope, construct_id)
        stack = stack_of(self)
        guard = queue._guard_for(stack)  # noqa: SLF001  # queue and share are one unit
        self._tags = dict(tags or {})
        self._limits = dict(capacity_limits)
        self._sharing = resource_sharing or ResourceSharing.reserve()
        self._in_share = in_share_preemption
        self._state = state
        self._lifecycle = lifecycle or ShareLifecycle.MANAGED
        self._on_removal = on_removal or ShareRemoval.REFUSE_IF_BUSY
        if self._lifecycle is ShareLifecycle.MANAGED:
            self._resource = self._managed(stack, guard, adopt_existing=adopt_existing)
        else:
            self._resource = self._native()
        guard.protect(self._resource)
        entry = ShareEntry(
            path=path,
            resource=self._resource,
            name=self._name,
            capacity_limits=self._limits,
            resource_sharing=self._sharing,
            in_share_preemption=in_share_preemption,
            state=state,
            lifecycle=self._lifecycle,
            on_removal=self._on_removal,
        )
        queue._declare(guard, stack, entry)  # noqa: SLF001  # queue and share are one unit

    @property
    def quota_share_arn(self) -> str:
        """ARN of the share."""
        return self._resource.ref

    @property
    def quota_share_name(self) -> str:
        """Name of the share, unique on its queue."""
        return self._name

    @property
    def job_queue_arn(self) -> str:
        """ARN of the queue the share belongs to."""
        return self._queue_arn

    def _managed(self, stack: "Stack", guard: "QuotaGuard", *, adopt_existing: bool) -> CfnResource:
        share = {
            "version": _proposal.VERSION,
            "quotaShareName": self._name,
            "capacityLimits": _proposal.capacity_limits(self._limits),
            "resourceSharingConfiguration": _proposal.resource_sharing_configuration(self._sharing),
            "preemptionConfiguration": _proposal.preemption_configuration(in_share=self._in_share),
            "state": self._state.value,
            "tags": self._tags,
        }
        return CfnResource(
            self,
            "Resource",
            type="Custom::QuotaShare",
            properties={
                "ServiceToken": guard.handler.service_token,
                "ServiceTimeout": SERVICE_TIMEOUT_SECONDS,
                "Share": _proposal.json_text(stack, share),
                "JobQueue": self._queue_arn,
                "OnRemoval": self._on_removal.value,
                "AdoptExisting": "true" if adopt_existing else "false",
            },
        )

    def _native(self) -> CfnResource:
        from aws_cdk.aws_batch import CfnQuotaShare

        sharing = self._sharing
        return cast(
            "CfnResource",
            CfnQuotaShare(
                self,
                "Resource",
                job_queue=self._queue_arn,
                quota_share_name=self._name,
                capacity_limits=[
                    CfnQuotaShare.QuotaShareCapacityLimitProperty(capacity_unit=unit, max_capacity=amount)
                    for unit, amount in self._limits.items()
                ],
                resource_sharing_configuration=CfnQuotaShare.QuotaShareResourceSharingConfigurationProperty(
                    strategy=sharing.strategy, borrow_limit=sharing.borrow_limit_percent
                ),
                preemption_configuration=CfnQuotaShare.QuotaSharePreemptionConfigurationProperty(
                    in_share_preemption="ENABLED" if self._in_share else "DISABLED"
                ),
                state=self._state.value,
                tags=self._tags or None,
            ),
        )
