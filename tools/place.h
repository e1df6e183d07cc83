/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Places of HDF5 datasets in words of a command line.
 */
#ifndef LE_TOOLS_PLACE_H
#define LE_TOOLS_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* FILE and /DATASET of FILE.h5:/DATASET. false: the place is none, or the file's name finds no room. */
bool place_split(const char *place, char *file, size_t size, const char **dataset);

#endif
