"""What a person at an editor does: opens a file, puts the cursor somewhere, looks and asks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.archspec.language_server import LanguageServer

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "archspec" / "archspec.schema.json"
CURSOR = "|"


class Editor(LanguageServer):
    """A server and the texts that were opened in it."""

    def __init__(self) -> None:
        super().__init__(SCHEMA)
        self.opened = 0

    def problems(self, text: str) -> dict[int, str]:
        """The first message on every line that has one, from 1 on; the text names no schema."""
        return self.problems_of_all({"": text})[""]

    def problems_of_all(self, texts: Mapping[str, str]) -> dict[str, dict[int, str]]:
        """The same for many texts at once: the server waits a moment before it judges one."""
        above = f"# yaml-language-server: $schema={self.schema}\n"
        opened = {
            name: self._show(f"file:///{self._name()}.yaml", above + text)
            for name, text in texts.items()
        }
        return {name: first_messages(self._await(uri), above=1) for name, uri in opened.items()}

    def problems_in_place(self, path: Path, text: str) -> dict[int, str]:
        """The same for a file where it lies, whose first line names the schema."""
        uri = self._show(f"{path.as_uri()}?{self._name()}", text)
        return first_messages(self._await(uri), above=0)

    def _show(self, uri: str, text: str) -> str:
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        return uri

    def _await(self, uri: str) -> list[dict[str, Any]]:
        while uri not in self.seen:
            self.listen()
        return self.seen[uri]

    def offered(self, text: str) -> dict[str, str]:
        """What completion offers at the cursor, with the description of each."""
        found = self._ask("completion", text)
        items: Sequence[dict[str, Any]] = found["items"] if isinstance(found, dict) else found
        return {item["label"]: described(item.get("documentation", "")) for item in items}

    def hovered(self, text: str) -> str:
        """What is shown when the pointer rests at the cursor; markdown's escapes taken away."""
        found = self._ask("hover", text)
        assert found is not None, "nothing is shown"
        return str(found["contents"]["value"]).replace("\\", "")

    def _ask(self, kind: str, text: str) -> Any:
        before, after = text.split(CURSOR)
        name = self._name()
        self.open(name, before + after)
        return self.at(kind, name, before.count("\n") + 1, len(before.rpartition("\n")[2]))

    def _name(self) -> str:
        self.opened += 1
        return f"opened-{self.opened}"


def first_messages(diagnostics: Sequence[dict[str, Any]], above: int) -> dict[int, str]:
    """Messages by line; `above` is the number of lines put above the text."""
    found: dict[int, str] = {}
    for each in diagnostics:
        found.setdefault(each["range"]["start"]["line"] + 1 - above, each["message"])
    return found


def described(documentation: Any) -> str:
    value = documentation["value"] if isinstance(documentation, dict) else documentation
    return str(value)
