#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# From a bare Debian 12 or Ubuntu to pictures: installs what is missing, builds, renders the example cube
# from ten angles and its projection to frames/, and prints what was chosen and why.
# usage: sh tools/quickstart.sh
set -eu
cd "$(dirname "$0")/.."
. tools/packages.sh

need_packages "$build_packages"
echo "== building (build/release)"
cmake --preset release >build-release.log 2>&1 || { cat build-release.log; exit 1; }
rm -f build-release.log
cmake --build --preset release

cube=examples/data/web_128.h5:/density
tools=build/release/tools
echo "== rendering $cube to frames/"
"$tools/le-run" --verbose volume_render volume=$cube size=90 angles=0:81:10 images=frames/web_%02d.png
"$tools/le-run" --verbose project volume=$cube image=frames/projection.png
echo "== what was chosen (le-report --help tells more)"
"$tools/le-report"
echo "== done: see frames/; 'sh tools/check.sh' runs the tests"
