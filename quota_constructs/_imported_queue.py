"""A queue that is declared elsewhere, and known by its ARN."""

from typing import TYPE_CHECKING

from quota_constructs import _arns, _validation
from quota_constructs._queue_base import QueueBase
from quota_constructs._queue_shares import QueueShares
from quota_constructs._scope import path_of, place
from quota_constructs._types import LIMITS, TypeChecks
from quota_constructs._undo import undone_on_error
from quota_constructs.change_guard import ChangeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from constructs import Construct

    from quota_constructs.quota_managed_queue_grants import QuotaManagedQueueGrants


class ImportedQueue(QueueBase):
    """A queue known by its ARN."""

    @undone_on_error
    def __init__(
        self,
        scope: "Construct",
        construct_id: str,
        *,
        job_queue_arn: str,
        capacity_limits: "Mapping[str, int] | None",
        service_environment_arn: str | None,
        scheduling_policy_arn: str | None,
        allow_oversubscription: bool,
        guard: ChangeGuard | None,
    ) -> None:
        where = f"{path_of(scope)}/{construct_id}"
        _arns.check(
            where,
            {"job_queue_arn": job_queue_arn},
            service_environment_arn=service_environment_arn,
            scheduling_policy_arn=scheduling_policy_arn,
        )
        super().__init__(scope, construct_id, environment_from_arn=job_queue_arn)
        path = place(self, scope, construct_id)
        checks = TypeChecks(path)
        checks.mapping("capacity_limits", capacity_limits, LIMITS, optional=True)
        checks.flag("allow_oversubscription", allow_oversubscription)
        checks.instance("guard", guard, ChangeGuard, optional=True)
        checks.done()
        self._tags = {}
        self._arn = job_queue_arn
        self._environment_arn = service_environment_arn
        self._policy_arn = scheduling_policy_arn
        configuration = _validation.imported_queue_configuration(
            path, capacity_limits, allow_oversubscription=allow_oversubscription
        )
        _validation.check(configuration, path, capacity_limits or {})
        self._shares = QueueShares(path, job_queue_arn, configuration, guard=guard, stack=None, all_known=False)

    @property
    def grants(self) -> "QuotaManagedQueueGrants":
        """Permissions on the queue."""
        from quota_constructs.quota_managed_queue_grants import QuotaManagedQueueGrants

        return QuotaManagedQueueGrants(self._arn, self._environment_arn, self._policy_arn)
