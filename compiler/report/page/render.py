"""The page as text: the template with its style, its script and what the script counts with."""

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from compiler import __version__
from compiler.report.attention_page import printable
from compiler.report.device.figures import three
from compiler.report.numbers import THIN, grouped, memory, ratio, share
from compiler.report.page import plot
from compiler.report.page.figures import FIELDS
from compiler.report.page.kinds import KINDS
from compiler.report.page.tight import tight_page, tight_script
from compiler.report.page.view import View, side_by_side
from compiler.report.side_by_side import KEY, SideBySide

HERE: Final = Path(__file__).parent
HARMLESS: Final = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def page(views: Sequence[View], mixers: SideBySide | None = None, command: str = "") -> str:
    """The whole file; the first spec gives it its title."""
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters |= {"grouped": grouped, "seen": _seen, "drawn": Markup, "memory": memory}
    environment.globals |= {"ratio": ratio, "share": share, "plot": plot, "three": three}
    script = tight_script(_read("evaluate.js") + _read("page.js"))
    template = environment.get_template("page.html.jinja")
    data = {
        "plot": _geometry(),
        "devices": views[0].roof.every_device,
        "choices": {name: list(words) for name, words in FIELDS.items()},
        "specs": [view.document() for view in views],
    }
    body = template.render(
        data=Markup(_harmless(data)),
        views=views,
        mixers=mixers,
        mixing=KEY,
        compared=side_by_side(views) if len(views) > 1 else [],
        command=command,
        style=Markup(_read("page.css")),
        script=Markup(script),
        hash=b64encode(sha256(script.encode()).digest()).decode(),
        kinds=KINDS,
        version=__version__,
    )
    return f"{tight_page(body.strip())}\n"


def _geometry() -> dict[str, object]:
    names = ("WIDE", "HIGH", "LEFT", "FOOT", "RIGHT", "TOP", "POWERS")
    return {name.lower(): getattr(plot, name) for name in names}


def _harmless(data: object) -> str:
    """JSON that ends no element and no line of a script."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.translate(HARMLESS)


def _seen(words: str) -> Markup:
    """Text in which every character can be seen, narrow spaces as they are."""
    return Markup(THIN.join(map(printable, words.split(THIN))))


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
