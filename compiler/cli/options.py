"""Options that several commands share, so that each is spelled and explained once."""

from typing import Annotated

from cyclopts import Parameter

from compiler.passes import setting


def _repeated(name: str, metavar: str, help: str) -> Parameter:
    """An option that may be given several times."""
    return Parameter(name=name, metavar=metavar, negative="", show_default=False, help=help)


Specs = Annotated[
    str, Parameter(help="Spec files, folders that hold some, or `-` for stdin.", show_default=False)
]
OneSpec = Annotated[str, Parameter(help="A spec file, or `-` for stdin.")]
Set = Annotated[
    list[str] | None,
    _repeated(
        "--set",
        "PATH=VALUE",
        "Change a value of the spec, such as `d_model=2048`; may be repeated.",
    ),
]
Json = Annotated[
    bool,
    Parameter(
        name="--json", negative="", show_default=False, help="Answer with one JSON document."
    ),
]
OnnxTarget = Annotated[
    str,
    Parameter(
        metavar="portable|cpu|cuda",
        help="What the ONNX model runs on: any runtime, or ONNX Runtime's own operators there.",
    ),
]
OnnxPrecision = Annotated[
    str | None,
    Parameter(
        metavar="fp32|fp16|bf16|int8|int4",
        show_default=False,
        help="The numbers of the ONNX model's weights, without it fp32 and for CUDA bf16. Integers "
        "may say how many share a scale and how they are rounded, such as `int4:32:zero-point`.",
    ),
]
PrecisionMap = Annotated[
    list[str] | None,
    _repeated(
        "--precision-map",
        "PATHS=NUMBERS",
        "Numbers of the matrices that fit, such as `h.*.mlp.*=int8:32` or `head=float`; "
        "may be repeated, the first that fits decides.",
    ),
]
Assume = Annotated[
    str,
    Parameter(
        metavar="efficiency=0.8,reserve=2GiB",
        show_default=False,
        help="Change what is assumed of the device: `efficiency`, `bandwidth`, `reserve`, "
        "`overhead`.",
    ),
]
Flag = Parameter(negative="", show_default=False)
Precision = Annotated[setting.Precision, Parameter(help="The type that bytes are counted in.")]
CountedPrecision = Annotated[
    str,
    Parameter(
        metavar="fp32|bf16|fp16|int8|int4",
        help="The type that bytes are counted in. Integers are of weights alone, as `archc build` "
        "has them: `int4:32:zero-point` says how many share a scale and how they are rounded.",
    ),
]
CountedTarget = Annotated[
    str,
    Parameter(
        metavar="cuda|cpu",
        show_default=False,
        help="The build whose integers are counted: `cuda`, all else in bf16, if not said; or "
        "`cpu`, all else in fp32.",
    ),
]
Kernel = Annotated[
    setting.Kernel, Parameter(help="Whether attention is fused or written out product by product.")
]
Recompute = Annotated[
    setting.Recompute,
    Parameter(
        help="What training computes again instead of keeping it: the inside of attentions, or of "
        "whole layers."
    ),
]
Optimizer = Annotated[
    setting.Optimizer, Parameter(help="Whose states training keeps for each weight.")
]
Budget = Annotated[
    list[str] | None,
    _repeated(
        "--budget",
        "FILE",
        "A YAML file of limits as `budget:` has them, kept beside the spec's own; may be repeated.",
    ),
]
ProviderOptions = Annotated[
    list[str] | None,
    _repeated(
        "--provider-option",
        "KEY=VALUE",
        "Tell ONNX Runtime's CUDA provider something, such as `gpu_mem_limit=8000000000`; may "
        "be repeated.",
    ),
]
Build = Annotated[
    str, Parameter(help="A folder that `archc build` wrote, such as build/decoder/gpt2.")
]
Tokenizer = Annotated[
    str | None,
    Parameter(
        metavar="FILE", show_default=False, help="Instead of the folder's own tokenizer.json."
    ),
]
Arrays = Annotated[
    str | None,
    Parameter(metavar="FILE.npz", show_default=False, help="Inputs as arrays by their names."),
]
