"""`archc doctor`: look over this installation."""

from compiler.cli.options import Json


def doctor(*, as_json: Json = False) -> int:
    """Look over this installation: Python, packages, devices, and what may get in the way.

    The answer is no when something would keep archc from working.
    """
    from compiler.cli.health import examine
    from compiler.cli.tell import tell, tell_json

    signs = examine()
    ok = not any(sign.bad for sign in signs)
    if as_json:
        tell_json("doctor", {"ok": ok, "signs": [sign.document() for sign in signs]})
    else:
        tell("\n".join(sign.text() for sign in signs))
    return 0 if ok else 1
