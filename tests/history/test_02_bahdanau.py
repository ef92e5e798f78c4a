"""Additive attention against the loop of Bahdanau et al. 2015, with three kinds of first state."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from compiler.verify.module import build
from tests.history.recurrences import below, ours, run, sources, step
from tests.parity.ours import spec

SMALL = {"src_vocab": 31, "tgt_vocab": 37, "d_emb": 10, "d_h": 12, "d_att": 9}
LENGTHS = [(1, 1, 1), (2, 7, 5), (3, 40, 50)]
FIRST = ("projected", "final", "zeros")


def decoded(
    first: str, values: dict[str, Tensor], w: dict[str, Tensor]
) -> tuple[Tensor, list[list[Tensor]]]:
    """Logits [B, T, V] by equations 4 to 6 and A.1.2, and the weights of each row and step."""
    logits, weights = [], []
    at = below(w, "dec")
    for ids, real, said in zip(*values.values(), strict=True):
        memory, last = run("gru", w["src.weight"][ids[real]], below(w, "memory"), 1, 2)
        backward = last[1][0]
        s = {
            "projected": torch.tanh(w.get("dec_init.weight", torch.eye(len(backward))) @ backward),
            "final": backward,
            "zeros": torch.zeros_like(backward),
        }[first]
        row, looked = [], []
        for y in said:
            e = [
                at["score.weight"][0] @ torch.tanh(at["query.weight"] @ s + w["dec_key.weight"] @ h)
                for h in memory
            ]
            alpha = torch.stack(e).exp() / torch.stack(e).exp().sum()
            c = sum((a * h for a, h in zip(alpha, memory, strict=True)), torch.zeros(()))
            (s,) = step("gru", torch.cat((w["tgt.weight"][y], c)), (s,), below(at, "cell"))
            row.append(w["logits.weight"] @ s + w["logits.bias"])
            looked.append(alpha)
        logits.append(torch.stack(row))
        weights.append(looked)
    return torch.stack(logits), weights


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("lengths", LENGTHS)
def test_the_loop_of_the_paper(first: str, lengths: tuple[int, int, int], tmp_path: Path) -> None:
    both = ours(spec(f"history/02-bahdanau-{first}.yaml", **SMALL), tmp_path)
    values = sources(both.made, *lengths)
    wanted, _ = decoded(first, values, both.model.state_dict())
    both.agrees(values, [wanted])


def test_the_first_states_differ() -> None:
    """The three variants have their own parameters, and share all others by name."""
    models = {f: build(spec(f"history/02-bahdanau-{f}.yaml", **SMALL).generated) for f in FIRST}
    names = {first: set(model.state_dict()) for first, model in models.items()}
    assert names["projected"] - names["final"] == {"dec_init.weight"}
    assert names["final"] == names["zeros"]


def test_zeros_see_the_source_through_attention_alone() -> None:
    """Before its first step a decoder that starts from zeros is the same for every source."""
    made = spec("history/02-bahdanau-zeros.yaml", **SMALL)
    model = build(made.generated)
    values = sources(made, 2, 8, 1)
    found = dict(zip(("h", "key", "memory"), _encoded(model, values), strict=True))
    assert torch.equal(found["h"], torch.zeros(2, 12))
    assert not torch.allclose(found["memory"][0, 0], found["memory"][1, 0])


def test_a_source_behind_padding_gets_no_gradient() -> None:
    made = spec("history/02-bahdanau-projected.yaml", **SMALL)
    model = build(made.generated)
    values = sources(made, 2, 9, 4)
    held: dict[str, Tensor] = {}

    def keep(module: object, given: object, rows: Tensor) -> None:
        rows.retain_grad()
        held["rows"] = rows

    model.get_submodule("src").register_forward_hook(keep)
    model(*values.values()).sum().backward()
    gradient = held["rows"].grad
    assert gradient is not None
    used = gradient.abs().sum(dim=-1) > 0
    assert torch.equal(used, values["src_ids_mask"])


def _encoded(model: torch.nn.Module, values: dict[str, Tensor]) -> tuple[Tensor, ...]:
    found: tuple[Tensor, ...] = model.encode(  # type: ignore[operator]
        values["src_ids"], values["src_ids_mask"]
    )
    return found
