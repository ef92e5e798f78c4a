"""The script evaluates every formula of a page as Python does, at random lengths and settings."""

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import compiler.report.page
from compiler.ir.size import Poly, as_poly, greatest, half, least, letter, value
from compiler.passes.cost import cost
from compiler.passes.metrics import METRICS
from compiler.passes.setting import CHOICES, Setting
from compiler.report.numbers import grouped, in_unit, ratio, share
from compiler.report.page.figures import Figures, compact, juxtaposed
from compiler.report.page.sheet import MARKS, moved_bytes
from tests.passes.samples import lowered, named
from tests.report.page.browser import CHROMIUM, after

SCRIPT = Path(compiler.report.page.__file__).with_name("evaluate.js")
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    NODE is None and CHROMIUM is None, reason="neither node nor chromium is there to run the script"
)
NAMES = (
    "decoder/llama3-8b",
    "decoder/deepseek-v3",
    "encoder-decoder/t5-small",
    "decoder/gemma2-2b",
)
POINTS = 50
B, T = letter("B"), letter("T")


def evaluated(asked: list[Any], body: str, folder: Path) -> list[str]:
    """What a function of one request says to each, in node or in a browser."""
    if NODE is not None:
        program = (
            f"const archc = require({json.dumps(str(SCRIPT))});"
            'const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));'
            f"process.stdout.write(JSON.stringify(asked.map((each) => String({body}))));"
        )
        said = subprocess.run(
            [NODE, "-e", program],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=True,
        )
        found: list[str] = json.loads(said.stdout)
        return found
    steps = (
        f"{SCRIPT.read_text(encoding='utf-8')};const asked = {json.dumps(asked)};"
        f"document.body.textContent = JSON.stringify(asked.map((each) => String({body})));"
    )
    dom = after("<!DOCTYPE html><body></body>", steps, folder).dom
    in_browser: list[str] = json.loads(dom[dom.index("[") : dom.rindex("]") + 1])
    return in_browser


EVALUATE = (
    "archc.evaluate(each[0], "
    "Object.fromEntries(Object.entries(each[1]).map(([k, v]) => [k, BigInt(v)])))"
)


@pytest.mark.parametrize("name", NAMES)
def test_every_formula_at_random_points(name: str, tmp_path: Path) -> None:
    spec = named(name)
    costs = cost(lowered(spec))
    chance = random.Random(name)
    sizes: list[Poly] = []
    for metric in METRICS.values():
        setting = {field: chance.choice(words) for field, words in CHOICES.items()}
        sizes.append(metric.formula(costs, Setting(**setting)))  # type: ignore[arg-type]  # words of the fields
    sizes += [moved_bytes([row], Setting()) for row in costs.rows]
    sizes += [as_poly(row.cost.total("visible")) for row in costs.rows]
    distinct = {compact(size): size for size in sizes}
    asked, wanted = [], []
    for _ in range(POINTS):
        point = {**costs.key.sizes, **{k.name: chance.randint(1, 2**20) for k in costs.free}}
        for text, size in distinct.items():
            asked.append([text, {letter: str(number) for letter, number in point.items()}])
            wanted.append(str(value(size, point)))
    assert len(distinct) > 20
    assert evaluated([*distinct], "archc.spoken(each)", tmp_path) == [
        *map(juxtaposed, distinct.values())
    ]
    assert evaluated(asked, EVALUATE, tmp_path) == wanted


def test_parts_of_formulas(tmp_path: Path) -> None:
    sizes = [
        as_poly(0),
        as_poly(7) - T * T * 3,
        half(T * (T + 1)),
        (T + 3) // 4 * B * 2,
        least(T, B * 5, 77) * greatest(B, T) ** 3,
        greatest((T - 9) // (B + 1), B) - least(T, 3),
        (B - T) // 7,
    ]
    points = [(1, 1), (3, 10), (10, 3), (2**40, 2**33 + 1)]
    asked = [[compact(s), {"B": str(b), "T": str(t)}] for s in sizes for b, t in points]
    wanted = [str(value(s, {"B": b, "T": t})) for s in sizes for b, t in points]
    assert evaluated(asked, EVALUATE, tmp_path) == wanted
    texts, short = [juxtaposed(size) for size in sizes], [compact(size) for size in sizes]
    assert evaluated(short, "archc.spoken(each)", tmp_path) == texts
    assert evaluated(texts, "archc.compact(each)", tmp_path) == short


def test_what_is_no_formula_is_refused(tmp_path: Path) -> None:
    body = (
        '(() => { try { archc.evaluate(each, {T: 1n}); return "read"; } catch { return "no"; } })()'
    )
    broken = ["", "T +", "2··T", "floor(T / 2", "alert(1)", "T;T", "T)", "Q", "T/2"]
    assert evaluated(broken, body, tmp_path) == ["no"] * len(broken)


def test_numbers_are_written_digit_for_digit(tmp_path: Path) -> None:
    chance = random.Random(3)
    numbers = [0, 1, 9, 999, 1000, 1023, 1024, 9995, 99950, 999500, 1048575, 1047552]
    numbers += [chance.randrange(10 ** chance.randint(1, 24)) for _ in range(400)]
    asked = [[str(n), unit] for n in numbers for unit in MARKS]
    said = evaluated(
        [[n, MARKS[unit]] for n, unit in asked], "archc.inUnit(BigInt(each[0]), each[1])", tmp_path
    )
    assert said == [in_unit(int(n), unit) for n, unit in asked]
    pairs = [(chance.choice(numbers), chance.choice(numbers)) for _ in range(400)]
    told = [[str(a), str(b)] for a, b in pairs]
    for word, function in (("share", share), ("ratio", ratio)):
        said = evaluated(told, f"archc.{word}(BigInt(each[0]), BigInt(each[1]))", tmp_path)
        assert said == [function(a, b) for a, b in pairs], word
    said = evaluated([str(n) for n in numbers], "archc.grouped(BigInt(each))", tmp_path)
    assert said == [grouped(n) for n in numbers]


def test_figures_know_what_they_depend_on() -> None:
    figures = Figures()

    def counted(setting: Setting) -> Poly:
        if setting.kernel == "eager" and setting.recompute == "none":
            return T * setting.bytes
        return B

    place = figures.figure(counted)
    (found,) = figures.figures
    assert (place, found.by) == (0, ("precision", "kernel", "recompute"))
    spoken = figures.document()
    assert spoken["formulas"] == ["B", "T"]
    half_ = "0 0 0 1*2 0 0"
    assert spoken["figures"] == [f"pkr 0 0 0 1*4 0 0 {half_} {half_}"]
    assert figures.figure(lambda _: T * 6 - B * 4) == 1
    assert figures.figure(lambda _: T * 3 - B * 2) == 2
    assert figures.document()["formulas"][2:] == ["-2B+3T"]
    assert figures.figure(lambda _: T * 6 - B * 4) == 1


def test_terms_are_multiplied_and_divided(tmp_path: Path) -> None:
    sizes = [
        T * 2 - B * 6,
        as_poly(8),
        (T + 3) // 4 * B * 2 + least(T - 2, B * 5) * 4 - 10,
        as_poly(0) - T * 2,
        greatest(T, 6 - B) * 2,
    ]
    half_, double = "(c) => c / 2n", "(c) => c * 2n"
    texts = [compact(size) for size in sizes]
    halves = [compact(half(size)) for size in sizes]
    assert evaluated(texts, f"archc.scaled(each, {half_})", tmp_path) == halves
    assert evaluated(halves, f"archc.scaled(each, {double})", tmp_path) == texts
