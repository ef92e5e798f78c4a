"""`archc export-weights`: weights in the layout of the family's own files."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Json, OneSpec, Set


def export_weights(
    spec: OneSpec,
    /,
    *,
    out: Annotated[
        str,
        Parameter(
            name=("--out", "-o"),
            metavar="DIR",
            show_default=False,
            help="The folder to write to; it may hold other files, but no weights.",
        ),
    ],
    weights: Annotated[
        str | None,
        Parameter(
            metavar="init|PATH",
            show_default=False,
            help="A checkpoint, a folder with one, or drawn ones; else those of the spec's build.",
        ),
    ] = None,
    shard_size: Annotated[
        str, Parameter(metavar="SIZE", help="Write several files above this size.")
    ] = "5GB",
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Write the weights of a spec as a checkpoint in its family's own layout.

    The rules of `weights:`, which read the family's files, are followed backwards. transformers
    loads the folder once the model's config.json stands in it.
    """
    from pathlib import Path

    from compiler.cli.progress import Progress
    from compiler.cli.sizes import byte_count
    from compiler.cli.sources import CONFIG, check_weights, one_spec
    from compiler.cli.tell import note, tell, tell_diagnostics, tell_json
    from compiler.pipeline import export

    path, most = one_spec(spec), byte_count(shard_size)
    check_weights(weights or "init", ("none", "init"))
    with Progress() as progress:
        answer = export(
            path,
            out,
            weights=weights,
            set=settings or [],
            shard_bytes=most,
            progress=progress,
        )
    tell_diagnostics(answer.warnings)
    if as_json:
        tell_json("export-weights", {"ok": True, "path": path, **answer.document()})
    else:
        tell(answer.text())
        if not Path(out, CONFIG).is_file():
            note(f"transformers loads `{out}` once the model's {CONFIG} stands in it")
    return 0
