"""Models whose positions are biases of their scores."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.families.case import Case, Values, logits
from tests.families.cases_dense import dense

if TYPE_CHECKING:
    from torch import Tensor, nn

SIZES = {"vocab_size": 97, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}
MPT = {"vocab_size": 97, "d_model": 32, "n_layers": 3, "n_heads": 4, "max_seq_len": 64}
FALCON = {**SIZES, "max_position_embeddings": 64}
NEW = {**FALCON, "new_decoder_architecture": True, "num_kv_heads": 2}
RW = {"alibi": True, "multi_query": False, "parallel_attn": False, "bias": True}


def falcon(name: str, **more: object) -> Case:
    """A Falcon with fused attention: unfused, transformers 5.24 adds ALiBi twice."""
    return Case(name, "FalconConfig", "FalconForCausalLM", {**FALCON, **more}, kernel="sdpa")


def with_its_slopes(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """MPT with the slopes of its config, as MosaicML's own code has them: transformers 5.24 makes
    those of `alibi_bias_max: 8` whatever the config says."""
    body: Any = theirs.get_submodule("transformer")
    slopes, most = body.build_mpt_alibi_tensor, body.config.attn_config.alibi_bias_max
    body.build_mpt_alibi_tensor = partial(slopes, alibi_bias_max=most)
    return logits(theirs, values)


CASES = [
    dense("bloom", "Bloom", SIZES),
    dense("bloom-six-heads", "Bloom", {**SIZES, "hidden_size": 48, "num_attention_heads": 6}),
    dense("mpt", "Mpt", MPT),
    replace(
        dense(
            "mpt-steeper",
            "Mpt",
            {**MPT, "d_model": 48, "n_heads": 6},
            attn_config={"clip_qkv": 1.0, "alibi_bias_max": 16, "softmax_scale": 0.25},
        ),
        wanted=with_its_slopes,
    ),
    dense("falcon-7b", "Falcon", FALCON),
    falcon("falcon-40b", **NEW),
    falcon("falcon-11b", **NEW, num_ln_in_parallel_attn=1, ffn_hidden_size=80),
    falcon("falcon-rw", **RW),
    falcon("falcon-shared-keys-in-turn", parallel_attn=False, alibi=True),
]
