"""The language as reading matter: its words and keys, from the schema that editors read."""

import inspect
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from archspec.model.catalog import COMPONENTS
from archspec.schema import json_schema
from archspec.source.frozen import Frozen
from archspec.source.suggest import did_you_mean
from compiler.answer import CannotAnswer
from compiler.cli.forms import Form, default, said, shown, taken

LEVELS = ("input", "defaults", "block", "node", "stack", "layer", "sublayer", "mixer")
DEEPEST = 4
"""How many keys a path may have behind its word; the language has no deeper ones."""
USAGE = "`archc explain CODE|WORD|WORD.KEY|op NAME`, such as `attention.kv_heads`"


def word_text(path: str) -> str:
    """The page of a word (`stack`, `attention`) or a key (`attention.rope.theta`, `kv_heads`).

    Raises CannotAnswer for words that the language does not have, or not in this version.
    """
    return Language(json_schema()).page(path)


def known_words() -> list[str]:
    """The words that have a page of their own, sorted."""
    return sorted(Language(json_schema()).words)


class Language(Frozen):
    """The words of a schema."""

    schema: Form

    @cached_property
    def words(self) -> dict[str, Form]:
        """What has a page of its own: components, levels and the top keys of a spec."""
        parts = {word: self.schema["$defs"][word] for word in (*COMPONENTS, *LEVELS)}
        return {**self.schema["properties"], **parts}

    def page(self, path: str) -> str:
        """The page of a dotted path, its first word a word or any key."""
        first, *keys = path.split(".")
        if first in self.words:
            return self._found(first, keys)
        owners = [word for word in self.words if first in self.keys(self.words[word])]
        if keys:
            owners = [w for w in owners if keys[0] in self.keys(self.keys(self.words[w])[first])]
        if len(owners) == 1 or (owners and keys):
            return self._found(owners[0], [first, *keys])
        if owners:
            return self._listed(first, owners)
        deep = self._deep(path)
        if len(deep) == 1:
            return self.page(*deep)
        if deep:
            return "\n".join([f"`{path}` is a key of several:", "", *self._table(deep)])
        raise _unknown(path, first, self._everything())

    def _found(self, word: str, keys: list[str]) -> str:
        form, name, required = self.words[word], word, False
        for key in keys:
            owner = self._owner(form, key)
            if owner is None:
                raise _no_key(name, key, self.keys(form))
            form, name, required = self.keys(owner)[key], key, self._required(owner, key)
        if keys:
            return "\n".join(self._key_page(".".join((word, *keys)), form, required))
        return "\n".join(self._word_page(word, form))

    def _owner(self, form: Form, key: str) -> Form | None:
        """The mapping that knows a key: the form, what its names stand for, or one below it."""
        named = self.named(form)
        near = [form, *([named] if named else []), *self.keys(form).values()]
        return next((each for each in near if key in self.keys(each)), None)

    def _deep(self, path: str) -> dict[str, Form]:
        """The keys further down whose path ends like that, those nearest to a word."""
        level = {word: form for word, form in self.words.items() if word not in LEVELS}
        while level:
            level = {
                f"{owner}.{key}": each
                for owner, form in level.items()
                for key, each in self.keys(form).items()
                if not self._elsewhere(each) and owner.count(".") < DEEPEST
            }
            found = {name: form for name, form in level.items() if name.endswith(f".{path}")}
            if found:
                return found
        return {}

    def _elsewhere(self, form: Form) -> bool:
        """Whether a form is that of a word with a page, which tells its keys."""
        ways = [form, *form.get("anyOf", ())]
        return any(way.get("$ref", "").rpartition("/")[2] in self.words for way in ways)

    def _listed(self, key: str, owners: list[str]) -> str:
        forms = {f"{word}.{key}": self.keys(self.words[word])[key] for word in owners}
        return "\n".join([f"`{key}` is a key of several:", "", *self._table(forms)])

    def _word_page(self, word: str, form: Form) -> Iterator[str]:
        kind = COMPONENTS.get(word)
        yield f"`{word}`: {inspect.getdoc(kind) if kind else said(self.whole(form))}"
        yield ""
        yield from self._keys(form)
        if kind is not None and kind.later:
            yield ""
            yield f"of the language but not of this version: {', '.join(sorted(kind.later))}"

    def _key_page(self, path: str, form: Form, required: bool) -> Iterator[str]:
        whole = self.whole(form)
        yield f"`{path}`: {self._said(form)}"
        yield ""
        yield f"  takes     {taken(self, form)}"
        yield f"  default   {'must be written' if required else default(whole)}"
        if whole.get("examples"):
            yield f"  examples  {', '.join(map(shown, whole['examples']))}"
        if self.keys(form):
            yield ""
            yield from self._keys(form)

    def _keys(self, form: Form) -> Iterator[str]:
        keys, named = self.keys(form), self.named(form)
        if keys:
            yield from self._table(keys)
        elif named is not None:
            plain = [way for way in self.ways(form) if self.named(way) is None]
            others = "".join(f"{taken(self, way)}, or " for way in plain)
            yield f"It takes {others}names of your own, each with {taken(self, named)}."
        else:
            yield f"It takes {taken(self, form)}."
        if examples := self.whole(form).get("examples"):
            yield ""
            yield f"  examples  {', '.join(map(shown, examples))}"

    def _table(self, forms: dict[str, Form]) -> list[str]:
        width = max(map(len, forms))
        return [f"  {name:<{width}}  {self._said(form)}" for name, form in forms.items()]

    def _said(self, form: Form) -> str:
        return said(self.whole(form)) or taken(self, form)

    def _required(self, form: Form, key: str) -> bool:
        """Whether every form of a mapping that knows a key wants it."""
        owners = [way for way in self.ways(form) if key in way.get("properties", {})]
        return bool(owners) and all(key in way.get("required", ()) for way in owners)

    def whole(self, form: Form) -> Form:
        """A form with what it refers to; its own description goes before that one's."""
        if "$ref" not in form:
            return form
        target = self.schema["$defs"][form["$ref"].rpartition("/")[2]]
        return {**self.whole(target), **{k: v for k, v in form.items() if k != "$ref"}}

    def ways(self, form: Form) -> Iterator[Form]:
        """The alternatives of a form, those of its alternatives too."""
        whole = self.whole(form)
        parts = [*whole.get("anyOf", ()), *(whole[k] for k in ("then", "else") if k in whole)]
        if "properties" in whole or not parts:
            yield whole
        for part in parts if "properties" not in whole else ():
            yield from self.ways(part)

    def keys(self, form: Form) -> dict[str, Form]:
        """The keys of a mapping in all its forms; a key that is all of a form means what that
        does."""
        found: dict[str, Form] = {}
        for way in self.ways(form):
            keys = way.get("properties", {})
            meaning = way.get("description") if list(keys) == [way.get("title")] else None
            about = {"description": meaning} if meaning else {}
            found.update({key: {**about, **each} for key, each in keys.items()})
        return found

    def named(self, form: Form) -> Form | None:
        """What stands under names of the writer's own; None where there are none."""
        found = (way.get("additionalProperties") for way in self.ways(form))
        return next((each for each in found if isinstance(each, dict)), None)

    def _everything(self) -> Iterable[str]:
        return {*self.words, *(key for form in self.words.values() for key in self.keys(form))}


def _unknown(path: str, word: str, known: Iterable[str]) -> CannotAnswer:
    later = [f"`{name}.{word}`" for name, kind in COMPONENTS.items() if word in kind.later]
    if later:
        return CannotAnswer(f"{later[0]} is part of the language but not of this version")
    return CannotAnswer(f"nothing known about `{path}`", did_you_mean(word, sorted(known)) or USAGE)


def _no_key(word: str, key: str, known: dict[str, Any]) -> CannotAnswer:
    kind = COMPONENTS.get(word)
    if kind is not None and key in kind.later:
        return CannotAnswer(f"`{key}` is part of the language but not of this version")
    if not known:
        return CannotAnswer(f"`{word}` has no keys of its own")
    hint = did_you_mean(key, known) or f"it has {', '.join(known)}"
    return CannotAnswer(f"`{word}` has no key `{key}`", hint)
