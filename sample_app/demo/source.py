"""Edits of the app's code, as a platform engineer would make them: in a copy, shown as a diff."""

from __future__ import annotations

import difflib
import json
import re
import shutil
from pathlib import Path

SAMPLE_APP = Path(__file__).resolve().parents[1]
STACK_FILE = "sample_app/training_queue_stack.py"


class AppCopy:
    """A copy of the sample app in a folder of its own, with limits that can be edited."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(SAMPLE_APP, folder / "sample_app", ignore=shutil.ignore_patterns("__pycache__", "demo"))
        cdk_json = json.loads((SAMPLE_APP.parent / "cdk.json").read_text())
        (folder / "cdk.json").write_text(json.dumps(cdk_json, indent=2))

    def edit(
        self, *, environment: int | None = None, limits: dict[str, int] | None = None, drop: str | None = None
    ) -> str:
        """Write new limits, or take a share out, and return the change as a unified diff.

        Args:
            environment: instances of the whole environment; unchanged when left out.
            limits: instances by share; shares that are not named keep theirs.
            drop: the share whose declaration is removed; none when left out.
        """
        path = self.folder / STACK_FILE
        before = path.read_text()
        after = before
        if environment is not None:
            after = _set_limit(after, "Training", environment)
        for share, limit in (limits or {}).items():
            after = _set_limit(after, share, limit)
        if drop is not None:
            after = _drop_share(after, drop)
        path.write_text(after)
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def _set_limit(source: str, name: str, limit: int) -> str:
    pattern = rf'("{name}",\n\s+capacity_limits=\{{"ml\.g5\.xlarge": )\d+'
    return _replace_once(pattern, rf"\g<1>{limit}", source, name)


def _drop_share(source: str, name: str) -> str:
    return _replace_once(rf'\n        queue\.add_share\(\n\s+"{name}",\n.*?\n        \)', "", source, name)


def _replace_once(pattern: str, replacement: str, source: str, name: str) -> str:
    edited, count = re.subn(pattern, replacement, source, count=1, flags=re.DOTALL)
    if count != 1:
        raise LookupError(f"{STACK_FILE} has no declaration of {name} that this edit knows")
    return edited
