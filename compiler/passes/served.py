"""The form that model files have: a decoder takes its cache and gives it back."""

from compiler.ir.program import Program
from compiler.ir.target import Logits
from compiler.passes.encoder_decoder import encoder_decoder
from compiler.passes.last_position import last_position
from compiler.passes.recurrent import recurrent, resumed
from compiler.passes.stages import stages
from compiler.passes.stateless import is_state, stateless

WHOLE, ENCODER, DECODER = NAMES = ("model", "encoder", "decoder")
"""What the files of a model are called."""


def served(program: Program, logits: Logits = "last") -> dict[str, Program]:
    """`program` as it is deployed, a program for each file by its name.

    A decoder keeps its cache or its states, and gives the logits of its last position or of all.
    Over an encoded source it is the `decoder`, beside its `encoder`. Any other model computes all
    positions at once.
    """
    apart = encoder_decoder(program) or recurrent(program)
    if apart is not None:
        encoder, decoder = apart
        return {ENCODER: encoder, DECODER: decoder if logits == "all" else last_position(decoder)}
    whole = in_one(program)
    step = program if whole is program else resumed(program)
    if step is None:
        return {WHOLE: whole}
    return {WHOLE: step if logits == "all" else last_position(step)}


def runs(name: str, program: Program) -> str:
    """When the file of a program that is `served` as `name` runs."""
    if name == ENCODER:
        return "once for a source"
    main = program.main
    keeps = any(is_state(main.type(value)) for value in main.inputs.values())
    return "at every step" if keeps else "on whole sequences"


def in_one(program: Program) -> Program:
    """`program` in one piece: a decoder with its cache, all positions at once of anything else."""
    if not program.grown or stages(program.main, program.grown) is not None:
        return stateless(program)
    return program
