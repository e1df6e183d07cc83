# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# OpenCL drivers beside PoCL, for `check.sh drivers`: Intel's runtime for CPUs (PyPI), Mesa's rusticl on
# llvmpipe and Oclgrind (Debian). They are unpacked below build/drivers and found through OCL_ICD_VENDORS
# only, so that nothing else on the machine sees their devices.
# shellcheck shell=sh
drivers_folder=$PWD/build/drivers

# unpack_debs FOLDER PACKAGE...: without installing them
unpack_debs() {
    into=$1
    shift
    mkdir -p "$into" && (cd "$into" && apt-get download -qq "$@" && for deb in *.deb; do dpkg -x "$deb" .; done &&
        rm -f ./*.deb)
}

# dependencies PACKAGE: the Debian packages that it needs and that name no other one
dependencies() {
    apt-cache depends --no-recommends --no-suggests "$1" | sed -n 's/^  Depends: \([a-z0-9][^ <>]*\)$/\1/p'
}

get_intel() {
    python3 -m pip --version >/dev/null 2>&1 || need_packages python3-pip || return 1
    python3 -m pip download -q --disable-pip-version-check -d "$1/wheels" intel-opencl-rt intel-cmplr-lib-rt &&
        for wheel in "$1"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$1/unpacked" || return 1; done &&
        mkdir -p "$1/lib" "$1/vendors" && mv "$1"/unpacked/*.data/data/lib/* "$1/lib" &&
        rm -rf "$1/wheels" "$1/unpacked" "$1"/lib/libOpenCL.so* && # the machine's own loader is tested
        echo "$1/lib/libintelocl.so" >"$1/vendors/intel.icd"
}

get_rusticl() {
    need_packages "$(dependencies mesa-opencl-icd)" && unpack_debs "$1/unpacked" mesa-opencl-icd &&
        mkdir -p "$1/vendors" && ln -sfn "$1"/unpacked/usr/lib/*-linux-gnu* "$1/lib" &&
        echo "$1/lib/libRusticlOpenCL.so.1" >"$1/vendors/rusticl.icd"
}

get_oclgrind() {
    # shellcheck disable=SC2046 # a list of words
    unpack_debs "$1/unpacked" oclgrind $(dependencies oclgrind | grep liboclgrind) &&
        mkdir -p "$1/vendors" && ln -sfn "$1"/unpacked/usr/lib/*-linux-gnu* "$1/lib" &&
        echo "$1/unpacked/usr/lib/oclgrind/liboclgrind-rt-icd.so" >"$1/vendors/oclgrind.icd"
}

# with_driver NAME COMMAND...: with that driver's devices only
with_driver() {
    driver=$drivers_folder/$1
    shift
    OCL_ICD_VENDORS=$driver/vendors LD_LIBRARY_PATH=$driver/lib RUSTICL_ENABLE=llvmpipe "$@"
}

# have_driver NAME TOOLS_FOLDER: gets it unless it is there; whether it has a device
have_driver() {
    if [ ! -d "$drivers_folder/$1/vendors" ]; then
        rm -rf "${drivers_folder:?}/$1"
        mkdir -p "$drivers_folder/$1"
        "get_$1" "$drivers_folder/$1" >"$drivers_folder/$1.log" 2>&1 || return 1
    fi
    with_driver "$1" "$2/le-bench" --list-devices 2>/dev/null | grep -q '^opencl:0'
}
