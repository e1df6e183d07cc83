#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# From a bare Debian 12 or Ubuntu to pictures: installs what is missing, builds, copies the example cube to
# cube.h5 (unless there is one), renders ten views of it and, by a chain of two operations, its projection to
# frames/, and prints what was chosen and why.
# usage: sh tools/quickstart.sh
set -eu
cd "$(dirname "$0")/.."
. tools/packages.sh

need_packages "$build_packages"
echo "== building (build/release)"
cmake --preset release >build-release.log 2>&1 || { cat build-release.log; exit 1; }
rm -f build-release.log
cmake --build --preset release

[ -e cube.h5 ] || cp examples/data/web_128.h5 cube.h5
example=examples/data/web_128.h5:/density
tools=build/release/tools

# Ten rotations about axis 0, from 0 to 81 degrees, that look at 0.35 voxels a pixel: 360 pixels show nearly the
# whole cube. Depth keeps its step of one voxel.
rotations=$(awk 'BEGIN {
    zoom = 0.35
    for (view = 0; view < 10; view++) {
        angle = 9 * view * atan2(0, -1) / 180
        printf "%s%g,0,0,0,%g,%g,0,%g,%g", view ? "," : "", zoom, cos(angle), -zoom * sin(angle),
            sin(angle), zoom * cos(angle)
    }
}')
echo "== rendering $example to frames/"
"$tools/le-run" --verbose volume_render volume=$example size=360 outside=0 rotation="$rotations" \
    images=frames/web_%02d.png
"$tools/le-run" --verbose examples/magnified_projection.json volume=$example image=frames/projection.png
echo "== what was chosen (le-report --help tells more)"
"$tools/le-report"
echo "== done: see frames/ and README.md, whose commands use cube.h5; 'sh tools/check.sh' runs the tests"
