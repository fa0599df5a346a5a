"""A local AWS Batch with quota management, for tests and for trying things out.

`LocalBatch` runs in your process; `LocalCloud` is a child process with CloudFormation, Lambda and the rest around it.
Names are loaded when they are first used, so that importing this package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quota_constructs.local.batch import LocalBatch
    from quota_constructs.local.clock import ManualClock, RealClock
    from quota_constructs.local.cloud import LocalCloud, LocalCloudError
    from quota_constructs.local.settings import Settings, short_settings

__all__ = ["LocalBatch", "LocalCloud", "LocalCloudError", "ManualClock", "RealClock", "Settings", "short_settings"]

_MODULES = {
    "LocalBatch": "batch",
    "LocalCloud": "cloud",
    "LocalCloudError": "cloud",
    "ManualClock": "clock",
    "RealClock": "clock",
    "Settings": "settings",
    "short_settings": "settings",
}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
