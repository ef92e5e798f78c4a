"""Run one command line: parse it, call the command, turn every outcome into an exit code."""

import gc
import os
import sys
from collections.abc import Sequence

from compiler import __version__
from compiler.cli.front import front_page
from compiler.cli.interruption import Interruption
from compiler.cli.streams import prepare, silence

YES, NO, CANNOT = 0, 1, 2
ALLOCATIONS = 1_000_000  # between two garbage collections: more than it takes to count any model


def run(arguments: Sequence[str], interruption: Interruption | None = None) -> int:
    """Run `archc` with these arguments; returns 0 (yes), 1 (no) or 2 (could not answer).

    What `interruption` broke off is no answer, whatever became of it on its way.
    """
    gc.set_threshold(ALLOCATIONS)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # others do not read our specs
    prepare()
    try:
        code = _answer(list(arguments), interruption or Interruption())
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        silence()  # the reader went away, as `head` does: nothing is wrong
        return YES
    except OSError as error:
        silence()
        print(f"error: cannot write the answer: {_reason(error)}", file=sys.stderr)
        return CANNOT


def _answer(arguments: list[str], interruption: Interruption) -> int:
    try:
        code = _dispatch(arguments)
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        return _interrupted() if interruption.asked else _failed(arguments, error)
    return _interrupted() if interruption.asked and code != YES else code


def _interrupted() -> int:
    print("interrupted", file=sys.stderr)
    return CANNOT


def _failed(arguments: list[str], error: Exception) -> int:
    """What could not be answered, by the system's doing or a bug; ARCHC_TRACEBACK=1 shows where."""
    if os.environ.get("ARCHC_TRACEBACK") == "1":
        raise error
    if isinstance(error, OSError):
        return _outside(arguments, error)
    if isinstance(error, MemoryError):
        return _outgrown(arguments, error)
    return _internal(arguments, error)


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        sys.stderr.write(front_page())
        return CANNOT
    if arguments[0] in ("--help", "-h"):
        sys.stdout.write(front_page())
        return YES
    if arguments[0] == "--version":
        print(f"archc {__version__}")
        return YES
    return _call(arguments)


def _call(arguments: list[str]) -> int:
    from cyclopts import CycloptsError

    from compiler.answer import CannotAnswer
    from compiler.cli.app import app
    from compiler.cli.complaint import usage_complaint

    try:
        code = app(arguments)
    except CycloptsError as error:
        return _complain(arguments, *usage_complaint(error))
    except CannotAnswer as error:
        return _complain(arguments, error.message, error.help)
    except Exception as error:
        return _refusal(arguments, error)
    return code if isinstance(code, int) else YES


def _complain(arguments: list[str], message: str, help: str) -> int:
    """Say why there is no answer, in the tongue that was asked for."""
    from compiler.cli.table import COMMANDS
    from compiler.cli.tell import complain, tell_json, wants_json

    if wants_json(arguments):
        kind = arguments[0] if arguments[0] in COMMANDS else "archc"
        tell_json(kind, {"ok": False, "error": message, "help": help})
    else:
        complain(message, help)
    return CANNOT


def _refusal(arguments: list[str], error: Exception) -> int:
    """What is wrong with a spec comes up as one exception; every other one is a bug."""
    from archspec.source.diagnostic import SpecError
    from compiler.cli.tell import tell_refusal, wants_json

    if not isinstance(error, SpecError):
        raise error
    return tell_refusal(arguments[0], error.diagnostics, as_json=wants_json(arguments))


def _internal(arguments: list[str], error: Exception) -> int:
    from compiler.cli.culprit import culprit

    said, package = " ".join(str(error).split()), culprit(error)
    return _complain(
        arguments,
        f"internal error: {type(error).__name__}: {said}"[:500],
        f"this is a bug in {package or 'archc'}; ARCHC_TRACEBACK=1 shows where",
    )


def _outside(arguments: list[str], error: OSError) -> int:
    """What the operating system refuses is no bug."""
    where = f"`{error.filename}`: " if error.filename else ""
    return _complain(arguments, f"{where}{_reason(error)}", "")


def _outgrown(arguments: list[str], error: MemoryError) -> int:
    """What needs more memory than there is, which is no bug either."""
    said = " ".join(str(error).split())[:300]
    return _complain(arguments, f"there is not enough memory{': ' * bool(said)}{said}", "")


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "the working folder is gone"
    reason = error.strerror or str(error) or type(error).__name__
    return reason[:1].lower() + reason[1:]
