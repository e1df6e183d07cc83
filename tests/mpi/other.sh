#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# The launcher of one MPI and the library of another, and a launcher where there is no MPI part: every rank refuses
# by name, and no file is written. Skipped where only one MPI is installed.
# usage: other.sh BUILT_TOOLS SOURCE_DIR MPIEXEC
set -u
tools=$1
source=$2
cube=$source/examples/data/web_128.h5
kind() { # LAUNCHER: whose it is
    case $("$1" --version 2>/dev/null) in
    *"Open MPI"* | *OpenRTE*) echo open ;;
    *HYDRA*) echo mpich ;;
    esac
}
own=$(kind "$3")
mpirun=
for name in mpiexec.mpich mpiexec.hydra mpirun.openmpi mpiexec.openmpi; do
    found=$(command -v $name) || continue
    other=$(kind "$found")
    [ -n "$other" ] && [ "$other" != "$own" ] && mpirun=$found && break
done
if [ -z "$mpirun" ]; then
    echo "skipped: there is no second MPI beside that of $3 (Debian: mpich, openmpi-bin)"
    exit 77
fi
. "$source/tests/mpi/begin.sh"
patience=60
if [ "$other" = mpich ]; then
    launcher="MPICH's launcher" library="Open MPI"
else
    launcher="Open MPI's launcher" library=MPICH
fi

refuses() { # TEXT PROGRAM: three ranks say so, each for itself
    for rank in 0 1 2; do
        case $1 in
        part) text="rank $rank of 3, but this build has no MPI part (LE_WITH_MPI)" ;;
        *) text="started as rank $rank of 3 by $launcher, but the MPI part uses $library" ;;
        esac
        [ "$(grep -c "$text" said)" -eq 1 ] || complain "$2: rank $rank does not say '$text': $(cat said)"
    done
    [ ! -e x.h5 ] && [ ! -e x.h5.part ] || complain "$2: a file was written"
}

# each rank's status is written by a shell of its own: launchers give one for all
cat >each <<'SHELL'
#!/bin/sh
"$@" image=x.h5:/i
echo $? >"status_${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-none}}"
SHELL
chmod +x each
for part in there gone; do
    rm -f status_*
    program=$tools/le-run
    [ $part = gone ] && cp "$tools/le-run" ./le-run && program=./le-run
    ranks 3 ./each "$program" project volume="$cube" >/dev/null 2>said
    [ "$(cat status_0 status_1 status_2)" = "$(printf '1\n1\n1')" ] || complain "$part: not each rank ended with 1: $(cat status_*)"
    if [ $part = gone ]; then refuses part "$program"; else refuses library "$program"; fi
done
LE_MPI=off ranks 2 "$tools/le-run" project volume="$cube" >said || complain "LE_MPI=off does not let it run"
[ "$(grep -c '^image' said)" -eq 2 ] || complain "LE_MPI=off: not each by itself"
exit $bad
