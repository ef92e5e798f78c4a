"""Mixtures of experts by chance: generated code computes what its program says."""

import subprocess
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.backends.torch.live import live
from tests.backends.torch.ruff_judge import RUFF

BAR = 1e-4
calm = settings(
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
NAMES = ("experts", "router", "dispatch", "balance", "aux_loss", "mlp", "Router", "GroupedLinear",
         "rows", "end", "share", "gate_up", "E", "A", "m", "shared", "best_groups", "glu",
         "token_gate", "within_capacity", "correction")  # fmt: skip
ROUTERS: tuple[dict[str, Any], ...] = (
    {},
    {"renorm": True},
    {"bias": True, "aux_loss": {"balance": 0.01}},
    {"score": "none", "after_topk": "softmax", "aux_loss": {"balance": 0.5, "z": 0.25}},
    {"renorm": True, "aux_loss": {"z": 0.001}},
    {"score": "sigmoid", "correction": True, "renorm": True, "renorm_eps": 0.01, "scale": 2.5},
    {"score": "sigmoid", "bias": True, "aux_loss": {"balance": 0.01}, "jitter": 0.1},
    {"score": "none", "after_topk": "sigmoid", "weigh": "input"},
    {"capacity": 1.25, "renorm": True, "aux_loss": {"balance": 0.01}},
    {"score": "none", "after_topk": "softmax", "correction": True, "weigh": "input", "scale": 0.5},
)
GROUPS: tuple[dict[str, Any], ...] = (
    {},
    {"groups": 3, "top_groups": 2},
    {"groups": 3, "top_groups": 2, "group_score": "top2"},
)
CLAMPS: tuple[dict[str, Any], ...] = (
    {"act": "silu", "clamp": 0.5, "alpha": 1.702, "up_offset": 1},
    {"clamp": 0.3},
    {"act": "silu", "alpha": 1.5},
)
INITS = ("torch", "xavier", {"normal": 0.02}, {"normal": 0.5, "residual": "depth_scaled"})


@st.composite
def mixtures(draw: Any) -> dict[str, Any]:
    """A mixture over vectors of 16."""
    experts = draw(st.integers(1, 6))
    expert = {
        "hidden": draw(st.sampled_from([8, 16, 12])),
        "act": draw(st.sampled_from(["relu", "silu", "quick_gelu"])),
        "gated": draw(st.booleans()),
        "bias": draw(st.booleans()),
    }
    if expert["gated"] and draw(st.booleans()):
        expert |= draw(st.sampled_from(CLAMPS))
    top_k, router = draw(st.integers(1, experts)), draw(st.sampled_from(ROUTERS))
    if experts == 6 and top_k <= 4:
        router = {**router, **draw(st.sampled_from(GROUPS))}
    body = {"experts": experts, "top_k": top_k, "expert": expert, "router": router}
    if draw(st.booleans()):
        body["shared"] = {**expert, "token_gate": draw(st.booleans())}
    return {"moe": body}


@st.composite
def models(draw: Any) -> dict[str, Any]:
    """A decoder whose layers have one mixture, two, or one beside an attention."""
    names = draw(st.permutations(NAMES))
    attention = {"attention": {"heads": 2, "mask": "causal"}}
    one, two = draw(mixtures()), draw(mixtures())
    layer = draw(
        st.sampled_from(
            [
                {names[0]: attention, names[1]: one},
                {names[0]: one, names[1]: two},
                {names[0]: {"parallel": {names[1]: attention, names[2]: one}}, names[3]: two},
                {names[0]: {**one, "norm_at": ["pre", "out"], "layerscale": 0.5}},
            ]
        )
    )
    stack = {"repeat": 2, "layer": layer, "share": draw(st.booleans())}
    return {
        "name": draw(st.sampled_from(["m", "Router", "grouped-linear", "experts"])),
        "inputs": {"ids": "tokens"},
        "defaults": {
            "norm": {"rms": 1e-5},
            "norm_at": "pre",
            "init": draw(st.sampled_from(INITS)),
            "dropout": draw(st.sampled_from([0, {"hidden": 0.5}])),
        },
        "graph": {
            names[4]: {"embed": {"vocab": 11, "dim": 16}, "in": "ids"},
            names[5]: {"stack": stack},
            names[6]: draw(mixtures()),
            names[7]: {"unembed": {"vocab": 11}},
        },
    }


def has_losses(part: Any) -> bool:
    """Whether some router in a part of a spec has losses."""
    if not isinstance(part, dict):
        return False
    own = isinstance(part.get("moe"), dict) and "aux_loss" in part["moe"].get("router", {})
    return own or any(map(has_losses, part.values()))


@calm
@given(models())
def test_a_model_computes_what_its_program_says(tree: dict[str, Any]) -> None:
    made = live(tree)
    assert made.apart(made.inputs(2, 5)) <= BAR


@calm
@given(models())
def test_losses_are_there_in_training(tree: dict[str, Any]) -> None:
    made = live(tree)
    model: Any = made.model.train()
    inputs = made.inputs(2, 5)
    made.found(inputs)
    trains = has_losses(tree["graph"])
    named = "aux_loss" in tree["graph"]
    if trains and not named:
        assert float(model.aux_loss()) > 0
    assert ("model.aux_loss()" in made.generated.text) == (trains and not named)


def test_ruff_has_nothing_to_say(tmp_path: Path) -> None:
    texts: list[str] = []

    @calm
    @given(models())
    def write(tree: dict[str, Any]) -> None:
        texts.append(live(tree).generated.text)

    write()
    for index, text in enumerate(dict.fromkeys(texts)):
        (tmp_path / f"m{index}.py").write_text(text, encoding="ascii")
    for judge in (["format", "--diff"], ["check", "--quiet"]):
        command = [*RUFF, judge[0], "--isolated", "--line-length", "100", *judge[1:], str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
