#!/bin/sh
# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# The whole test suite: installs what is missing, builds with warnings as errors, and runs all tests; the
# same compiled by clang, under AddressSanitizer with UndefinedBehaviorSanitizer and under ThreadSanitizer, and
# without OpenCL; files without the libraries for HDF5, TIFF and FITS; calls over the ranks of MPI jobs;
# the Python module, installed into an environment of its own where PyPI can be reached. Asked for by name: the
# OpenCL tests with other drivers, where they can be had (tools/drivers.sh). Ends with 0 when all passed.
# usage: sh tools/check.sh [dev|asan|tsan|no-opencl|no-formats|mpi|python|drivers ...]   default: all but drivers
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/packages.sh
. tools/drivers.sh
need_packages "$build_packages $test_packages" && need_sanitizers || exit 1

# What several parts compile from the same text is compiled once. PoCL would compile each kernel again
# for launches of few groups: half of the time of the OpenCL tests.
command -v ccache >/dev/null &&
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_DIR="$PWD/build/ccache" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
export POCL_WORK_GROUP_SPECIALIZATION=0
# Each part links a hundred programs, with which the usual linker takes four times as long.
for linker in lld gold; do
    command -v "ld.$linker" >/dev/null && export LDFLAGS="-fuse-ld=$linker" && break
done

failed=
summary=
jobs=$(nproc)
crowd=$((jobs + (jobs + 1) / 2)) # of tests that wait as well: for limits, trials, disks and one another

selected= # arguments of ctest: which tests a part runs

build() { # NAME CMAKE_ARGUMENTS...
    name=$1
    shift
    echo "== $name: building"
    # shellcheck disable=SC2046 # a list of words
    cmake "$@" >"build/$name.log" 2>&1 &&
        cmake --build "build/$name" --target $(targets "$name") >>"build/$name.log" 2>&1 && return
    tail -n 60 "build/$name.log"
    failed="$failed $name(build)"
    return 1
}

# By clang, whose sanitized programs take less time than GCC's. A folder whose compiler changes loses its other settings,
# the sanitizer as well: one of GCC's is begun anew.
build_sanitized() { # NAME CMAKE_ARGUMENTS...
    grep -q '^CMAKE_C_COMPILER:.*clang' "build/$1/CMakeCache.txt" 2>/dev/null ||
        rm -rf "build/$1/CMakeCache.txt" "build/$1/CMakeFiles"
    build "$1" --preset "$@" -DCMAKE_C_COMPILER=clang "-DLE_ISAS=$isas"
}

# Tests that a part leaves out are not compiled there. CTest itself names no program that is still to be made.
targets() { # NAME
    [ -n "$selected" ] || { echo all; return; }
    echo liquid_engine_shared liquid_engine_static tools/all examples/all test_programs
    # shellcheck disable=SC2086 # a list of words
    { (cd "build/$1" && ctest -N $selected); find "build/$1" -name CTestTestfile.cmake -exec cat {} +; } |
        awk -v root="$PWD/build/$1/" '
            $1 == "Test" { selected[$3] }
            /^add_test/ {
                name = $1
                gsub(/add_test\(|[][=]/, "", name)
                split($0, quoted, "\"")
                if (name in selected && index(quoted[2], root) == 1)
                    print substr(quoted[2], length(root) + 1)
            }' | sort -u
}

run_tests() { # NAME[@FOLDER]
    name=${1%@*}
    folder=${1#*@}
    echo "== $name: testing"
    # shellcheck disable=SC2086 # a list of words
    (cd "build/$folder" && ctest --output-on-failure -j "$jobs" $selected) >"build/$name-tests.log" 2>&1 ||
        { failed="$failed $name(tests)"; tail -n 120 "build/$name-tests.log"; }
    summary="$summary== $name
$(grep -E 'tests passed|^Total Test time' "build/$name-tests.log")
"
}

# The OpenCL tests with each driver. Oclgrind interprets kernels: it takes small ones, and looks for reads
# and writes outside of memory.
tests_of() { # DRIVER
    case $1 in
    oclgrind) echo 'test_opencl$|test_opencl_programs|test_no_f64' ;;
    intel) echo "$(tests_of rusticl)|_golden" ;;
    *) echo 'test_opencl$|test_opencl_programs|test_no_f64|test_volume_opencl$|check_opencl|test_chain|test_slabs$|example' ;;
    esac
}

# llvmpipe leaves loops after 65,535 passes: the fifth case of azimuthal_median has more in a work-item.
cases_of() { # DRIVER
    case $1 in
    rusticl) echo 4 ;;
    *) echo 8 ;;
    esac
}

test_driver() { # NAME
    echo "== drivers: $1"
    if ! have_driver "$1" build/dev/tools; then
        summary="$summary== drivers: $1 skipped: not to be had here (build/drivers/$1.log)
"
        return
    fi
    with_driver "$1" env LE_TEST_CASES="$(cases_of "$1")" ctest --test-dir build/dev --output-on-failure -j "$jobs" -R "$(tests_of "$1")" \
        >"build/drivers/$1-tests.log" 2>&1 ||
        { failed="$failed drivers($1)"; tail -n 120 "build/drivers/$1-tests.log"; }
    summary="$summary== drivers: $1
$(grep -E 'tests passed|^Total Test time' "build/drivers/$1-tests.log")
"
}

# pip builds the module as a user's would, but for words that change no code: with them ccache has most of it from dev.
python_module() {
    echo "== python: installing"
    python3 -m venv --clear build/python-venv >build/python.log 2>&1 &&
        build/python-venv/bin/pip install -q --disable-pip-version-check pytest pytest-xdist mypy h5py netCDF4 tifffile numba numpydoc \
            "dask[distributed]" >>build/python.log 2>&1 ||
        { summary="$summary== python skipped: its packages are not to be had here (build/python.log)
"; return; }
    env -u LDFLAGS CFLAGS=-g1 build/python-venv/bin/pip install -q --disable-pip-version-check -C cmake.define.LE_WERROR=ON . \
        >>build/python.log 2>&1 ||
        { tail -n 60 build/python.log; failed="$failed python(build)"; return; }
    echo "== python: testing"
    timeout 600 build/python-venv/bin/python -m pytest -q -n "$jobs" tests/python >build/python-tests.log 2>&1 ||
        { failed="$failed python(tests)"; tail -n 120 build/python-tests.log; }
    summary="$summary== python
$(tail -n 1 build/python-tests.log)
"
    [ ! -f build/asan/CMakeCache.txt ] || sanitized_module
}

# What crosses between Python and C, with the sanitized library where its part has made one. The interpreter is a usual one, so the
# sanitizers are loaded before it, and see its objects too; what it keeps until it ends is no leak. Reports must not end in pytest's hands.
sanitized_module() {
    echo "== python: testing with sanitizers"
    { cmake -B build/asan -DLE_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/build/python-venv/bin/python" &&
        cmake --build build/asan --target le_python le-trial; } >>build/python.log 2>&1 ||
        { tail -n 60 build/python.log; failed="$failed python(sanitizers)"; return; }
    env PYTHONPATH=build/asan/tools/python PYTHONMALLOC=malloc LE_TRIAL_LIMIT=30 ASAN_OPTIONS="$asan_options:detect_leaks=0" \
        LD_PRELOAD="$(sanitizer_runtime)" \
        timeout 600 build/python-venv/bin/python -m pytest -q -n "$jobs" --capture=sys tests/python/test_calls.py tests/python/test_chain.py \
        tests/python/test_engine.py tests/python/test_frames.py tests/python/test_own.py >build/python-asan-tests.log 2>&1 ||
        { failed="$failed python(sanitizers)"; tail -n 120 build/python-asan-tests.log; }
    summary="$summary$(tail -n 1 build/python-asan-tests.log) with sanitizers
"
}

# LLVM, in OpenCL drivers, gives threads stacks for signals that the sanitizer would unmap.
asan_options=allocator_may_return_null=1:intercept_tls_get_addr=0:use_sigaltstack=0

# Sanitizers take longest to compile what this machine cannot run.
isas=avx2
grep -q avx512f /proc/cpuinfo 2>/dev/null && isas='avx2;avx512'

# Every part leaves out what says nothing new there: the long comparisons of values with references
# (check_cpu and check_opencl_* make the same on fewer cases), and what looks at sources and packages.
values='_cases|_golden'
no_code='style|package'
once='docs|_delays' # commands as printed, and how long calls are delayed
long='imaging_proofs|many_shapes|check_even|check_nan' # many repetitions, which dev makes
same='who_answers|first_run|test_tick|cli_le_scan' # long ones, whose code drivers do not change
narrow='(superres|scattering|imaging|opencl)_no_f64' # kernels for devices without double precision

check() {
    unset LE_TEST_CASES LE_TEST_STEP
    selected=
    case $1 in
    dev)
        export LE_TEST_CASES=8 # of each operation and dtype; edge shapes come first
        build dev --preset dev && jobs=$crowd run_tests dev
        ;;
    no-opencl)
        export LE_TEST_CASES=3 # the CPU's code is that of dev
        selected="-E $values|$no_code|$once|benchdb|policy|replay|planted|cli_le_bench|_memory|$long|$same"
        build no-opencl --preset no-opencl && run_tests no-opencl
        ;;
    no-formats)
        export LE_TEST_CASES=6
        selected='-R test_io|outfile|picture|run_args|cli|example|fuzz|package_symbols'
        build no-formats --preset no-formats && run_tests no-formats
        ;;
    asan)
        # drivers keep memory until the process ends; what the project's own code leaks is reported
        export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
        export ASAN_OPTIONS="$asan_options"
        export LE_TEST_CASES=2 LE_TEST_STEP=3 # of each operation, of allocations that fail and of faults: all would take the longest here
        # all is compiled, for clang's warnings; numbers that no integer can hold are no part of "undefined"
        build_sanitized asan -DLE_SANITIZE=address,undefined,float-cast-overflow &&
            selected="-E $no_code|$once|_golden|$long|$narrow" && jobs=$crowd run_tests asan
        ;;
    tsan)
        export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp:die_after_fork=0:allocator_may_return_null=1"
        export LE_TEST_CASES=1 # of each operation: what threads share shows in any, and all take ten times as long
        # what never starts a thread is left to the other parts, and what check_cpu, test_opencl, test_slabs and test_io_threads show
        alone='policy|replay|stats|test_plan|volume_math|svg|run_args|_memory|test_ends|test_views'
        shown='check_opencl|opencl_faults|_no_f64|imaging_clip|convolution_slabs|strides|io_h5|cli_le_(bench|run|scan)'
        selected="-E $values|$no_code|$once|$alone|$shown|$long"
        build_sanitized tsan && run_tests tsan
        ;;
    mpi)
        need_packages "$mpi_packages" || exit 1
        build dev --preset dev -DLE_WITH_MPI=ON && selected='-L mpi' && run_tests mpi@dev
        ;;
    python)
        python_module
        ;;
    drivers)
        mkdir -p build/drivers
        if build dev --preset dev; then
            for driver in intel rusticl oclgrind; do
                test_driver "$driver"
            done
        fi
        ;;
    *)
        echo "unknown part '$1'; expected dev, asan, tsan, no-opencl, no-formats, mpi, python or drivers"
        exit 2
        ;;
    esac
}

mkdir -p build
[ $# -gt 0 ] || set -- dev asan tsan no-opencl no-formats mpi python
for part in "$@"; do
    check "$part"
done

echo
printf '%s' "$summary"
[ -z "$failed" ] || { echo "FAILED:$failed"; exit 1; }
echo "all good"
