"""Router: which experts a token goes to, and how much each of them counts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal

from archspec.source.frozen import Frozen
from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator, Parameter
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, value
from compiler.ir.types import TensorType
from compiler.ops.router_class import router_class

Score = Literal["softmax", "sigmoid"]
FLOPS: Final[dict[Score | None, int]] = {"softmax": 5, "sigmoid": 4, None: 0}


class Groups(Frozen):
    """`count` equal groups of neighbouring experts, of which a token may choose from `kept`: those
    with the best expert, or with `pairs` the best two added up (DeepSeek-AI 2024)."""

    count: int
    kept: int
    pairs: bool = False

    def __str__(self) -> str:
        return f"{self.kept}/{self.count}{',pairs' if self.pairs else ''}"


class Training(Frozen):
    """What a router does in training alone.

    Attributes:
        balance: weight of the load-balancing loss of Fedus et al. 2022, eq. 4, over the choices of
            all positions, padded ones too; its f counts every one of the A choices and adds up to
            one, as Megatron-Core has it. Sigmoid scores count by their part of a token's sum
            (DeepSeek-AI 2024, eq. 18).
        z_loss: weight of the mean squared log-sum-exp of Zoph et al. 2022, eq. 5.
        jitter: the token is multiplied by noise within 1 - and 1 + this before the map.
        capacity: an expert keeps its first choices, row by row, up to this many times an even part
            of all; the share of one beyond is zero.
        repeated: whether layers share the router: its losses add up, from where the model starts.
    """

    balance: float = 0.0
    z_loss: float = 0.0
    jitter: float = 0.0
    capacity: float = 0.0
    repeated: bool = False

    @property
    def losses(self) -> bool:
        """Whether there is a loss."""
        return bool(self.balance or self.z_loss)

    def __str__(self) -> str:
        found = {name: setting for name, setting in vars(self).items() if setting}
        return ",".join(f"{name}:{setting:g}" for name, setting in found.items())


class Router(
    Operator, signature="x:*D; weight:ED, bias?:E, correction?:E -> share:*A, expert:int*A"
):
    """The `A` of `E` experts with the highest scores W x + b, and the share of each in the mixture.

    `score` makes them probabilities over all experts (Shazeer et al. 2017, eq. 2) or looks at each
    alone. `correction` is added for the choice and not for the share (Wang et al. 2024); `groups`
    narrow the choice. Then `after_topk` runs over the chosen scores, `renorm` makes them add up to
    one (Jiang et al. 2024), with `renorm_eps` in the divisor, and `scale` multiplies them. Scores
    and shares are float32 whatever the model's type is. Drawn as `Linear` is.

    In training the torch module keeps the sum of its losses of the last forward as `aux_loss`.
    """

    holder: ClassVar[str] = "nn.Linear"

    E: Size
    A: Size
    bias: bool = False
    score: Score | None = "softmax"
    after_topk: Score | None = None
    renorm: bool = False
    renorm_eps: float = 0.0
    scale: float | None = None
    correction: bool = False
    groups: Groups | None = None
    training: Training | None = None
    init: Init | None = None

    @property
    def trains(self) -> bool:
        """Whether it has a loss of its own."""
        return self.training is not None and self.training.losses

    def parameters(self, inputs: Sequence[TensorType | None], key: Letters) -> dict[str, Parameter]:
        found = super().parameters(inputs, key)
        return {n: replace(each, trained=n != "correction") for n, each in found.items()}

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if name == "correction":
            return Init("zeros")
        if self.init is None:
            return Init("uniform", n["D"] ** -0.5)
        return self.init if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        each = FLOPS[self.score] + self.bias + self.correction
        share = FLOPS[self.after_topk] + 2 * self.renorm + (self.scale is not None)
        added = n.rest * self.groups.count if self.groups and self.groups.pairs else 0
        return Cost(
            matmul=2 * n.rest * n.D * n.E,
            elementwise=n.rest * n.E * each + n.share * share + added,
        )

    def module(self, w: Writer) -> str:
        name = router_class(self, w)
        if self.correction:
            return f"{name}()"
        return f"{name}({w.dim('D')}, {w.dim('E')}{'' if self.bias else ', bias=False'})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x})"

    def onnx(self, b: Builder) -> Any:
        logits = b.linear(b.x, "weight", "bias" if self.bias else "", exact=True)
        score = _scored(b, self.score, logits)
        choice = b.op("Add", score, b.correction) if self.correction else score
        if self.groups is not None:
            choice = _within(b, self.groups, choice)
        share, expert = b.op("TopK", choice, b.lengths(b.dim("A")), outputs=2, axis=-1)
        if self.correction:
            share = b.op("GatherElements", score, expert, axis=-1)
        share = _scored(b, self.after_topk, share)
        if self.renorm:
            whole = b.op("ReduceSum", share, b.ints(-1), keepdims=1)
            whole = b.op("Add", whole, b.number(self.renorm_eps)) if self.renorm_eps else whole
            share = b.op("Div", share, whole)
        if self.scale is not None:
            share = b.op("Mul", share, b.number(self.scale))
        return share, expert


def _scored(b: Builder, score: Score | None, logits: Any) -> Any:
    if score == "softmax":
        return b.op("Softmax", logits, axis=-1)
    return _sigmoid(b, logits) if score == "sigmoid" else logits


def _sigmoid(b: Builder, logits: Any) -> Any:
    """Scores of which a quotient may be taken, however low all of them are: `Sigmoid` on a CPU is
    only absolutely precise, off by a tenth at -15 and zero from -18 on."""
    if b.target.provider == "cuda":
        return b.op("Sigmoid", logits)
    raised = b.op("Exp", b.op("Neg", logits))
    return b.op("Reciprocal", b.op("Add", raised, b.number(1.0)))


def _within(b: Builder, groups: Groups, score: Any) -> Any:
    """Scores within the best groups, minus infinity elsewhere."""
    size = value(b.dim("E")) // groups.count
    apart = b.reshape(score, (*b.leading, groups.count, size))
    if groups.pairs:
        pair, _ = b.op("TopK", apart, b.ints(2), outputs=2, axis=-1)
        best = b.op("ReduceSum", pair, b.ints(-1), keepdims=0)
    else:
        best = b.op("ReduceMax", apart, b.ints(-1), keepdims=0)
    _, kept = b.op("TopK", best, b.ints(groups.kept), outputs=2, axis=-1)
    group = b.op("Unsqueeze", b.range(groups.count), b.ints(1))
    chosen = b.op("Equal", b.op("Unsqueeze", kept, b.ints(-2)), group)
    times = b.op("ReduceSum", b.op("Cast", chosen, to=b.int_type), b.ints(-1), keepdims=1)
    masked = b.op("Where", b.op("Greater", times, b.index(0)), apart, b.number(-math.inf))
    return b.reshape(masked, (*b.leading, b.dim("E")))
