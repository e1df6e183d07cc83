/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The words of le-run, one a line, against a descriptor with every kind of argument; and every word
 * as the name of a place.
 */
#include "liquid_engine/le_io.h"
#include "run_args.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const words_of[] = {"error", "nearest", NULL};
static const le_arg_desc descriptors[] = {
    {.name = "volume", .type = LE_TYPE_IN, .dtypes = LE_DTYPES_ALL, .shape = "[nx,ny,nz]"},
    {.name = "image", .type = LE_TYPE_OUT, .dtypes = LE_DTYPES_FLOAT},
    {.name = "angle", .type = LE_TYPE_F64, .optional = true, .min = -360, .max = 360},
    {.name = "size", .type = LE_TYPE_I64, .optional = true, .min = 1, .max = 100},
    {.name = "angles", .type = LE_TYPE_F64S, .optional = true, .min_count = 1, .max_count = 50},
    {.name = "method", .type = LE_TYPE_STR, .optional = true, .words = words_of},
    {.name = "title", .type = LE_TYPE_STR, .optional = true},
    {.name = "outside", .type = LE_TYPE_STR_OR_F64, .optional = true, .words = words_of},
};
static const le_operation operation = {
    .name = "test", .args = descriptors, .n_args = sizeof descriptors / sizeof *descriptors};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { WORDS = 32 };
    char *text = malloc(size + 1), *words[WORDS], *rest = text;
    char message[RUN_MESSAGE] = "";
    size_t n = 0;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *word; n < WORDS && (word = strsep(&rest, "\n"));)
        words[n++] = word;
    for (size_t i = 0; i < n; i++) {
        const char *value = strchr(words[i], '=');
        le_io_is_place(value ? value + 1 : words[i], i % 2 == 0);
    }
    run_args args;
    le_arg calls[LE_MAX_ARGS + RUN_OPTIONS_MAX];
    if (run_args_parse(&operation, words, n, &args, message)) {
        if (run_args_call(&args, NULL, 0, calls) < 2)
            abort(); /* volume and image at least */
        run_args_free(&args);
    } else if (!*message) {
        abort(); /* refused without a reason */
    }
    free(text);
    return 0;
}
