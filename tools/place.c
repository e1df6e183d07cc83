/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Places in two parts. Folders and files may have a colon in their names, so the library says where
 * a file's name ends.
 */
#include "place.h"

#include "liquid_engine/le_io.h"

#include <stdlib.h>
#include <string.h>

bool place_split(const char *place, char *file, size_t size, const char **dataset) {
    char *name = NULL;
    if (le_io_place_file(place, &name) != LE_OK)
        return false;
    const size_t n = strlen(name);
    const bool found = n < size && !strncmp(place, name, n) && !strncmp(place + n, ":/", 2);
    if (found) {
        memcpy(file, name, n + 1);
        *dataset = place + n + 1;
    }
    free(name);
    return found;
}
