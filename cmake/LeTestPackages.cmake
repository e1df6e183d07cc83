# SPDX-FileCopyrightText: 2026 The liquid engine developers
# SPDX-License-Identifier: MIT
# What only the test suite needs. Whoever wants the library alone need not have it: then one line says
# what is missing, and LE_TEST_PACKAGES_FOUND is off.
set(missing "")
foreach(package IN ITEMS cmocka dlpack)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND missing "${package} (Debian: lib${package}-dev)")
  endif()
endforeach()
if(missing)
  list(JOIN missing " and " missing)
  message(STATUS "Tests are off: they need ${missing}")
  set(LE_TEST_PACKAGES_FOUND OFF)
else()
  set(LE_TEST_PACKAGES_FOUND ON)
endif()
