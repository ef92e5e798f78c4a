"""The front page: what `archc` and `archc --help` print, from the table alone."""

from compiler.cli.table import COMMANDS, GROUPS

ABOUT = """\
archc compiles a one-page spec of a neural architecture to PyTorch source, ONNX and a cost report

Usage: archc COMMAND [OPTIONS]
"""

END = """\
Options:
  -h, --help      print this page, or a command's own after its name
  --version       print the version

Exit codes: 0 yes, 1 the answer is no, 2 could not answer
"""


def front_page() -> str:
    """The commands in their groups with one line each."""
    blocks = [ABOUT]
    wide = max(map(len, COMMANDS))
    for title, commands in GROUPS.items():
        lines = [f"  {command.name:<{wide}}  {command.summary}" for command in commands]
        blocks.append("\n".join([f"{title}:", *lines]) + "\n")
    blocks.append(END)
    return "\n".join(blocks)
