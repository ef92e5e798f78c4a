"""`archc build`: compile specs to PyTorch source, ONNX and a cost report."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Flag, Json, OnnxPrecision, OnnxTarget, PrecisionMap, Set, Specs


def build(
    *specs: Specs,
    emit: Annotated[
        str,
        Parameter(
            metavar="KINDS",
            help="What to write, of torch, onnx and report: cost.md, as text to check in. The page "
            "of a design review is what `archc report` writes.",
        ),
    ] = "torch,onnx,report",
    weights: Annotated[
        str,
        Parameter(
            metavar="none|init|PATH",
            help="Weights of the ONNX model: none, drawn by the spec's rule, or a checkpoint.",
        ),
    ] = "init",
    target: OnnxTarget = "portable",
    precision: OnnxPrecision = None,
    logits: Annotated[
        str,
        Parameter(metavar="last|all", help="The positions that an ONNX decoder gives logits of."),
    ] = "last",
    precision_map: PrecisionMap = None,
    out: Annotated[
        str | None,
        Parameter(
            metavar="DIR",
            show_default=False,
            help="Write all files to DIR/FAMILY/NAME/ instead.",
        ),
    ] = None,
    settings: Set = None,
    no_verify: Annotated[
        bool, Flag, Parameter(help="Do not hold ONNX Runtime against PyTorch at the end.")
    ] = False,
    check: Annotated[bool, Flag, Parameter(help="Write nothing; fail on stale files.")] = False,
    diff: Annotated[bool, Flag, Parameter(help="Write nothing; print what would change.")] = False,
    watch: Annotated[bool, Flag, Parameter(help="Build again whenever a spec changes.")] = False,
    as_json: Json = False,
) -> int:
    """Compile specs to PyTorch source, an ONNX model and a cost report.

    Text goes to generated/FAMILY/NAME/ and binaries to build/FAMILY/NAME/, each folder whole or
    not at all. At the end ONNX Runtime is held against PyTorch, on a smaller sibling where the
    model is large.
    """
    from compiler.answer import CannotAnswer
    from compiler.cli.building import Order, build_all, check_portable, compare_all, watch_all
    from compiler.cli.sources import spec_files

    if watch and (check or diff or as_json):
        raise CannotAnswer(
            "`--watch` builds again and again", "leave out `--check`, `--diff` and `--json`"
        )
    made_for = (target, precision, logits, tuple(precision_map or ()))
    if check or diff:
        check_portable(made_for)
    order = Order.of(
        spec_files(specs), settings, emit, weights, out, made_for, verify=not no_verify
    )
    if check or diff:
        return compare_all(order, show_difference=diff, as_json=as_json)
    return watch_all(order) if watch else build_all(order, as_json=as_json)
