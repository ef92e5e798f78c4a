"""`archc explain`: what a diagnostic, a word or an operator means."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Json


def explain(
    *topic: Annotated[
        str,
        Parameter(
            metavar="TOPIC",
            help="A code (`AR0214`), a word of the language (`stack`, `attention.kv_heads`, "
            "`kv_heads`), `op rotate`, a total of `archc cost` (`kv_bytes`) or a word of "
            "`--parallel` (`zero`).",
        ),
    ],
    as_json: Json = False,
) -> int:
    """Explain a diagnostic, a word of the language or an operator.

    Without a topic, list the codes of all diagnostics, and the words.
    """
    from compiler.cli.tell import tell, tell_json
    from compiler.cli.topics import find_topic

    found = find_topic(topic)
    if as_json:
        tell_json("explain", found.document())
    else:
        tell(found.text)
    return 0
