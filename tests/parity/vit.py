"""A small Vision Transformer of transformers, and its sizes by the words of our specs."""

from torch import nn

from compiler.verify.module import shake

X, Q, L, H, D, M, CLASSES = 24, 6, 3, 4, 32, 56, 11
SIZES = {"image": X, "patch": Q, "d_model": D, "n_layers": L, "n_heads": H, "d_ff": M}


def small_vit() -> nn.Module:
    """With random weights, its attention spelt out."""
    import transformers

    config = transformers.ViTConfig(
        image_size=X,
        patch_size=Q,
        hidden_size=D,
        num_hidden_layers=L,
        num_attention_heads=H,
        intermediate_size=M,
        layer_norm_eps=1e-6,
        num_labels=CLASSES,
        attn_implementation="eager",
    )
    made: nn.Module = transformers.ViTForImageClassification(config).eval()
    shake(made)
    return made
