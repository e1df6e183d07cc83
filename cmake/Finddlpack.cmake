# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# find_package(dlpack): the header alone is needed; not every distribution has a CMake package for it.
find_path(dlpack_INCLUDE_DIR dlpack/dlpack.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(dlpack REQUIRED_VARS dlpack_INCLUDE_DIR)
mark_as_advanced(dlpack_INCLUDE_DIR)
