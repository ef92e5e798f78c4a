"""What published image encoders have in common: the picture, its patches, sizes, classes."""

from archspec.source.frozen import Frozen
from compiler.importers.config.config import Config
from compiler.importers.config.written import Written, said

Side = int | list[int]


def side(config: Config, word: str) -> Side:
    """A height and width, one number where they are equal; 1 after reporting that it is none."""
    value = config.get(word)
    if not isinstance(value, list):
        return config.whole(word)
    if len(value) != 2 or not all(type(n) is int and 0 < n <= 2**20 for n in value):
        config.refuse(word, "must be a whole number or [height, width]")
        return 1
    return value[0] if value[0] == value[1] else list(value)


class Picture(Frozen):
    """The image that a model was trained on and the patches that it is cut into.

    Sides that are one number are called `image` and `patch` in `dims:`.
    """

    image: Side
    patch: Side
    channels: int

    @classmethod
    def of(cls, config: Config) -> "Picture":
        """What a config says of it."""
        return cls(
            side(config, "image_size"), side(config, "patch_size"), config.whole("num_channels")
        )

    @property
    def dims(self) -> Written:
        """The sides for `dims:`."""
        found = {"image": self.image, "patch": self.patch}
        return {name: one for name, one in found.items() if isinstance(one, int)}

    @property
    def input(self) -> Written:
        """The input: an image of the size that it was trained on."""
        sides = self.image if isinstance(self.image, list) else ["image", "image"]
        return {"image": [self.channels, *sides]}

    def patches(self, dim: str, **more: object) -> Written:
        """`patches:` of a width, with positions that were learned for this image."""
        sizes = {
            "size": "patch" if isinstance(self.patch, int) else self.patch,
            "image": "image" if isinstance(self.image, int) else self.image,
            "channels": None if self.channels == 3 else self.channels,
        }
        return said(**sizes, dim=dim, positions="learned", **more)


def sizes(config: Config, picture: Picture, hidden: int | None = None) -> Written:
    """`dims:` of an encoder of images; `hidden` where no key says the inner width."""
    return {
        **picture.dims,
        "d_model": config.whole("hidden_size"),
        "n_layers": config.whole("num_hidden_layers"),
        "n_heads": config.whole("num_attention_heads"),
        "d_ff": hidden or config.whole("intermediate_size"),
    }


def classes(config: Config, tensor: str) -> int:
    """How many classes a head tells apart: the rows of its tensor, else what the labels say."""
    found = config.tensors.find(tensor)
    if found is not None and found.shape:
        return found.shape[0]
    labels = config.get("id2label")
    return (
        len(labels) if isinstance(labels, dict) and labels else (config.optional("num_labels") or 2)
    )


def attention(config: Config, **more: object) -> Written:
    """Attention of all patches to all, whose queries, keys and values have a bias by a flag."""
    bias = None if config.flag("qkv_bias", otherwise=True) else "o"
    return {"attention": said(heads="n_heads", bias=bias, **more)}
