"""Attention weights as one HTML page that needs nothing beside it."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Final

from compiler.report.attention_map import WORDS, Attended, AttentionMap, Patches
from compiler.report.colour_scale import colour_scale
from compiler.report.heat_map import heat_map
from compiler.report.patch_map import patch_map

if TYPE_CHECKING:
    import numpy.typing as npt

STYLE: Final = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
body > p { max-width: 46rem; }
nav { columns: 12rem; margin: 1rem 0; max-width: 46rem; }
nav a { display: block; color: inherit; }
h1, h2, nav a { overflow-wrap: anywhere; }
.maps { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
figure { margin: 0; max-width: 100%; overflow-x: auto; }
figcaption { font-weight: 600; }
svg text { fill: currentColor; font: 11px ui-monospace, monospace; }
img, image { image-rendering: pixelated; }
"""


def attention_page(found: Attended) -> str:
    """The page: how to read it, then a section for each place with a heat map for each head."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Attended) -> Iterator[str]:
    title = f"{printable(found.name)}: attention weights"
    yield "<!DOCTYPE html>"
    yield '<html lang="en" xmlns="http://www.w3.org/1999/xhtml">'
    yield '<head><meta charset="utf-8"/>'
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>'
    yield '<meta name="viewport" content="width=device-width"/>'
    yield f"<title>{title}</title><style>{STYLE}</style></head><body>"
    yield f"<h1>{title}</h1>"
    yield f"<p>{WORDS}</p>"
    programs = "<code>attend.py</code> and <code>model.onnx</code>"
    said = f"The outputs of {programs} differ by at most {found.apart:.1e}."
    more = f" Shown is the first of {found.batch} inputs." if found.batch > 1 else ""
    yield f"<p>{said}{more}</p>"
    yield f"<p>Each map has colours of its own, by the root of a weight:</p>{colour_scale()}"
    if found.patches is not None:
        yield "<p>Over an image, a patch is the darker the less weight it has.</p>"
    if len(found.maps) > 1:
        names = [printable(each.place) for each in found.maps]
        links = (f'<a href="#{number}">{name}</a>' for number, name in enumerate(names))
        yield f"<nav>{''.join(links)}</nav>"
    for number, each in enumerate(found.maps):
        yield from _section(number, each, found.patches)
    yield "</body></html>"


def _section(number: int, found: AttentionMap, patches: Patches | None) -> Iterator[str]:
    yield f'<section id="{number}"><h2>{printable(found.place)}</h2>'
    yield f"<p>Rows: {printable(found.rows)}. Columns: {printable(found.columns)}.</p>"
    yield '<div class="maps">'
    queries, sources = (tuple(map(printable, each)) for each in (found.queries, found.sources))
    for head, weights in zip(found.heads, found.weights, strict=True):
        name = f"{printable(found.place)}, head {head}"
        largest = f"largest weight {weights.max(initial=0.0):.3g}"
        yield f"<figure><figcaption>head {head}, {largest}</figcaption>"
        yield heat_map(name, weights, queries, sources)
        yield "</figure>"
        if patches is not None and found.sources == patches.labels:
            seen, whose = _over_image(weights, patches)
            yield f"<figure><figcaption>head {head}, {whose}</figcaption>"
            yield patch_map(name, seen, patches)
            yield "</figure>"
    yield "</div></section>"


def _over_image(weights: "npt.NDArray[Any]", patches: Patches) -> "tuple[npt.NDArray[Any], str]":
    """One weight for every source: of what comes before the patches, else the mean of all rows."""
    if patches.before:
        return weights[0], f"where `{patches.labels[0]}` looks"
    return weights.mean(axis=0), "mean over all queries"


def printable(words: str) -> str:
    """Text of a page in which every character can be seen."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in words)
    return escape(shown)
