"""Swap two folders in one step where the system can, so that a reader sees the old or the new."""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

RENAME_EXCHANGE = 2  # linux/fs.h
RENAME_SWAP = 2  # sys/stdio.h on macOS
AT_FDCWD = -100
UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM)


def exchange(one: Path, other: Path) -> bool:
    """Swap two existing paths of one file system atomically; False where the system cannot."""
    swap = _swap_call()
    if swap is None:
        return False
    if swap(os.fsencode(one), os.fsencode(other)) == 0:
        return True
    code = ctypes.get_errno()
    if code in UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(other))


def _swap_call() -> Callable[[bytes, bytes], int] | None:
    if os.name != "posix":
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    path, flags = ctypes.c_char_p, ctypes.c_uint
    if sys.platform == "linux" and hasattr(libc, "renameat2"):
        call = libc.renameat2
        call.argtypes = [ctypes.c_int, path, ctypes.c_int, path, flags]
        return lambda one, other: int(call(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE))
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        call = libc.renamex_np
        call.argtypes = [path, path, flags]
        return lambda one, other: int(call(one, other, RENAME_SWAP))
    return None
