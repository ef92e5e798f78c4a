"""`archc completion`: tab completion for a shell."""

import re
from typing import Annotated, Literal

from cyclopts import Parameter

from compiler.cli.options import Json

FILES = re.compile(
    r"('(?:\*|\d+):(?:Spec files|A spec file|A line of a generated file|A folder that"
    r"|A config\.json)[^'\n]*)'"
)


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="The shell to complete in.")],
    /,
    *,
    as_json: Json = False,
) -> int:
    """Print a completion script for a shell.

    bash: `archc completion bash > ~/.local/share/bash-completion/completions/archc`.
    zsh: `archc completion zsh > ~/.zfunc/_archc`.
    fish: `archc completion fish > ~/.config/fish/completions/archc.fish`.
    """
    from compiler.cli.app import make_app
    from compiler.cli.tell import tell, tell_json

    script = with_files(make_app().generate_completion(prog_name="archc", shell=shell))
    if as_json:
        tell_json("completion", {"shell": shell, "script": script})
    else:
        tell(script)
    return 0


def with_files(script: str) -> str:
    """A script that offers files where a command takes some, as the parser's own does not."""
    script = script.replace("complete -F _archc archc", "complete -o default -F _archc archc")
    return FILES.sub(r"\1:_files'", script)
