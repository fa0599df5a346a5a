"""The folder that is deployed as the handler: an allow-list of three packages, taken as they lie.

The asset is the folder that holds the packages (`lambda/` in a checkout, site-packages in an installation), and the
ignore rules let in just them. So nothing is copied before a synth, and the hash is the same wherever the library is
installed: docs/decisions/0001 has the comparison with other ways.
"""

from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("quota_handler", "quota_live", "quota_scheduler")
HANDLER = "quota_handler.handler.on_event"

EXCLUDE = ["/*", *(f"!/{package}" for package in PACKAGES), "__pycache__", "*.pyc", ".*"]


def source_root() -> Path:
    """Find the folder that holds the handler's packages, without importing them.

    Raises:
        RuntimeError: The packages are not installed, or not all in one folder.
    """
    folders = {_parent_of(package) for package in PACKAGES}
    if len(folders) > 1:
        found = ", ".join(sorted(map(str, folders)))
        raise RuntimeError(f"the handler's packages lie in several folders, got {found}; reinstall quota-constructs")
    return folders.pop()


def _parent_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"package {package} not found; reinstall quota-constructs")
    return Path(next(iter(spec.submodule_search_locations))).parent
