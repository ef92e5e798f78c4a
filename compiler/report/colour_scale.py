"""How dark which weight is, as a bar with marks."""

from typing import Final

from compiler.report.raster import LEVELS, colour

MARKS: Final = ((0.0, "0"), (0.1, "a tenth"), (0.25, "a quarter"), (0.5, "half"), (1.0, "largest"))
WIDE, HIGH = 400, 14
STRIPES: Final = 50


def colour_scale() -> str:
    """An `svg` element: colours from none to the largest weight of a map, at places by its root."""
    box = f'width="{WIDE}" height="{HIGH + 20}" viewBox="0 0 {WIDE} {HIGH + 20}"'
    stripe = WIDE / STRIPES
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="colours" {box}>']
    for number in range(STRIPES):
        red, green, blue = colour(round(number / (STRIPES - 1) * (LEVELS - 1)))
        parts.append(
            f'<rect x="{number * stripe:g}" y="0" width="{stripe:g}" height="{HIGH}" '
            f'fill="rgb({red},{green},{blue})"/>'
        )
    parts.append(
        f'<rect x="0.5" y="0.5" width="{WIDE - 1}" height="{HIGH - 1}" fill="none" '
        'stroke="currentColor" stroke-opacity="0.5"/>'
    )
    for share, words in MARKS:
        at = WIDE * share**0.5
        anchor = {0.0: "start", 1.0: "end"}.get(share, "middle")
        parts.append(f'<text x="{at:.0f}" y="{HIGH + 14}" text-anchor="{anchor}">{words}</text>')
    return "".join([*parts, "</svg>"])
