# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""Tests of the Python module. Every session has a database of its own."""
import os
import tempfile

import pytest

_folder = tempfile.TemporaryDirectory(prefix="le_python_")
os.environ["LE_DB"] = os.path.join(_folder.name, "timings.sqlite3")
os.environ["LE_CACHE_DIR"] = os.path.join(_folder.name, "cache")
os.environ.setdefault("LE_TRIAL_LIMIT", "10")  # the machine may be busy


@pytest.fixture
def rng():
    import numpy
    return numpy.random.default_rng(11)


@pytest.fixture
def engine():
    """An engine of the test's own that keeps nothing."""
    import liquid_engine as le
    with le.Engine(db=":memory:", mode="estimate") as e:
        yield e


def _needs(place):
    import liquid_engine as le
    try:
        le.peek(place)
    except le.Unsupported as error:
        pytest.skip(str(error))
    except OSError:
        pass


@pytest.fixture
def hdf5():
    """For tests that read or write HDF5 files: the library may be built without."""
    _needs("none.h5:/x")


@pytest.fixture
def tiff():
    _needs("none.tif")


@pytest.fixture
def new_process():
    """Runs a text as a program; what it prints."""
    import subprocess
    import sys

    def run(text, *arguments, **environment):
        done = subprocess.run([sys.executable, "-B", "-c", text, *arguments], capture_output=True, text=True, timeout=120,
                              env={**os.environ, **environment}, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run
