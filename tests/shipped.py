"""The specs that the repository ships, and those of them that are another one at another size."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
SPECS = ROOT / "specs"

SHIPPED = sorted(
    path.relative_to(ROOT).as_posix()
    for path in SPECS.rglob("*.yaml")
    if "broken" not in path.parts
)
OWN = {
    f"specs/decoder/{name}.yaml"
    for name in (
        *("deepseek-v3", "gemma-7b", "llama3.1-8b", "llama3.2-1b", "mistral-7b"),
        *("phi3-mini", "qwen2.5-0.5b"),
    )
}
"""Specs that change more than the sizes of what they extend."""

TWINS = {
    path
    for path in SHIPPED
    if "\nextends:" in (ROOT / path).read_text(encoding="utf-8")
    and "/history/" not in path
    and path not in OWN
}
"""Specs that are but for numbers another's, which stands for them where a test takes long."""

DISTINCT = [path for path in SHIPPED if path not in TWINS]
EVERY = [path.removeprefix("specs/").removesuffix(".yaml") for path in DISTINCT]
"""The same as `decoder/gpt2`."""
