"""Decoders of attentions that count their rows, published and made up."""

from functools import cache
from typing import Any

from compiler.ir.target import Target
from compiler.verify.compiled import Compiled
from tests.backends.onnx.built import Array
from tests.generated.samples import small
from tests.verify.models import Mapping, decoder, made

CPU = Target("cpu")
FEATURES = {
    "bloom-560m": "linear biases",
    "falcon-40b": "parallel residuals, grouped keys",
    "gemma2-2b": "windows and soft caps",
    "gpt-j-6b": "adjacent and partial rotation",
    "gpt-oss-20b": "windows, sinks, a mixture",
    "gpt2": "learned places",
    "llama3.1-8b": "scaled rotation",
    "opt-125m": "places of what is real, padding on either side",
    "qwen3-0.6b": "norms of queries and keys",
    "starcoderbase-1b": "one key for all queries",
}


def layers(*cycle: Mapping, embed: Mapping | None = None, **tokens: Any) -> Mapping:
    """A decoder of two attentions for each one given, whose heads are two of a width of 8."""
    spec = decoder(**(embed or {}))
    usual = {"heads": 2, "head_dim": 8, "mask": "causal"}
    spec["inputs"] = {"ids": {"tokens": tokens} if tokens else "tokens"}
    given = [{**usual, **each} for each in cycle]
    variants = [{"attn": {"attention": {k: v for k, v in e.items() if v}}} for e in given]
    stack = {"repeat": 2 * len(cycle), "layer": variants[0]}
    spec["graph"]["h"]["stack"] = {**stack, **({"cycle": variants} if len(cycle) > 1 else {})}
    return spec


def untied(spec: Mapping) -> Mapping:
    """The same with a head of its own, where the table is narrower than the layers."""
    spec["graph"]["logits"] = {"unembed": {"vocab": 31}}
    return spec


ROPE: Mapping = {"rope": {"theta": 10000}}
BESIDE: Mapping = {"sinusoid": {"max": 40, "combine": "concat", "width": 4}}
ALIBI: Mapping = {"position_bias": {"alibi": {}}}
T5: Mapping = {"position_bias": {"t5": {"buckets": 8, "max_distance": 16}}}
DYNAMIC: Mapping = {"rope": {"theta": 100, "scaling": {"dynamic": {"factor": 2, "original": 32}}}}
LATENT: Mapping = {"latent": {"kv_rank": 4, "nope_dim": 4, "rope_dim": 2, "v_dim": 4}}
YARN: Mapping = {"scaling": {"yarn": {"factor": 4, "original": 16}}}


def turned(*rope: Mapping, **more: Any) -> Mapping:
    """A decoder whose heads, 32 wide, are turned."""
    each = [{"head_dim": 32, "rope": {"theta": 100, **said}, **more} for said in rope]
    return layers(*each, max=64)


INSIDE = {
    "turned": turned({}),
    "neighbours turned": turned({"pairs": "adjacent"}),
    "a part turned": turned({"fraction": 0.5}),
    "two bases": turned({}, {"theta": 10000}),
    "stretched": turned(YARN, scale=0.3),
    "stretched and capped": turned(YARN, softcap=5.0),
    "slow pairs": turned({"scaling": {"llama3": {"factor": 8, "original": 16}}}),
    "still pairs": turned({"fraction": 0.5, "scaling": {"proportional": {}}}),
    "turned with a bias each": turned({}, bias="qkv", kv_heads=1),
    "normed and turned": turned({}, kv_heads=1, qk_norm={"rms": 1e-6}),
}
"""Decoders whose heads `GroupQueryAttention` turns itself."""
OUTSIDE = {
    "a little turned": turned({"dim": 8}),
    "a part stretched": turned({"fraction": 0.5, **YARN}),
    "turned and normed": turned({}, qk_norm={"rms": 1e-6, "when": "after_rope"}),
    "turned and sharpened": turned({}, temperature={"scale": 0.1, "floor": 2}),
    "turned by the length": turned({"scaling": {"dynamic": {"factor": 2, "original": 32}}}),
}
"""Others that are turned before it."""
WHOLE = {
    **INSIDE,
    **OUTSIDE,
    "pieces beside all, sharpened": layers(
        {**ROPE, "chunk": 3}, {"temperature": {"scale": 0.1, "floor": 2}}
    ),
    "pieces of a window": layers({**ROPE, "chunk": 4, "window": 2}),
    "documents": layers(ROPE, segments=True),
    "documents under padding": layers({**ROPE, "window": 3}, ALIBI, segments=True, padded=True),
    "types": layers(ROPE, embed={"types": 2}),
    "sinusoids": layers({}, embed={"positions": {"sinusoid": {"max": 40}}}),
    "sinusoids beside": untied(layers({}, embed={"positions": BESIDE})),
    "buckets": layers(T5),
    "buckets of documents": layers(T5, segments=True),
    "biases of a window": layers({**ALIBI, "window": 3}),
    "biases and a sink": layers({**ALIBI, "sink": True}, padded=True),
    "capped pieces with a sink": layers({"chunk": 3, "softcap": 5.0, "sink": True}),
    "angles by the length": layers(DYNAMIC),
}
"""Decoders of `GroupQueryAttention` alone whose masks and places are more than order."""
MIXED = {
    "an odd width": (layers(ROPE, {**ROPE, "head_dim": 12}), "heads are 12 wide"),
    "odd pieces": (layers({**ROPE, "head_dim": 12, "chunk": 3}, ROPE), "heads are 12 wide"),
    "odd documents": (layers({"head_dim": 12, **T5}, ROPE, segments=True), "heads are 12 wide"),
    "odd biases": (layers({"head_dim": 12, **ALIBI}, ROPE, padded=True), "heads are 12 wide"),
    "wide values": (layers(ROPE, {**ROPE, "value_dim": 16}), "values are 16 wide"),
    "a bias before a cap": (layers({**ALIBI, "softcap": 5.0}, ROPE), "before they are capped"),
    "sums": (layers({"score": "additive"}, ROPE), "sums of queries"),
    "an odd sink": (layers({"sink": True, "head_dim": 12}, ROPE), "heads are 12 wide"),
    "rows": (layers({**LATENT, "head_dim": None}, ROPE), "one vector a position"),
    "distances": (
        layers({"position_bias": {"disentangled": {"max_distance": 16}}}, ROPE),
        "reads all keys",
    ),
}
"""Decoders that have such nodes beside others, and why."""
SPECS = {**WHOLE, **{name: spec for name, (spec, _) in MIXED.items()}}


@cache
def compiled(name: str) -> Compiled:
    return small(f"specs/decoder/{name}.yaml") if name in FEATURES else made(SPECS[name])


def beside(places: Array, new: int) -> dict[str, Array]:
    """Documents of four positions, and types by turns."""
    return {"ids_segments": places // 4, "ids_types": places[:, -new:] % 2}
