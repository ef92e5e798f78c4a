"""The files of weights that a model points into."""

from pathlib import Path


def unreadable(model: Path) -> str | None:
    """What is wrong with the files that hold the weights of a model, None where nothing is. ONNX
    Runtime wants them in the model's folder, also at the end of a link, and every byte there."""
    import onnx

    try:
        graph = onnx.load(model, load_external_data=False).graph
    except Exception:
        return None  # what is wrong with the model itself is the runtime's to say
    ends: dict[str, int] = {}
    for tensor in graph.initializer:
        said = {each.key: each.value for each in tensor.external_data}
        if file := said.get("location"):
            end = int(said.get("offset", 0)) + int(said.get("length", 0))
            ends[file] = max(end, ends.get(file, 0))
    for file, end in ends.items():
        path = model.parent / file
        if not path.resolve().is_relative_to(model.parent.resolve()):
            return f"`{path}` lies outside its folder, where ONNX Runtime does not follow"
        if not path.is_file():
            return f"`{path}` holds its weights and is {'no file' if path.exists() else 'missing'}"
        if (size := path.stat().st_size) < end:
            return f"`{path}` has {size} bytes of the {end} that hold its weights"
    return None
