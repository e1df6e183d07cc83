# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# ranks N PROGRAM ...: starts so many, on few cores, as root too, for so many seconds as $patience says at most.
# Read by scripts that set $mpirun.
# shellcheck shell=sh disable=SC2154
# More ranks than cores: Open MPI 4, Open MPI 5
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
ranks() {
    count=$1
    shift
    timeout "${patience:-200}" "$mpirun" -n "$count" "$@"
}
