from pathlib import Path

import numpy as np
import pytest
import torch

from compiler.importers.families.gpt2 import gpt2
from compiler.importers.fill import fill
from compiler.importers.names import Names
from tests.importers.published import family_rules, goes_back, read_back
from tests.importers.samples import opened

NAMES = Names(
    embed="tok",
    table="tok.tokens.weight",
    positions="tok.positions.weight",
    stack="h",
    attention="attn",
    mlp="mlp",
    final="final",
    head="logits",
)
D, M, V, R = 8, 32, 11, 6
LAYER = {
    **{f"attn.{part}.weight": (D, D) for part in "qkvo"},
    **{f"attn.{part}.bias": (D,) for part in "qkvo"},
    **{f"{sub}.norm.{kind}": (D,) for sub in ("attn", "mlp") for kind in ("weight", "bias")},
    "mlp.up.weight": (M, D),
    "mlp.up.bias": (M,),
    "mlp.down.weight": (D, M),
    "mlp.down.bias": (D,),
}
SHAPES: dict[str, tuple[int, ...]] = {
    "tok.tokens.weight": (V, D),
    "tok.positions.weight": (R, D),
    **{f"h.{n}.{name}": shape for n in range(2) for name, shape in LAYER.items()},
    "final.weight": (D,),
    "final.bias": (D,),
}
TIES = {"logits.weight": "tok.tokens.weight"}


def model(kind: str) -> torch.nn.Module:
    import transformers

    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=V, n_positions=R, n_embd=D, n_layer=2, n_head=2, n_inner=M
    )
    made: torch.nn.Module = getattr(transformers, kind)(config)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter)
    return made


@pytest.mark.parametrize("kind", ["GPT2LMHeadModel", "GPT2Model"])
def test_projections_compute_what_the_published_ones_do(tmp_path: Path, kind: str) -> None:
    theirs = model(kind)
    theirs.save_pretrained(tmp_path)  # type: ignore[operator]
    ours = read_back(tmp_path, family_rules(gpt2, NAMES), SHAPES, TIES)
    body = getattr(theirs, "transformer", theirs)
    x = torch.randn(5, D)
    for n, block in enumerate(body.h):  # type: ignore[arg-type]
        linear = {
            part: torch.nn.functional.linear(
                x,
                torch.tensor(ours[f"h.{n}.attn.{part}.weight"]),
                torch.tensor(ours[f"h.{n}.attn.{part}.bias"]),
            )
            for part in "qkvo"
        }
        q, k, v = block.attn.c_attn(x).split(D, dim=-1)
        for part, wanted in {"q": q, "k": k, "v": v, "o": block.attn.c_proj(x)}.items():
            torch.testing.assert_close(linear[part], wanted.detach())
        np.testing.assert_array_equal(
            ours[f"h.{n}.mlp.up.weight"], block.mlp.c_fc.weight.detach().numpy().T
        )
        np.testing.assert_array_equal(
            ours[f"h.{n}.mlp.norm.bias"], block.ln_2.bias.detach().numpy()
        )


def test_the_file_goes_there_and_back(tmp_path: Path) -> None:
    model("GPT2LMHeadModel").save_pretrained(tmp_path)  # type: ignore[operator]
    goes_back(tmp_path, family_rules(gpt2, NAMES), SHAPES, set())


def test_a_torch_file_with_dead_buffers_and_both_tied_copies(tmp_path: Path) -> None:
    state = dict(model("GPT2LMHeadModel").state_dict())
    assert "lm_head.weight" in state
    state |= {f"transformer.h.{n}.attn.bias": torch.ones(1, 1, R, R) for n in range(2)}
    torch.save(state, tmp_path / "pytorch_model.bin")
    read_back(tmp_path, family_rules(gpt2, NAMES), SHAPES, TIES)


def test_an_untied_head_is_noticed(tmp_path: Path) -> None:
    state = dict(model("GPT2LMHeadModel").state_dict())
    state["lm_head.weight"] = state["lm_head.weight"] + 1
    torch.save(state, tmp_path / "pytorch_model.bin")
    found = fill(SHAPES, opened(tmp_path), rules=family_rules(gpt2, NAMES), ties=TIES)
    assert isinstance(found, tuple)
    assert [problem.code for problem in found] == ["AR0711"]
