"""Quota as code with a plan: AWS Batch quota shares declared with the CDK and checked against the work that runs now.

The public names are resolved on first use, so that importing the package (as the command line does) starts neither
the CDK nor its Node process. What is not here is private; sub-packages hold the command line, the report, the local
cloud and what tests of an app need.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quota_constructs._queue_base import IQuotaManagedQueue
    from quota_constructs._share_base import IQuotaShare
    from quota_constructs.change_guard import ChangeGuard, GuardAction
    from quota_constructs.job_state_time_limit import JobStateTimeLimit
    from quota_constructs.quota_checks import QuotaChecks
    from quota_constructs.quota_guard import QuotaGuard
    from quota_constructs.quota_handler import QuotaHandler
    from quota_constructs.quota_managed_queue import QuotaManagedQueue
    from quota_constructs.quota_share import QuotaShare
    from quota_constructs.resource_sharing import ResourceSharing
    from quota_constructs.share_lifecycle import ShareLifecycle, ShareRemoval
    from quota_constructs.state import State
else:
    _HOME = {
        "ChangeGuard": "change_guard",
        "GuardAction": "change_guard",
        "IQuotaManagedQueue": "_queue_base",
        "IQuotaShare": "_share_base",
        "JobStateTimeLimit": "job_state_time_limit",
        "QuotaChecks": "quota_checks",
        "QuotaGuard": "quota_guard",
        "QuotaHandler": "quota_handler",
        "QuotaManagedQueue": "quota_managed_queue",
        "QuotaShare": "quota_share",
        "ResourceSharing": "resource_sharing",
        "ShareLifecycle": "share_lifecycle",
        "ShareRemoval": "share_lifecycle",
        "State": "state",
    }

    def __getattr__(name: str) -> object:
        """Import the module that holds `name` the first time it is asked for."""
        home = _HOME.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value


__all__ = [
    "ChangeGuard",
    "GuardAction",
    "IQuotaManagedQueue",
    "IQuotaShare",
    "JobStateTimeLimit",
    "QuotaChecks",
    "QuotaGuard",
    "QuotaHandler",
    "QuotaManagedQueue",
    "QuotaShare",
    "ResourceSharing",
    "ShareLifecycle",
    "ShareRemoval",
    "State",
]


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(set(globals()) | set(__all__))
