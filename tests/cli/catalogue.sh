#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# From a FITS image to a catalogue and labels in every format: usage: catalogue.sh FOLDER, of le-run with toy
# operations (counted_tools.c); LE_WITH_SKY=1 where the library has WCSLIB.
PATH=$(cd "$1" && pwd):$PATH
# shellcheck source=tests/cli/common.sh
. "$(dirname "$0")/common.sh"

# header CARD...: filled up to a block
header() {
    for card in "$@" END; do
        printf '%-80s' "$card"
    done
    n=$(($# + 1))
    while [ $((n % 36)) -ne 0 ]; do
        printf '%80s' ''
        n=$((n + 1))
    done
}

# pixels VALUE...: bytes, filled up to a block
pixels() {
    for value in "$@"; do
        printf "\\$(printf '%03o' "$value")"
    done
    head -c $((2880 - $#)) /dev/zero
}

# 3 rows of 4; the sky is a plate carree with half a degree a pixel
{
    header 'SIMPLE  =                    T' 'BITPIX  =                    8' 'NAXIS   =                    2' \
        'NAXIS1  =                    4' 'NAXIS2  =                    3' "CTYPE1  = 'RA---CAR'" \
        "CTYPE2  = 'DEC--CAR'" 'CRPIX1  =                  1.0' 'CRPIX2  =                  1.0' \
        'CRVAL1  =                 10.0' 'CRVAL2  =                  0.0' 'CDELT1  =                 -0.5' \
        'CDELT2  =                  0.5'
    pixels 0 9 0 0 0 0 0 8 0 0 7 0
} >map.fits

expect 0 counted-run spots image=map.fits level=5 catalogue=spots.csv labels=labels.fits
silent
if [ "${LE_WITH_SKY:-0}" = 1 ]; then
    printf 'label,center_of_mass_0,center_of_mass_1,lon,lat\n1,0,1,9.5,0\n2,1,3,8.5,0.5\n3,2,2,9,1\n' >wanted
else
    printf 'label,center_of_mass_0,center_of_mass_1,lon,lat\n1,0,1,nan,nan\n2,1,3,nan,nan\n3,2,2,nan,nan\n' >wanted
fi
cmp wanted spots.csv || { fail "wrong spots.csv"; cat spots.csv; }
head -c 2880 labels.fits | fold -w 80 | sed 's/ *$//; s/ *\/.*//' >cards
grep -qx "CTYPE1  = 'RA---CAR'" cards || fail "labels.fits has no sky"
grep -qxE 'CRVAL1 +=  *10.0' cards || fail "labels.fits has another sky"
[ "$(tail -c 2880 labels.fits | od -An -v -tu1 -w4 -N48 | tr -s ' ' | tr '\n' ';')" = \
    ' 0 0 0 0; 0 0 0 1; 0 0 0 0; 0 0 0 0; 0 0 0 0; 0 0 0 0; 0 0 0 0; 0 0 0 2; 0 0 0 0; 0 0 0 0; 0 0 0 3; 0 0 0 0;' ] ||
    fail "wrong pixels in labels.fits"

# of a part, and without a sky
expect 0 counted-run spots 'image=map.fits[1:]' level=5 catalogue=part.csv
[ "${LE_WITH_SKY:-0}" = 0 ] || grep -qx '1,0,3,8.5,0.5' part.csv || { fail "wrong part.csv"; cat part.csv; }
expect 0 counted-run above image=map.fits level=5 rows=rows.csv
expect 0 counted-run spots image=spots.csv level=2.5 catalogue=odd.csv
grep -qx '2,1,2,nan,nan' odd.csv || { fail "a table has no sky"; cat odd.csv; }

# out of a chain
cat >chain.json <<'EOF'
{"name": "found", "inputs": ["map"],
 "steps": [{"operation": "spots", "args": {"image": "map", "level": 5, "catalogue": "sources", "labels": "numbers"}}],
 "outputs": ["numbers", "sources"]}
EOF
expect 0 counted-run chain.json map=map.fits sources=chain.csv numbers=chain.fits regions=chain.reg
cmp spots.csv chain.csv || { fail "wrong chain.csv"; cat chain.csv; }
cmp labels.fits chain.fits || fail "wrong chain.fits"
grep -qF 'circle(2.000,1.000,2.500) # text={1}' chain.reg || fail "wrong chain.reg"

# other formats
expect 0 counted-run spots image=map.fits level=5 catalogue=spots.fits
grep -q "TTYPE5  = 'lat" spots.fits || fail "no column lat in spots.fits"
expect 0 counted-run spots 'image=spots.fits[1]' level=2.5 catalogue=again.csv
cmp odd.csv again.csv || fail "spots.fits holds another table than spots.csv"
expect 0 counted-run spots 'image=spots.fits[CATALOGUE][:,0:2]' level=2.5 catalogue=again.csv
[ "$(wc -l <again.csv)" -eq 2 ] || { fail "wrong columns of spots.fits"; cat again.csv; }
expect 0 counted-run spots image=map.fits level=5 catalogue=spots.vot
grep -qF '<FIELD name="lon" datatype="double" unit="deg"/>' spots.vot || fail "no lon in spots.vot"
[ "$(grep -c '<TR><TD>' spots.vot)" -eq 3 ] || fail "spots.vot has not three rows"
expect 0 counted-run spots image=map.fits level=5 catalogue=spots.h5:/spots
# pictures and regions, which need no catalogue in a file
expect 0 counted-run spots image=map.fits level=5 picture=spots.png regions=spots.reg
silent
printf '# Region file format: DS9 version 4.1\nglobal color=green\nimage\n' >wanted
printf 'circle(%s,2.500) # text={%s}\n' 2.000,1.000 1 4.000,2.000 2 3.000,3.000 3 >>wanted
cmp wanted spots.reg || { fail "wrong spots.reg"; cat spots.reg; }
[ "$(head -c 4 spots.png | tail -c 3)" = PNG ] || fail "spots.png is no PNG file"
expect 0 counted-run spots image=map.fits level=5 picture=spots.svg catalogue=with.csv
[ "$(grep -c '<circle' spots.svg)" -eq 3 ] || fail "not three circles in spots.svg"
grep -qF 'map.fits: 3 sources' spots.svg || fail "no title in spots.svg"
[ -s with.csv ] || fail "a catalogue beside the picture"
expect 0 counted-run --profile=p/t.json spots image=map.fits level=5 picture=a/b/spots.svg regions=c/spots.reg
cmp spots.reg c/spots.reg && cmp spots.svg a/b/spots.svg && [ -s p/t.json ] || fail "other files in new folders"
for file in picture=spots.reg/x.svg picture=spots.reg/x.png regions=spots.reg/x.reg; do
    expect 1 counted-run spots image=absent.fits level=5 $file
    err_has "${file#*=} cannot be written: Not a directory"
done
expect 2 counted-run spots image=map.fits level=5 picture=spots.gif
err_has "expected a .png or .svg file"
expect 2 counted-run spots image=map.fits level=5 regions=a.reg regions=b.reg
err_has "given twice"
expect 2 counted-run doubled rows=spots.csv regions=a.reg
err_has "there is no argument regions"
expect 2 counted-run above image=map.fits level=5 picture=a.png
err_has "center_of_mass_0"
expect 0 counted-run spots --help
out_has "picture"
expect 2 counted-run spots image=spots.vot level=5
err_has "written only"
expect 2 counted-run spots image=map.fits level=5 labels=map.fits
err_has "would replace"
finish
