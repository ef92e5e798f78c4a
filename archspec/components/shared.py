"""What every token passes beside the experts of a mixture."""

from typing import ClassVar

from pydantic import Field

from archspec.components.fields import Flag
from archspec.components.mlp import Mlp


class Shared(Mlp):
    """A feed-forward network whose output is added to that of the chosen experts.

    Several shared experts are one network as wide as all of them (DeepSeek-V2). `token_gate`
    multiplies it by the sigmoid of a learned map of the token to one number (Qwen1.5-MoE).
    """

    word: ClassVar[str] = "shared"
    paper: ClassVar[str] = "Dai et al. 2024"

    token_gate: Flag = Field(False, description="weigh it by a sigmoid of the token")
