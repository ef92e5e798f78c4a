"""One use or more of every operator: its fields and the types of its inputs."""

from typing import Any

from compiler import ops
from compiler.ir.types import TensorType
from tests.ops import mixture_cases, turn_cases
from tests.ops.case import (
    IDS,
    KEY,
    POS,
    REAL,
    SEQUENCE,
    STATE,
    B,
    C,
    Case,
    D,
    G,
    H,
    J,
    K,
    M,
    P,
    Q,
    R,
    S,
    T,
    U,
    V,
    W,
    X,
    absent,
    bools,
    floats,
    ints,
    so_far,
)


def explicit(**fields: Any) -> ops.ExplicitAttention:
    return ops.ExplicitAttention(**fields)


def attention(**fields: Any) -> ops.ScaledDotProductAttention:
    return ops.ScaledDotProductAttention(**fields)


HEADS = (floats(B, H, T, K), floats(B, H, T, K), floats(B, H, T, K))
GROUPS = (floats(B, H, T, K), floats(B, G, S, K), floats(B, G, S, W))
ANGLE = floats(T, K)
QUERIES = (floats(B, H, T, K),)
BARE: dict[str, ops.L2Norm | ops.RmsNorm] = {
    "l2": ops.L2Norm(1e-3),
    "bare": ops.RmsNorm(1e-3, weight=False),
}
NORMS: dict[str, ops.RmsNorm | ops.LayerNorm] = {
    "rms": ops.RmsNorm(1e-3),
    "offset": ops.RmsNorm(1e-3, unit_offset=True),
    "offset after": ops.RmsNorm(1e-3, unit_offset=True, multiply="after_cast"),
    "layer": ops.LayerNorm(1e-3),
    "offset layer": ops.LayerNorm(1e-3, unit_offset=True),
    "layer without bias": ops.LayerNorm(1e-3, bias=False),
}

CASES: dict[str, Case] = {
    **{name: Case(*written) for name, written in mixture_cases.WRITTEN.items()},
    **{name: Case(*written) for name, written in turn_cases.WRITTEN.items()},
    **{f"Activation {k}": Case(ops.Activation(k), (SEQUENCE,)) for k in ops.activation.FLOPS},
    "Add": Case(ops.Add(), (SEQUENCE, SEQUENCE)),
    "AddRows": Case(ops.AddRows(), (SEQUENCE, floats(T, D))),
    "BiasedAttention": Case(ops.BiasedAttention(grouped=True), (*GROUPS, None, floats(1, H, T, S))),
    "BiasedAttention seen": Case(
        ops.BiasedAttention(grouped=True, scale=0.7),
        (*GROUPS, bools(B, 1, 1, S), floats(B, H, T, S)),
    ),
    "BiasedAttention causal": Case(
        ops.BiasedAttention(causal=True), (*HEADS, bools(T, T), floats(1, H, T, T))
    ),
    "Clip": Case(ops.Clip(0.5), (SEQUENCE,)),
    "ExplicitAttention": Case(explicit(softcap=0.8), (*HEADS, None, None, None, None)),
    "ExplicitAttention plain product": Case(explicit(scale=1.0), (*HEADS, None, None, None, None)),
    "ExplicitAttention seen": Case(
        explicit(softcap=0.8, scale=0.7), (*HEADS, bools(B, 1, T, T), None, None, None)
    ),
    "ExplicitAttention biased": Case(
        explicit(softcap=0.8, grouped=True),
        (*GROUPS, bools(B, 1, 1, S), floats(1, H, T, S), None, None),
    ),
    "ExplicitAttention sink": Case(
        explicit(grouped=True), (*GROUPS, bools(B, 1, 1, S), None, floats(H), None)
    ),
    "ExplicitAttention causal": Case(
        explicit(causal=True, softcap=2.0),
        (*HEADS, bools(T, T), floats(B, H, T, T), floats(H), None),
    ),
    "ExplicitAttention additive": Case(
        explicit(grouped=True), (*GROUPS, bools(B, 1, 1, S), None, None, floats(H, K))
    ),
    "ExplicitAttention additive capped": Case(
        explicit(softcap=0.7), (*HEADS, None, None, floats(H), floats(H, K))
    ),
    "ScoreSum": Case(ops.ScoreSum(H, K), ()),
    **{f"HeadNorm {name}": Case(ops.HeadNorm(norm), QUERIES) for name, norm in BARE.items()},
    **{f"HeadNorm {name}": Case(ops.HeadNorm(norm), QUERIES) for name, norm in NORMS.items()},
    **{f"PerHeadNorm {name}": Case(ops.PerHeadNorm(norm), QUERIES) for name, norm in NORMS.items()},
    "Temperatures": Case(ops.Temperatures(0.3, 2), (SEQUENCE, None)),
    "Temperatures pos": Case(ops.Temperatures(0.3, 2), (SEQUENCE, POS)),
    "PlacedTemperatures": Case(ops.PlacedTemperatures(0.3, 2), (IDS,)),
    "HandOver": Case(ops.HandOver("value"), (floats(B, G, S, K), floats(B, G, S, K))),
    "PastState": Case(ops.PastState(), (floats(B, D),)),
    "PresentState": Case(ops.PresentState(), (floats(2, B, D), floats(2, B, D))),
    "Sharpen": Case(ops.Sharpen(), (floats(B, H, T, K), floats(T, 1))),
    "Sharpen placed": Case(ops.Sharpen(True), (floats(B, H, T, K), floats(B, 1, T, 1))),
    "CacheUpdate": Case(
        ops.CacheUpdate(S), (floats(B, G, T, K), floats(B, G, T, K), STATE, POS), {"kv": absent}
    ),
    "CacheUpdate kv": Case(
        ops.CacheUpdate(S), (floats(B, G, T, K), floats(B, G, T, K), STATE, POS)
    ),
    "CausalMask": Case(ops.CausalMask(S), (SEQUENCE, STATE, POS, None)),
    "CausalMask padded": Case(
        ops.CausalMask(S, padded=True),
        (SEQUENCE, STATE, POS, bools(B, S)),
        {"kv": absent, "real": so_far},
    ),
    "Concat": Case(ops.Concat(), (SEQUENCE, floats(B, T, M))),
    "Conv1d": Case(ops.Conv1d(M, D, KEY.fixed("patch", 3), 1, 1), (SEQUENCE,)),
    "Conv1d causal": Case(ops.Conv1d(M, D, 2, 3, 0, dilation=3, bias=True), (SEQUENCE,)),
    "Conv1d groups": Case(ops.Conv1d(M, 3, 3, 1, 1, groups=4), (SEQUENCE,)),
    "Conv1d depthwise": Case(ops.Conv1d(D, 1, 3, 0, 2, groups=12, bias=True), (SEQUENCE,)),
    "Conv2d patches": Case(ops.Conv2d(D, 3, Q, Q, J, J, (4, 4)), (floats(B, 3, X, X),)),
    "Conv2d oblong": Case(
        ops.Conv2d(D, 2, 3, 2, 4, 3, (2, 3), (1, 0), bias=True), (floats(B, 2, X, X),)
    ),
    "Conv2d dilated": Case(
        ops.Conv2d(D, 2, 3, 3, X, X, (1, 1), (2, 2), (2, 2), groups=2), (floats(B, 4, X, X),)
    ),
    "Dropout": Case(ops.Dropout(0.5), (SEQUENCE,)),
    "Embedding": Case(ops.Embedding(V, D), (IDS,)),
    "EosPool": Case(ops.EosPool(1), (SEQUENCE, IDS, None)),
    "EosPool max": Case(ops.EosPool(None), (SEQUENCE, IDS, None)),
    "EosPool real": Case(ops.EosPool(1), (SEQUENCE, IDS, REAL)),
    "EosPool max real": Case(ops.EosPool(None), (SEQUENCE, IDS, REAL)),
    "LastPosition": Case(ops.LastPosition(), (SEQUENCE, None)),
    "LastPosition real": Case(ops.LastPosition(), (SEQUENCE, bools(B, S))),
    "FlattenGrid": Case(ops.FlattenGrid(P), (floats(B, D, J, J),)),
    "IndexPool": Case(ops.IndexPool(0), (SEQUENCE,)),
    "IndexPool last but one": Case(ops.IndexPool(-2), (SEQUENCE,)),
    "JointCacheUpdate": Case(
        ops.JointCacheUpdate(S, K + W),
        (
            floats(B, G, T, K),
            floats(B, G, T, W),
            TensorType("float", (B, G, C, K + W), optional=True),
            POS,
        ),
    ),
    "KeyMask": Case(ops.KeyMask(), (bools(B, S), SEQUENCE)),
    "L2Norm": Case(ops.L2Norm(1e-12), (SEQUENCE,)),
    "LastPool": Case(ops.LastPool(), (SEQUENCE, None)),
    "LastPool real": Case(ops.LastPool(), (SEQUENCE, REAL)),
    "LastPool back": Case(ops.LastPool(1), (SEQUENCE, None)),
    "LastPool real back": Case(ops.LastPool(1), (SEQUENCE, REAL)),
    "LayerNorm": Case(ops.LayerNorm(1e-5), (SEQUENCE,)),
    "LayerNorm offset": Case(ops.LayerNorm(1e-5, unit_offset=True), (SEQUENCE,)),
    "LayerNorm offset gain": Case(
        ops.LayerNorm(1e-5, bias=False, unit_offset=True), (SEQUENCE,)
    ),
    "LayerNorm gain": Case(ops.LayerNorm(1e-5, bias=False), (SEQUENCE,)),
    "LayerNorm plain": Case(ops.LayerNorm(1e-5, weight=False, bias=False), (SEQUENCE,)),
    "LayerScale": Case(ops.LayerScale(0.1), (SEQUENCE,)),
    "LearnedPositions": Case(ops.LearnedPositions(R, D), (SEQUENCE, None)),
    "LearnedPositions pos": Case(ops.LearnedPositions(R, D, offset=2), (SEQUENCE, POS)),
    "LearnedPositions offset": Case(ops.LearnedPositions(R, D, offset=2), (SEQUENCE, None)),
    "LearnedPositions whole": Case(
        ops.LearnedPositions(P, D, whole=True), (floats(B, P, D), None)
    ),
    "Linear": Case(ops.Linear(M), (SEQUENCE,)),
    "Linear bias": Case(ops.Linear(M, bias=True), (floats(B, D),)),
    "MaskedMeanPool": Case(ops.MaskedMeanPool(), (SEQUENCE, REAL)),
    "MaskedMeanPool skip": Case(ops.MaskedMeanPool(2), (SEQUENCE, REAL)),
    "MeanPool": Case(ops.MeanPool(), (SEQUENCE,)),
    "MeanPool skip": Case(ops.MeanPool(1), (SEQUENCE,)),
    "MeanPool skip maybe none": Case(ops.MeanPool(3, maybe_none=True), (SEQUENCE,)),
    "MergeHeads": Case(ops.MergeHeads(), (floats(B, H, T, K),)),
    "Multiply": Case(ops.Multiply(), (SEQUENCE, SEQUENCE)),
    "Prepend": Case(ops.Prepend(2, T + 2), (SEQUENCE,)),
    "Insert": Case(ops.Insert(2, T + 2, 1), (SEQUENCE,)),
    "ResizedPositions": Case(
        ops.ResizedPositions(R, D, (3, 5), (4, 2), prefix=1), (floats(B, 9, D),)
    ),
    "ResizedPositions antialias": Case(
        ops.ResizedPositions(R, D, (8, 2), (3, 5), antialias=True), (floats(B, 15, D),)
    ),
    "RmsNorm": Case(ops.RmsNorm(1e-6), (SEQUENCE,)),
    "RmsNorm plain": Case(ops.RmsNorm(1e-6, weight=False), (SEQUENCE,)),
    "RmsNorm offset": Case(ops.RmsNorm(1e-6, unit_offset=True), (SEQUENCE,)),
    "RmsNorm after": Case(ops.RmsNorm(1e-6, multiply="after_cast"), (SEQUENCE,)),
    "RmsNorm offset after": Case(
        ops.RmsNorm(1e-6, unit_offset=True, multiply="after_cast"), (SEQUENCE,)
    ),
    "Scale": Case(ops.Scale(0.3), (SEQUENCE,)),
    "Scale root": Case(ops.Scale(12**0.5), (SEQUENCE,)),
    "Scale rounded": Case(ops.Scale(12**0.5, rounded=True), (SEQUENCE,)),
    "ScaledDotProductAttention": Case(attention(), (*HEADS, None)),
    "ScaledDotProductAttention causal": Case(attention(causal=True), (*HEADS, None)),
    "ScaledDotProductAttention scale": Case(attention(scale=0.7), (*HEADS, None)),
    "ScaledDotProductAttention grouped": Case(attention(grouped=True), (*GROUPS, None)),
    "ScaledDotProductAttention seen": Case(
        attention(grouped=True), (*GROUPS, bools(B, 1, 1, S))
    ),
    "ScaledDotProductAttention causal seen": Case(
        attention(causal=True), (*HEADS, bools(B, 1, T, T))
    ),
    "Sink": Case(ops.Sink(H), ()),
    "SharedEmbedding": Case(ops.SharedEmbedding(), (IDS, floats(V, D))),
    "SharedLinear": Case(ops.SharedLinear(), (SEQUENCE, floats(V, D))),
    "SharedLinear bias": Case(ops.SharedLinear(bias=True), (SEQUENCE, floats(V, D))),
    "Sinusoid": Case(ops.Sinusoid(D), (SEQUENCE, None)),
    "Sinusoid halves": Case(ops.Sinusoid(D, 100.0, "halves", True), (SEQUENCE, POS)),
    "PlacedSinusoid": Case(ops.PlacedSinusoid(D), (SEQUENCE, IDS)),
    "PlacedSinusoid halves": Case(
        ops.PlacedSinusoid(D, 100.0, "halves", True), (SEQUENCE, IDS)
    ),
    "PlacedPositions": Case(ops.PlacedPositions(R, D, offset=2), (IDS,)),
    "ConcatRows": Case(ops.ConcatRows(D + M), (SEQUENCE, floats(T, M))),
    "CountedPlaces": Case(ops.CountedPlaces(), (bools(B, S),)),
    "CountedPlaces before": Case(ops.CountedPlaces(before=True), (bools(B, S),)),
    "Probe": Case(ops.Probe(2), (SEQUENCE,)),
    "Contrast": Case(ops.Contrast(), (floats(B, D), floats(B, D))),
    "Contrast bias": Case(ops.Contrast(bias=True), (floats(B, D), floats(B, D))),
    "Contrast fixed": Case(ops.Contrast(0.07), (floats(B, D), floats(B, D))),
    "Contrast fixed bias": Case(ops.Contrast(0.07, bias=True), (floats(B, D), floats(B, D))),
    "AllReal": Case(ops.AllReal(), (SEQUENCE,)),
    "FrameConv": Case(ops.FrameConv(M, D, 3, 3, 2, 1, 1, bias=True), (floats(B, D, 5),)),
    "FrameConv causal": Case(
        ops.FrameConv(D, D - 6, 3, 4, 1, 3, 0, 2, groups=2), (floats(B, D, 5),)
    ),
    "Join": Case(ops.Join(12), (floats(B, 5, D), floats(B, 7, D))),
    "JoinMasks": Case(ops.JoinMasks(12), (bools(B, 5), bools(B, 7))),
    "StridedMask": Case(ops.StridedMask(2, 1, 2), (bools(B, 5),)),
    "StridedMask every": Case(ops.StridedMask(3, 2, 1), (bools(B, 5),)),
    "Swap": Case(ops.Swap(), (SEQUENCE,)),
    "RealIds": Case(ops.RealIds(1), (IDS,)),
    "ZeroPadding": Case(ops.ZeroPadding(), (SEQUENCE, REAL)),
    "Restart": Case(ops.Restart(), (ints(B, S),)),
    "Softcap": Case(ops.Softcap(0.7), (SEQUENCE,)),
    "DropPath": Case(ops.DropPath(0.5), (SEQUENCE,)),
    "Split": Case(ops.Split((4, 4, 4)), (SEQUENCE,)),
    "Split uneven": Case(ops.Split((K, W, 2)), (SEQUENCE,)),
    "SplitHeads": Case(ops.SplitHeads(G, K), (SEQUENCE,)),
    "TypeEmbedding": Case(
        ops.TypeEmbedding(U, D), (IDS, TensorType("int", (B, T), optional=True)), {"types": absent}
    ),
    "TypeEmbedding types": Case(ops.TypeEmbedding(U, D), (IDS, IDS)),
}  # fmt: skip
"""By the operator's name, then what is special."""
