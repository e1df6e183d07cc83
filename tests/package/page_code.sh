#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# Writes the code of pages as printed: each fenced block whose first line names a file, as
# "/* methods/simple/threshold.c */" or "# methods/simple/CMakeLists.txt", becomes that file.
# usage: page_code.sh FOLDER PAGE...
set -eu
folder=$1
shift
cat "$@" | awk -v folder="$folder" '
    /^```./ { fenced = 1; name = ""; next }
    /^```/ { if (name) close(name); fenced = 0; next }
    fenced == 1 {
        fenced = 2
        word = $2
        sub(/:$/, "", word)
        if (($1 == "/*" || $1 == "#") && word ~ /\.(c|h|txt)$/) {
            name = folder "/" word
            dir = name
            sub(/\/[^\/]*$/, "", dir)
            system("mkdir -p \"" dir "\"")
            printf "" > name
        }
    }
    fenced == 2 && name { print > name }'
