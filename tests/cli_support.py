"""Running `batch-quota` inside the test's own process, with what it wrote and how it ended."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from quota_constructs import schemas
from quota_constructs.cli.__main__ import run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


class Cli:
    """Runs commands; `files` are put beside each other in one folder, which is the current one."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self._capsys = capsys
        self.folder = folder

    def __call__(self, *arguments: object) -> Outcome:
        self._capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = self._capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    def write(self, name: str, document: object) -> str:
        """Write a document, or a text as it is, and give the file's name."""
        text = document if isinstance(document, str) else json.dumps(document)
        (self.folder / name).write_text(text, encoding="utf-8")
        return name


def without_account(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let commands run in a folder, in a terminal of 80 columns, without an account."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(folder / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(folder / "no-credentials"))


@cache
def _registry() -> Registry[Any]:
    loaded = {name: schemas.load(name) for name in schemas.names()}
    return Registry().with_resources(
        (f"{name}.schema.json", Resource.from_contents(schema)) for name, schema in loaded.items()
    )


def problems_with(document: object, schema: str) -> list[str]:
    """What a published schema has against a document; nothing if it fits."""
    validator = Draft202012Validator(schemas.load(schema), registry=_registry())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


TYPE = "ml.g5.xlarge"
AT = "2026-11-29T12:00:00Z"


def share(limit: int, strategy: str = "LEND", **members: object) -> dict[str, Any]:
    """A share with a limit for one type."""
    return {"limits": {TYPE: limit}, "strategy": strategy, **members}


def job(identifier: str, of: str, status: str = "RUNNING", uses: int = 1, **members: object) -> dict[str, Any]:
    """A job that was submitted at ten and, if it runs, started five minutes later."""
    times = {"created_at": "2026-11-29T10:00:00Z"}
    if status == "RUNNING":
        times |= {"scheduled_at": "2026-11-29T10:04:00Z", "started_at": "2026-11-29T10:05:00Z"}
    return {"id": identifier, "share": of, "uses": {TYPE: uses}, "priority": 1, "status": status, **times, **members}


def state(
    shares: Mapping[str, object], jobs: list[dict[str, Any]], environment: int = 3, **members: object
) -> dict[str, Any]:
    """A queue state."""
    return {
        "version": 1,
        "at": AT,
        "queue": "ml-training",
        "region": "eu-west-1",
        "account": "111122223333",
        "environment": {TYPE: environment},
        "shares": dict(shares),
        "jobs": jobs,
        **members,
    }


def walkthrough() -> dict[str, Any]:
    """AWS's example: QS1 borrows what QS2 lends, QS3 keeps its own."""
    return state(
        {
            "QS1": share(1, "LEND_AND_BORROW", borrow_limit_percent=200, in_share_preemption=True),
            "QS2": share(1),
            "QS3": share(1, "RESERVE"),
        },
        [
            job("high", "QS1", priority=3, owner="alice", expected_end="2026-11-29T15:00:00Z"),
            job("med", "QS1", priority=2, owner="bob", checkpointed_at="2026-11-29T11:30:00Z"),
            job("low", "QS1", "RUNNABLE", owner="carol"),
        ],
    )
