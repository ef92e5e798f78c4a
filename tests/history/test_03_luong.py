"""Global attention against the loop of Luong et al. 2015: three scores, input feeding."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests.history.recurrences import Held, below, ours, run, sources, step
from tests.parity.ours import spec

SMALL = {"src_vocab": 31, "tgt_vocab": 37, "d_emb": 10, "d_h": 12, "n_layers": 2}
LENGTHS = [(1, 1, 1), (2, 7, 5), (3, 40, 50)]
SCORES = ("dot", "general", "scaled")


def decoded(score: str, fed_back: bool, values: dict[str, Tensor], w: dict[str, Tensor]) -> Tensor:
    """Logits [B, T, V] by equations 5 to 8, and section 3.3 where `fed_back`."""
    logits = []
    for ids, real, said in zip(*values.values(), strict=True):
        memory, last = run("lstm", w["src.weight"][ids[real]], below(w, "memory"), 2, 1)
        held: list[Held] = list(last)
        combined = torch.zeros(12)
        row = []
        for y in said:
            read = w["tgt.weight"][y]
            read = torch.cat((read, combined)) if fed_back else read
            for layer in range(2):
                held[layer] = step("lstm", read, held[layer], below(w, "dec.cell"), f"_l{layer}")
                read = held[layer][0]
            alpha = torch.stack([compared(score, read, m, w) for m in memory]).softmax(dim=0)
            c = sum((a * m for a, m in zip(alpha, memory, strict=True)), torch.zeros(()))
            combined = torch.tanh(w["dec.combine.weight"] @ torch.cat((c, read)))
            row.append(w["logits.weight"] @ combined)
        logits.append(torch.stack(row))
    return torch.stack(logits)


def compared(score: str, h: Tensor, m: Tensor, w: dict[str, Tensor]) -> Tensor:
    """One score, equation 8; `scaled` divides by the root of the width."""
    if score == "general":
        return h @ (w["dec_key.weight"] @ m)
    return h @ m / (len(h) ** 0.5 if score == "scaled" else 1.0)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("lengths", LENGTHS)
def test_the_loop_of_the_paper(score: str, lengths: tuple[int, int, int], tmp_path: Path) -> None:
    both = ours(spec(f"history/03-luong-{score}.yaml", **SMALL), tmp_path)
    values = sources(both.made, *lengths)
    both.agrees(values, [decoded(score, True, values, both.model.state_dict())])


def test_without_input_feeding(tmp_path: Path) -> None:
    feeding = {"dec__attend__input_feeding": False}
    both = ours(spec("history/03-luong-dot.yaml", **SMALL, **feeding), tmp_path)
    values = sources(both.made, 2, 6, 7)
    both.agrees(values, [decoded("dot", False, values, both.model.state_dict())])
