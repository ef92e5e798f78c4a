"""What a decoder looked at while it said a sentence, as heat maps side by side."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from compiler.report.heat_map import heat_map
from tests.learn.sequences import PARTICLE, STOP

WIDE, CELL, ROOM = 360, 24, 110
NAMES = {PARTICLE: "particle", STOP: "stop"}


def aligned(examples: Mapping[str, Mapping[str, Any]]) -> str:
    """An SVG of examples by title: a row for each token said, a column for each of the source."""
    high = ROOM + CELL * max(len(example["target"]) for example in examples.values())
    size = f"{WIDE * len(examples)} {high}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img" '
        'font-family="sans-serif" font-size="12" color="#222">\n'
        "<title>Attention while a sentence is said</title>\n"
        "<style>svg svg text { font: 11px ui-monospace, monospace; }</style>\n"
        '<rect width="100%" height="100%" fill="#fff"/>\n'
        + "\n".join(_maps(examples))
        + "\n</svg>\n"
    )


def _maps(examples: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for number, (title, example) in enumerate(examples.items()):
        said, source = (
            [NAMES.get(token, str(token)) for token in example[key]] for key in ("target", "source")
        )
        shown = heat_map(title, np.array(example["weights"]), said, source)
        yield f'<text x="{WIDE * number + 12}" y="20" fill="#222">{title}</text>'
        yield f'<g transform="translate({WIDE * number + 12} 28)">{shown}</g>'
