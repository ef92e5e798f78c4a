"""`archc verify`: PyTorch against ONNX Runtime, counts, shape names and laws."""

from compiler.cli.options import Json, Set, Specs


def verify(*specs: Specs, settings: Set = None, as_json: Json = False) -> int:
    """Run PyTorch and ONNX Runtime against each other, and check counts, tensor names and laws.

    A spec too large to run is verified on a smaller sibling, and the answer says so.
    """
    from compiler.cli.each import tell_each
    from compiler.cli.sources import spec_files
    from compiler.pipeline import verify as verify_spec

    return tell_each(
        "verify",
        spec_files(specs),
        lambda path: verify_spec(path, set=settings or []),
        as_json=as_json,
    )
