"""What was published beside a model's weights and lies in its folder: ids, labels, lengths."""

import json
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from archspec.source.frozen import Frozen

CONFIGS: Final = ("generation_config.json", "config.json")
"""Files that name ids of a text's begin and end, the first that does; transformers' own."""
MANIFEST: Final = "manifest.json"


class Published(Frozen):
    """What is known of a model beside its file; empty where nobody said it.

    Attributes:
        stop: ids that end a text.
        start: the first ids of a decoder that reads an encoder.
        never, never_first: ids that are not chosen, at all or as the first one.
        labels: the names of the classes, by number.
        longest: the most places that an input has, by its name.
        vocabularies: how many ids there are for an input, by its name.
    """

    stop: tuple[int, ...] = ()
    start: tuple[int, ...] = ()
    never: tuple[int, ...] = ()
    never_first: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    longest: Mapping[str, int] = field(default_factory=dict)
    vocabularies: Mapping[str, int] = field(default_factory=dict)


def read_published(folder: Path) -> Published:
    """What lies in the folder of a model; a file that is none of ours says nothing."""
    configs = [read_object(folder / name) for name in CONFIGS]
    model = read_object(folder / MANIFEST).get("model")
    about = model if isinstance(model, dict) else {}
    return Published(
        stop=first_ids(configs, "eos_token_id"),
        start=_start(configs),
        never=first_ids(configs, "suppress_tokens"),
        never_first=first_ids(configs, "begin_suppress_tokens"),
        labels=_labels(configs[-1].get("id2label")),
        longest=_numbers(about.get("longest")),
        vocabularies=_numbers(about.get("vocabularies")),
    )


def _numbers(said: Any) -> dict[str, int]:
    """Numbers by the names of inputs."""
    found = said if isinstance(said, dict) else {}
    return {name: number for name, number in found.items() if type(number) is int}


def read_object(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def first_ids(configs: list[dict[str, Any]], word: str) -> tuple[int, ...]:
    """The ids of the first of some configs that names any under `word`, one or a list."""
    return next((ids for said in configs if (ids := _ids(said.get(word)))), ())


def _ids(said: object) -> tuple[int, ...]:
    some: list[Any] = said if isinstance(said, list) else [said]
    return tuple(some) if all(type(each) is int and each >= 0 for each in some) else ()


def _start(configs: list[dict[str, Any]]) -> tuple[int, ...]:
    """The id that a decoder starts with and those forced after it, which Whisper's configs have as
    `[[1, 50362]]`; none where one of them is left open, as a language is."""
    first = first_ids(configs, "decoder_start_token_id")
    forced: Any = next((f for said in configs if (f := said.get("forced_decoder_ids"))), [])
    pairs = forced if isinstance(forced, list) else []
    after = [each[1] if isinstance(each, list) and len(each) == 2 else None for each in pairs]
    return (*first, *_ids(after)) if first and len(_ids(after)) == len(pairs) else ()


def _labels(said: object) -> tuple[str, ...]:
    """`{"0": "cat", "1": "dog"}` in order; nothing where a number is missing."""
    found = said if isinstance(said, dict) else {}
    names = [found.get(str(number)) for number in range(len(found))]
    return tuple(map(str, names)) if None not in names else ()
