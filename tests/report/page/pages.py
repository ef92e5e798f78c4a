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

    def totals(self) -> dict[str, int]:
        """The integers of the table of all totals, by their names."""
        found: dict[str, int] = {}
        for at, (_, attrs, words) in enumerate(self.found):
            if "data-exact" in attrs:
                row = next(i for i in range(at, 0, -1) if "data-figure" in self.found[i][1])
                name = next(said for tag, _, said in self.found[row:] if tag == "code")
                found["".join(name)] = int("".join(words).replace("\u202f", ""))
        return found
