"""Names of shares, jobs and owners are only texts, whatever they hold."""

from __future__ import annotations

import json

import pytest
from contract_support import G5, full_state

NAMES = [
    *("[bold]x[/]", "[/nope]", "<script>alert(1)</script>", "a|b", "a`b```c", "a\nb", "a\x1b[31mred", "tab\there"),
    *(
        "\u202egnp",
        "--",
        "../../x",
        "ü" * 80,
        "{{7*7}}",
        "%s",
        "\x7f",
        "\x9b31m",
        "a\rb",
        "# h",
        "\u2028ls",
        "emoji\U0001f600",
    ),
]
UNREADABLE = {
    *map(chr, range(32)),
    *map(chr, range(127, 160)),
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
}
COMMANDS = {
    ("assess", "s.json", "--change", "c.json", "--fail-on", "never"): ("text", "json", "markdown", "html"),
    ("explain", "s.json", "--submit", f"share=vision,uses={G5}:1"): ("text", "json", "markdown"),
    ("explain", "s.json", "--job", "odd"): ("text", "json", "markdown"),
    ("status", "s.json"): ("text", "json"),
}


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_stay_texts(cli, name):
    """No crash, no control of the terminal, no markup."""
    state = full_state()
    state["queue"] = state["region"] = name
    state["shares"][name] = state["shares"].pop("research")
    state["jobs"][0] |= {"id": name, "share": name, "name": name, "owner": name}
    state["jobs"].append({**state["jobs"][1], "id": "odd", "name": name, "share": name, "owner": name})
    cli.write("s.json", state)
    cli.write("c.json", {"shares": {name: {"limits": {G5: 1}}}})
    for command, layouts in COMMANDS.items():
        for layout in layouts:
            outcome = cli(*command, "--format", layout)
            assert (outcome.code, outcome.err) == (0, ""), (command, layout)
            if layout == "json":
                assert json.loads(outcome.out)["version"] == 1
            else:
                assert not UNREADABLE & set(outcome.out) - {"\n", "\t"}, (command, layout)
                assert layout != "html" or "<script>alert" not in outcome.out


def test_a_job_is_found_by_a_name_of_any_kind(cli):
    state = full_state()
    state["jobs"][1] |= {"id": "--\x1b[1m", "name": "odd one"}
    cli.write("s.json", state)
    for given in ("--\x1b[1m", "odd one"):
        assert cli("explain", "s.json", f"--job={given}", "--format", "json").json()["job"] == "--\x1b[1m"
