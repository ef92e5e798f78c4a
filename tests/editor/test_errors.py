"""While typing: good specs are left alone, and a mistake is marked on its own line."""

import re
from pathlib import Path

from tests.editor.editor import ROOT, Editor

SPECS = sorted(
    path
    for folder in ("specs", "compiler/cli/templates")
    for path in (ROOT / folder).rglob("*.yaml")
    if path.parent.name != "broken"
)
BROKEN = sorted((ROOT / "specs" / "broken").glob("*.yaml"))
PLACE = re.compile(r"^ *--> \S+?:(\d+):\d+", re.MULTILINE)
MARK = "# wrong"

EXPRESSIONS = """\
dims: {d_model: 64, heads: d_model/16, ff: "round_up(8*d_model/3, 32)", eps: 10**-5}
inputs: {ids: {tokens: {max: 2**7}}}
defaults: {norm: {layer: eps}, dropout: 1/10, init: {normal: d_model**-0.5}}
graph:
  tok:
    embed: {vocab: 100, dim: d_model, scale: sqrt(d_model), positions: {learned: 2*64}}
    in: ids
  h:
    stack:
      repeat: min(2, heads)
      layer:
        attn:
          attention:
            heads: heads
            kv_heads: heads/2
            head_dim: d_model/heads
            scale: 192**-0.5
            rope: {theta: 1e4*heads, fraction: 1/2}
          branch_scale: 1/sqrt(2)
        mlp: {mlp: {hidden: ff, act: gelu}, layerscale: 1e-4*2}
"""

MISTAKES = """\
archspec: 1
name: [mistaken] # wrong
about: eight mistakes, and among them what is right
inputs:
  ids: {tokens: {max: 128, paded: true}} # wrong
graph:
  tok: {embed: {vocab: 100, dim: 64}, in: ids}
  h:
    stack:
      repeat: 0 # wrong
      layer:
        attn:
          attention:
            heads: 4
            kv_head: 2 # wrong
            mask: causal
            bias: xy # wrong
            rope: {theta: fast!} # wrong
        mlp:
          mlp:
            hidden: 64
            act: glu # wrong
            gated: 3 # wrong
"""


def test_what_we_ship_is_without_errors(editor: Editor) -> None:
    found = editor.problems_of_all({shown(path): text_of(path) for path in SPECS})
    assert found == {shown(path): {} for path in SPECS}


def test_the_line_at_the_top_of_a_spec_finds_the_schema(editor: Editor) -> None:
    """Its relative path is followed: the spec is judged, so that a misspelt key is an error."""
    for folder in sorted({path.parent for path in SPECS if path.is_relative_to(ROOT / "specs")}):
        path = min(folder.glob("*.yaml"))
        lines = text_of(path).splitlines(keepends=True)
        assert lines[0].startswith("# yaml-language-server: $schema=")
        assert editor.problems_in_place(path, "".join(lines)) == {}
        place = next(number for number, line in enumerate(lines) if line.startswith("name:"))
        lines[place] = lines[place].replace("name:", "nmae:")
        found = editor.problems_in_place(path, "".join(lines))
        assert set(found) == {place + 1}
        assert "nmae" in found[place + 1]


def test_expressions_stand_wherever_numbers_do(editor: Editor) -> None:
    assert editor.problems(EXPRESSIONS) == {}


def test_each_mistake_is_marked_on_its_line_and_nothing_else_is(editor: Editor) -> None:
    lines = MISTAKES.splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if line.endswith(MARK)}
    found = editor.problems(MISTAKES)
    assert set(found) == wrong
    assert len(wrong) == 8
    said = {lines[number - 1].split("#")[0].strip(): message for number, message in found.items()}
    assert "paded" in said["ids: {tokens: {max: 128, paded: true}}"]
    assert "kv_head" in said["kv_head: 2"]
    assert '"gelu"' in said["act: glu"]
    assert "boolean" in said["gated: 3"]


STRUCTURE = re.compile(r"ar0(011|012|013|102|104|105|107|204|215)-")
"""Keys, kinds and words that are wrong wherever they stand; the rest depends on others."""

READABLE = re.compile(r"ar0(01|1|2|3|4|5|6|8)")


def test_the_editor_points_where_the_compiler_does(editor: Editor) -> None:
    """At every mistake of structure, and never beside a mistake of any other kind."""
    broken = [path for path in BROKEN if READABLE.match(path.name)]
    found = editor.problems_of_all({path.stem: text_of(path) for path in broken})
    for path in broken:
        seen, expected = set(found[path.stem]), compiler_lines(path)
        assert seen <= expected, path.stem
        if STRUCTURE.match(path.name):
            assert seen == expected, path.stem
    assert sum(bool(lines) for lines in found.values()) > 20


def compiler_lines(path: Path) -> set[int]:
    """The lines that `archc check` points at first, from the golden of its output."""
    golden = ROOT / "tests" / "golden" / "broken" / f"{path.stem}.txt"
    return set(map(int, PLACE.findall(golden.read_text(encoding="utf-8"))))


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")
