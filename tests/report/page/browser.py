"""A headless Chromium that reads a page and hands back what became of it."""

import html as markup
import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None, reason=f"no browser: none of {', '.join(NAMES)} is on PATH"
)
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
    "--enable-logging=stderr",
)
CONSOLE = re.compile(r"CONSOLE[:(].*")
POLICY = re.compile(r"<meta http-equiv=Content-Security-Policy[^>]*>")


@dataclass(frozen=True)
class Read:
    """The document after its scripts, and what the console said."""

    dom: str
    console: list[str]


def read(page: Path, folder: Path, *more: str) -> Read:
    """Open a page in a browser of its own."""
    assert CHROMIUM is not None
    said = subprocess.run(
        [CHROMIUM, *OPTIONS, f"--user-data-dir={folder / 'profile'}", *more, page.as_uri()],
        capture_output=True,
        timeout=240,
        check=False,
    )
    console = CONSOLE.findall(said.stderr.decode(errors="replace"))
    return Read(said.stdout.decode(errors="replace"), console)


def after(html: str, steps: str, folder: Path, data: str = "") -> Read:
    """The document after a script of the test ran in the page; the page's policy is lifted."""
    whole = POLICY.sub("", html, count=1) + f"{data}<script>{steps}</script>"
    page = folder / "steps.html"
    page.write_text(whole, encoding="utf-8")
    return read(page, folder, "--dump-dom", "--virtual-time-budget=20000")


def steps_tag(steps: object) -> str:
    """What a script in the page is to do, as it reads it."""
    return f'<script type="application/json" id="steps">{json.dumps(steps)}</script>'


def told(dom: str) -> Any:
    """What such a script says of it."""
    found = re.search(r'<body[^>]* data-told="([^"]*)"', dom)
    assert found, dom[-2000:]
    return json.loads(markup.unescape(found[1]))
