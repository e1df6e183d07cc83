# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# Embeds a text file as a C string: -DIN= -DOUT= -DID= -P.
cmake_minimum_required(VERSION 3.22)
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REPEAT "." 80 row)
string(REGEX REPLACE "(${row})" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "extern const char ${ID}[];\nconst char ${ID}[] = {\n${bytes}0};\n")
