"""A quota share: a team's part of a queue's capacity."""

from typing import TYPE_CHECKING, cast

import jsii
from aws_cdk import CfnResource, IStableStringProducer, ITaggableV2, Lazy, RemovalPolicy, TagManager, TagType

from quota_constructs import _proposal, _validation
from quota_constructs._imported_share import ImportedShare
from quota_constructs._proposal import ShareEntry
from quota_constructs._queue_shares import QueueShares
from quota_constructs._scope import place, stack_of
from quota_constructs._share_base import ShareBase
from quota_constructs._tags import own_tags_problem
from quota_constructs._tokens import as_number
from quota_constructs._types import LIMITS, TAGS, TypeChecks
from quota_constructs._undo import undone_on_error
from quota_constructs.construct_rules import NATIVE_ADOPTS_NOT, TYPE
from quota_constructs.errors import QuotaConstructError, QuotaTypeError
from quota_constructs.quota_handler import SERVICE_TIMEOUT_SECONDS
from quota_constructs.resource_sharing import ResourceSharing
from quota_constructs.share_lifecycle import ShareLifecycle, ShareRemoval
from quota_constructs.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from constructs import Construct

    from quota_constructs._queue_base import IQuotaManagedQueue
    from quota_constructs._share_base import IQuotaShare
    from quota_constructs.quota_guard import QuotaGuard
    from quota_scheduler.rules import ShareConfiguration

_TYPE = "Custom::QuotaShare"


@jsii.implements(ITaggableV2)
class QuotaShare(ShareBase):
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
        tags: Tags of the share, beside those of `Tags.of`; 48 at most for a managed share, 46 with `adopt_existing`,
            because the handler has tags of its own.

    Raises:
        QuotaConstructError: The share breaks a rule of quota management, by itself or together with the queue's other
            shares.
        QuotaTypeError: A value has the wrong type.

    Example:
        QuotaShare(
            team_stack,
            "Vision",
            queue=QuotaManagedQueue.from_job_queue_arn(team_stack, "Queue", arn),
            capacity_limits={"ml.g5.xlarge": 1},
            resource_sharing=ResourceSharing.lend_and_borrow(borrow_limit_percent=100),
        )
    """

    @undone_on_error
    def __init__(
        self,
        scope: "Construct",
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
        path = place(self, scope, construct_id)
        shares = _shares_of(queue, path)
        checks = TypeChecks(path)
        checks.mapping("capacity_limits", capacity_limits, LIMITS)
        checks.text("quota_share_name", quota_share_name, optional=True)
        checks.instance(
            "resource_sharing",
            resource_sharing,
            ResourceSharing,
            "reserve(), lend() or lend_and_borrow()",
            optional=True,
        )
        checks.flag("in_share_preemption", in_share_preemption)
        checks.choice("state", state, State)
        checks.choice("lifecycle", lifecycle, ShareLifecycle, optional=True)
        checks.choice("on_removal", on_removal, ShareRemoval, optional=True)
        checks.flag("adopt_existing", adopt_existing)
        checks.mapping("tags", tags, TAGS, optional=True)
        checks.done()
        self._entry = ShareEntry(
            path=path,
            name=construct_id if quota_share_name is None else quota_share_name,
            capacity_limits=dict(capacity_limits),
            resource_sharing=resource_sharing or ResourceSharing.reserve(),
            in_share_preemption=in_share_preemption,
            state=state,
            lifecycle=lifecycle or ShareLifecycle.MANAGED,
            on_removal=on_removal or ShareRemoval.REFUSE_IF_BUSY,
        )
        self._tags: Mapping[str, str] = dict(tags or {})
        self._tag_manager: TagManager | None = None
        self._stack = stack = stack_of(self)
        self._shares = shares
        self._lifecycle_accepts(adopt_existing=adopt_existing)
        self._tags_have_room(adopt_existing=adopt_existing)
        with_share = shares.check(self._configuration(), capacity_limits, stack)

        guard = shares.guard_in(stack)
        if self._entry.lifecycle is ShareLifecycle.MANAGED:
            self._resource = self._managed(guard, adopt_existing=adopt_existing)
        else:
            self._resource = self._native()
        if cast("IQuotaManagedQueue", scope) is not queue or not shares.is_owned:
            guard.protect(self._resource)
        shares.declare(guard, self._entry, self._resource, with_share)

    @classmethod
    def from_quota_share_arn(cls, scope: "Construct", construct_id: str, quota_share_arn: str) -> "IQuotaShare":
        """Use a share that is declared elsewhere, to grant permissions on it.

        Args:
            scope: The stack, or a construct in it.
            construct_id: Id within the scope.
            quota_share_arn: ARN of the share; may be a token.

        Returns:
            The share; its limits are not known.

        Raises:
            QuotaConstructError: The ARN is of another kind.
        """
        return cast("IQuotaShare", ImportedShare(scope, construct_id, quota_share_arn))

    @property
    def quota_share_arn(self) -> str:
        """ARN of the share."""
        return self._resource.ref

    @property
    def quota_share_name(self) -> str:
        """Name of the share, unique on its queue."""
        return self._entry.name

    @property
    def job_queue_arn(self) -> str:
        """ARN of the queue the share belongs to."""
        return self._shares.arn

    @property
    def cdk_tag_manager(self) -> TagManager:
        """Tags of the share, where `Tags.of` adds its own; a native share's resource has a manager of its own."""
        if self._tag_manager is None:
            self._tag_manager = TagManager(TagType.MAP, _TYPE, dict(self._tags))
            if self._entry.lifecycle is ShareLifecycle.MANAGED:
                self._resource.add_property_override("Share", Lazy.string(_ShareProducer(self)))
        return self._tag_manager

    def _lifecycle_accepts(self, *, adopt_existing: bool) -> None:
        if adopt_existing and self._entry.lifecycle is ShareLifecycle.NATIVE:
            raise NATIVE_ADOPTS_NOT.broken(
                "adopt_existing is for managed shares, got ShareLifecycle.NATIVE; drop adopt_existing and take the "
                "share over with `cdk import`, or use ShareLifecycle.MANAGED",
                self._entry.path,
            )

    def _tags_have_room(self, *, adopt_existing: bool) -> None:
        if self._entry.lifecycle is ShareLifecycle.MANAGED:
            problem = own_tags_problem(self._entry.path, self._tags, adopt_existing=adopt_existing)
            if problem is not None:
                raise QuotaConstructError([problem])

    def _configuration(self) -> "ShareConfiguration":
        entry = self._entry
        return _validation.share_configuration(
            entry.path,
            name=entry.name,
            capacity_limits=entry.capacity_limits,
            resource_sharing=entry.resource_sharing,
            in_share_preemption=entry.in_share_preemption,
            state=entry.state.value,
            tags=self._tags,
        )

    def _managed(self, guard: "QuotaGuard", *, adopt_existing: bool) -> CfnResource:
        return CfnResource(
            self,
            "Resource",
            type=_TYPE,
            properties={
                "ServiceToken": guard.handler.service_token,
                "ServiceTimeout": SERVICE_TIMEOUT_SECONDS,
                "Share": self._document(self._tags),
                "JobQueue": self._shares.arn,
                "OnRemoval": self._entry.on_removal.value,
                "AdoptExisting": "true" if adopt_existing else "false",
            },
        )

    def _document(self, tags: "Mapping[str, str]") -> str:
        """Give the property `Share`: what the handler makes of the share."""
        return _proposal.json_text(self._stack, _proposal.share_document(self._entry, tags))

    def _native(self) -> CfnResource:
        from aws_cdk.aws_batch import CfnQuotaShare

        entry = self._entry
        resource = CfnQuotaShare(
            self,
            "Resource",
            job_queue=self._shares.arn,
            quota_share_name=entry.name,
            capacity_limits=[
                CfnQuotaShare.QuotaShareCapacityLimitProperty(capacity_unit=unit, max_capacity=as_number(amount))
                for unit, amount in entry.capacity_limits.items()
            ],
            resource_sharing_configuration=CfnQuotaShare.QuotaShareResourceSharingConfigurationProperty(
                strategy=entry.resource_sharing.strategy, borrow_limit=entry.resource_sharing.borrow_limit_percent
            ),
            preemption_configuration=CfnQuotaShare.QuotaSharePreemptionConfigurationProperty(
                in_share_preemption="ENABLED" if entry.in_share_preemption else "DISABLED"
            ),
            state=entry.state.value,
            tags=self._tags or None,
        )
        if entry.on_removal is ShareRemoval.RETAIN:
            resource.apply_removal_policy(RemovalPolicy.RETAIN)
        return cast("CfnResource", resource)


@jsii.implements(IStableStringProducer)
class _ShareProducer:
    """Give the property `Share` when the template is written, with the tags that were added to the tree."""

    def __init__(self, share: QuotaShare) -> None:
        self._share = share

    def produce(self) -> str:
        share = self._share
        return share._document(share.cdk_tag_manager.tag_values())  # noqa: SLF001  # the producer is part of the share


def _shares_of(queue: "IQuotaManagedQueue", where: str) -> QueueShares:
    shares = getattr(queue, "_shares", None)
    if isinstance(shares, QueueShares):
        return shares
    raise QuotaTypeError(
        [
            TYPE.problem(
                f"queue has the wrong type, got {queue!r} ({type(queue).__name__}); give a QuotaManagedQueue, or one "
                "from QuotaManagedQueue.from_job_queue_arn",
                where,
            )
        ]
    )
