# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Options of calls for a block of code."""
from __future__ import annotations

import contextvars

from . import _core

_open = contextvars.ContextVar("liquid_engine.options", default={})
# Blocks, each with the options before it.
_around = contextvars.ContextVar("liquid_engine.blocks", default=())
_words = frozenset(_core.option_names) - {"out", "outputs"}


def of_blocks():
    """Options of the blocks that are open around the caller."""
    return _open.get()


class options:
    """Options of the calls in a block: ``with options(mode="frozen", atol=1e-3): ...``, unless they say otherwise.

    Blocks of other threads and tasks are not disturbed; blocks within blocks add up.

    Parameters
    ----------
    **words
        Options as every call takes them: ``rtol``, ``atol``, ``device``, ``mode`` ...
    """

    def __init__(self, **words):
        for word in words:
            if word not in _words:
                import difflib
                near = difflib.get_close_matches(word, _words, 1)
                raise TypeError(f"there is no option {word!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
        self._given = words

    def __enter__(self):
        _core.count_blocks(1)
        _around.set((*_around.get(), (self, _open.get())))
        _open.set({**_open.get(), **self._given})
        return self

    def __exit__(self, *_):
        blocks = _around.get()
        last = max((i for i, (block, _) in enumerate(blocks) if block is self), default=None)
        if last is None:
            raise RuntimeError("options: a block is left in the thread or task that has entered it")
        _open.set(blocks[last][1])
        _around.set((*blocks[:last], *blocks[last + 1:]))
        _core.count_blocks(-1)


def _trace(function, args, words):
    from ._chain import trace
    return trace(function, args, words)


def _named(function, values, names):
    from ._functions import named
    return named(function, values, names)


class _Bar:
    """A tqdm bar where that is installed, else a line on stderr that is written anew."""

    def __init__(self):
        try:
            from tqdm.auto import tqdm
            self._bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}", leave=False)
        except ImportError:
            self._bar = None

    def __call__(self, done):
        if done != done:
            return
        if self._bar is not None:
            self._bar.n = done
            self._bar.refresh()
        else:
            import sys
            print(f"\r{100 * done:3.0f} %", end="", file=sys.stderr, flush=True)

    def close(self):
        if self._bar is not None:
            self._bar.close()
        else:
            import sys
            print("\r     \r", end="", file=sys.stderr, flush=True)


_core.set_hooks(_trace, _open, _named, _Bar)
