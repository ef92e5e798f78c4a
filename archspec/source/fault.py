"""A value that is not what its place wants, raised while it is read and then reported."""


class Fault(ValueError):  # noqa: N818  # the reader's fault is a value on its way to the report
    """Why a value was refused.

    `label` stands under the marked text, `start` and `stop` narrow the mark to a part of it. A
    `silent` fault follows from another one that was reported already.
    """

    def __init__(
        self,
        code: str,
        message: str,
        label: str = "",
        *,
        help: str = "",
        start: int | None = None,
        stop: int | None = None,
        silent: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.label = label
        self.help = help
        self.start = start
        self.stop = stop
        self.silent = silent
