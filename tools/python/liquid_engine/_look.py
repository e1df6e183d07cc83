# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Seeing what the engine does: explanations, benchmarks, profiles, and what is stored."""
from __future__ import annotations

import html
import json
import math
import os
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from . import _core, _engine, _functions


def _seconds(s):
    if s is None or math.isnan(s):
        return "?"
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if abs(s) >= scale:
            return f"{s / scale:.3g} {unit}"
    return f"{s / 1e-9:.3g} ns"


def _table(rows, right=()):
    """Columns of text, padded; the first row is the head."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(r, widths))).rstrip()
             for r in rows]
    return "\n".join(lines)


def _html_table(title, head, rows):
    """rows: lists of text, or (seconds, largest) for a bar."""
    out = [f"<p><b>{html.escape(title)}</b></p><table><thead><tr>"]
    out += [f"<th style='text-align:left'>{html.escape(h)}</th>" for h in head]
    out.append("</tr></thead><tbody>")
    for row in rows:
        out.append("<tr>")
        for cell in row:
            if isinstance(cell, tuple):
                seconds, largest = cell
                known = seconds is not None and not math.isnan(seconds) and largest > 0
                width = 140 * seconds / largest if known else 0
                out.append(f"<td style='text-align:left'><div style='display:inline-block;height:0.8em;background:#4477aa;"
                           f"width:{width:.0f}px'></div> {_seconds(seconds)}</td>")
            else:
                out.append(f"<td style='text-align:left'>{html.escape(str(cell))}</td>")
        out.append("</tr>")
    return "".join(out) + "</tbody></table>"


def _pandas(rows):
    import pandas
    return pandas.DataFrame([asdict(r) for r in rows])


# --- why ---

@dataclass(frozen=True)
class Candidate:
    """One implementation on one device with its parameters, and what is known of it for a call."""

    candidate: str
    implementation: str
    run_type: str
    device: str
    applicable: bool
    left_out: str
    predicted_s: float
    low_s: float
    high_s: float
    measured_s: float
    samples: int
    error_max_abs: float
    verdict: str
    age_s: float

    @classmethod
    def _of(cls, row):
        return cls(**{f.name: math.nan if row.get(f.name) is None else row[f.name] for f in fields(cls)})


@dataclass(frozen=True)
class Explanation:
    """The choice for a call, and its evidence."""

    operation: str
    problem: str
    choice: str
    why: str
    atol: float
    rtol: float
    candidates: list[Candidate] = field(repr=False)
    plan: dict | None = field(default=None, repr=False)

    def __repr__(self):
        rows = [("candidate", "expected", "measured", "runs", "error", "verdict", "left out")]
        rows += [(c.candidate, _seconds(c.predicted_s), _seconds(c.measured_s), str(c.samples),
                  "?" if math.isnan(c.error_max_abs) else f"{c.error_max_abs:.2g}", c.verdict, c.left_out)
                 for c in self.candidates]
        return (f"{self.operation} {self.problem}: {self.choice or 'nobody'} ({self.why or 'none is left'}); "
                f"atol {self.atol:g}, rtol {self.rtol:g}\n" + _table(rows, right=(1, 2, 3, 4)))

    def _repr_html_(self):
        largest = max((c.predicted_s for c in self.candidates if not math.isnan(c.predicted_s)), default=0)
        rows = [[("* " if c.candidate == self.choice else "") + c.candidate, (c.predicted_s, largest),
                 _seconds(c.measured_s), c.samples,
                 "?" if math.isnan(c.error_max_abs) else f"{c.error_max_abs:.2g}", c.verdict, c.left_out]
                for c in self.candidates]
        return _html_table(f"{self.operation} {self.problem}: {self.choice} ({self.why})",
                           ["candidate", "expected", "measured", "runs", "error", "verdict", "left out"], rows)

    def to_pandas(self):
        """The candidates as a pandas.DataFrame."""
        return _pandas(self.candidates)


def explain_call(function, args, words):
    o = json.loads(function._look("explain", args, words, 0.0))
    return Explanation(o["operation"], o["problem"], o["choice"], o["why"], o["atol"], o["rtol"],
                       [Candidate._of(row) for row in o["candidates"]], o.get("plan"))


def _function(operation, words):
    if isinstance(operation, str):
        found = _functions.function(operation, words.get("engine"))
        if found is None:
            raise LookupError(f"there is no operation {operation!r}{_functions.nearest(operation)}")
        return found
    if not hasattr(operation, "explain") or not hasattr(operation, "bench"):
        raise TypeError(f"expected an operation or its name, not {operation!r}")
    return operation


def explain(operation, *args, **words) -> Explanation:
    """Why a call would be made as it would, and what else there is; runs nothing.

    Parameters
    ----------
    operation : str or function
        The operation, or its name.
    *args, **words
        As the operation takes them.

    Returns
    -------
    Explanation
        The choice, its reason and all candidates, shown as a table.

    Examples
    --------
    >>> le.explain("project", np.ones((8, 8, 8))).operation
    'project'
    """
    return _function(operation, words).explain(*args, **words)


# --- how fast ---

@dataclass(frozen=True)
class Timing:
    """Runs of one candidate."""

    candidate: str
    implementation: str
    run_type: str
    device: str
    left_out: str
    seconds: list[float] = field(repr=False)
    kernel_s: float
    error_max_abs: float
    within: bool

    @property
    def median_s(self):
        s = sorted(self.seconds)
        return (s[(len(s) - 1) // 2] + s[len(s) // 2]) / 2 if s else math.nan

    @property
    def mean_s(self):
        return sum(self.seconds) / len(self.seconds) if self.seconds else math.nan

    @property
    def std_s(self):
        n, mean = len(self.seconds), self.mean_s
        return math.sqrt(sum((s - mean) ** 2 for s in self.seconds) / (n - 1)) if n > 1 else math.nan


@dataclass(frozen=True)
class Benchmark:
    """Every candidate of a call, run one by one; the fastest first."""

    operation: str
    problem: str
    timings: list[Timing] = field(repr=False)

    @property
    def fastest(self):
        return self.timings[0] if self.timings and self.timings[0].seconds else None

    def _rows(self):
        return [(t.candidate, _seconds(t.median_s), _seconds(t.mean_s), _seconds(t.std_s), str(len(t.seconds)),
                 "?" if math.isnan(t.error_max_abs) else f"{t.error_max_abs:.2g}", t.left_out) for t in self.timings]

    def __repr__(self):
        rows = [("candidate", "median", "mean", "std", "runs", "error", "left out"), *self._rows()]
        return f"{self.operation} {self.problem}\n" + _table(rows, right=(1, 2, 3, 4, 5))

    def _repr_html_(self):
        largest = max((t.median_s for t in self.timings if t.seconds), default=0)
        rows = [[r[0], (t.median_s, largest), *r[2:]] for t, r in zip(self.timings, self._rows())]
        return _html_table(f"{self.operation} {self.problem}",
                           ["candidate", "median", "mean", "std", "runs", "error", "left out"], rows)

    def to_pandas(self):
        """The candidates as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame([{**asdict(t), "median_s": t.median_s, "mean_s": t.mean_s, "std_s": t.std_s}
                                 for t in self.timings])

    def plot(self, path=None, title=None):
        """A bar chart of the medians with standard deviations as SVG text, written to a file when one is named."""
        from ._svg import bars
        shown = [t for t in self.timings if t.seconds]
        text = bars(title or f"{self.operation} {self.problem}",
                    [(t.candidate, t.median_s, t.std_s) for t in shown])
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text


def bench_call(function, args, words, seconds):
    problem, rows = function._look("bench", args, words, float(seconds))
    timings = [Timing(*row) for row in rows]
    timings.sort(key=lambda t: (math.isnan(t.median_s), t.median_s if t.seconds else 0))
    return Benchmark(function.__name__, problem, timings)


def bench(operation, *args, seconds=0.05, **words) -> Benchmark:
    """Run every candidate of a call, and compare it with the reference.

    Parameters
    ----------
    operation : str or function
        The operation, or its name.
    *args
        As the operation takes them.
    seconds : float
        About so long for each candidate; three runs at least.
    **words
        As the operation takes them.

    Returns
    -------
    Benchmark
        Times and errors, the fastest first, shown as a table.
    """
    return _function(operation, words).bench(*args, seconds=seconds, **words)


@dataclass(frozen=True)
class RunInfo:
    """What this thread's last call did."""

    candidate: str
    why: str
    seconds: float
    kernel_seconds: float
    bytes_to_device: int
    bytes_from_device: int
    measurements: int

    def __repr__(self):
        return (f"{self.candidate} ({self.why}): {_seconds(self.seconds)}, {self.bytes_to_device} bytes to and "
                f"{self.bytes_from_device} bytes from devices, {self.measurements} measurements beside it")


def last_run() -> RunInfo | None:
    """What the last call of this thread did; None before the first.

    Returns
    -------
    RunInfo or None
        The candidate, its reason, seconds and bytes moved.
    """
    row = _core.last_run()
    return RunInfo(*row) if row else None


# --- where the time goes ---

@dataclass(frozen=True)
class Event:
    """Runs, loops, kernels or transfers of one kind and name at one place."""

    kind: str
    depth: int
    name: str
    place: str
    count: int
    bytes: int
    median_s: float
    total_s: float
    share: float
    start_s: float


class profile:
    """Runs, loops, kernels and transfers of the calls in a block.

    ``with profile() as p: ...``, then ``p.table()``, ``p.rows``, ``p.save("trace.json")`` (chrome://tracing).

    Parameters
    ----------
    engine : Engine, optional
        Another engine than the default one.
    """

    def __init__(self, engine=None):
        self._engine = engine
        self.rows: list[Event] = []
        self._text = self._trace = ""

    def __enter__(self):
        _core.profile_start(self._engine)
        return self

    def __exit__(self, *_):
        rows, self._text, self._trace = _core.profile_stop(self._engine)
        self.rows = [Event(*r) for r in rows]

    def table(self):
        """The rows as text."""
        return self._text

    def save(self, path):
        """Writes the events as a Chrome trace."""
        Path(path).write_text(self._trace, encoding="utf-8")

    def __repr__(self):
        return self._text or "<profile: nothing yet>"

    def _repr_html_(self):
        largest = max((r.total_s for r in self.rows), default=0)
        return _html_table("profile", ["kind", "name", "place", "count", "bytes", "total", "median", "share"],
                           [["- " * r.depth + r.kind, r.name, r.place, r.count, r.bytes, (r.total_s, largest),
                             _seconds(r.median_s), f"{100 * r.share:.1f} %"] for r in self.rows])


# --- what is stored ---

def _is_database(path):
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def _of_database(db, mode):
    """A context with the engine of a database file, or the default one."""
    if not db:
        return nullcontext(_engine.default_engine())
    if mode == "frozen":  # an engine would go on without it
        from ._errors import FileError
        if not os.path.exists(db):
            raise FileError(f"{os.fspath(db)}: there is no such file")
        if not _is_database(db):
            raise FileError(f"{os.fspath(db)}: not a timings database")
    return _engine.Engine(db=db, mode=mode)


@dataclass(frozen=True)
class Taken:
    """Rows that were in a file: those that were new, known already, or refused, and why."""

    rows: int
    stored: int
    same: int
    refused: int
    reports: list[str] = field(default_factory=list)


class wisdom:
    """The database of timings: ``save`` to a file, ``load`` one, ``merge`` another database.

    They work on the database of the default engine, or on the file ``db``. An engine that is open counts on what it
    has loaded already, and on the new rows when it is opened again.
    """

    @staticmethod
    def _do(what, path, db, mode):
        with _of_database(db, mode) as engine:
            rows, added, known, refused, reports = _core.wisdom(what, engine, os.fspath(path))
        return Taken(rows, added, known, refused, [f"line {line}: {text}" if line else text for line, text in reports])

    @classmethod
    def save(cls, path: str | os.PathLike[str], db: str | bytes | os.PathLike[str] | None = None) -> None:
        """Writes what is stored as JSON."""
        cls._do("save", path, db, "frozen")

    @classmethod
    def load(cls, path, db=None) -> Taken:
        """Adds the rows of such a file."""
        return cls._do("load", path, db, "estimate")

    @classmethod
    def merge(cls, path, db=None) -> Taken:
        """Adds the rows of another database file."""
        return cls._do("merge", path, db, "estimate")


class Report(str):
    """A report as HTML text."""

    def _repr_html_(self):
        return f"<iframe srcdoc=\"{html.escape(str(self), quote=True)}\" width='100%' height='600'></iframe>"

    def __repr__(self):
        return f"<report: {len(self)} characters of HTML>"

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_text(self, encoding="utf-8")


def report(db=None) -> Report:
    """What is stored, as le-report shows it, in HTML.

    Parameters
    ----------
    db : str or path, optional
        A database; the default engine's where it is left out.

    Returns
    -------
    Report
        Text that a notebook shows; ``save`` writes it.
    """
    with _of_database(db, "frozen") as engine:
        return Report(_core.report(engine))
