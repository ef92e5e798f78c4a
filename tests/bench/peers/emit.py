"""One route from a checkpoint to an ONNX model, run with the interpreter of whoever is measured.

`python emit.py ROUTE CHECKPOINT OUT PRECISION` prints the seconds that it took, as JSON. With
`--after TINY` it first does the same with another checkpoint, so that the seconds are those of the
work alone: all that is imported on the way is there by then.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final


def archc(checkpoint: Path, out: Path, precision: str) -> None:
    """`archc build` of the spec beside the checkpoint; numbers in floats are left in place."""
    from compiler.cli.run import run

    spec, weights = str(checkpoint.with_suffix(".yaml")), str(checkpoint)
    line = ["build", spec, "--weights", weights, "--target", "cpu", "--precision", precision]
    if run([*line, "--emit", "onnx", "--no-verify", "--out", str(out)]):
        raise SystemExit("archc build failed")


def genai(checkpoint: Path, out: Path, precision: str) -> None:
    """The model builder of onnxruntime-genai, with logits of the last position as ours."""
    from onnxruntime_genai.models import builder

    with tempfile.TemporaryDirectory() as cache:
        given = (None, str(checkpoint), str(out), precision, "cpu", cache)
        builder.create_model(*given, **builder.parse_extra_options(*given, ["prune_lm_head=true"]))


def mobius(checkpoint: Path, out: Path, precision: str) -> None:
    """Mobius, for the CPU."""
    from mobius.__main__ import main

    line = ["build", "--config", str(checkpoint), "--ep", "cpu", "--dtype", "f32"]
    main([*line, str(out)])


def dynamo(checkpoint: Path, out: Path, precision: str) -> None:
    """torch.onnx.export of transformers' own model; a decoder takes and gives its cache."""
    import torch
    from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

    config = AutoConfig.from_pretrained(checkpoint)
    decodes = config.model_type == "llama"
    made = (AutoModelForCausalLM if decodes else AutoModel).from_pretrained(checkpoint).eval()
    module, given = decoder(made) if decodes else encoder(made)
    out.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        torch.onnx.export(
            module,
            (),
            str(out / "model.onnx"),
            dynamo=True,
            external_data=True,
            verbose=False,
            opset_version=23,
            **given,
        )


def decoder(model: Any) -> tuple[Any, dict[str, Any]]:
    """A module of ids, mask and what is kept, and how it is exported; logits of the last place."""
    import torch
    from torch.export import Dim
    from transformers import DynamicCache

    class Step(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any, past: Any) -> Any:
            cache = DynamicCache(past, model.config)
            found = self.model(
                input_ids=input_ids,
                attention_mask=attention_mask,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            return found.logits, [(each.keys, each.values) for each in cache.layers]

    config, batch, new, kept = model.config, 2, 3, 5
    size = (batch, config.num_key_value_heads, kept, config.head_dim)
    past = [(torch.zeros(size), torch.zeros(size)) for _ in range(config.num_hidden_layers)]
    free = Dim.DYNAMIC
    names = [f"{i}.{part}" for i in range(len(past)) for part in ("key", "value")]
    return Step(), {
        "kwargs": {
            "input_ids": torch.zeros(batch, new, dtype=torch.int64),
            "attention_mask": torch.ones(batch, new + kept, dtype=torch.int64),
            "past": past,
        },
        "dynamic_shapes": {
            "input_ids": {0: free, 1: free},
            "attention_mask": {0: free, 1: free},
            "past": [({0: free, 2: free},) * 2 for _ in past],
        },
        "input_names": ["input_ids", "attention_mask", *(f"past_key_values.{n}" for n in names)],
        "output_names": ["logits", *(f"present.{n}" for n in names)],
    }


def encoder(model: Any) -> tuple[Any, dict[str, Any]]:
    """The model itself for what it is named to take, ids or pictures, and how it is exported."""
    import torch
    from torch.export import Dim

    free = Dim.DYNAMIC
    if model.main_input_name == "pixel_values":
        side = model.config.image_size
        given = {"pixel_values": torch.zeros(2, 3, side, side)}
        shapes: dict[str, Any] = {"pixel_values": {0: free}}
    else:
        names = ("input_ids", "attention_mask")
        given = {name: torch.ones(2, 8, dtype=torch.int64) for name in names}
        shapes = {name: {0: free, 1: free} for name in names}
    return model, {"kwargs": given, "dynamic_shapes": shapes, "input_names": [*given]}


ROUTES: Final[dict[str, Callable[[Path, Path, str], None]]] = {
    each.__name__: each for each in (archc, genai, mobius, dynamo)
}


def main() -> None:
    """Emit, and print the seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("route", choices=ROUTES)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("precision")
    parser.add_argument("--after", type=Path)
    asked = parser.parse_args()
    emit = ROUTES[asked.route]
    if asked.after:
        with tempfile.TemporaryDirectory() as place:
            emit(asked.after, Path(place, "model"), asked.precision)
    began = time.perf_counter()
    emit(asked.checkpoint, asked.out, asked.precision)
    print(json.dumps({"seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main()
