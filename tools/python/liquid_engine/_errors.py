# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Exceptions: each is also the builtin one that its kind of mistake has in Python."""
from . import _core


class Error(Exception):
    """What the library reports; ``status`` is its number (le_status)."""

    status = 0


class ArgumentError(Error, ValueError):
    """A value outside of what is allowed."""


class UnknownError(Error, LookupError):
    """A name that there is not."""


class ShapeError(Error, ValueError):
    """An array of the wrong shape."""


class DTypeError(Error, TypeError):
    """An array of the wrong type of elements."""


class DataError(Error, ValueError):
    """Data outside of the operation's domain."""


class OutOfMemory(Error, MemoryError):
    """No memory, on the host or on a device."""


class DeviceError(Error, RuntimeError):
    """A device was lost, or a kernel cannot be built."""


class WrongResult(Error, RuntimeError):
    """An implementation gave a wrong answer, and no other was left."""


class TimeLimit(Error, TimeoutError):
    """A time limit has passed."""


class Unsupported(Error, NotImplementedError):
    """Not supported here."""


class NoCandidate(Error, RuntimeError):
    """No implementation can answer the call; the text names each one's reason."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class Cancelled(Error, RuntimeError):
    """The call was cancelled."""


class InternalError(Error, RuntimeError):
    """A mistake of the library's own."""


# by -le_status
_core.set_errors([InternalError, ArgumentError, UnknownError, ShapeError, DTypeError, DataError, OutOfMemory,
                  OutOfMemory, DeviceError, DeviceError, WrongResult, TimeLimit, DeviceError, Unsupported, NoCandidate,
                  FileError, Cancelled, InternalError])
