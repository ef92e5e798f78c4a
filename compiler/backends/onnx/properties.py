"""What an ONNX file says of itself to whoever runs it: the properties of its model."""

from typing import Final

import compiler
from compiler.backends.onnx.listing import Listing
from compiler.ir.program import Program
from compiler.passes.logits import logits_of

PAST: Final = "archc.past"
"""The property that names what a decoder keeps: an input and its output, `a=b`, each."""
LOGITS: Final = "archc.logits"
"""The property that names the output with scores of a vocabulary."""
OUTPUTS: Final = "archc.outputs"
"""The property of a decoder with all outputs of the model; those it has not are its encoder's."""
SHARES: Final = "archc.shares"
"""The property of a decoder whose past and present may be one buffer, longer than what it holds."""
ZEROS: Final = "archc.zeros"
"""The property that names inputs which are zeros where a caller gives none."""


def properties(program: Program, listing: Listing) -> dict[str, str]:
    """The properties by name; those with nothing to say are left out."""
    pairs = zip(listing.past, listing.present, strict=True)
    said = {
        "archc.spec": program.path,
        "archc.spec_sha256": program.digest,
        "archc.version": compiler.__version__,
        ZEROS: " ".join(name for name, found in listing.inputs.items() if found.optional),
        PAST: " ".join(f"{past}={present}" for past, present in pairs),
        LOGITS: logits_of(program),
        OUTPUTS: " ".join(program.gives),
        SHARES: "true" if listing.shares else "",
    }
    return {name: found for name, found in said.items() if found}
