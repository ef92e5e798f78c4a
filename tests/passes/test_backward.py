"""Products of a training step: published figures, torch's own, and what follows from rules."""

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from compiler.ir.size import as_poly
from compiler.ops import GroupedLinear, LatentAttention, ScaledDotProductAttention
from compiler.passes.cost import cost
from compiler.passes.gradients import gradients
from compiler.passes.metrics import METRICS, exact
from compiler.passes.setting import Kernel, Optimizer, Precision, Recompute, Setting
from compiler.verify.compiled import Compiled
from compiler.verify.counts import unpack
from compiler.verify.examples import Example, example
from compiler.verify.module import load_module
from tests.passes.products import FUSED, step
from tests.passes.samples import counted, lowered, named
from tests.shipped import EVERY

LENGTH = 12
FUSING = [
    name
    for name in EVERY
    if any(row.backward != row.backward_fused for row in cost(lowered(named(name))).rows)
]


class Case:
    """A spec's generated model, and two rows for it."""

    def __init__(self, name: str) -> None:
        spec = named(name)
        self.made = Compiled(spec, lowered(spec))
        self.given = example(spec, self.made.program, 2, LENGTH, padded=False)
        self.costs = cost(self.made.program)

    def wanted(self, setting: Setting) -> tuple[int, int]:
        """Our FLOPs forward and backward."""
        lengths = {**{known.name: LENGTH for known in self.costs.free}, **self.given.lengths}
        forward, backward = (
            exact(self.costs, METRICS[metric].formula(self.costs, setting), lengths)
            for metric in ("matmul_flops", "backward_flops")
        )
        return forward, backward

    @property
    def fused_on_cpu(self) -> bool:
        """Torch's fused kernel on the CPU wants one width for keys and values, and no gradient of
        a bias; else it goes step by step there. On CUDA it has kernels for both."""
        flows = gradients(self.made.program)
        for place in self.made.program.places():
            what = place.node.what
            if isinstance(what, ScaledDotProductAttention) and what.fuses:
                q, _, v = place.graph.types(place.node.inputs[:3])
                assert q is not None
                assert v is not None
                if q.shape[-1] != v.shape[-1]:
                    return False
                if any("bias" in flow.moved for flow in flows[place.path]):
                    return False
            elif isinstance(what, LatentAttention) and as_poly(what.N) + what.U != what.W:
                return False
        return True

    def model(self) -> torch.nn.Module:
        """On the default device; with experts in bfloat16, which torch groups everywhere."""
        grouped = any(isinstance(n.what, GroupedLinear) for _, n, _ in self.made.fused.flat())
        torch.set_default_dtype(torch.bfloat16 if grouped else torch.float32)
        try:
            source = load_module(self.made.generated.text, self.made.generated.name)
            model: torch.nn.Module = getattr(source, self.made.generated.name)().eval()
        finally:
            torch.set_default_dtype(torch.float32)
        unpack(model)
        return model


@pytest.mark.parametrize("name", EVERY)
def test_torch_runs_these_products_unfused(name: str) -> None:
    """The meta device has no fused attention."""
    case = Case(name)
    with torch.device("meta"):
        model = case.model()
    values = {name: value.to("meta") for name, value in case.given.values.items()}
    forward, backward, _ = step(model, Example(values, case.given.lengths))
    assert (forward, backward) == case.wanted(Setting(kernel="eager"))


@pytest.mark.parametrize("name", FUSING)
def test_torch_runs_these_products_fused(name: str) -> None:
    case = Case(name)
    with FakeTensorMode() as mode:
        model = case.model()
        values = {name: mode.from_tensor(value) for name, value in case.given.values.items()}
        forward, backward, kernels = step(model, Example(values, case.given.lengths))
    fused = case.wanted(Setting(kernel="fused"))
    if case.fused_on_cpu:
        assert kernels >= FUSED
        assert (forward, backward) == fused
        return
    eager = case.wanted(Setting(kernel="eager"))
    assert eager[1] <= backward < fused[1]
    assert forward == fused[0]


@pytest.mark.parametrize(
    ("kernel", "flops"), [("eager", 874_944_921_600), ("fused", 894_272_274_432)]
)
def test_products_of_gpt2_s_step(kernel: Kernel, flops: int) -> None:
    """Measured on transformers' model: three times the linear products forward, 3 or 3.5 times
    those of attention."""
    at = {"B": 1, "T": 1024, "S": 1024}
    costs, _ = counted(named("decoder/gpt2"), **at)
    formula = METRICS["training_flops"].formula(costs, Setting(kernel=kernel))
    assert exact(costs, formula, at) == flops


def test_what_is_computed_again() -> None:
    """Korthikanti et al. 2022: everything in the layers, or what has no weights in attentions."""
    at = {"B": 1, "T": 1024, "S": 1024}
    costs, figures = counted(named("decoder/gpt2"), **at)

    def again(recompute: Recompute, kernel: Kernel = "eager") -> int:
        setting = Setting(kernel=kernel, recompute=recompute)
        return exact(costs, METRICS["recompute_flops"].formula(costs, setting), at)

    head = 2 * 1024 * 768 * 50_257
    assert again("none") == 0
    assert again("selective") == figures["attention_flops"] == 38_654_705_664
    assert again("selective", "fused") == 0
    assert again("full") == figures["matmul_flops"] - head


@pytest.mark.parametrize(
    ("precision", "optimizer", "each"),
    [
        ("bf16", "adamw", 16),
        ("fp32", "adamw", 16),
        ("bf16", "sgd", 12),
        ("bf16", "muon", 12),
        ("bf16", "adam8bit", 10),
    ],
)
def test_states_of_a_weight(precision: Precision, optimizer: Optimizer, each: int) -> None:
    """Rajbhandari et al. 2020 (ZeRO), section 3.1: 16 bytes a weight with Adam."""
    costs, figures = counted(named("decoder/gpt2"), B=1, T=8, S=8)
    setting = Setting(precision, optimizer=optimizer)
    states = METRICS["training_states_bytes"].formula(costs, setting)
    assert exact(costs, states, {}) == each * figures["parameters"]
