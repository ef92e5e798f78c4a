"""Exact matches over the length of the sentence as a picture: one line a model."""

from collections.abc import Mapping

COLOURS = {"fixed": "#c2410c", "attention": "#1d4ed8", "transformer": "#15803d"}
NAMES = {
    "fixed": "one context vector",
    "attention": "additive attention",
    "transformer": "Transformer",
}
DASHES = {"fixed": "2 3", "attention": "none", "transformer": "7 3"}
LEFT, TOP, WIDE, HIGH = 56, 16, 480, 220


def drawn(curves: Mapping[str, Mapping[int, float]], trained: int) -> str:
    """An SVG of shares by length for each model; what lies beyond the trained lengths is shaded."""
    lengths = sorted({length for curve in curves.values() for length in curve})
    first, last = lengths[0], lengths[-1]

    def x(length: float) -> float:
        return round(LEFT + WIDE * (length - first) / (last - first), 1)

    def y(share: float) -> float:
        return round(TOP + HIGH * (1 - share), 1)

    edge = x(trained + 0.5) if trained < last else x(last)
    parts = [
        f'<rect x="{edge}" y="{TOP}" width="{round(LEFT + WIDE - edge, 1)}" height="{HIGH}" '
        'fill="#888" opacity=".15"/>',
        *(_share(y(share), share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)),
        *(_label(x(n), TOP + HIGH + 16, str(n)) for n in lengths if n == first or n % 5 == 0),
        _label(
            LEFT + WIDE / 2, TOP + HIGH + 36, "words in the sentence (grey: longer than any taught)"
        ),
    ]
    for place, (kind, curve) in enumerate(curves.items()):
        points = " ".join(f"{x(length)},{y(share)}" for length, share in sorted(curve.items()))
        stroke = f'stroke="{COLOURS[kind]}" stroke-width="2" stroke-dasharray="{DASHES[kind]}"'
        across, down = LEFT + 168 * place, TOP + HIGH + 56
        parts += [
            f'<polyline points="{points}" fill="none" {stroke}/>',
            f'<line x1="{across}" y1="{down}" x2="{across + 26}" y2="{down}" {stroke}/>',
            _label(across + 32, down + 4, NAMES[kind], "start"),
        ]
    size = f"{LEFT + WIDE + 24} {TOP + HIGH + 72}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img" '
        'font-family="sans-serif" font-size="12">\n'
        "<title>Sentences rendered without a fault, by length</title>\n"
        f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _share(y: float, share: float) -> str:
    line = f'<line x1="{LEFT}" x2="{LEFT + WIDE}" y1="{y}" y2="{y}" stroke="#ccc"/>'
    return f"{line}\n{_label(LEFT - 8, y + 4, f'{share:.0%}', 'end')}"


def _label(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="#222">{text}</text>'
