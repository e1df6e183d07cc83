/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Filters of HDF5 that the library decodes itself, in a table that the build writes.
 */
#ifndef LE_IO_FILTERS_H
#define LE_IO_FILTERS_H

#include "liquid_engine/le_method.h"

extern const le_filter *const le_builtin_filters[]; /* NULL-ended */

#endif
