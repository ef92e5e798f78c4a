import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compiler.importers.config.places import Path, places

TEXT = '{"a": 1,\n  "b": {"c\\"d": [true, {"e": null}]},\n  "é": "x: {y}, [z]"}'
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def test_keys_and_values_have_their_lines_and_columns() -> None:
    found = places(TEXT, "config.json")
    assert list(found) == [
        ("a",),
        ("b",),
        ("b", 'c"d'),
        ("b", 'c"d', 0),
        ("b", 'c"d', 1),
        ("b", 'c"d', 1, "e"),
        ("é",),
    ]
    at = {path: (p.key.line, p.key.column, p.value.column) for path, p in found.items()}
    assert at["a",] == (1, 2, 7)
    assert at["b", 'c"d'] == (2, 9, 17)
    assert at["b", 'c"d', 0] == (2, 18, 18)
    assert at["é",] == (3, 3, 8)
    assert found["é",].value.end_column == 8 + len('"x: {y}, [z]"')


@given(st.dictionaries(st.text(), VALUES), st.sampled_from([None, 1, 4]))
def test_every_path_of_any_json_is_found_where_it_stands(said: Any, indent: int | None) -> None:
    text = json.dumps(said, indent=indent)
    lines = text.split("\n")
    found = places(text, "")
    assert set(found) == set(paths(said, ()))
    for path, place in found.items():
        line = lines[place.key.line - 1][place.key.column - 1 : place.key.end_column - 1]
        if isinstance(path[-1], str):
            assert json.loads(line) == path[-1]


def paths(value: Any, above: Path) -> list[Path]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[Path] = []
    for key, item in items:
        found.append((*above, key))
        found += paths(item, (*above, key)) if isinstance(item, dict | list) else []
    return found
