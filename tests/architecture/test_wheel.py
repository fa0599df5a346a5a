"""The built wheel, installed in a clean environment outside the checkout, is what the checkout promises."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(900)]

ROOT = Path(__file__).resolve().parents[2]
TOP_LEVEL = {"quota_constructs", "quota_handler", "quota_live", "quota_scheduler"}


def run(*command: str | Path, cwd: Path, expect: int = 0) -> str:
    """Run a command without the checkout on its path and return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and its required dependencies only, outside the checkout."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    run(
        folder / "venv/bin/python", "-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel,
        cwd=folder,
    )  # fmt: skip
    return folder


def test_the_wheel_holds_the_four_packages_their_data_and_no_byte_code(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == TOP_LEVEL
    assert [name for name in names if name.endswith(".pyc") or "__pycache__" in name] == []
    assert {f"{package}/py.typed" for package in TOP_LEVEL} <= set(names)
    assert {name.rsplit("/", 1)[1] for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE"}
    tracked = run("git", "ls-files", "quota_constructs", "lambda", cwd=ROOT).split()
    shipped = {name.removeprefix("lambda/") for name in tracked if not name.endswith("README.md")}
    assert shipped - set(names) == set()


def test_without_the_cli_extra_the_command_says_what_to_install(clean: Path) -> None:
    said = run(clean / "venv/bin/batch-quota", "--help", cwd=clean, expect=2)
    assert said.strip() == "batch-quota: the command line needs its extra; run: pip install 'quota-constructs[cli]'"


def test_the_sample_app_synthesizes_with_the_same_asset(clean: Path) -> None:
    """One asset hash from the wheel and from the checkout: what is deployed does not depend on how it was installed."""
    from_checkout = synthesize(Path(sys.executable), clean / "from-checkout")
    from_wheel = synthesize(clean / "venv/bin/python", clean / "from-wheel")
    assert from_wheel == from_checkout


def synthesize(python: Path, folder: Path) -> dict[str, object]:
    """Synthesize the sample app, copied outside the checkout, and return its template."""
    folder.mkdir()
    (folder / "sample_app").symlink_to(ROOT / "sample_app")
    run(python, "-c", "from aws_cdk import App; from sample_app.training_queue_stack import TrainingQueueStack as S; "
        "app = App(outdir='out'); S(app, 'QuotaDemo'); app.synth()", cwd=folder)  # fmt: skip
    template: dict[str, object] = json.loads((folder / "out/QuotaDemo.template.json").read_text())
    return template
