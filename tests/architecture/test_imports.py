"""What may be loaded when: claims about dependencies, proved in interpreters that would show a breach."""

import subprocess
import sys
from pathlib import Path

import pytest

import quota_constructs
import quota_scheduler

LAMBDA = Path(quota_scheduler.__file__).parents[1]
HEAVY = ("aws_cdk", "jsii", "boto3", "botocore", "jinja2", "ministack", "hypercorn")


def run(code: str, *options: str) -> str:
    """Run code in a child interpreter with warnings as errors and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *options, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def loaded_after(code: str) -> list[str]:
    """Return which of the heavy modules the code has loaded."""
    return run(f"import sys\n{code}\nprint(*(m for m in {HEAVY} if m in sys.modules))").split()


def test_the_model_runs_on_the_standard_library_alone() -> None:
    """Only the Lambda folder on the path, no site-packages, no environment."""
    code = f"import sys; sys.path[:0] = [{str(LAMBDA)!r}]; import quota_scheduler; print(quota_scheduler.__file__)"
    assert run(code, "-I", "-S") == str(LAMBDA / "quota_scheduler" / "__init__.py")


@pytest.mark.parametrize(
    "code",
    [
        "import quota_constructs",
        "import quota_scheduler",
        "import quota_constructs.report",
        "import quota_constructs.assembly",
        "import quota_constructs.local.pytest_plugin",
        "from quota_constructs.cli.__main__ import main",
    ],
)
def test_importing_loads_nothing_heavy(code: str) -> None:
    """A command line that answers at once, and a pytest plugin that costs nothing where it is not used."""
    assert loaded_after(code) == []


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["plan", "--help"], ["rules"]])
def test_offline_commands_load_neither_the_cdk_nor_boto3(words: list[str]) -> None:
    code = (
        "import contextlib, io, sys\n"
        f"sys.argv = ['batch-quota', *{words}]\n"
        "from quota_constructs.cli.__main__ import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main()"
    )
    assert loaded_after(code) == []


@pytest.mark.parametrize("module", [quota_constructs, quota_scheduler], ids=lambda module: module.__name__)
def test_every_public_name_resolves(module: object) -> None:
    names = module.__all__  # type: ignore[attr-defined]
    assert len(names) == len(set(names))
    assert [name for name in names if getattr(module, name, None) is None] == []
