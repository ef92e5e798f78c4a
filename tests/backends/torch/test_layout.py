"""Layouts are what Ruff makes of the same logical lines, byte for byte."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from compiler.backends.torch.layout import lay, lay_block
from tests.backends.torch.layout_grammar import CASES
from tests.backends.torch.ruff_judge import Case, ruff_complaints, ruff_format, ruff_lines

CORPUS = Path(__file__).with_name("layout_corpus")
FAMILIES = ("assignments", "returns", "headers", "others")
EDGES = range(97, 106)
# Shrinking a batch would run Ruff for minutes, and the assertion names the one case that failed.
GENERATE = (Phase.explicit, Phase.reuse, Phase.generate)
COMMENT = "# spec:21 block.attn"


def corpus(family: str) -> list[str]:
    """Statements as generated PyTorch has them; `$` marks a name to lengthen up to the edge."""
    return (CORPUS / f"{family}.txt").read_text().splitlines()


def variants(statement: str) -> Iterator[Case]:
    """`statement` at many depths, as it is and with its marked name as long as the edge asks."""
    plain = statement.replace("$", "")
    for depth in range(1, 7):
        yield Case(plain, depth)
    if "$" not in statement:
        return
    yield Case(statement.replace("$", "_" * 100))
    for depth in (1, 3):
        for width in EDGES:
            room = width - len(plain) - 4 * depth
            yield Case(statement.replace("$", "_" * room), depth)
            yield Case(statement.replace("$", "_" * (room - len(COMMENT) - 2)), depth, COMMENT)


def check(cases: list[Case]) -> None:
    """Every case is laid out as Ruff does it, and still means the same."""
    for case, wanted in zip(cases, ruff_lines(cases), strict=True):
        laid = lay(case.line, case.depth, case.comment)
        assert laid == wanted, case
        header = case.line.endswith(":")
        assert meaning("\n".join(laid).strip(), header) == meaning(case.line, header), case


def meaning(text: str, header: bool) -> str:
    """The syntax tree of a statement, whatever its layout."""
    code = text.removeprefix("@").removeprefix("el")
    return ast.dump(ast.parse(code + ("\n pass" if header else "")))


def test_the_corpus_is_large() -> None:
    assert sum(len(corpus(family)) for family in FAMILIES) >= 150


@pytest.mark.parametrize("family", FAMILIES)
def test_a_typical_statement_at_any_width(family: str) -> None:
    check([case for statement in corpus(family) for case in variants(statement)])


@settings(max_examples=60, deadline=None, phases=GENERATE, suppress_health_check=list(HealthCheck))
@given(st.lists(CASES, min_size=20, max_size=40))
def test_a_random_statement(cases: list[Case]) -> None:
    check(cases)


@pytest.mark.parametrize(
    ("line", "laid"),
    [
        ("f(a, b,)", ["f(", "    a,", "    b,", ")"]),
        ("x = [1, 2,]", ["x = [", "    1,", "    2,", "]"]),
        ("def f(a, b,):", ["def f(", "    a,", "    b,", "):"]),
        ("x[a, b,]", ["x[", "    a,", "    b,", "]"]),
    ],
)
def test_a_trailing_comma_breaks_its_brackets(line: str, laid: list[str]) -> None:
    assert lay(line) == laid
    body = ["    pass"] if line.endswith(":") else []
    program = "\n".join([*laid, *body, ""])
    assert ruff_format(program) == program


@pytest.mark.parametrize(
    ("line", "laid"),
    [
        ("x[a+1:b]=f( y,z = 1 )", "x[a + 1 : b] = f(y, z=1)"),
        ("for i,j in x  :", "for i, j in x:"),
        ("x=-y**2", "x = -(y**2)"),
        ("def f(a:int=1,b=2)->int:  #note", "def f(a: int = 1, b=2) -> int:  # note"),
        ("# only   words", "# only   words"),
        ("", ""),
        ("   return", "return"),
        ("else :#  otherwise", "else:  # otherwise"),
        ("try:", "try:"),
    ],
)
def test_spaces_become_regular(line: str, laid: str) -> None:
    assert lay(line) == [laid]


def test_a_comment_in_the_line_is_as_one_beside_it() -> None:
    line = "y = F.scaled_dot_product_attention(q_BHTK, k_BGTK, v_BGTK, is_causal=True)"
    assert lay(f"{line}  # causal, without a cache", 2) == lay(line, 2, "causal, without a cache")


def test_a_pragma_takes_no_room() -> None:
    line = "y_BTD = attention(q_BHTK, k_BGTK, v_BGTK, is_causal=True, enable_gqa=True, scale=scale)"
    case = Case(line, 1, "# noqa: because of something that takes a lot of room")
    assert [lay(case.line, case.depth, case.comment)] == ruff_lines([case])
    assert len(lay(case.line, case.depth, case.comment)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "x = (1,",
        "x = 1; y = 2",
        "if x: y",
        "if x: y = 1:",
        "x = 1\ny = 2",
        "x = 1\ry = 2",
        "x = 1\x0cy = 2",
        "x = 'é'",
        'x = "a" "b"',
        "x = lambda: 1",
        "match x:",
        "x =",
    ],
)
def test_what_is_no_logical_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        lay(line)


@pytest.mark.parametrize("comment", ["a\nimport os", "a\rimport os", "é"])
def test_a_comment_cannot_become_code(comment: str) -> None:
    with pytest.raises(ValueError, match="printable"):
        lay("x = 1", 0, comment)


MODULE: list[tuple[int, str]] = [
    (0, '"""tiny: a module laid out whole.'),
    (0, ""),
    (0, "    indented words stay indented"),
    (0, "words"),
    (0, '"""'),
    (0, ""),
    (0, "import torch"),
    (0, "import torch.nn.functional as F"),
    (0, "from torch import Tensor, nn"),
    (0, ""),
    (0, "D, H, G, K = 4096, 32, 8, 128"),
    (0, ""),
    (0, ""),
    (0, "class Attention(nn.Module):  # spec:21 block.attn"),
    (1, '"""Grouped queries."""'),
    (1, ""),
    (1, "def __init__(self) -> None:"),
    (2, "super().__init__()"),
    (2, "self.qkv = nn.Linear(D, (H + 2 * G) * K, bias=False)"),
    (1, ""),
    (1, "def forward(self, x_BTD: Tensor, kv_2BGCK: Tensor, pos: int, scale: float) -> Tensor:"),
    (2, "B, T, _ = x_BTD.shape"),
    (2, "q, k, v = self.qkv(x_BTD).split((H * K, G * K, G * K), dim=-1)"),
    (2, "if kv_2BGCK is None:"),
    (
        3,
        "y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True, scale=scale)",
    ),
    (2, "else:"),
    (3, "kv_2BGCK[:, :, :, pos : pos + T] = torch.stack((k, v))"),
    (
        3,
        "seen_TS = torch.ones(T, pos + T, dtype=torch.bool, device=x_BTD.device).tril(pos)",
    ),
    (3, "y = F.scaled_dot_product_attention(q, k, v, attn_mask=seen_TS, scale=scale)"),
    (2, "return y.transpose(1, 2).reshape(B, T, H * K)"),
]


def test_a_module_is_stable_and_clean() -> None:
    program = lay_block(MODULE)
    assert ruff_format(program) == program
    assert ruff_complaints(program) == ""
    assert max(map(len, program.split("\n"))) <= 100
    assert ast.get_docstring(ast.parse(program)) == (
        "tiny: a module laid out whole.\n\n    indented words stay indented\nwords"
    )
