"""The paper's Transformer against torch's own encoder and decoder layers, with a padded source."""

import math

import pytest
import torch
from torch import Tensor, nn

from compiler.verify.compiled import Compiled
from compiler.verify.decoding import decoded
from compiler.verify.examples import Example
from compiler.verify.module import build, shake
from compiler.verify.parity import onnx_session
from tests.parity.ours import BAR, Ours, padded, spec

V, L, H, D, M = 97, 3, 4, 32, 56


class Reference(nn.Module):
    """Vaswani et al. 2017 of torch's layers: post-norm, the paper's sinusoids, one table."""

    def __init__(self) -> None:
        super().__init__()
        same = {"dropout": 0.0, "activation": "relu", "batch_first": True, "norm_first": False}
        self.table = nn.Embedding(V, D)
        self.encoder = nn.ModuleList(
            nn.TransformerEncoderLayer(D, H, M, **same)  # type: ignore[arg-type]  # mixed keywords
            for _ in range(L)
        )
        self.decoder = nn.ModuleList(
            nn.TransformerDecoderLayer(D, H, M, **same)  # type: ignore[arg-type]  # mixed keywords
            for _ in range(L)
        )

    def embed(self, ids: Tensor) -> Tensor:
        places = torch.tensor([[angle(t, i) for i in range(D)] for t in range(ids.shape[1])])
        found: Tensor = self.table(ids) * math.sqrt(D) + places
        return found

    def forward(self, source: Tensor, real: Tensor, target: Tensor) -> Tensor:
        memory, y = self.embed(source), self.embed(target)
        for layer in self.encoder:
            memory = layer(memory, src_key_padding_mask=~real)
        ahead = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        for layer in self.decoder:
            y = layer(y, memory, tgt_mask=ahead, memory_key_padding_mask=~real)
        return y @ self.table.weight.T


def angle(t: int, i: int) -> float:
    """Section 3.5: sine at even coordinates, cosine at odd ones."""
    turned = t / 10000 ** (2 * (i // 2) / D)
    return math.cos(turned) if i % 2 else math.sin(turned)


@pytest.fixture(scope="module")
def reference() -> Reference:
    made = Reference().eval()
    shake(made)
    return made


@pytest.fixture(scope="module")
def made() -> Compiled:
    sizes = {"d_model": D, "n_heads": H, "n_layers": L, "d_ff": M, "vocab": V}
    return spec("encoder-decoder/transformer-base.yaml", **sizes)


@pytest.fixture(scope="module")
def compared(
    reference: Reference, made: Compiled, tmp_path_factory: pytest.TempPathFactory
) -> Ours:
    model = build(made.generated)
    model.load_state_dict(renamed(reference), strict=True)
    session = onnx_session(made.files, model, tmp_path_factory.mktemp("transformer"))
    return Ours(made, model, session)


def inputs(batch: int, source: int, target: int) -> dict[str, Tensor]:
    draw = torch.Generator().manual_seed(source)
    return {
        "src_ids": torch.randint(V, (batch, source), generator=draw),
        "src_ids_mask": padded(batch, source, source - 3),
        "tgt_ids": torch.randint(V, (batch, target), generator=draw),
    }


def run(reference: Reference, given: dict[str, Tensor]) -> Tensor:
    """With gradients, which keeps torch off the fused path that pads with zeros."""
    found: Tensor = reference(given["src_ids"], given["src_ids_mask"], given["tgt_ids"])
    return found.detach()


@pytest.mark.parametrize(("batch", "source", "target"), [(1, 5, 4), (2, 13, 9), (3, 8, 20)])
def test_logits(reference: Reference, compared: Ours, batch: int, source: int, target: int) -> None:
    given = inputs(batch, source, target)
    compared.agrees(given, [run(reference, given)])


def test_decoding_with_a_cache(reference: Reference, compared: Ours, made: Compiled) -> None:
    given = inputs(2, 11, 8)
    lengths = {"B": 2, "T": 8, "S": 11}
    with torch.no_grad():
        (found,) = decoded(made, compared.model, Example(given, lengths), [3, 1, 1, 3])
    assert float((found - run(reference, given)).abs().max()) <= BAR


def renamed(reference: Reference) -> dict[str, Tensor]:
    """The reference's parameters by our names, q apart from k and v where the source differs."""
    found = {"src.tokens.weight": reference.table.weight}
    for stack, layers in (("memory", reference.encoder), ("dec", reference.decoder)):
        for i, layer in enumerate(layers):
            found |= {f"{stack}.{i}.{name}": t for name, t in _layer(layer).items()}
    return found


def _layer(layer: nn.Module) -> dict[str, Tensor]:
    norms = ["self", "cross", "mlp"] if hasattr(layer, "multihead_attn") else ["self", "mlp"]
    found: dict[str, Tensor] = {}
    for name, tensor in layer.state_dict().items():
        part, _, rest = name.partition(".")
        kind = rest.rpartition(".")[2].removeprefix("in_proj_")
        if part.startswith("norm"):
            found[f"{norms[int(part[4:]) - 1]}.post_norm.{kind}"] = tensor
        elif part.startswith("linear"):
            found[f"mlp.{'up' if part == 'linear1' else 'down'}.{kind}"] = tensor
        elif rest.startswith("out_proj"):
            found[f"{'self' if part == 'self_attn' else 'cross'}.o.{kind}"] = tensor
        elif part == "self_attn":
            found[f"self.qkv.{kind}"] = tensor
        else:
            found[f"cross.q.{kind}"], found[f"cross.kv.{kind}"] = tensor[:D], tensor[D:]
    return found
