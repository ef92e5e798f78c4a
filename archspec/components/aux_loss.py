"""What the routers of a mixture of experts add to the loss of training."""

from typing import Annotated, ClassVar

from pydantic import Field, PlainValidator, WithJsonSchema

from archspec.components.component import Component
from archspec.components.fields import numeric, real

Weight = Annotated[
    float,
    PlainValidator(lambda v: real(v, 0)),
    WithJsonSchema(numeric("number", minimum=0)),
]


class AuxLoss(Component):
    """Weights of two losses, each computed by every router over the tokens of a batch."""

    word: ClassVar[str] = "aux_loss"
    paper: ClassVar[str] = "Fedus et al. 2022, eq. 4; Zoph et al. 2022, eq. 5"

    balance: Weight = Field(
        0.0, description="of the load-balancing loss: 1 where experts are chosen alike"
    )
    z: Weight = Field(0.0, description="of the mean squared log-sum-exp of the logits")
