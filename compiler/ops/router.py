"""Router: which experts a token goes to, and how much each of them counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size

BALANCE = '''
def {name}(score_BTE: Tensor, expert_BTA: Tensor) -> Tensor:
    """{E} times the sum over experts of their part of all choices times their mean score.

    Fedus et al. 2022, eq. 4: 1 where every expert is chosen alike, up to {E} where one gets all.
    """
    expert = expert_BTA.flatten()[:, None]
    chosen_E = (expert == torch.arange({E}, device=expert.device)).float().mean(dim=0)
    return {E} * (chosen_E * score_BTE.flatten(0, -2).mean(dim=0)).sum()
'''


@dataclass(frozen=True)
class Router(Operator, signature="x:*D; weight:ED, bias?:E -> share:*A, expert:int*A"):
    """The `A` of `E` experts with the highest scores W x + b, and the share of each in the mixture.

    With `softmax` scores are probabilities over all experts (Shazeer et al. 2017, eq. 2), and
    `renorm` makes those of the chosen add up to one (Jiang et al. 2024); with `after_topk` a
    softmax runs over the chosen scores alone. Scores and shares are float32 whatever the model's
    type is. Drawn as `Linear` is.

    `balance` weighs the load-balancing loss of Fedus et al. 2022, eq. 4, over the choices of all
    positions, padded ones too; its f counts every one of the A choices and adds up to one, as
    Megatron-Core has it. `z_loss` weighs the mean squared log-sum-exp of Zoph et al. 2022, eq. 5.
    In training the torch module keeps their sum of the last forward as `aux_loss`; layers that
    share a router keep the last one's.
    """

    E: Size
    A: Size
    bias: bool = False
    softmax: bool = True
    after_topk: bool = False
    renorm: bool = False
    balance: float = 0.0
    z_loss: float = 0.0
    init: Init | None = None

    @property
    def trains(self) -> bool:
        """Whether it has a loss of its own."""
        return bool(self.balance or self.z_loss)

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if self.init is None:
            return Init("uniform", n["D"] ** -0.5)
        return self.init if name == "weight" else Init("zeros")

    def cost(self, n: Sizes) -> Cost:
        scored = n.rest * n.E * (5 * self.softmax + self.bias)
        return Cost(
            matmul=2 * n.rest * n.D * n.E,
            elementwise=scored + n.share * (5 if self.after_topk else 2 * self.renorm),
        )

    def module(self, w: Writer) -> str:
        bias = "" if self.bias else ", bias=False"
        return f"{self._class(w)}({w.dim('D')}, {w.dim('E')}{bias})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.x})"

    def onnx(self, b: Builder) -> Any:
        scores = b.op("MatMul", b.x, b.transposed("weight"))
        if self.bias:
            scores = b.op("Add", scores, b.bias)
        if self.softmax:
            scores = b.op("Softmax", scores, axis=-1)
        share, expert = b.op("TopK", scores, b.lengths(b.dim("A")), outputs=2, axis=-1)
        if self.after_topk:
            share = b.op("Softmax", share, axis=-1)
        elif self.renorm:
            share = b.op("Div", share, b.op("ReduceSum", share, b.ints(-1), keepdims=1))
        return share, expert

    def _class(self, w: Writer) -> str:
        balance = w.helper("balance", lettered(BALANCE, w)) if self.balance else ""
        return w.helper("Router", lettered("\n".join(self._lines(w, balance)), w))

    def _lines(self, w: Writer, balance: str) -> Iterator[str]:
        yield "class {name}(nn.Linear):"
        said = "The {A} experts of each token with the highest scores, and their shares."
        if self.trains:
            yield f'    """{said}'
            yield ""
            yield "    In training `aux_loss` is what the last forward adds to the model's loss."
            yield '    """'
            yield ""
            yield "    aux_loss: Tensor"
        else:
            yield f'    """{said}"""'
        yield ""
        yield "    def forward(self, x_BTD: Tensor) -> tuple[Tensor, Tensor]:"
        yield "        logits_BTE = super().forward(x_BTD).float()"
        if self.softmax or self.balance:
            yield "        score_BTE = logits_BTE.softmax(dim=-1)"
        chosen = "score" if self.softmax else "logits"
        yield f"        share_BTA, expert_BTA = {chosen}_BTE.topk({{A}}, dim=-1)"
        if self.trains:
            yield "        if self.training:"
            yield f"            self.aux_loss = {' + '.join(self._losses(w, balance))}"
        share = "share_BTA"
        if self.after_topk:
            share = "share_BTA.softmax(dim=-1)"
        elif self.renorm:
            share = "share_BTA / share_BTA.sum(dim=-1, keepdim=True)"
        yield f"        return {share}, expert_BTA"

    def _losses(self, w: Writer, balance: str) -> Iterator[str]:
        if self.balance:
            yield f"{w.constant('BALANCE', self.balance)} * {balance}(score_BTE, expert_BTA)"
        if self.z_loss:
            squared = "logits_BTE.logsumexp(dim=-1).square().mean()"
            yield f"{w.constant('Z_LOSS', self.z_loss)} * {squared}"


def lettered(source: str, w: Writer) -> str:
    """A helper's text with the letters of one use in the place of `{D}`, `{E}` and `{A}`."""
    for letter in "DEA":
        source = source.replace(f"{{{letter}}}", w.dim(letter))
    return source
