"""Who may import whom: the contracts hold, and heavy packages stay inside functions."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {"torch", "onnx", "onnx_ir", "onnxruntime", "transformers", "numpy", "safetensors", "sympy"}


def test_import_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def eager_imports(tree: ast.AST) -> set[str]:
    """Packages that importing a module imports: not those inside functions or for types alone."""
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
        else:
            found |= eager_imports(node)
    return found


@pytest.mark.parametrize("package", ["archspec", "compiler"])
def test_no_module_imports_a_framework_at_its_top(package: str) -> None:
    heavy = {
        path.relative_to(ROOT).as_posix(): sorted(taken)
        for path in sorted((ROOT / package).rglob("*.py"))
        if (taken := eager_imports(ast.parse(path.read_text(encoding="utf-8"))) & HEAVY)
    }
    assert heavy == {}


def test_the_language_needs_two_packages_only() -> None:
    taken: set[str] = set()
    for path in (ROOT / "archspec").rglob("*.py"):
        taken |= eager_imports(ast.parse(path.read_text(encoding="utf-8")))
    foreign = taken - set(sys.stdlib_module_names) - {"archspec"}
    assert foreign <= {"pydantic", "pydantic_core", "ruamel", "annotated_types"}
