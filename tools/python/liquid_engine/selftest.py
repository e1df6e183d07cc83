# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
"""``python -m liquid_engine.selftest``: every operation's candidates against its reference, on small cases."""
import sys

from . import Engine, _core


def main(cases=2):
    wrong = 0
    with Engine(db=":memory:", devices="cpu", mode="estimate") as engine:
        for name in engine._operations():
            checked, bad = 0, []
            for index in range(cases):
                try:
                    rows = _core.verify(engine, name, index)
                except NotImplementedError:  # no sample calls, or no reference
                    continue
                for candidate, _, _, applies, right, why in rows:
                    checked += applies
                    if applies and not right:
                        bad.append(f"{candidate}: {why}")
            wrong += len(bad)
            print(f"{name:28s} {checked:4d} checked, {len(bad)} wrong", *bad, sep="\n    " if bad else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
