/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * PONI files.
 */
#include "scattering/poni.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    le__sc_poni poni;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (le__sc_poni_parse(text, "fuzz.poni", &poni) != LE_OK && *le_error_message() == '\0')
        abort(); /* an error without a text */
    free(text);
    return 0;
}
