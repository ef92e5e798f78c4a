"""Ctrl-C, and that nothing which catches errors takes it for one of its own."""

import signal
from dataclasses import dataclass
from types import FrameType


@dataclass
class Interruption:
    """Whether somebody asked to end; a handler of signals that breaks off what runs."""

    asked: bool = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Note the signal and raise KeyboardInterrupt, as Python does by itself."""
        self.asked = True
        raise KeyboardInterrupt

    def heed(self) -> None:
        """Handle Ctrl-C from now on, unless the process was started to ignore it."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self)

    def over(self) -> None:
        """Let nothing interrupt the end of the process: the answer is there."""
        if signal.getsignal(signal.SIGINT) is self:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
