"""A family's test case: a tiny model of transformers, saved, imported from its files alone."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from compiler.verify.module import shake
from tests.parity.ours import padded

if TYPE_CHECKING:
    from torch import Tensor, nn

Values = Mapping[str, "Tensor"]

BAR = 2e-5
VOCABULARY = 97


@dataclass(frozen=True)
class Given:
    """What both sides compute from: our inputs by name, and which places of them are compared."""

    values: Values
    real: "Tensor | None" = None


def tokens(batch: int = 3, length: int = 13, ahead: int = 3) -> Given:
    """Token ids; one row begins with `ahead` places of padding, the last ends with some."""
    draw = torch.Generator().manual_seed(length)
    mask = padded(batch, length, length - 4)
    mask[1, :ahead] = False
    ids = torch.randint(2, VOCABULARY, (batch, length), generator=draw)
    return Given({"ids": ids, "ids_mask": mask}, mask)


def padded_behind() -> Given:
    """Tokens for models that count chunks from the first real place, where ours are of the row."""
    return tokens(ahead=0)


def hidden(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """What a bare model of transformers makes of `tokens`."""
    found = theirs(values["ids"], attention_mask=values["ids_mask"].long(), use_cache=False)
    return [found.last_hidden_state]


def logits(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """What a language model of transformers says about `tokens`."""
    found = theirs(values["ids"], attention_mask=values["ids_mask"].long(), use_cache=False)
    return [found.logits]


@dataclass(frozen=True)
class Case:
    """`config` and `model` are classes of transformers; `sizes` the keywords of the config.

    `given` makes the inputs, `wanted` runs the published model on them; `edit` changes the
    config.json that was saved, as other versions of transformers would have written it. `kernel` is
    the attention that they run.
    A parameter with `dropped` in its name is of a task that is not imported.
    """

    name: str
    config: str
    model: str
    sizes: Mapping[str, Any]
    given: Callable[[], Given] = tokens
    wanted: Callable[["nn.Module", Values], "list[Tensor]"] = logits
    edit: Callable[[dict[str, Any]], None] | None = None
    kernel: str = "eager"
    dropped: str = ""

    def __str__(self) -> str:
        return self.name

    def theirs(self) -> "nn.Module":
        """The published model, every parameter drawn anew, angles and waves as they were."""
        import transformers

        torch.manual_seed(0)
        config = getattr(transformers, self.config)(**self.sizes)
        config._attn_implementation = self.kernel
        made: nn.Module = getattr(transformers, self.model)(config).eval()
        angles = [b for name, b in made.named_buffers() if name.endswith("inv_freq")]
        waves = [p for p in made.parameters() if not p.requires_grad]
        fixed = [(each, each.clone()) for each in (*angles, *waves)]
        shake(made)
        for each, before in fixed:
            each.copy_(before)
        return made

    def parameters(self, theirs: "nn.Module") -> int:
        """The number of the published model's parameters."""
        named = theirs.named_parameters()
        return sum(each.numel() for name, each in named if not self._is_dropped(name))

    def _is_dropped(self, name: str) -> bool:
        return bool(self.dropped) and self.dropped in name

    def saved(self, theirs: "nn.Module", folder: Path) -> Path:
        """The published files: config.json and safetensors."""
        theirs.save_pretrained(folder)  # type: ignore[operator]  # a transformers model
        if self.edit is not None:
            said = json.loads((folder / "config.json").read_text())
            self.edit(said)
            (folder / "config.json").write_text(json.dumps(said, indent=2))
        return folder
