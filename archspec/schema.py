"""The language as JSON Schema 2020-12, for editors: completion, hover, errors while typing."""

from typing import Any

from archspec.components.described import NONE, Schema, component_schema, with_parts
from archspec.components.fields import EXPRESSION, numeric
from archspec.forms import closed, named, names, reference, text
from archspec.hints import hinted
from archspec.model.catalog import COMPONENTS, JOINING, mixers
from archspec.model.input import PACKED, SHAPES, Kind
from archspec.model.stacks import MAX_REPEAT

ID = "https://archspec-compiler.dev/archspec-1.schema.json"
PATCH: Schema = {"type": "object", "description": "dotted paths and the values put there"}
FREE = ("tokens", "frames", "vectors", "features")


def json_schema() -> Schema:
    """The schema of a spec file; a number may everywhere be an expression over `dims`."""
    parts = {
        word: {"title": kind.word, **component_schema(kind)}
        for word, kind in with_parts(COMPONENTS.values()).items()
    }
    schema: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "description": "A neural architecture for archc",
        "type": "object",
        "properties": top_level(),
        "additionalProperties": False,
        "$defs": {**parts, **levels()},
    }
    found: Schema = hinted(referred(schema))
    found["$defs"]["expression"] = {"title": "expression", **EXPRESSION}
    return found


def referred(part: Any) -> Any:
    """The part with every expression pattern replaced by a reference to its definition."""
    if part == EXPRESSION:
        return {"$ref": "#/$defs/expression"}
    if isinstance(part, dict):
        return {key: referred(value) for key, value in part.items()}
    return [referred(item) for item in part] if isinstance(part, list) else part


def top_level() -> Schema:
    return {
        "archspec": {"const": 1, "description": "version of the language"},
        "name": text("name of the model; generated code is called by it", maxLength=200),
        "about": text("what it is, in a sentence or two; lands in the generated docstring"),
        "extends": text("another spec file that this one lays its keys over"),
        "set": {**PATCH, "description": "patches applied after `extends`"},
        "dims": named(numeric("number"), "named sizes, for expressions everywhere below"),
        "inputs": named({"$ref": "#/$defs/input"}, "what the model is given"),
        "defaults": {"$ref": "#/$defs/defaults"},
        "blocks": named({"$ref": "#/$defs/block"}, "named layers to use in several stacks"),
        "graph": {
            **named({"$ref": "#/$defs/node"}, "named values in order, each one component"),
            "minProperties": 1,
        },
        "outputs": names("the results (default: the last node)"),
        "budget": {
            "type": "object",
            "description": "limits on totals of `archc cost --json`, at the lengths, options and "
            "device in a key; `fits` is what that device has room for",
            "additionalProperties": numeric("number", minimum=0),
            "examples": [
                {
                    "parameters": 8.1e9,
                    "kv_bytes@{B: 8, T: 4096}": 2e9,
                    "weights_bytes@{device: h200}": "fits",
                }
            ],
        },
        "weights": {
            "description": "a family of published weights, as `archc import --list` names them, "
            "or rules for a checkpoint's keys",
            "anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": rule()}],
        },
    }


def levels() -> Schema:
    """The definitions that are no components."""
    return {
        "input": input_schema(),
        "defaults": closed(inherited_settings(bias=True), "settings that sub-layers inherit"),
        "block": closed(
            {
                "params": named(numeric("number"), "sizes that uses may give, with defaults"),
                "layer": {"$ref": "#/$defs/layer"},
            },
            "a layer with parameters",
            required=["layer"],
        ),
        "node": node_schema(),
        "stack": stack_schema(),
        "layer": layer_schema(),
        "sublayer": sublayer_schema(),
        "mixer": closed(
            {**mixer_schemas(), "norm": reference("norm", "its own norm before it")},
            "one of several mixers under one residual step",
        ),
    }


def node_schema() -> Schema:
    words = ["stack", *COMPONENTS]
    properties = {word: {"$ref": f"#/$defs/{word}"} for word in words}
    edges = names("what it reads (default: the node above)")
    after = text("with `extends`: the node that this new one follows")
    schema = closed({**properties, "in": edges, "after": after}, "one component and what it reads")
    joins = f"several values for {' and '.join(f'`{word}`' for word in JOINING)}"
    schema["properties"]["in"]["description"] += f"; {joins}"
    schema["anyOf"] = [{"required": [word]} for word in words]
    return schema


def stack_schema() -> Schema:
    times = closed({"times": numeric("integer", minimum=1), "patch": PATCH}, "a repeated patch")
    return closed(
        {
            "repeat": {
                **numeric("integer", minimum=1, maximum=MAX_REPEAT),
                "description": "how many layers",
            },
            "layer": {"$ref": "#/$defs/layer"},
            "cycle": {
                "type": "array",
                "minItems": 1,
                "description": "patches by turns: layer i gets the one at i modulo their number",
                "items": {"anyOf": [times, PATCH]},
            },
            "at": {
                "type": "object",
                "description": "patches by layer: an index, a negative one, a range `0..3`",
                "additionalProperties": PATCH,
            },
            "share": {
                "type": "boolean",
                "default": False,
                "description": "one set of weights for all layers",
            },
        },
        "`repeat` layers, varied by patches",
        required=["repeat", "layer"],
    )


def layer_schema() -> Schema:
    use = closed(
        {
            "use": text("a block of `blocks:`"),
            "with": named(numeric("number"), "values of its parameters"),
            "set": PATCH,
        },
        "an instance of a block",
        required=["use"],
    )
    return {
        "type": "object",
        "description": "sub-layers in order, each one residual step, or `{use: block}`",
        "if": {"required": ["use"]},
        "then": use,
        "else": {"additionalProperties": {"$ref": "#/$defs/sublayer"}, "minProperties": 1},
    }


def sublayer_schema() -> Schema:
    parallel = {
        "type": "object",
        "description": "several mixers whose outputs are added",
        "additionalProperties": {"$ref": "#/$defs/mixer"},
        "minProperties": 1,
    }
    factor = numeric("number")
    schema = closed(
        {
            **mixer_schemas(),
            "parallel": parallel,
            **inherited_settings(bias=False),
            "branch_scale": {**factor, "default": 1, "description": "factor on the branch"},
            "skip_scale": {**factor, "default": 1, "description": "factor on what goes past it"},
            "layerscale": {
                "anyOf": [*factor["anyOf"], NONE],
                "description": "start of a learned factor for each coordinate of the branch",
            },
            "drop_path": {
                **numeric("number", minimum=0, maximum=1),
                "default": 0,
                "description": "share of the rows that go past the branch in training",
            },
            "after": text("with `extends`: the sub-layer that this new one follows"),
        },
        "one residual step around one mixer",
    )
    schema["anyOf"] = [{"required": [word]} for word in (*mixers(), "parallel")]
    return schema


def inherited_settings(bias: bool) -> Schema:
    place = {"enum": ["pre", "out", "post"]}
    rate = numeric("number", minimum=0, maximum=1)
    rates = dict.fromkeys(("residual", "attention", "hidden", "embed"), rate)
    normal = closed(
        {"normal": numeric("number"), "residual": {"enum": ["depth_scaled", "none"]}},
        "a normal distribution",
        required=["normal"],
    )
    settings: Schema = {
        "norm": reference("norm", "the norm of each sub-layer"),
        "norm_at": {
            "description": "where it stands: before the mixer, on its output, behind the addition",
            "anyOf": [place, NONE, {"type": "array", "items": place, "uniqueItems": True}],
        },
        "dropout": {
            "description": "a number for residual and embed, or a mapping by place",
            "default": 0,
            "anyOf": [*rate["anyOf"], closed(rates, "by place")],
        },
        "init": {
            "description": "how parameters are drawn; `xavier` draws tables N(0, 1/D)",
            "default": "torch",
            "anyOf": [{"enum": ["torch", "xavier"]}, normal],
        },
    }
    if bias:
        who = "attention, mlp, experts, linear, patches, conv and conv_stem"
        said = f"whether maps have a bias; inherited by {who}"
        settings["bias"] = {"type": "boolean", "default": False, "description": said}
    return settings


def input_schema() -> Schema:
    shaped = [kind for kind in SHAPES if kind != "count"]
    forms = [closed({kind: form(kind)}, "kind and shape", [kind]) for kind in shaped]
    return {
        "description": "`tokens`, `count`, or one of the kinds with its shape",
        "anyOf": [
            {"const": "tokens"},
            {"const": "count"},
            *forms,
        ],
    }


def form(kind: Kind) -> Schema:
    names_ = SHAPES[kind].split(", ")
    size = {"anyOf": [*numeric("integer", minimum=1)["anyOf"]]}
    shape = {
        "type": "array",
        "items": size,
        "minItems": len(names_),
        "maxItems": len(names_),
        "description": f"[{SHAPES[kind]}]",
    }
    options: Schema = {} if kind == "tokens" else {"shape": shape}
    if kind in FREE:
        options["max"] = {**numeric("integer", minimum=1), "description": "context length"}
        options["padded"] = {
            "type": "boolean",
            "default": False,
            "description": "adds a boolean input `<name>_mask`, true where the row is real",
        }
    if kind in PACKED:
        options["segments"] = {
            "type": "boolean",
            "default": False,
            "description": "adds an integer input `<name>_segments`, the document of each position",
        }
    long = closed(
        options, f"{kind} [{SHAPES[kind]}]", required=list(options)[:1] * ("shape" in options)
    )
    return long if kind == "tokens" else {"anyOf": [shape, long]}


def rule() -> Schema:
    target = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    return {
        "anyOf": [
            {"type": "string", "description": "our name, or `drop`"},
            closed({"to": target, "op": target}, "names and an operator", required=["to"]),
        ]
    }


def mixer_schemas() -> Schema:
    return {word: {"$ref": f"#/$defs/{word}"} for word in mixers()}
