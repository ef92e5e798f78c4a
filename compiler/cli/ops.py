"""`archc ops`: the operators."""

from compiler.cli.options import Json


def ops(name: str = "", /, *, as_json: Json = False) -> int:
    """List the operators with their signatures, or describe one.

    In a signature letters are dimensions: equal letters are equal sizes, `*` stands for any
    leading dimensions, `?` marks what may be absent, and `;` parts inputs from parameters.

    Parameters
    ----------
    name
        An operator, such as `linear`.
    """
    from compiler.cli.operators import (
        find_operator,
        operator_text,
        operators,
        signature_text,
        spoken,
        summary,
    )
    from compiler.cli.tell import tell, tell_json

    chosen = {spoken(kind): kind for kind in [find_operator(name)]} if name else operators()
    if as_json:
        listed = [
            {"name": word, "signature": signature_text(kind.signature), "summary": summary(kind)}
            for word, kind in chosen.items()
        ]
        tell_json("ops", {"operators": listed})
    elif name:
        tell(operator_text(chosen[next(iter(chosen))]))
    else:
        width = max(map(len, chosen))
        tell(
            "\n".join(
                f"{word:<{width}}  {signature_text(kind.signature)}"
                for word, kind in chosen.items()
            )
        )
    return 0
