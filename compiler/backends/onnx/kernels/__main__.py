"""Writes the table of the ONNX Runtime that is installed into the folder of tables."""

import json

from compiler.backends.onnx.kernels.asking import installed
from compiler.backends.onnx.kernels.table import FOLDER


def main() -> None:
    """Ask, write, and say what was written."""
    text = installed()
    found = json.loads(text)
    path = FOLDER / f"{found['runtime']}.json"
    path.write_text(text, encoding="utf-8")
    counts = ", ".join(f"{len(found[each])} on {each}" for each in ("cpu", "cuda"))
    print(f"{path}: operators with kernels: {counts}")


if __name__ == "__main__":
    main()
