"""The table of commands: what `archc --help` prints without importing any of them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One command: the function `<name>` of `compiler.cli.<module>`, a module of its own name.

    A name that is a keyword of Python has a `function` of another.
    """

    name: str
    takes: str
    summary: str
    module: str = ""
    function: str = ""

    @property
    def target(self) -> str:
        """Where the command's function stands, as `module:function`."""
        return f"compiler.cli.{self.module or self.name}:{self.function or self.name}"

    @property
    def usage(self) -> str:
        """The usage line of the command's own page."""
        return f"Usage: archc {self.name} {self.takes} [OPTIONS]".replace("  ", " ")


GROUPS: dict[str, tuple[Command, ...]] = {
    "Write": (
        Command("new", "NAME", "start a spec from a commented template"),
        Command(
            "check", "SPEC...", "parse and validate specs, their shapes and budgets; write nothing"
        ),
        Command(
            "import",
            "MODEL",
            "write the spec of a published config.json",
            module="import_config",
            function="import_config",
        ),
        Command("fmt", "SPEC...", "write specs in their canonical form, comments kept"),
        Command("build", "SPEC...", "compile specs to PyTorch source, ONNX and a cost report"),
        Command(
            "export-weights",
            "SPEC",
            "write weights in the layout of a family's own files",
            module="export_weights",
            function="export_weights",
        ),
    ),
    "Look": (
        Command("show", "SPEC", "print the resolved spec or the program after a pass"),
        Command("cost", "SPEC...", "count parameters, FLOPs and bytes"),
        Command("diff", "BEFORE [AFTER]", "tell what changed between specs, and what that costs"),
        Command("report", "SPEC...", "write the design-review page, one HTML file"),
        Command("graph", "SPEC", "draw the graph as SVG, Mermaid or DOT"),
        Command(
            "verify", "SPEC...", "run PyTorch and ONNX against each other, and check the counts"
        ),
        Command("run", "BUILD", "run a built model, or generate with it", module="run_model"),
        Command("bench", "BUILD", "time a built model over batches and lengths"),
        Command("attend", "BUILD", "show where a built model looks, as heat maps in a page"),
        Command("where", "FILE:LINE", "find the spec line behind a generated line"),
    ),
    "Learn": (
        Command("explain", "[TOPIC]", "explain a diagnostic, a word of a spec or an operator"),
        Command("ops", "[NAME]", "list the operators, or describe one"),
        Command("schema", "", "print the JSON Schema of the language"),
        Command("doctor", "", "look over this installation"),
        Command("completion", "SHELL", "print a completion script for a shell"),
    ),
}

COMMANDS: dict[str, Command] = {
    command.name: command for group in GROUPS.values() for command in group
}
