"""A client of the yaml-language-server, enough to open a spec and ask what an editor asks."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".cache" / "npm"
VERSION = "2.0.0"
SERVER = HOME / "node_modules" / "yaml-language-server"


def installed() -> Path:
    """The server's folder; skips the test, and says why, where it cannot be had."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node is absent, and with it the yaml-language-server")
    if not (SERVER / "package.json").exists():
        try:
            install()
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"yaml-language-server cannot be installed: {error}")
    return SERVER


def install() -> None:
    """Installs beside and renames, so that two processes do not write into one folder."""
    HOME.parent.mkdir(exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix="npm-", dir=HOME.parent))
    command = ["npm", "install", "--no-audit", "--no-fund", f"yaml-language-server@{VERSION}"]
    subprocess.run([*command, "--prefix", "."], cwd=fresh, check=True, timeout=120)
    if (SERVER / "package.json").exists():
        shutil.rmtree(fresh)
        return
    shutil.rmtree(HOME, ignore_errors=True)
    fresh.rename(HOME)


class LanguageServer:
    """Speaks the language server protocol over pipes, one request at a time."""

    def __init__(self, schema: Path) -> None:
        self.schema = schema.as_uri()
        script = installed() / "bin" / "yaml-language-server"
        self.process = subprocess.Popen(
            ["node", str(script), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.number = 0
        self.seen: dict[str, list[Any]] = {}
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.tell("initialized", {})
        settings = {"yaml": {"validate": True, "hover": True, "completion": True}}
        self.tell("workspace/didChangeConfiguration", {"settings": settings})

    def close(self) -> None:
        self.process.kill()
        self.process.wait()

    def open(self, name: str, text: str) -> list[Any]:
        """The diagnostics of a text whose first line names the schema."""
        uri = f"file:///{name}.yaml"
        text = f"# yaml-language-server: $schema={self.schema}\n{text}"
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        while uri not in self.seen:
            self.listen()
        return self.seen[uri]

    def at(self, kind: str, name: str, line: int, column: int) -> Any:
        """The answer to `textDocument/<kind>` at a place of an opened text."""
        place = {"line": line, "character": column}
        document = {"uri": f"file:///{name}.yaml"}
        return self.ask(f"textDocument/{kind}", {"textDocument": document, "position": place})

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.listen()
            if message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def tell(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def listen(self) -> Any:
        """The next message; requests of the server are answered, diagnostics kept."""
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.seen[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "method" in message and "id" in message:
            items = message.get("params", {}).get("items", []) if message.get("params") else []
            self.send({"id": message["id"], "result": [{} for _ in items]})
        return message
