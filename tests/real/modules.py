"""The file `model.py` of a built folder, imported the way a training script does."""

import importlib.util
from pathlib import Path

import torch


def fresh(folder: Path, name: str) -> torch.nn.Module:
    """A new model of the class `name`, its weights as they are drawn."""
    found = importlib.util.spec_from_file_location(folder.name, folder / "model.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    made = getattr(module, name)()
    assert isinstance(made, torch.nn.Module)
    return made
