"""An extension's bug is told from archc's own by the modules that the exception passed through."""

from importlib.metadata import Distribution, EntryPoint
from types import ModuleType, SimpleNamespace

import pytest

from compiler.cli.culprit import culprit

SNAKE = Distribution.from_name("pytest")  # any package that is installed stands for it
POINT = EntryPoint("snake", "snake.component:Snake", "archspec.components")


def raised(name: str) -> Exception:
    """What comes up from a division in a module of that name, behind a call of ours."""
    module = ModuleType(name)
    exec("def divide():\n    return 1 // 0", module.__dict__)
    try:
        module.divide()
    except ZeroDivisionError as error:
        return error
    raise AssertionError


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    point = SimpleNamespace(module=POINT.module, dist=SNAKE)
    monkeypatch.setattr("compiler.cli.culprit.entry_points", lambda group: (point,))


@pytest.mark.parametrize("name", ["snake", "snake.operator", "snake.deep.rule"])
def test_a_package_is_named_with_its_version(name: str) -> None:
    assert culprit(raised(name)) == f"pytest {SNAKE.version}"


@pytest.mark.parametrize("name", ["compiler.ops.linear", "snakes.operator", "torch.nn"])
def test_all_others_are_ours(name: str) -> None:
    assert culprit(raised(name)) == ""


def test_an_exception_that_was_never_raised_is_ours() -> None:
    assert culprit(ValueError("nowhere")) == ""
