#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# Ranks on two hosts, which are network and UTS namespaces of this one: messages go over TCP, MPI and the timings
# database see two machines. Needs root, ip and Open MPI; skipped where one is missing. Not among the default tests:
# LE_TEST_HOSTS=1 asks for it. usage: two_hosts.sh BUILD_DIR SOURCE_DIR MPIEXEC
set -u
build=$(cd "$1" && pwd)
source=$(cd "$2" && pwd)
mpirun=$3
skip() {
    echo "skipped: $1"
    exit 77
}
[ "${LE_TEST_HOSTS:-}" = 1 ] || skip "LE_TEST_HOSTS=1 runs it"
[ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
command -v ip >/dev/null || skip "there is no ip (Debian: iproute2)"
"$mpirun" --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE' || skip "$mpirun is not Open MPI's"
work=$(mktemp -d) || exit 1
me=$(($$ % 10000))
bridge=lebr$me
clean() {
    for i in 1 2; do
        ip netns del leh${me}x$i 2>/dev/null
        ip link del lev${me}x$i 2>/dev/null
    done
    ip link del "$bridge" 2>/dev/null
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM
ip link add "$bridge" type bridge 2>/dev/null && ip link set "$bridge" up || skip "no bridge can be made here"
for i in 1 2; do
    ip netns add leh${me}x$i 2>/dev/null || skip "no network namespace can be made here"
    ip link add lev${me}x$i type veth peer name eth0 netns leh${me}x$i &&
        ip link set lev${me}x$i master "$bridge" up &&
        ip -n leh${me}x$i addr add 10.55.0.$i/24 dev eth0 &&
        ip -n leh${me}x$i link set eth0 up && ip -n leh${me}x$i link set lo up || skip "no virtual network can be made here"
done
cat >"$work/rsh" <<SHELL
#!/bin/sh
h=leh${me}x\${1##*.}
shift
exec ip netns exec \$h unshare --uts sh -c "hostname \$h; \$*"
SHELL
chmod +x "$work/rsh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
hosts() { # N PROGRAM ...: on both
    count=$1
    shift
    timeout 60 ip netns exec leh${me}x1 unshare --uts sh -c "hostname leh${me}x1; exec \"\$@\"" sh "$mpirun" --oversubscribe -n "$count" \
        --host 10.55.0.1:8,10.55.0.2:8 --map-by node --mca plm_rsh_agent "$work/rsh" --mca mpi_yield_when_idle 1 --mca btl tcp,vader,self \
        --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 -x LE_DB -x LE_DEVICE -x LE_TEST_DELAY -x LE_BOX_EDGE "$@"
}
bytes() { # that host 1 has sent
    ip -n leh${me}x1 -s link show eth0 | awk 'tx { print $1; exit } /TX:/ { tx = 1 }'
}
bad=0
complain() {
    printf '%s\n' "$1" >&2
    bad=1
}
cd "$work" || exit 1
export LE_DB=:memory: LE_DEVICE=cpu LE_TEST_DELAY=0 LE_BOX_EDGE=50

before=$(bytes)
hosts 3 "$build/tests/mpi/test_mpi" >out 2>&1 || complain "calls: $(tail -5 out)"
grep -q '3 ranks on 2 nodes: 0 failures' out || complain "calls: $(cat out)"
echo "calls: $(grep ranks out), $(($(bytes) - before)) bytes from host 1"
# two machines that are alike are one to the database
hosts 4 "$build/tests/mpi/test_mpi_learn" >out 2>&1 || complain "learning: $(cat out)"
echo "learning: $(grep ranks out)"

cube=$source/examples/data/web_128.h5
views="--reproducible volume_render volume=$cube angles=0:354:60 size=90"
"$build/tools/le-run" $views images=alone.raw || complain "le-run by itself failed"
for delay in 0 20; do
    LE_TEST_DELAY=$delay
    before=$(bytes)
    hosts 3 "$build/tools/le-run" -v $views images=hosts_$delay.raw 2>said || complain "le-run: $(cat said)"
    cmp alone.raw hosts_$delay.raw || complain "two hosts have other bits"
    echo "60 views, $delay ms before each message: $(cat said), $(($(bytes) - before)) bytes from host 1"
done
LE_TEST_DELAY=0
# a volume that is larger than the memory of a rank, in boxes: fixed ones have the same bits
boxes="--reproducible --memory-limit=4M volume_render volume=$cube:/density angles=0,100 size=40 outside=0"
"$build/tools/le-run" $boxes images=alone_boxes.raw || complain "boxes: le-run by itself failed"
before=$(bytes)
hosts 4 "$build/tools/le-run" -v $boxes images=boxes.raw 2>said || complain "boxes: $(cat said)"
cmp alone_boxes.raw boxes.raw || complain "boxes on two hosts have other bits"
echo "boxes: $(cat said), $(($(bytes) - before)) bytes from host 1"
# a race of ranks on two machines that are alike
hosts 4 "$build/tests/mpi/test_mpi_race" >out 2>&1 || complain "race: $(cat out)"
echo "race: $(grep ranks out)"
hosts 3 "$build/tools/le-run" $views images=hosts.h5:/images 2>said || complain "le-run: $(cat said)"
tail -c "$(wc -c <alone.raw)" hosts.h5 | cmp - alone.raw || complain "a file written by two hosts has other bits"
exit $bad
