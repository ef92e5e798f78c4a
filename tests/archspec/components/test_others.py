"""Patches, convolution, pooling, linear maps, logits, dropout, joins."""

from typing import Any

import pytest

from tests.archspec.reading import HEAD, TOK, codes, component, node

ONES = {"stride": (1, 1), "dilation": (1, 1), "groups": 1}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "patches: {size: 8, image: 32, dim: 4}, in: pixels",
            {"size": (8, 8), "image": (32, 32), "channels": 3, "bias": False, "prefix": ()},
        ),
        (
            "patches: {size: [4, 8], image: [32, 64], dim: 4, prefix: [cls, {registers: 4}]}"
            ", in: pixels",
            {"grid": (8, 8), "prefix": (("cls", 1), ("registers", 4)), "positions": None},
        ),
        ("patches: {size: 8, image: 32, dim: 4, positions: none}, in: pixels", {"positions": None}),
        (
            "conv: {kernel: 3}",
            {"kernel": (3, 3), "dim": None, "pad": "same", "causal": False, **ONES},
        ),
        ("conv: {kernel: 4, pad: 2, groups: depthwise}", {"pad": 2, "groups": "depthwise"}),
        ("pool: mean", {"kind": "mean", "skip": 0}),
        ("pool: {mean: {skip: 1}}", {"kind": "mean", "skip": 1}),
        ("pool: {index: -1}", {"kind": "index", "index": -1}),
        ("pool: {eos: {ids: ids, token: 2}}", {"kind": "eos", "ids": "ids", "token": 2}),
        ("pool: {eos: {ids: ids, token: max_id}}", {"token": "max_id"}),
        ("linear: {dim: 3}", {"dim": 3, "act": None, "bias": False}),
        ("unembed: {tie: tok}", {"tie": "tok", "vocab": 100, "bias": False, "scale": 1}),
        ("unembed: {vocab: 7, in_scale: 16**-0.5}", {"tie": None, "vocab": 7, "in_scale": 0.25}),
        ("dropout: 0.1", {"rate": 0.1}),
        ("concat: {}, in: [tok, tok]", {"axis": "feature"}),
        ("mean_of: {}, in: [tok, tok]", {}),
        ("mlp: {hidden: 64, act: gelu}", {"gated": False, "bias": False}),
    ],
)
def test_forms_and_defaults(written: str, expected: dict[str, Any]) -> None:
    found = component(written)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(
    "part", ["linear: {dim: 3}", "mlp: {hidden: 3, act: relu}", "conv: {kernel: 3}"]
)
def test_bias_is_inherited(part: str) -> None:
    assert vars(component(part, "defaults: {bias: true}\n"))["bias"] is True


def test_logits_never_inherit_a_bias() -> None:
    found = component("unembed: {tie: tok}", "defaults: {bias: true}\n")
    assert vars(found)["bias"] is False


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("patches: {size: 5, image: 32, dim: 4}, in: pixels", "AR0209"),
        ("patches: {size: [4, 5, 6], image: 32, dim: 4}, in: pixels", "AR0104"),
        ("patches: {size: 8, image: 32, dim: 4, prefix: [token]}, in: pixels", "AR0201"),
        ("patches: {size: 8, image: 32, dim: 4, prefix: [cls, cls]}, in: pixels", "AR0201"),
        ("patches: {size: 8, image: 32, dim: 4, prefix: cls}, in: pixels", "AR0104"),
        ("patches: {size: 8, image: 32, dim: 4, resize: bicubic}, in: pixels", "AR0108"),
        ("patches: {size: 8, image: 32, dim: 4}, in: ids", "AR0407"),
        ("conv: {kernel: 2}", "AR0212"),
        ("conv: {kernel: 3, dim: 8, groups: 3}", "AR0213"),
        ("conv: {kernel: 3, pad: 1, causal: true}", "AR0108"),
        ("conv: {kernel: 3, pad: sane}", "AR0201"),
        ("pool: men", "AR0206"),
        ("pool: {eos: {ids: ids}}", "AR0101"),
        ("pool: {eos: {ids: tok, token: 1}}", "AR0407"),
        ("pool: {mean: {skp: 1}}", "AR0102"),
        ("pool: {mean: 3}", "AR0104"),
        ("pool: {attention: {head: 1}}", "AR0102"),
        ("linear: {dim: 3, act: swish}", "AR0201"),
        ("linear: 3", "AR0104"),
        ("unembed: {}", "AR0206"),
        ("unembed: {tie: tok, vocab: 3}", "AR0206"),
        ("unembed: {tie: x}", "AR0407"),
        ("dropout: 1.5", "AR0202"),
        ("concat: {}", "AR0406"),
        ("mean_of: {}, in: tok", "AR0406"),
        ("contrast: {}", "AR0406"),
        ("contrast: {}, in: [tok, tok, tok]", "AR0406"),
        ("contrast: {temperature: hot}, in: [tok, tok]", "AR0201"),
        ("contrast: {temperature: 0}, in: [tok, tok]", "AR0202"),
        ("linear: {dim: 3}, in: [tok, tok]", "AR0406"),
        ("mlp: {hidden: 64}", "AR0101"),
        ("mlp: {hidden: 64, act: gelu, clamp: 7}", "AR0251"),
        ("mlp: {hidden: 64, act: gelu, gated: true, alpha: 1.7}", "AR0251"),
        ("mlp: {hidden: 64, act: silu, up_offset: 1}", "AR0251"),
        ("mlp: {hidden: 64, act: silu, gated: true, clamp: 0}", "AR0202"),
        ("conv_stem: {dim: 4}", "AR0101"),
        ("conv_stem: {convs: [{stride: 2}], in_dim: 16, dim: 4, act: relu}", "AR0104"),
        ("conv_stem: {convs: [{kernel: 3, strid: 2}], in_dim: 16, dim: 4, act: relu}", "AR0102"),
        ("conv_stem: {convs: [{kernel: 0}], in_dim: 16, dim: 4, act: relu}", "AR0202"),
        ("conv_stem: {convs: [], in_dim: 16, dim: 4, act: relu}", "AR0104"),
        ("linear: {dim: 3}, in: f", "AR0407"),
        ("rnn: {cell: gru}", "AR0101"),
        ("rnn: {cell: sru, dim: 4}", "AR0201"),
        ("rnn: {cell: gru, dim: 0}", "AR0202"),
        ("rnn: {cell: gru, dim: 4, layers: 0}", "AR0202"),
        ("rnn: {cell: gru, dim: 4, init: zero}", "AR0206"),
        ("rnn: {cell: gru, dim: 4, init: {project: tanh}}", "AR0206"),
        ("rnn: {cell: gru, dim: 4, init: {from: h}}", "AR0410"),
        ("rnn: {cell: gru, dim: 4, context: tok}", "AR0410"),
        ("rnn: {cell: gru, dim: 4, context: missing.final}", "AR0401"),
        ("rnn: {cell: gru, dim: 4, attend: {source: tok, score: dot}}", "AR0101"),
        (
            "rnn: {cell: gru, dim: 4, "
            "attend: {source: no, score: dot, query: previous, feed: input}}",
            "AR0401",
        ),
        (
            "rnn: {cell: gru, dim: 4, bidirectional: true, "
            "attend: {source: tok, score: dot, query: previous, feed: input}}",
            "AR0108",
        ),
    ],
)
def test_what_is_refused(written: str, code: str) -> None:
    inputs = "ids: tokens, pixels: {image: [3, 32, 32]}, f: {frames: [80, T]}"
    assert code in codes(node(written, inputs=inputs))


@pytest.mark.parametrize("written", ["{}", "[]", "{a: 1}", "[1]", "3", "true"])
def test_what_is_no_word_is_one_finding(written: str) -> None:
    nodes = f"  y: {{mlp: {{hidden: 4, act: {written}}}}}\n"
    assert codes(f"{HEAD}{TOK}{nodes}") == ["AR0201"]
