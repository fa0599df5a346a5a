"""Texts of strangers stay texts: in the page, in a comment, on the terminal."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cli_support import TYPE, job, share, state
from report_support import assessed

from quota_constructs.cli.assessed import print_plans
from quota_constructs.cli.console import plain_text
from quota_constructs.report.decision import print_decision
from quota_constructs.report.html import render_html
from quota_constructs.report.markdown import render_markdown
from quota_constructs.report.markup import code, paragraph
from quota_constructs.report.rows import with_names
from quota_constructs.report.status import status_document
from quota_constructs.report.status_markdown import status_markdown
from quota_constructs.report.status_text import status_table
from quota_constructs.report.text import short
from quota_scheduler import Job, Knobs, explain_submission, parse_state

NASTY = {
    "a script": "<script>alert(1)</script>",
    "an attribute": '" onmouseover="alert(1)',
    "a closing style": "</style><img src=x onerror=alert(1)>",
    "a table row": "a | b\n| c",
    "a fence": "```\n# heading",
    "a mention": "@everyone #1",
    "a link": "[click](javascript:alert(1))",
    "rich markup": "[red]x[/red] [/]",
    "Jinja": "{{ 7 * 7 }}{% raw %}",
    "an escape sequence": "\x1b[31mred\x07",
}


def queue_of(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A queue in which every free text is this one, and a change that puts its jobs at risk."""
    jobs = [job(f"{text}-{number}", text, name=text, owner=text) for number in range(2)]
    return state({text: share(3)}, jobs, queue=text), {"shares": {text: {"limits": {TYPE: 1}}, "new": share(1)}}


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_html_has_no_tags_but_its_own(text: str) -> None:
    harmless = render_html([assessed(*queue_of("plain"), notes=("plain",))])
    page = render_html([assessed(*queue_of(text), notes=(text,))])
    assert set(re.findall(r"<[a-zA-Z!/][^\s>]*", page)) - set(re.findall(r"<[a-zA-Z!/][^\s>]*", harmless)) <= {
        "<ul",
        "</ul",
        "<li",
        "</li",
    }
    assert page.count("<script") == 1
    assert "onerror=alert(1)>" not in page
    assert "49" not in re.findall(r"<h2>(.*?)</h2>", page)


def test_html_lets_only_its_own_script_run() -> None:
    page = render_html([assessed(*queue_of("plain"))])
    assert "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" in page.replace("&#39;", "'")
    assert re.findall(r"""(?:src|href)=["']?(?!#)[^"'\s>]+""", page) == []


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_markdown_has_no_markup_but_its_own(text: str) -> None:
    comment = render_markdown([assessed(*queue_of(text), notes=(text,))])
    outside = re.sub(r"```.*?```|`[^`\n]*`", "", comment, flags=re.DOTALL)
    tags = {tag.lower() for tag in re.findall(r"</?[a-z!][a-z-]*", outside)}
    assert tags <= {"<sub", "</sub", "<details", "</details", "<summary", "</summary", "<!--"}
    assert comment.count("```") == 2
    assert not re.search(r"(?<![\\\w])@everyone", outside)
    rows = [line for line in comment.splitlines() if line.startswith("| eligible")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {11}


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_text_keeps_the_name_and_no_control_characters(text: str) -> None:
    printed = plain_text(lambda console: print_plans(console, [assessed(*queue_of(text), notes=(text,))]))
    printed += short(assessed(*queue_of(text)))
    before = parse_state(queue_of(text)[0])
    document = status_document(before, Knobs())
    printed += plain_text(lambda console: console.print(status_table(console, document, before.at)))
    printed += status_markdown(document, before.at)
    waiting = Job("asks", text, {TYPE: 9}, "RUNNABLE", name=text)
    decision = explain_submission(before, waiting, Knobs()).to_dict()
    printed += plain_text(lambda console: print_decision(console, decision, waiting, before))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", printed)


def test_an_instance_type_is_a_text_too() -> None:
    unit = "ml.x\x1b[31m"
    limits = {"a": {"limits": {unit: 2}, "strategy": "LEND"}}
    before = state(limits, [job("j", "a") | {"uses": {unit: 2}}], environment=2) | {"environment": {unit: 2}}
    plan = assessed(before, {"shares": {"a": {"limits": {unit: 1}}}})
    written = plain_text(lambda console: print_plans(console, [plan])) + render_markdown([plan]) + render_html([plan])
    assert "\x1b" not in written


def test_short_words_of_a_sentence_are_no_ids() -> None:
    jobs = {name: Job(name, "s", {TYPE: 1}, "RUNNABLE", name=f"named-{name}") for name in ("a", "4", "asks", "job-4")}
    sentence = "is stopped for asks: a share uses 4 of 4, and job-4 waits"
    assert with_names(sentence, jobs) == "is stopped for named-asks: a share uses 4 of 4, and named-job-4 waits"


PARAGRAPHS = {
    "plain": ("train-1", "train-1"),
    "formatting": ("*a* _b_ ~c~", r"\*a\* \_b\_ \~c\~"),
    "html": ("<b>&", "&lt;b&gt;&amp;"),
    "a mention is defused": ("by @ann", "by @\u2060ann"),
    "line breaks become spaces": ("a\nb\r\n c", "a b c"),
}


@pytest.mark.parametrize(("text", "want"), PARAGRAPHS.values(), ids=PARAGRAPHS)
def test_paragraph(text: str, want: str) -> None:
    assert paragraph(text) == want


def test_code_cannot_be_left() -> None:
    assert (code("a`b|c\nd"), code("")) == (r"`a'b\|c d`", "")
