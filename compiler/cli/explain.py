"""`archc explain`: what a diagnostic, a key or an operator means."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Json


def explain(
    *topic: Annotated[
        str,
        Parameter(
            metavar="TOPIC",
            help="A code (`AR0214`), a component or its key (`attention.kv_heads`), or `op rope`.",
        ),
    ],
    as_json: Json = False,
) -> int:
    """Explain a diagnostic, a component or key of the language, or an operator.

    Without a topic, list the codes of all diagnostics.
    """
    from compiler.cli.tell import tell, tell_json
    from compiler.cli.topics import find_topic

    found = find_topic(topic)
    if as_json:
        tell_json("explain", found.document())
    else:
        tell(found.text)
    return 0
