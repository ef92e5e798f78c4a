"""A value that is not what its place wants: raised while a value is read, reported with its span."""


class Fault(ValueError):
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
