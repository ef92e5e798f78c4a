"""`archc verify`: PyTorch against ONNX Runtime, counts, shape names and laws."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Json, OnnxPrecision, OnnxTarget, PrecisionMap, Set, Specs


def verify(
    *specs: Specs,
    target: OnnxTarget = "portable",
    precision: OnnxPrecision = None,
    precision_map: PrecisionMap = None,
    weights: Annotated[
        str,
        Parameter(
            metavar="init|PATH", help="Weights that a target is verified with: drawn or published."
        ),
    ] = "init",
    loss: Annotated[
        float | None,
        Parameter(
            metavar="SHARE",
            show_default=False,
            help="How far outputs on a target may be off, relative to their size; without it 0.15 "
            "in int8, 0.5 in int4 and 0.00001 in floats.",
        ),
    ] = None,
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Run PyTorch and ONNX Runtime against each other, and check counts, tensor names and laws.

    A spec too large to run is verified on a smaller sibling, and the answer says so. With a
    `--target` or `--weights` its outputs on that target are held against PyTorch in float32. Of a
    folder that `archc build` wrote every file is held against the manifest: byte for byte, or by
    length and header where it was linked.
    """
    from pathlib import Path

    from compiler.answer import Answer, CannotAnswer
    from compiler.cli.each import tell_each
    from compiler.cli.sources import check_weights, spec_files
    from compiler.cli.target import target_of
    from compiler.ir.target import PORTABLE
    from compiler.pipeline import intact, is_built, verify_on
    from compiler.pipeline import verify as verify_spec

    check_weights(weights, ("init",))
    if loss is not None and not 0 <= loss < float("inf"):
        raise CannotAnswer(
            "`--loss` must be a number from 0 on", "such as 0.05 of the outputs' size"
        )
    made_for = target_of(target, precision, choices=precision_map or ())
    plain = made_for == PORTABLE and weights == "init" and loss is None
    built = [name for name in specs if is_built(Path(name))]
    if built and (settings or not plain):
        raise CannotAnswer(f"`{built[0]}` is built, and options are for specs", "leave them out")
    named = [name for name in specs if name not in built]

    def ask(path: str) -> Answer:
        if path in built:
            return intact(Path(path))
        if plain:
            return verify_spec(path, set=settings or [])
        return verify_on(path, made_for, set=settings or [], weights=weights, loss=loss)

    paths = [*built, *(spec_files(named) if named or not built else [])]
    return tell_each("verify", paths, ask, as_json=as_json)
