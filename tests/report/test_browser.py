"""The page in headless Chromium, at the width of a phone and of a desk, light and dark, with and without its script.

The screenshots are left in `.local/screenshots` to be looked at.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from report_support import DEMO, assessed, crowded, crowded_change, realistic, realistic_change

from quota_constructs.report.html import render_html

pytestmark = pytest.mark.browser

SCREENSHOTS = Path(__file__).parents[2] / ".local" / "screenshots"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
PHONE, PAPER, DESK = 390, 718, 1280
"""Widths in pixels; the paper is A4 upright without its margins."""

PROBE = """<!doctype html><body><iframe id=f width=%d height=900 src="%s"></iframe><script>
document.getElementById("f").addEventListener("load", (event) => {
  const page = event.target.contentDocument, told = {};
  told.scroll = page.documentElement.scrollWidth;
  told.client = page.documentElement.clientWidth;
  const table = page.querySelector("table.sortable");
  const order = () => [...table.tBodies[0].rows].map((row) => row.cells[7].dataset.v).slice(0, 50);
  const button = table && table.tHead.querySelectorAll("th")[7]?.querySelector("button");
  if (button) { told.given = order(); button.click(); told.up = order(); button.click(); told.down = order(); }
  told.tall = [...page.querySelectorAll(".bars tr, .lanes tr")].map((row) => row.getBoundingClientRect().height);
  const parts = page.querySelectorAll(".bars .words, .bars th span, .lanes th span");
  const isCut = (part) => part.scrollWidth > part.clientWidth || part.getBoundingClientRect().right > told.client;
  told.cut = [...parts].filter(isCut).map((part) => part.textContent);
  told.beside = parts.length;
  for (const details of page.querySelectorAll("details")) details.open = true;
  told.sideways = [...page.querySelectorAll(".wide")].map((part) => part.scrollWidth - part.clientWidth);
  told.evil = page.defaultView.evil === 1;
  const out = document.createElement("pre");
  out.id = "told";
  out.textContent = JSON.stringify(told);
  document.body.append(out);
});</script>"""


def chromium(*arguments: str) -> str:
    """Run Chromium with a profile of its own; give what it printed."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "the browser tests need Chromium: apt-get install -y chromium"
    with tempfile.TemporaryDirectory() as profile:
        command = [found, *FLAGS, f"--user-data-dir={profile}", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def probe(folder: Path, page: str, width: int) -> dict[str, Any]:
    """Open a page in a frame of that width and tell what it measures."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    (folder / "probe.html").write_text(PROBE % (width, "page.html"), encoding="utf-8")
    dom = chromium(
        "--allow-file-access-from-files", "--virtual-time-budget=20000", "--dump-dom", f"file://{folder}/probe.html"
    )
    match = re.search(r'<pre id="told">(.*?)</pre>', dom)
    assert match, dom[-2000:]
    told: dict[str, Any] = json.loads(html.unescape(match[1]))
    return told


def size_and_colours(picture: Path) -> tuple[int, int, int]:
    """Read width and height of a PNG, and count the distinct rows of pixels in it."""
    data = picture.read_bytes()
    width, height, _, colour = struct.unpack(">IIBB", data[16:26])
    chunks, at = [], 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            chunks.append(data[at + 8 : at + 8 + length])
        at += length + 12
    pixels = zlib.decompress(b"".join(chunks))
    stride = len(pixels) // height
    assert colour in (2, 6)
    return width, height, len({pixels[row * stride : (row + 1) * stride] for row in range(height)})


PAGES = {name: DEMO[name][:2] for name in DEMO} | {"realistic": (realistic(), realistic_change())}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_is_cut_off_at_the_side(tmp_path: Path, name: str, width: int) -> None:
    told = probe(tmp_path, render_html([assessed(*PAGES[name])]), width)
    assert told["scroll"] <= told["client"]
    assert told["evil"] is False
    assert all(15 <= height <= 60 for height in told["tall"])
    assert told["beside"] > 0
    assert told["cut"] == []


def test_a_table_with_realistic_names_needs_no_scrolling_at_a_desk(tmp_path: Path) -> None:
    told = probe(tmp_path, render_html([assessed(realistic(), realistic_change())]), DESK)
    assert set(told["sideways"]) == {0}


def test_a_table_with_realistic_names_fits_a_sheet_of_paper(tmp_path: Path) -> None:
    page = render_html([assessed(realistic(), realistic_change())])
    told = probe(tmp_path, page.replace("@media print{", "@media all{"), PAPER)
    assert told["scroll"] <= told["client"]
    assert (set(told["sideways"]), told["cut"]) == ({0}, [])


def test_the_job_table_sorts_by_a_click(tmp_path: Path) -> None:
    told = probe(tmp_path, render_html([assessed(crowded(200), crowded_change_of(200))]), DESK)
    up = [float(value) for value in told["up"]]
    down = [float(value) for value in told["down"]]
    assert (up, down) == (sorted(up), sorted(down, reverse=True))


def crowded_change_of(running: int) -> dict[str, Any]:
    return {
        "shares": {
            name: {"limits": dict.fromkeys(change["limits"], running // 40)}
            for name, change in crowded_change()["shares"].items()
        }
    }


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_full_queue_opens(tmp_path: Path, width: int) -> None:
    told = probe(tmp_path, render_html([assessed(crowded(2000, 10_000), crowded_change())]), width)
    assert told["scroll"] <= told["client"]


SHOTS = {
    "phone-light": (PHONE, 2400, ()),
    "phone-dark": (PHONE, 2400, ("--blink-settings=preferredColorScheme=0",)),
    "desk-light": (DESK, 1800, ()),
    "desk-dark": (DESK, 1800, ("--blink-settings=preferredColorScheme=0",)),
    "no-scripts": (DESK, 1800, ()),
}


@pytest.mark.parametrize("name", SHOTS)
def test_screenshots(tmp_path: Path, name: str) -> None:
    width, height, flags = SHOTS[name]
    page = tmp_path / "page.html"
    text = render_html([assessed(*DEMO["cut-blocked"][:2])])
    if name == "no-scripts":
        text = re.sub(r"<script>.*</script>", "", text, flags=re.DOTALL)
    page.write_text(text, encoding="utf-8")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    picture = SCREENSHOTS / f"{name}.png"
    chromium(*flags, f"--window-size={width},{height}", f"--screenshot={picture}", f"file://{page}")
    got_width, got_height, rows = size_and_colours(picture)
    assert (got_width, got_height) == (width, height)
    assert rows > 200


def test_it_prints(tmp_path: Path) -> None:
    page, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    page.write_text(render_html([assessed(*DEMO["cut-blocked"][:2])]), encoding="utf-8")
    chromium("--no-pdf-header-footer", f"--print-to-pdf={printed}", f"file://{page}")
    assert printed.read_bytes().startswith(b"%PDF")
