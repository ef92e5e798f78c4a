"""The three primitives: table 1 of "Attention Is All You Need", reach by gradients, hand-written
layers."""

import json

import pytest
import torch
from torch import Tensor

import archspec
from compiler.passes.reach import reach
from compiler.pipeline import primitives
from compiler.pipeline.passes import lowered
from tests.cli.conftest import Archc, archc
from tests.history.chapter import (
    SPECS,
    Page,
    mask,
    multi_head,
    normal,
    of,
    page,
    reached,
)

NAMES = ("recurrence", "convolution", "attention")
FILES = [str(SPECS / f"14-primitives-{name}.yaml") for name in NAMES]
TABLE_1 = {
    "y.0..4.mix.rnn": ("O(N·D²)", "O(N)", "O(N)"),
    "even.0..4.mix.conv": ("O(k·N·D²)", "O(1)", "O(N / k)"),
    "whole.0..4.mix": ("O(N²·D)", "O(1)", "O(1)"),
    "near.0..4.mix": ("O(r·N·D)", "O(1)", "O(N / r)"),
}
LENGTH, WIDTH = 40, 64

__all__ = ["archc"]


def figures(length: int, width: int) -> dict[str, dict[str, int | None]]:
    found = primitives(FILES, at={"N": length}, set=[f"d_model={width}"])
    return {
        mixer.path: each.figures(mixer, length, 1, "fp32")
        for each in found.every
        for mixer in each.mixers
    }


def test_table_1() -> None:
    found = primitives(FILES).document()["specs"]
    orders = {
        mixer["path"]: tuple(mixer["orders"].values()) for s in found for mixer in s["mixers"]
    }
    assert {path: orders[path] for path in TABLE_1} == TABLE_1


@pytest.mark.parametrize("path", TABLE_1)
def test_the_orders_are_what_doubling_does(path: str) -> None:
    """Powers of n and d in the work that mixes positions, measured; a window once it is short."""
    n, d = 2**16, 64
    here, longer, wider = (figures(*at)[path] for at in ((n, d), (2 * n, d), (n, 2 * d)))
    powers = [2, 1] if path.startswith("whole") else [1, 1] if path.startswith("near") else [1, 2]
    for other, power in zip((longer, wider), powers, strict=True):
        assert here["mixing_flops"] and other["mixing_flops"]
        assert other["mixing_flops"] / here["mixing_flops"] == pytest.approx(2**power, rel=1e-3)
    assert (here["sequential_steps"] != 1) == (path == "y.0..4.mix.rnn")


def test_the_work_is_counted_out() -> None:
    """n·d² twice for a plain recurrence and k times for a convolution, n²·d twice for attention,
    in multiply-adds; over the pairs of a window, one by one."""
    found = figures(LENGTH, WIDTH)
    pairs = int(mask(LENGTH, lambda t, s: abs(t - s) <= 32).sum())
    assert [found[path]["mixing_flops"] for path in TABLE_1] == [
        2 * each
        for each in (
            2 * LENGTH * WIDTH**2,
            3 * LENGTH * WIDTH**2,
            2 * LENGTH**2 * WIDTH,
            2 * pairs * WIDTH,
        )
    ]
    assert [found[path]["longest_path"] for path in TABLE_1] == [LENGTH, LENGTH - 1, 1, 2]
    assert found["whole.0..4.mix"]["attention_matrix_bytes"] == 4 * LENGTH**2
    assert found["y.0..4.mix.rnn"]["attention_matrix_bytes"] == 0


def looked(found: Page, length: int = LENGTH) -> list[Tensor]:
    """What each output depends on, by gradients."""
    x = normal(1, length, WIDTH)
    outputs = range(len(found.torch(x=x)))
    return [reached(found.model, {"x": x}, "x", output)[0] for output in outputs]


def told(name: str, *patches: str) -> dict[str, tuple[int | None, int | None]]:
    """The reach of the last layer of each stack, as the pass finds it."""
    spec = archspec.load(SPECS / f"14-primitives-{name}.yaml", set=patches)
    depths = reach(lowered(spec), "x")
    return {d.path.split(".")[0]: (d.reach.back, d.reach.ahead) for d in depths}


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_reach_by_depth_is_that_of_gradients(layers: int) -> None:
    """Places where a gradient is not exactly zero, with a window of 5.

    Near an end, taps that are far apart may fall outside and leave places out.
    """
    length, inner = 96, slice(40, 56)
    for name in ("attention", "convolution"):
        patches = [f"n_layers={layers}"] + (["reach=5"] if name == "attention" else [])
        if name == "convolution" and layers < 4:
            patches += [f"graph.dilated.stack.cycle={CYCLES[layers]}"]
        found = looked(page(f"14-primitives-{name}", *patches), length)
        wanted = told(name, *patches).values()
        assert len(found) == len(wanted) == 2
        for seen, (back, ahead) in zip(found, wanted, strict=True):
            near = mask(length, lambda t, s, b=back, a=ahead: _between(t - s, b, a))
            assert torch.equal(seen[inner], near[inner])
            assert not (seen & ~near).any()


CYCLES = {1: "[{}]", 2: "[{}, {mix.dilation: k}]"}


def _between(distance: int, back: int | None, ahead: int | None) -> bool:
    return (back is None or distance <= back) and (ahead is None or -distance <= ahead)


def test_a_recurrence_sees_all_behind_it() -> None:
    (seen,) = looked(page("14-primitives-recurrence"))
    assert torch.equal(seen, mask(LENGTH, lambda t, s: s <= t))
    assert told("recurrence") == {"y": (None, 0)}


def test_dilated_taps_grow_the_reach_by_powers() -> None:
    """Two of d = 1, 3, 9, 27 further at each depth: 3^depth places in all."""
    depths = reach(lowered(archspec.load(FILES[1])), "x")
    sees = [1 + (d.reach.back or 0) + (d.reach.ahead or 0) for d in depths]
    assert sees == [3, 5, 7, 9, 3, 9, 27, 81]


@pytest.mark.parametrize(
    "layers",
    [
        [{"conv": {"kernel": 3, "dilation": 4, "causal": True}}, {"conv": {"kernel": 5}}],
        [{"attention": {"heads": 2, "window": 3, "mask": "causal"}}, {"conv": {"kernel": 3}}],
        [{"attention": {"heads": 2, "chunk": 6}}, {"attention": {"heads": 2, "chunk": 6}}],
        [{"attention": {"heads": 2, "chunk": 6}}, {"conv": {"kernel": 3}}],
        [{"conv": {"kernel": 3}}, {"rnn": {"cell": "gru", "dim": 16}}],
        [{"conv": {"kernel": 4, "pad": "valid"}}, {"conv": {"kernel": 3}}],
        [{"conv": {"kernel": 3, "pad": 3, "dilation": 2}}, {"conv": {"kernel": 5}}],
        [{"conv": {"kernel": 2, "pad": 1, "dilation": 2}}, {"conv": {"kernel": 3}}],
        [{"conv": {"kernel": 3}}, {"mlp": {"hidden": 16, "act": "gelu"}}],
        [{"rnn": {"cell": "lstm", "dim": 8, "bidirectional": True}}, {"conv": {"kernel": 1}}],
    ],
    ids=str,
)
def test_mixed_layers_look_as_far_as_their_gradients(layers: list[dict[str, object]]) -> None:
    """The farthest place that any position depends on."""
    graph = {
        f"part_{i}": {**part, "in": f"part_{i - 1}" if i else "x"} for i, part in enumerate(layers)
    }
    found = of({"name": "mixed", "inputs": {"x": {"features": ["T", 16]}}, "graph": graph})
    length = 30
    seen = reached(found.model, {"x": normal(1, length, 16)}, "x")[0]
    back = max(t - s for t, s in seen.nonzero().tolist())
    ahead = max(s - t for t, s in seen.nonzero().tolist())
    last = reach(lowered(found.made.spec), "x")[-1].reach
    assert [length - 1 if far is None else far for far in (last.back, last.ahead)] == [back, ahead]


def test_recurrence_step_by_step() -> None:
    found = page("14-primitives-recurrence")
    x = normal(2, LENGTH, WIDTH)
    (y,) = found.both(x=x)
    wanted = x.double()
    for layer in range(4):
        w = {n: found.weights[f"y.{layer}.mix.rnn.{n}_l0"] for n in WEIGHTS}
        state, states = torch.zeros(2, WIDTH, dtype=torch.float64), []
        for t in range(LENGTH):
            sums = wanted[:, t] @ w["weight_ih"].T + w["bias_ih"]
            state = torch.tanh(sums + state @ w["weight_hh"].T + w["bias_hh"])
            states.append(state)
        wanted = wanted + torch.stack(states, dim=1)
    assert (y - wanted).abs().max() <= 1e-5


WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def test_convolution_tap_by_tap() -> None:
    found = page("14-primitives-convolution")
    x = normal(2, LENGTH, WIDTH)
    for y, name, steps in zip(
        found.both(x=x), ("even", "dilated"), ((1, 1, 1, 1), (1, 3, 9, 27)), strict=True
    ):
        wanted = x.double()
        for layer, step in enumerate(steps):
            taps = found.weights[f"{name}.{layer}.mix.conv.weight"]
            after = torch.zeros_like(wanted)
            for t in range(LENGTH):
                for tap in range(3):
                    s = t + (tap - 1) * step
                    if 0 <= s < LENGTH:
                        after[:, t] += wanted[:, s] @ taps[:, :, tap].T
            wanted = wanted + after
        assert (y - wanted).abs().max() <= 1e-5


def test_attention_query_by_query() -> None:
    found = page("14-primitives-attention", "reach=5")
    x = normal(2, LENGTH, WIDTH)
    rules = {"whole": lambda t, s: True, "near": lambda t, s: abs(t - s) <= 5}
    for y, (name, rule) in zip(found.both(x=x), rules.items(), strict=True):
        wanted, seen = x.double(), mask(LENGTH, rule)
        for layer in range(4):
            weights = {n: found.weights[f"{name}.{layer}.mix.{n}.weight"] for n in ("qkv", "o")}
            q, k, v = (wanted @ weights["qkv"].T).chunk(3, dim=-1)
            wanted = wanted + multi_head(q, k, v, 1, seen) @ weights["o"].T
        assert (y - wanted).abs().max() <= 1e-5


def test_the_command_says_so(archc: Archc) -> None:
    said = archc("cost", *FILES, "--primitives")
    assert (said.code, said.err) == (0, "")
    for path, orders in TABLE_1.items():
        (line,) = (line for line in said.out.splitlines() if f"  {path} " in line)
        assert all(each in line for each in orders)
    document = json.loads(archc("cost", *FILES, "--primitives", "--json", "--at", "B=2,N=99").out)
    assert (document["kind"], document["batch"]) == ("primitives", 2)
    (recurrent,) = document["specs"][0]["mixers"]
    (point,) = recurrent["over_length"]
    assert (point["N"], point["sequential_steps"], point["mixing_flops"]) == (
        99, 99, 2 * 2 * 2 * 99 * WIDTH**2,
    )  # fmt: skip


def test_a_model_of_one_length_says_so(archc: Archc) -> None:
    vit = str(SPECS.parent / "vision" / "vit-b16-cls.yaml")
    said = archc("cost", vit, FILES[2], "--primitives", "--at", "N=4096").out
    assert "vit-b16-cls h.0..12.attn (its own N)" in said
    assert "whole.0..4.mix (its own N)" not in said
    small, large = (
        json.loads(archc("cost", vit, "--primitives", "--json", "--at", f"N={n}").out)["specs"][0]
        for n in (9, 4096)
    )
    ((one,), (other,)) = (each["mixers"][0]["over_length"] for each in (small, large))
    assert small["mixers"][0]["length_fixed"] is True
    assert one["mixing_flops"] == other["mixing_flops"] == 4 * 768 * 197**2


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ([*FILES], "3 specs given where one is counted"),
        ([FILES[0], "--primitives", "--at", "T=3"], "`T` is no size that all specs have"),
        ([FILES[0], "--primitives", "--format", "markdown"], "prints text"),
        ([str(SPECS / "nowhere.yaml"), "--primitives"], "no file"),
    ],
)
def test_what_cannot_be_compared(line: list[str], why: str, archc: Archc) -> None:
    said = archc("cost", *line)
    assert (said.code, said.out) == (2, "")
    assert why in said.err
