"""Pages of the project's specs and of small ones, and what a parser finds on them."""

from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from compiler.pipeline import report

SPECS = Path(__file__).parents[3] / "specs"


@cache
def page(*names: str, base: str = "", device: str = "") -> str:
    """The page of some of the project's specs."""
    paths = [str(SPECS / f"{name}.yaml") for name in names]
    return report(paths, base=base, device=device).html


class Elements(HTMLParser):
    """Every element with its attributes and the text right inside it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, Mapping[str, str | None], list[str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), []))

    def handle_data(self, data: str) -> None:
        if self.found:
            self.found[-1][2].append(data)

    def texts(self, attribute: str) -> dict[str, str]:
        """What the elements with an attribute show, by its value."""
        return {
            str(attrs[attribute]): "".join(words)
            for _, attrs, words in self.found
            if attribute in attrs
        }
