"""What is deployed as the handler: three packages as they lie, and a hash that depends on nothing else."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from constructs_support import new_queue, new_stack

from quota_constructs import _handler_asset

PACKAGES = {"quota_handler", "quota_live", "quota_scheduler"}


@pytest.fixture(scope="module")
def asset() -> Path:
    """The file that a synthesis puts into the assembly."""
    stack = new_stack()
    new_queue(stack)
    (file,) = Path(stack.node.root.synth().directory).glob("asset.*")
    return file


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A site-packages of its own: the packages, byte code, tool caches and other people's packages."""
    site = tmp_path / "site-packages"
    site.mkdir()
    for package in PACKAGES:
        shutil.copytree(_handler_asset.source_root() / package, site / package, ignore=shutil.ignore_patterns("*.pyc"))
    for clutter in ("boto3/__init__.py", "quota_constructs/__init__.py", "quota_scheduler_extra/__init__.py",
                    "quota_handler/__pycache__/handler.pyc", "quota_scheduler/rules/__pycache__/x.pyc",
                    "quota_live/.mypy_cache/x", "README.md", ".hidden"):  # fmt: skip
        (site / clutter).parent.mkdir(parents=True, exist_ok=True)
        (site / clutter).write_text("clutter")
    return site


def fingerprint(folder: Path) -> str:
    return _handler_asset.Archive(folder).fingerprint


def test_the_asset_holds_the_three_packages_and_no_byte_code(asset: Path) -> None:
    files = [Path(name) for name in zipfile.ZipFile(asset).namelist()]
    assert {path.parts[0] for path in files} == PACKAGES
    assert {path.suffix for path in files} <= {".py", ".typed"}
    assert [path for path in files if "__pycache__" in path.parts] == []


def test_the_asset_holds_every_file_of_the_packages_and_is_readable(asset: Path) -> None:
    root = _handler_asset.source_root()
    modules = {str(path.relative_to(root)) for package in PACKAGES for path in (root / package).rglob("*.py")}
    members = zipfile.ZipFile(asset).infolist()
    assert modules <= {member.filename for member in members}
    assert {member.external_attr >> 16 for member in members} == {0o100644}


def test_the_assembly_has_one_asset_which_is_uploaded_as_it_is(asset: Path) -> None:
    """The CDK found it where it would have put it, and made no copy under a name of its own."""
    (manifest,) = asset.parent.glob("*.assets.json")
    files = json.loads(manifest.read_text(encoding="utf-8"))["files"].values()
    sources = [file["source"] for file in files if not file["source"]["path"].endswith(".template.json")]
    assert sources == [{"path": asset.name, "packaging": "file"}]


def test_the_hash_is_the_same_wherever_the_packages_lie_and_whatever_lies_beside_them(installed: Path) -> None:
    assert fingerprint(installed) == fingerprint(_handler_asset.source_root())


def test_the_hash_is_the_same_with_the_line_endings_of_another_system(installed: Path) -> None:
    module = installed / "quota_scheduler" / "share.py"
    before = _handler_asset.Archive(installed).content
    module.write_bytes(module.read_bytes().replace(b"\n", b"\r\n"))
    assert _handler_asset.Archive(installed).content == before
    assert fingerprint(installed) == fingerprint(_handler_asset.source_root())


def test_the_hash_changes_with_one_line_of_the_model(installed: Path) -> None:
    before = fingerprint(installed)
    with (installed / "quota_scheduler" / "share.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert fingerprint(installed) != before


def test_an_asset_that_is_there_already_is_not_written_again(tmp_path: Path) -> None:
    archive = _handler_asset.archive()
    path = archive.write(tmp_path)
    assert path.read_bytes() == archive.content
    path.write_bytes(b"untouched")
    assert archive.write(tmp_path) == path
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"untouched"]


def test_the_handler_imports_with_nothing_but_the_asset_on_its_path(asset: Path) -> None:
    """The model and the collector's pure parts; the SDK is the runtime's."""
    code = f"import sys; sys.path[:0] = [{str(asset)!r}]; import quota_scheduler, quota_live.plan, quota_handler"
    subprocess.run([sys.executable, "-I", "-S", "-B", "-c", code], check=True, timeout=60)


def test_no_path_of_this_machine_is_in_template_or_asset(asset: Path) -> None:
    root = str(_handler_asset.source_root().parent)
    assembly = asset.parent
    templates = [path.read_text(encoding="utf-8") for path in assembly.glob("*.json") if path.name != "tree.json"]
    assert [text for text in templates if root in text] == []


def test_fails_when_the_packages_are_not_in_one_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_handler_asset, "PACKAGES", ("quota_handler", "json"))
    with pytest.raises(RuntimeError, match=r"lie in several folders, got .*; reinstall quota-constructs"):
        _handler_asset.source_root()
