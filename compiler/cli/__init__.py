"""The command `archc`: one file a command, no logic."""


def main() -> int:
    """Entry point of the command; returns the exit code (0 yes, 1 no, 2 could not answer)."""
    import sys

    from compiler.cli.run import run

    return run(sys.argv[1:])
