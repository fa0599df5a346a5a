"""A job queue for SageMaker Training jobs whose capacity is divided into quota shares."""

from typing import TYPE_CHECKING, cast

from aws_cdk import RemovalPolicy
from aws_cdk.aws_batch import CfnJobQueue, CfnSchedulingPolicy, CfnServiceEnvironment

from quota_constructs import _validation
from quota_constructs._imported_queue import ImportedQueue
from quota_constructs._proposal import Named, OwnedQueue
from quota_constructs._queue_base import QueueBase
from quota_constructs._queue_shares import QueueShares
from quota_constructs._scope import place, stack_of
from quota_constructs._tokens import as_number
from quota_constructs._types import LIMITS, TAGS, TypeChecks
from quota_constructs._undo import undone_on_error
from quota_constructs.change_guard import ChangeGuard
from quota_constructs.job_state_time_limit import JobStateTimeLimit
from quota_constructs.quota_guard import QuotaGuard
from quota_constructs.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from constructs import Construct

    from quota_constructs._queue_base import IQuotaManagedQueue
    from quota_constructs.quota_managed_queue_grants import QuotaManagedQueueGrants

_JOB_TYPE = "SAGEMAKER_TRAINING"


class QuotaManagedQueue(QueueBase):
    """A job queue, its service environment and its scheduling policy, for quota shares.

    Environment, queue and policy are kept when they leave the template or the stack is deleted, because losing the
    queue ends every job in it. Every change waits for the guard of the stack.

    Args:
        scope: The stack, or a construct in it.
        construct_id: Id within the scope.
        capacity_limits: The most instances of each type that jobs of the queue may use together, 1 to 5 types. The
            amounts may be tokens.
        guard: What to do about each verdict of a change. By default as `ChangeGuard()`.
        job_queue_name: Name of the queue. By default CloudFormation makes one; a name of one's own gets in the way
            when the queue must be replaced.
        service_environment_name: Name of the environment. By default CloudFormation makes one.
        scheduling_policy_name: Name of the policy. By default CloudFormation makes one.
        priority: Priority of the queue, 0 to 1,000. It decides nothing while each environment serves one queue. By
            default 1.
        state: Whether the queue takes jobs. By default it does.
        service_environment_state: Whether the environment processes jobs. By default it does.
        job_state_time_limits: When to end jobs that cannot start. By default they wait for ever.
        allow_oversubscription: Let the shares' limits sum to more than the environment holds. By default that is an
            error, because owners may then wait for borrowers.
        removal_policy: What happens to queue, environment and policy when they are removed or replaced. By default
            they are kept.
        tags: Tags of queue, environment, policy and the shares added with `add_share`, beside those of `Tags.of`; the
            service itself passes none on.

    Raises:
        QuotaConstructError: A value breaks a rule of quota management, or the stack's guard has other settings.
        QuotaTypeError: A value has the wrong type.

    Example:
        queue = QuotaManagedQueue(stack, "Training", capacity_limits={"ml.g5.xlarge": 3})
        queue.add_share("Research", capacity_limits={"ml.g5.xlarge": 2})
    """

    @undone_on_error
    def __init__(
        self,
        scope: "Construct",
        construct_id: str,
        *,
        capacity_limits: "Mapping[str, int]",
        guard: ChangeGuard | None = None,
        job_queue_name: str | None = None,
        service_environment_name: str | None = None,
        scheduling_policy_name: str | None = None,
        priority: int = 1,
        state: State = State.ENABLED,
        service_environment_state: State = State.ENABLED,
        job_state_time_limits: "Sequence[JobStateTimeLimit]" = (),
        allow_oversubscription: bool = False,
        removal_policy: RemovalPolicy = RemovalPolicy.RETAIN,
        tags: "Mapping[str, str] | None" = None,
    ) -> None:
        super().__init__(scope, construct_id)
        path = place(self, scope, construct_id)
        checks = TypeChecks(path)
        checks.mapping("capacity_limits", capacity_limits, LIMITS)
        checks.instance("guard", guard, ChangeGuard, optional=True)
        checks.text("job_queue_name", job_queue_name, optional=True)
        checks.text("service_environment_name", service_environment_name, optional=True)
        checks.text("scheduling_policy_name", scheduling_policy_name, optional=True)
        checks.choice("state", state, State)
        checks.choice("service_environment_state", service_environment_state, State)
        checks.sequence("job_state_time_limits", job_state_time_limits, JobStateTimeLimit)
        checks.flag("allow_oversubscription", allow_oversubscription)
        checks.instance("removal_policy", removal_policy, RemovalPolicy)
        if removal_policy is RemovalPolicy.SNAPSHOT:
            checks.problem(
                "removal_policy is for resources with snapshots, got RemovalPolicy.SNAPSHOT; "
                "give RemovalPolicy.RETAIN or RemovalPolicy.DESTROY"
            )
        checks.mapping("tags", tags, TAGS, optional=True)
        checks.done()
        self._tags = dict(tags or {})
        configuration = _validation.queue_configuration(
            path,
            name=job_queue_name,
            service_environment_name=service_environment_name,
            scheduling_policy_name=scheduling_policy_name,
            capacity_limits=capacity_limits,
            priority=priority,
            job_state_time_limits=job_state_time_limits,
            allow_oversubscription=allow_oversubscription,
            tags=self._tags,
        )
        _validation.check(configuration, path, capacity_limits)

        stack = stack_of(self)
        stack_guard = QuotaGuard.of(stack, guard)
        self._policy = CfnSchedulingPolicy(
            self,
            "SchedulingPolicy",
            name=scheduling_policy_name,
            quota_share_policy=CfnSchedulingPolicy.QuotaSharePolicyProperty(idle_resource_assignment_strategy="FIFO"),
            tags=self._tags or None,
        )
        self._environment = CfnServiceEnvironment(
            self,
            "ServiceEnvironment",
            service_environment_name=service_environment_name,
            service_environment_type=_JOB_TYPE,
            state=service_environment_state.value,
            capacity_limits=[
                CfnServiceEnvironment.CapacityLimitProperty(capacity_unit=unit, max_capacity=as_number(amount))
                for unit, amount in capacity_limits.items()
            ],
            tags=self._tags or None,
        )
        self._queue = CfnJobQueue(
            self,
            "Resource",
            job_queue_name=job_queue_name,
            job_queue_type=_JOB_TYPE,
            priority=priority,
            state=state.value,
            scheduling_policy_arn=self._policy.ref,
            service_environment_order=[
                CfnJobQueue.ServiceEnvironmentOrderProperty(order=1, service_environment=self._environment.ref)
            ],
            job_state_time_limit_actions=_time_limit_actions(job_state_time_limits),
            tags=self._tags or None,
        )
        for resource in (self._policy, self._environment, self._queue):
            resource.apply_removal_policy(removal_policy)
        # One dependency for all that is below the queue, shares that are added later included.
        self.node.add_dependency(stack_guard)
        self._arn = self._queue.ref
        entry = OwnedQueue(
            path=path,
            queue=Named(self._queue, job_queue_name),
            environment=Named(self._environment, service_environment_name),
            scheduling_policy=Named(self._policy, scheduling_policy_name),
            state=state,
            environment_state=service_environment_state,
            capacity_limits=dict(capacity_limits),
            job_state_time_limits=tuple(job_state_time_limits),
            allow_oversubscription=allow_oversubscription,
        )
        stack_guard.entry(self._arn, entry)
        self._shares = QueueShares(path, self._arn, configuration, guard=guard, stack=stack, all_known=True)
        self._shares.seen_by(stack_guard)

    @classmethod
    def from_job_queue_arn(
        cls, scope: "Construct", construct_id: str, job_queue_arn: str, *, guard: ChangeGuard | None = None
    ) -> "IQuotaManagedQueue":
        """Use a queue that is declared elsewhere, to add shares to it or to grant permissions on it.

        Args:
            scope: The stack, or a construct in it.
            construct_id: Id within the scope.
            job_queue_arn: ARN of the queue; may be a token.
            guard: What to do about each verdict of a change of shares that this stack adds. By default as
                `ChangeGuard()`.

        Returns:
            The queue; its environment and limits are not known.

        Raises:
            QuotaConstructError: The ARN is of another kind.
        """
        return cls.from_job_queue_attributes(scope, construct_id, job_queue_arn=job_queue_arn, guard=guard)

    @classmethod
    def from_job_queue_attributes(
        cls,
        scope: "Construct",
        construct_id: str,
        *,
        job_queue_arn: str,
        capacity_limits: "Mapping[str, int] | None" = None,
        service_environment_arn: str | None = None,
        scheduling_policy_arn: str | None = None,
        allow_oversubscription: bool = False,
        guard: ChangeGuard | None = None,
    ) -> "IQuotaManagedQueue":
        """Use a queue that is declared elsewhere, of which more is known than its ARN.

        Args:
            scope: The stack, or a construct in it.
            construct_id: Id within the scope.
            job_queue_arn: ARN of the queue; may be a token.
            capacity_limits: What its environment holds, for more checks at synth. By default not known; the guard
                looks it up.
            service_environment_arn: ARN of its environment, for `grants.administer`. By default not known.
            scheduling_policy_arn: ARN of its policy, for `grants.administer`. By default not known.
            allow_oversubscription: Whether the limits of its shares may sum to more than `capacity_limits`.
            guard: What to do about each verdict of a change of shares that this stack adds. By default as
                `ChangeGuard()`.

        Returns:
            The queue.

        Raises:
            QuotaConstructError: The ARN is of another kind, or the limits break a rule.
            QuotaTypeError: A value has the wrong type.
        """
        return cast(
            "IQuotaManagedQueue",
            ImportedQueue(
                scope,
                construct_id,
                job_queue_arn=job_queue_arn,
                capacity_limits=capacity_limits,
                service_environment_arn=service_environment_arn,
                scheduling_policy_arn=scheduling_policy_arn,
                allow_oversubscription=allow_oversubscription,
                guard=guard,
            ),
        )

    @property
    def service_environment_arn(self) -> str:
        """ARN of the service environment."""
        return self._environment.ref

    @property
    def scheduling_policy_arn(self) -> str:
        """ARN of the scheduling policy."""
        return self._policy.ref

    @property
    def grants(self) -> "QuotaManagedQueueGrants":
        """Permissions on the queue."""
        from quota_constructs.quota_managed_queue_grants import QuotaManagedQueueGrants

        return QuotaManagedQueueGrants(self._arn, self.service_environment_arn, self.scheduling_policy_arn)


def _time_limit_actions(
    limits: "Sequence[JobStateTimeLimit]",
) -> list[CfnJobQueue.JobStateTimeLimitActionProperty] | None:
    return [
        CfnJobQueue.JobStateTimeLimitActionProperty(
            reason=limit.reason, state="RUNNABLE", max_time_seconds=limit.max_time.to_seconds(), action="TERMINATE"
        )
        for limit in limits
    ] or None
