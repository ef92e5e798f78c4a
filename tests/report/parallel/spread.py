"""Small models spread over devices, and every weight of theirs cut by hand, rank by rank."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from archspec.load import load
from archspec.model.spec import Spec
from compiler.ir.size import value
from compiler.report.costs import CostReport, cost_report
from tests.passes.samples import LLAMA, lowered, named

COLUMNS = ("q", "k", "v", "gate", "up")
ROWS = ("o", "down")
TABLES = ("tok.weight", "tok.tokens.weight", "logits.weight")


@dataclass(frozen=True)
class Piece:
    """What one rank has of one weight: its place in the pipeline and among tensor and expert ranks,
    and how many elements."""

    name: str
    stage: int
    tensor: int
    expert: int
    elements: int
    bucket: str


def counted(spec: Spec, **at: int) -> CostReport:
    """The costs of a spec at some lengths."""
    found = cost_report(lowered(spec), spec, at)
    assert isinstance(found, CostReport), found
    return found


def llama(**dims: int) -> CostReport:
    """A small decoder of grouped queries."""
    return counted(load({**LLAMA, "dims": {**LLAMA["dims"], **dims}}), B=1, T=16)


def gpt2(**changes: int) -> CostReport:
    """GPT-2 in small: tied, with biases and learned positions."""
    small = {"vocab": 61, "d_model": 24, "n_layers": 4, "n_heads": 4, "max_len": 32}
    return counted(named("decoder/gpt2", **{**small, **changes}), B=2, T=16)


def mixtral(**changes: int) -> CostReport:
    """Mixtral in small: eight experts, two a token."""
    small = {"vocab": 61, "d_model": 16, "n_layers": 4, "n_heads": 4, "n_kv_heads": 2, "d_ff": 12}
    return counted(named("decoder/mixtral-8x7b", **{**small, **changes}), B=1, T=16)


def pieces(report: CostReport, degrees: Mapping[str, int], layers: int) -> Iterator[Piece]:
    """Every weight of the expanded model, cut by its name and its shape alone."""
    tp, pp, ep = (degrees.get(name, 1) for name in ("tp", "pp", "ep"))
    sizes = report.costs.key.sizes
    last_table = any(row.operator == "SharedLinear" for row in report.costs.rows) and pp > 1
    for name, parameter in report.costs.program.parameters().items():
        shape = [value(size, sizes) for size in parameter.shape]
        for stage in stages(name, layers, degrees, last_table):
            for tensor in range(tp):
                for expert in range(ep):
                    bucket, elements = cut(name, shape, (tensor, tp), (expert, ep))
                    yield Piece(name, stage, tensor, expert, elements, bucket)


def stages(name: str, layers: int, degrees: Mapping[str, int], tied: bool) -> list[int]:
    """Layers dealt to pieces round by round, each piece then a run of them; pieces to stages by
    turns."""
    pp, interleave = degrees.get("pp", 1), degrees.get("interleave", 1)
    if name.startswith("h."):
        lengths = [held(layers, piece, pp * interleave) for piece in range(pp * interleave)]
        pieces_ = [piece for piece, length in enumerate(lengths) for _ in range(length)]
        return [pieces_[int(name.split(".")[1])] % pp]
    if name.startswith("tok"):
        return [0, pp - 1] if tied and "tokens" in name else [0]
    return [pp - 1]


def cut(
    name: str, shape: list[int], tensor: tuple[int, int], expert: tuple[int, int]
) -> tuple[str, int]:
    """The bucket of a weight and how many of its elements a rank holds, by walking its indices."""
    owner, kind = name.split(".")[-2:]
    if ".experts." in name:
        index = int(name.split(".experts.")[1].split(".")[0])
        experts_a_rank = 8 // expert[1]
        return "expert", product(shape) * (index // experts_a_rank == expert[0])
    if name in TABLES or owner in COLUMNS:
        return "cut", held(shape[0], *tensor) * product(shape[1:])
    if owner in ROWS and kind == "weight":
        return "cut", shape[0] * held(shape[1], *tensor)
    return "whole", product(shape)


def held(length: int, rank: int, ranks: int) -> int:
    """The indices of an axis that go to a rank, dealt one by one."""
    return sum(1 for index in range(length) if index % ranks == rank)


def product(sizes: list[int]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total
