#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# usage: run.sh SOURCE_DIR MPIEXEC RANKS PROGRAM ...
set -u
mpirun=$2
. "$1/tests/mpi/ranks.sh"
shift 2
ranks "$@"
