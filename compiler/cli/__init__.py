"""The command `archc`: one file a command, no logic."""


def main() -> int:
    """Entry point of the command; returns the exit code (0 yes, 1 no, 2 could not answer)."""
    import sys

    from compiler.cli.interruption import Interruption
    from compiler.cli.run import run

    interruption = Interruption()
    interruption.heed()
    try:
        return run(sys.argv[1:], interruption)
    finally:
        interruption.over()
