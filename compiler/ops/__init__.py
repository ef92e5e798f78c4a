"""The operators, one file each: signature, parameters, cost, torch text and ONNX nodes in one
class."""

from compiler.ops.activation import Activation
from compiler.ops.add import Add
from compiler.ops.add_rows import AddRows
from compiler.ops.alibi import Alibi
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.biased_attention import BiasedAttention
from compiler.ops.borrow import Borrow
from compiler.ops.bucket_bias import BucketBias
from compiler.ops.cache import CacheUpdate
from compiler.ops.carried_state import PastState, PresentState
from compiler.ops.causal_mask import CausalMask
from compiler.ops.cell import Cell, LstmCell
from compiler.ops.clamped_glu import ClampedGlu
from compiler.ops.clip import Clip
from compiler.ops.concat import Concat
from compiler.ops.concat_rows import ConcatRows
from compiler.ops.contrast import Contrast
from compiler.ops.conv1d import Conv1d
from compiler.ops.conv2d import Conv2d
from compiler.ops.counted_places import CountedPlaces, RealIds
from compiler.ops.disentangled_bias import DisentangledBias
from compiler.ops.dispatch import Combine, Dispatch
from compiler.ops.distance_buckets import DistanceBuckets
from compiler.ops.distance_rows import DistanceRows
from compiler.ops.distance_table import DistanceTable
from compiler.ops.drop_path import DropPath
from compiler.ops.dropout import Dropout
from compiler.ops.embedding import Embedding
from compiler.ops.explicit_attention import ExplicitAttention
from compiler.ops.flatten import FlattenGrid
from compiler.ops.frame_conv import FrameConv
from compiler.ops.grid_offsets import GridOffsets
from compiler.ops.grouped_linear import GroupedLinear
from compiler.ops.hand_over import HandOver
from compiler.ops.head_norm import HeadNorm
from compiler.ops.heads import MergeHeads, SplitHeads
from compiler.ops.insert import Insert
from compiler.ops.join import AllReal, Join, JoinMasks
from compiler.ops.joint_cache import JointCacheUpdate
from compiler.ops.key_mask import KeyMask
from compiler.ops.l2_norm import L2Norm
from compiler.ops.last_position import LastPosition
from compiler.ops.latent_attention import LatentAttention
from compiler.ops.layer_norm import LayerNorm
from compiler.ops.layer_scale import LayerScale
from compiler.ops.linear import Linear
from compiler.ops.masked_bias import MaskedBias
from compiler.ops.mixture import Mixture, SourceWeights
from compiler.ops.multiply import Multiply
from compiler.ops.paired_linear import PairedLinear
from compiler.ops.per_head_norm import PerHeadNorm
from compiler.ops.placed_angles import PlacedAngles
from compiler.ops.placed_positions import PlacedPositions
from compiler.ops.pool import EosPool, IndexPool, LastPool, MaskedMeanPool, MeanPool
from compiler.ops.positions import LearnedPositions
from compiler.ops.prefix_mask import PrefixMask
from compiler.ops.prepend import Prepend
from compiler.ops.probe import Probe
from compiler.ops.recurrence import LstmRecurrence, Recurrence
from compiler.ops.resized_positions import ResizedPositions
from compiler.ops.restart import Newest, NewestReal, Restart
from compiler.ops.rms_norm import RmsNorm
from compiler.ops.rope_angles import RopeAngles
from compiler.ops.rotate import Rotate
from compiler.ops.router import Router
from compiler.ops.row_cache import RowCacheUpdate
from compiler.ops.scale import Scale
from compiler.ops.scores import AdditiveScores, DotScores
from compiler.ops.seen_mask import SeenMask
from compiler.ops.shared import SharedEmbedding, SharedLinear
from compiler.ops.sink import ScoreSum, Sink
from compiler.ops.sinusoid import PlacedSinusoid, Sinusoid
from compiler.ops.softcap import Softcap
from compiler.ops.split import Split
from compiler.ops.stacked_cell import StackedCell, StackedLstmCell
from compiler.ops.states import (
    BesideEach,
    LayerState,
    LayerStates,
    ZeroState,
    ZeroStates,
)
from compiler.ops.strided_mask import StridedMask
from compiler.ops.swap import Swap
from compiler.ops.take_type import TypeEmbedding
from compiler.ops.temperature import PlacedTemperatures, Sharpen, Temperatures
from compiler.ops.token_gate import TokenGate
from compiler.ops.zero_padding import ZeroPadding

__all__ = [
    "Activation",
    "Add",
    "AddRows",
    "AdditiveScores",
    "Alibi",
    "AllReal",
    "BesideEach",
    "BiasedAttention",
    "Borrow",
    "BucketBias",
    "CacheUpdate",
    "CausalMask",
    "Cell",
    "ClampedGlu",
    "Clip",
    "Combine",
    "Concat",
    "ConcatRows",
    "Contrast",
    "Conv1d",
    "Conv2d",
    "CountedPlaces",
    "DisentangledBias",
    "Dispatch",
    "DistanceBuckets",
    "DistanceRows",
    "DistanceTable",
    "DotScores",
    "DropPath",
    "Dropout",
    "Embedding",
    "EosPool",
    "ExplicitAttention",
    "FlattenGrid",
    "FrameConv",
    "GridOffsets",
    "GroupedLinear",
    "HandOver",
    "HeadNorm",
    "IndexPool",
    "Insert",
    "Join",
    "JoinMasks",
    "JointCacheUpdate",
    "KeyMask",
    "L2Norm",
    "LastPool",
    "LastPosition",
    "LatentAttention",
    "LayerNorm",
    "LayerScale",
    "LayerState",
    "LayerStates",
    "LearnedPositions",
    "Linear",
    "LstmCell",
    "LstmRecurrence",
    "MaskedBias",
    "MaskedMeanPool",
    "MeanPool",
    "MergeHeads",
    "Mixture",
    "Multiply",
    "Newest",
    "NewestReal",
    "PairedLinear",
    "PastState",
    "PerHeadNorm",
    "PlacedAngles",
    "PlacedPositions",
    "PlacedSinusoid",
    "PlacedTemperatures",
    "PrefixMask",
    "Prepend",
    "PresentState",
    "Probe",
    "RealIds",
    "Recurrence",
    "ResizedPositions",
    "Restart",
    "RmsNorm",
    "RopeAngles",
    "Rotate",
    "Router",
    "RowCacheUpdate",
    "Scale",
    "ScaledDotProductAttention",
    "ScoreSum",
    "SeenMask",
    "SharedEmbedding",
    "SharedLinear",
    "Sharpen",
    "Sink",
    "Sinusoid",
    "Softcap",
    "SourceWeights",
    "Split",
    "SplitHeads",
    "StackedCell",
    "StackedLstmCell",
    "StridedMask",
    "Swap",
    "Temperatures",
    "TokenGate",
    "TypeEmbedding",
    "ZeroPadding",
    "ZeroState",
    "ZeroStates",
]
