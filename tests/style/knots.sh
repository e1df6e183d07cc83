#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
#
# The rooms of the engine, from the ground up: a file may use its own room and those below, by what it
# includes and by the symbols of its object. Within a room at most two files may need each other.
# usage: knots.sh SOURCE_DIR BUILD_DIR
set -u
source=${1:?usage: knots.sh SOURCE_DIR BUILD_DIR}
build=${2:?usage: knots.sh SOURCE_DIR BUILD_DIR}
rooms='benchdb core call opencl files boxes policy trial choose chain life run report'

# One line a file that is used or uses: "defines FILE SYMBOL", "needs FILE SYMBOL", "includes FILE FILE".
symbols() {
    find "$build/engine" "$build/benchdb" -name '*.o' | sort | while read -r object; do
        file=$(printf '%s\n' "$object" |
            sed -E "s|^$build/||; s|CMakeFiles/[^/]*\.dir/||; s|^engine/||; s|\.o\$||")
        [ -f "$source/engine/$file" ] || [ -f "$source/$file" ] || continue # written by the build, or gone
        nm -P "$object" | awk -v file="$file" \
            '$2 == "U" { print "needs", file, $1 } $2 ~ /^[TDBRVWC]$/ { print "defines", file, $1 }'
    done
}

includes() {
    (cd "$source" && grep -rE '^#include "' --include='*.c' --include='*.h' engine benchdb) |
        sed -E 's|^engine/||; s|^([^:]*):#include "([^"]*)".*|\1 \2|' |
        while read -r file header; do
            case $header in liquid_engine/*) continue ;; esac
            folder=$(dirname "$file")
            for place in "$folder/$header" "$header" "files/$header" "benchdb/$header"; do
                [ -f "$source/engine/$place" ] || [ -f "$source/$place" ] || continue
                echo "includes $file $(echo "$place" | sed 's|^\./||')"
                break
            done
        done
}

{ symbols; includes; } | awk -v rooms="$rooms" '
function room(file) { return file ~ /\// ? substr(file, 1, index(file, "/") - 1) : "life" }
function use(from, to, what) {
    if (from == to || (from, to) in uses) return
    uses[from, to] = what
    next_of[from] = next_of[from] " " to
    files[from]; files[to]
}
BEGIN { n = split(rooms, list, " "); for (i = 1; i <= n; i++) level[list[i]] = i }
$1 == "defines" { home[$3] = $2; objects[$2] }
$1 == "needs" { need[++needs] = $2 " " $3 }
$1 == "includes" { use($2, $3, "its header") }
END {
    for (i = 1; i <= needs; i++) {
        split(need[i], pair, " ")
        if (pair[2] in home) use(pair[1], home[pair[2]], pair[2])
    }
    for (key in uses) {
        split(key, pair, SUBSEP)
        from = room(pair[1]); to = room(pair[2])
        if (!(from in level) || !(to in level)) bad[++bads] = pair[1] " -> " pair[2] ": a room without a place in the order"
        else if (level[from] < level[to]) bad[++bads] = pair[1] " -> " pair[2] " (" uses[key] "): upwards"
        arrows++
    }
    for (start in files) { # what can be reached from each file without leaving its room
        last = 1; queue[1] = start; delete seen
        for (first = 1; first <= last; first++) {
            m = split(next_of[queue[first]], to_visit, " ")
            for (i = 1; i <= m; i++)
                if (room(to_visit[i]) == room(start) && !(to_visit[i] in seen)) { seen[to_visit[i]]; queue[++last] = to_visit[i]; reach[start, to_visit[i]] }
        }
    }
    for (file in files) {
        circle = ""; size = 0
        for (other in files)
            if (other != file && (file, other) in reach && (other, file) in reach) {
                size++
                circle = circle " " other
                if (other < file) size = -1000 # told once, by the first of the circle
            }
        if (size > 1) bad[++bads] = "a circle of " size + 1 " files: " file circle
        count++
    }
    for (i = 1; i <= bads; i++) print bad[i] | "sort >&2"
    for (file in objects) n_objects++
    if (!bads && n_objects < 50) { print "only " n_objects + 0 " objects were found" > "/dev/stderr"; exit 1 }
    if (bads) exit 1
    print "no knots: " n_objects " objects, " arrows " arrows between " count " files"
}'
