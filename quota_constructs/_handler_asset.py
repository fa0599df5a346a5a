"""The file that is deployed as the handler: an archive of three packages, as they lie.

They are taken from the folder that holds them (`lambda/` in a checkout, site-packages in an installation), and nothing
else is let in. The archive is made once in a process and written straight into the assembly, one file where a folder
would be copied file by file for each app: docs/decisions/0025. What it is called depends on nothing but the packages'
contents, so that it is the same wherever the library is installed.
"""

import hashlib
import io
import os
import zipfile
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = ("quota_handler", "quota_live", "quota_scheduler")
HANDLER = "quota_handler.handler.on_event"

_LEFT_OUT = "__pycache__"
_BYTE_CODE = ".pyc"
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first that the format knows
_UNIX = 3
_READABLE = 0o100644 << 16  # a plain file that the function's user may read


class Archive:
    """The handler's packages in one file, without byte code and hidden files.

    Args:
        root: The folder that holds the packages.

    Attributes:
        fingerprint: What tells it from another one: a hash of names and contents, of any length.
    """

    def __init__(self, root: Path) -> None:
        names = sorted(name for package in PACKAGES for name in _files(root, package))
        # A checkout may have either line ending.
        self._members = {name: (root / name).read_bytes().replace(b"\r\n", b"\n") for name in names}
        digest = hashlib.sha256()
        for name, content in self._members.items():
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
        self.fingerprint = digest.hexdigest()

    @cached_property
    def content(self) -> bytes:
        """The bytes of the zip file, made when they are first asked for."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as made:
            for name, content in self._members.items():
                member = zipfile.ZipInfo(name, _EARLIEST)
                member.create_system, member.external_attr = _UNIX, _READABLE
                made.writestr(member, content, zipfile.ZIP_DEFLATED)
        return file.getvalue()

    def write(self, assets: Path) -> Path:
        """Write it to where the CDK would put it, so that it finds it there and copies nothing.

        Source: aws-cdk-lib, AssetStaging.calculateHash and stageAsset for `AssetHashType.CUSTOM`. Where a release
        calls it otherwise, the CDK makes its own copy of this file.

        Args:
            assets: The folder of the assembly that assets go to.

        Returns:
            The file.
        """
        path = assets / f"asset.{hashlib.sha256(self.fingerprint.encode()).hexdigest()}.zip"
        if not path.exists():
            part = path.with_name(f"{path.name}.{os.getpid()}")  # whole or not at all
            part.write_bytes(self.content)
            part.replace(path)
        return path


_archive = cache(Archive)


def archive() -> Archive:
    """Give the archive of the packages that are installed.

    Raises:
        RuntimeError: The packages are not installed, or not all in one folder.
    """
    return _archive(source_root())


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


def _files(root: Path, folder: str) -> "Iterator[str]":
    with os.scandir(root / folder) as entries:
        for entry in entries:
            name = f"{folder}/{entry.name}"
            if entry.name.startswith(".") or entry.name == _LEFT_OUT or entry.name.endswith(_BYTE_CODE):
                continue
            if entry.is_dir():
                yield from _files(root, name)
            else:
                yield name


def _parent_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"package {package} not found; reinstall quota-constructs")
    return Path(next(iter(spec.submodule_search_locations))).parent
