#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# What docs/cluster.md tells users of mpirun and of Slurm to type, as it is printed: the pictures are those of one
# process. srun is played by mpirun. usage: printed.sh BUILT_TOOLS SOURCE_DIR MPIEXEC
set -u
tools=$(cd "$1" && pwd)
source=$2
mpirun=$3
. "$source/tests/mpi/begin.sh"

page=$source/docs/cluster.md
cp "$source/examples/data/web_128.h5" cube.h5
export PATH="$tools:$PATH"
launcher srun -n 3
launcher mpirun

sed -n 's/^    \(mpirun .*images=web.h5.*\)/\1/p' "$page" >by_hand.sh
[ "$(wc -l <by_hand.sh)" -eq 1 ] || complain "$(wc -l <by_hand.sh) commands by hand in docs/cluster.md"
sed -n '/^```sh$/,/^```$/{/^```/!p;}' "$page" >web.sh
grep -q '^#SBATCH' web.sh || complain "no job script in docs/cluster.md"
alone=$(sed -n 's/^srun //p' web.sh | sed 's/web.h5:.images/alone.raw/')

LE_MPI=off $alone 2>said || complain "alone: $(cat said)"
sh -e web.sh 2>said || complain "job script: $(cat said)"
grep -q 'on 3 ranks' said || complain "job script: not on 3 ranks: $(cat said)"
[ -s timings.sqlite3 ] || complain "job script: no database: $(ls)"
pictures=$((36 * 180 * 180 * 3 * 4))
tail -c $pictures web.h5 | cmp - alone.raw || complain "job script: other bits than of one process"
rm web.h5
sh -e by_hand.sh 2>said || complain "by hand: $(cat said)"
[ "$(wc -c <web.h5)" -ge $pictures ] || complain "by hand: no pictures"
exit $bad
