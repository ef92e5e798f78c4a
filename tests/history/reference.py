"""The paper's Transformer of torch's layers, with the norm and the feed-forward network to
choose."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

V, L, H, D, M = 97, 2, 4, 32, 64


class RootMeanSquare(nn.Module):
    """Zhang and Sennrich 2019, eq. 4, written out."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(D))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x / (x.pow(2).sum(dim=-1, keepdim=True) / D + 1e-5).sqrt()


class Gated(nn.Module):
    """SiLU(x W_g) * x W_u of Shazeer 2020, eq. 6: what stands before the last matrix."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(2 * hidden, D))

    def forward(self, x: Tensor) -> Tensor:
        gate, up = (x @ matrix.T for matrix in self.weight.chunk(2))
        return gate * torch.sigmoid(gate) * up


class Reference(nn.Module):
    """Vaswani et al. 2017 with sinusoids and one table; with `pre`, norms inside and at the
    ends."""

    def __init__(
        self, heads: int = H, *, pre: bool = False, rms: bool = False, gated: int | None = None
    ) -> None:
        super().__init__()
        self.place = "norm" if pre else "post_norm"
        self.up = "up" if gated is None else "gate_up"
        act: Callable[[Tensor], Tensor] = functional.relu if gated is None else nn.Identity()
        same: dict[str, Any] = {"dropout": 0.0, "batch_first": True, "norm_first": pre}
        norm: Callable[[], nn.Module] = RootMeanSquare if rms else lambda: nn.LayerNorm(D)
        self.table = nn.Embedding(V, D)
        self.encoder = nn.ModuleList(
            nn.TransformerEncoderLayer(D, heads, M, activation=act, **same) for _ in range(L)
        )
        self.decoder = nn.ModuleList(
            nn.TransformerDecoderLayer(D, heads, M, activation=act, **same) for _ in range(L)
        )
        self.ends = nn.ModuleList(norm() if pre else nn.Identity() for _ in range(2))
        for layer in [*self.encoder, *self.decoder]:
            for name in [name for name, _ in layer.named_children() if name.startswith("norm")]:
                setattr(layer, name, norm())
            if gated is not None:
                layer.linear1, layer.linear2 = Gated(gated), nn.Linear(gated, D, bias=False)

    def embed(self, ids: Tensor) -> Tensor:
        """Section 3.5: sine at even coordinates, cosine at odd ones."""
        angles = [[t / 10000 ** (2 * (i // 2) / D) for i in range(D)] for t in range(ids.shape[1])]
        places = [[(math.cos if i % 2 else math.sin)(a) for i, a in enumerate(r)] for r in angles]
        found: Tensor = self.table(ids) * math.sqrt(D) + torch.tensor(places)
        return found

    def forward(self, source: Tensor, real: Tensor, target: Tensor) -> Tensor:
        """Logits [B, T, V]. Training keeps torch off its fused path; there is no dropout."""
        memory, y = self.embed(source), self.embed(target)
        for layer in self.encoder:
            memory = layer(memory, src_key_padding_mask=~real)
        memory = self.ends[0](memory)
        ahead = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        for layer in self.decoder:
            y = layer(y, memory, tgt_mask=ahead, memory_key_padding_mask=~real)
        found: Tensor = self.ends[1](y) @ self.table.weight.T
        return found

    def by_our_names(self) -> dict[str, Tensor]:
        """The parameters as the generated modules call them."""
        found = {"src.tokens.weight": self.table.weight.detach()}
        stacks = (("memory", self.encoder, self.ends[0]), ("dec", self.decoder, self.ends[1]))
        for stack, layers, end in stacks:
            found |= {f"{stack}_norm.{name}": t for name, t in end.state_dict().items()}
            for i, layer in enumerate(layers):
                for name, tensor in layer.state_dict().items():
                    for ours, part in self._ours(name, tensor, stack == "dec"):
                        found[f"{stack}.{i}.{ours}"] = part
        return found

    def _ours(self, name: str, tensor: Tensor, decoder: bool) -> list[tuple[str, Tensor]]:
        part, _, rest = name.partition(".")
        kind = rest.rpartition(".")[2].removeprefix("in_proj_")
        attention = "self" if part == "self_attn" else "cross"
        if part.startswith("norm"):
            steps = ["self", "cross", "mlp"] if decoder else ["self", "mlp"]
            return [(f"{steps[int(part[4:]) - 1]}.{self.place}.{kind}", tensor)]
        if part.startswith("linear"):
            return [(f"mlp.{self.up if part == 'linear1' else 'down'}.{kind}", tensor)]
        if rest.startswith("out_proj"):
            return [(f"{attention}.o.{kind}", tensor)]
        if attention == "self":
            return [(f"self.qkv.{kind}", tensor)]
        return [(f"cross.q.{kind}", tensor[:D]), (f"cross.kv.{kind}", tensor[D:])]
