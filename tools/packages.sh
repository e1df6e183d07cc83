# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# The Debian packages that the scripts of this folder need, and a function that installs the missing ones.
# shellcheck shell=sh
# shellcheck disable=SC2034 # used by the scripts that read this file
build_packages="gcc cmake ninja-build pkg-config libc6-dev libhdf5-dev libsqlite3-dev libcjson-dev
    libpng-dev zlib1g-dev libtiff-dev libcfitsio-dev wcslib-dev libdeflate-dev libkissfft-dev libxxhash-dev liblz4-dev libzstd-dev
    opencl-c-headers ocl-icd-libopencl1 pocl-opencl-icd"
test_packages="clang llvm ccache libcmocka-dev libdlpack-dev binutils python3 python3-venv python3-dev"
mpi_packages="libopenmpi-dev openmpi-bin"

# The library that clang's AddressSanitizer needs at run time.
sanitizer_runtime() {
    clang -print-file-name="libclang_rt.asan-$(uname -m).so"
}

# Some releases have it in a package of its own, which clang only recommends.
need_sanitizers() {
    [ -f "$(sanitizer_runtime)" ] || need_packages "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
}

# need_packages "NAME ...": installs what dpkg does not have. Without apt-get the names are printed.
need_packages() {
    missing=
    for package in $1; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || { echo "please install what these Debian packages hold:$missing"; return 0; }
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "please install as root:$missing"; return 1; }
        as_root=sudo
    fi
    echo "== installing$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
}
