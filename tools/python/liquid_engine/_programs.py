# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""The command-line programs, which lie in this folder beside the library that they share with the module."""
import os
import sys


def _become(program):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), program)
    os.execv(path, [program, *sys.argv[1:]])


def run():
    _become("le-run")


def bench():
    _become("le-bench")


def report():
    _become("le-report")
