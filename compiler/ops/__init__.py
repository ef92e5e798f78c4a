"""The operators, one file each: signature, parameters, cost, torch text and ONNX nodes in one class."""

from compiler.ops.activation import Activation
from compiler.ops.add import Add
from compiler.ops.add_rows import AddRows
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.borrow import Borrow
from compiler.ops.cache import CacheUpdate
from compiler.ops.causal_mask import CausalMask
from compiler.ops.concat import Concat
from compiler.ops.conv1d import Conv1d
from compiler.ops.conv2d import Conv2d
from compiler.ops.dropout import Dropout
from compiler.ops.embedding import Embedding
from compiler.ops.flatten import FlattenGrid
from compiler.ops.heads import MergeHeads, SplitHeads
from compiler.ops.key_mask import KeyMask
from compiler.ops.l2_norm import L2Norm
from compiler.ops.layer_norm import LayerNorm
from compiler.ops.layer_scale import LayerScale
from compiler.ops.linear import Linear
from compiler.ops.multiply import Multiply
from compiler.ops.pool import EosPool, IndexPool, LastPool, MaskedMeanPool, MeanPool
from compiler.ops.positions import LearnedPositions
from compiler.ops.prepend import Prepend
from compiler.ops.rms_norm import RmsNorm
from compiler.ops.rope import RopeAngles, Rotate
from compiler.ops.scale import Scale
from compiler.ops.shared import SharedEmbedding, SharedLinear
from compiler.ops.sinusoid import Sinusoid
from compiler.ops.split import Split
from compiler.ops.take_type import TypeEmbedding

__all__ = [
    "Activation",
    "Add",
    "AddRows",
    "Borrow",
    "CacheUpdate",
    "CausalMask",
    "Concat",
    "Conv1d",
    "Conv2d",
    "Dropout",
    "Embedding",
    "EosPool",
    "FlattenGrid",
    "IndexPool",
    "KeyMask",
    "L2Norm",
    "LastPool",
    "LayerNorm",
    "LayerScale",
    "LearnedPositions",
    "Linear",
    "MaskedMeanPool",
    "MeanPool",
    "MergeHeads",
    "Multiply",
    "Prepend",
    "RmsNorm",
    "RopeAngles",
    "Rotate",
    "Scale",
    "ScaledDotProductAttention",
    "SharedEmbedding",
    "SharedLinear",
    "Sinusoid",
    "Split",
    "SplitHeads",
    "TypeEmbedding",
]
