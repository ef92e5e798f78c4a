"""The installed ONNX Runtime's own word on its operators and kernels, as a document."""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

DOMAINS: Final = ("", "com.microsoft")
OLDEST: Final = 18
"""The oldest operator set that we write; what ended before it is left out."""

PROVIDERS: Final = {"CPUExecutionProvider": "cpu", "CUDAExecutionProvider": "cuda"}
TYPES: Final = (
    *("float", "float16", "bfloat16", "double", "bool"),
    *("int64", "int32", "int8", "uint8", "int4", "uint4", "int2", "uint2"),
)
"""The element types that tables speak of, in this order."""

OPEN: Final = 2**31 - 1
"""The last version of a kernel that has no end."""

Kernel: TypeAlias = tuple[int, int | None, tuple[tuple[str, tuple[str, ...]], ...]]


def document() -> dict[str, Any]:
    """Schemas and kernels of the runtime that is imported.

    A schema is [since, inputs, outputs]; of a parameter it says the name of its type or `=` and the
    only type, then `?` for an optional one, `*` for several of one type and `**` for several of
    any. A kernel is [first version, last or null, types by name of type].
    """
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import (
        get_all_operator_schema,
        get_all_opkernel_def,
    )

    schemas: dict[str, list[Any]] = defaultdict(list)
    for found in get_all_operator_schema():
        if found.domain in DOMAINS:
            schemas[_name(found.domain, found.name)].append(_schema(found))
    kernels: dict[str, dict[str, list[Kernel]]] = {name: {} for name in PROVIDERS.values()}
    for found in get_all_opkernel_def():
        first, last = found.version_range
        ended = found.domain == "" and last < OLDEST
        if found.provider not in PROVIDERS or found.domain not in DOMAINS or ended:
            continue
        types = _types(found.type_constraints)
        if types is not None:
            name = _name(found.domain, found.op_name)
            known = kernels[PROVIDERS[found.provider]].setdefault(name, [])
            known.append((first, None if last == OPEN else last, types))
    return {
        "runtime": onnxruntime.__version__,
        "schemas": {name: _live(schemas[name]) for name in sorted(schemas)},
        **{
            provider: {name: [_plain(k) for k in merged(found[name])] for name in sorted(found)}
            for provider, found in kernels.items()
        },
    }


def text(document: Mapping[str, Any]) -> str:
    """A document as JSON, an operator a line."""
    entries = [f'"runtime": {json.dumps(document["runtime"])}']
    for key in ("schemas", *PROVIDERS.values()):
        lines = [f"  {json.dumps(name)}: {_said(found)}" for name, found in document[key].items()]
        entries.append(f'"{key}": {{\n' + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def merged(kernels: Iterable[Kernel]) -> list[Kernel]:
    """Kernels that differ in one type alone as one with all of them, in order."""
    found = sorted(set(kernels), key=_order)
    for at, one in enumerate(found):
        for other in found[at + 1 :]:
            joined = _joined(one, other)
            if joined is not None:
                return merged([joined, *(k for k in found if k not in (one, other))])
    return found


def _joined(one: Kernel, other: Kernel) -> Kernel | None:
    names = [[name for name, _ in kernel[2]] for kernel in (one, other)]
    if one[:2] != other[:2] or names[0] != names[1]:
        return None
    apart = [at for at, pair in enumerate(zip(one[2], other[2], strict=True)) if len({*pair}) == 2]
    if len(apart) > 1:
        return None
    types = list(one[2])
    for at in apart:
        name, first = one[2][at]
        types[at] = (name, _in_order({*first, *other[2][at][1]}))
    return (*one[:2], tuple(types))


def _types(
    constraints: Mapping[str, Sequence[str]],
) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
    """A kernel's types by name; None where one of them is none that tables speak of."""
    found = [
        (name, _in_order({_bare(each) for each in types}))
        for name, types in sorted(constraints.items())
    ]
    return None if any(not types for _, types in found) else tuple(found)


def _schema(found: Any) -> tuple[int, str, str]:
    only = {
        each.type_param_str: each.allowed_type_strs[0]
        for each in found.type_constraints
        if len(each.allowed_type_strs) == 1
    }
    ports = [" ".join(_port(each, only) for each in side) for side in (found.inputs, found.outputs)]
    return found.since_version, ports[0], ports[1]


def _port(found: Any, only: Mapping[str, str]) -> str:
    said = only.get(found.typeStr, found.typeStr)
    said = said if "(" not in said else f"={_bare(said)}"
    option = found.option.name
    if option == "Variadic":
        return f"{said}{'*' if found.isHomogeneous else '**'}"
    return f"{said}?" if option == "Optional" else said


def _live(schemas: Sequence[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """The versions that are in use from the oldest operator set on."""
    found = sorted(schemas)
    first = max((since for since, *_ in found if since <= OLDEST), default=0)
    return [each for each in found if each[0] >= first]


def _bare(said: str) -> str:
    """`tensor(float)` as `float`, `seq(tensor(float))` as it is."""
    return said[7:-1] if said.startswith("tensor(") else said


def _in_order(types: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*types} & {*TYPES}, key=TYPES.index))


def _order(kernel: Kernel) -> tuple[Any, ...]:
    first, last, types = kernel
    return first, OPEN if last is None else last, types


def _plain(kernel: Kernel) -> list[Any]:
    first, last, types = kernel
    return [first, last, {name: " ".join(each) for name, each in types}]


def _said(found: Any) -> str:
    return json.dumps(found, separators=(", ", ": "))


def _name(domain: str, operator: str) -> str:
    return f"{domain}.{operator}" if domain else operator


if __name__ == "__main__":
    sys.stdout.write(text(document()))
