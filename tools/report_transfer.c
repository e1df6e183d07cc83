/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-report export, import and merge.
 */
#include "report_transfer.h"

#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_report.h"

static const char *const commands[] = {"export", "import", "merge", NULL};

bool report_is_transfer(char *const *words) {
    for (size_t i = 0; words[0] && commands[i]; i++)
        if (!strcmp(words[0], commands[i]))
            return true;
    return false;
}

static void tell(void *cookie, int line, const char *text) {
    (void)cookie;
    if (line)
        tool_message("line %d: %s", line, text);
    else
        tool_message("%s", text);
}

static int failed(void) {
    tool_message("%s", le_error_message());
    return TOOL_FAILED;
}

static int print_all(le_engine *engine) {
    char *text;
    size_t size;
    if (le_bench_hand_out(engine, LE_BENCH_ALL, &text, &size) != LE_OK)
        return failed();
    fwrite(text, 1, size, stdout);
    free(text);
    return tool_stdout_is_written() ? TOOL_OK : TOOL_FAILED;
}

static le_status add_rows(le_engine *engine, const char *command, const char *path,
                          bool keep_unknown) {
    le_wisdom_options options = {
        .struct_size = sizeof options, .refused = tell, .keep_unknown = keep_unknown};
    le_wisdom_counts counts = {.struct_size = sizeof counts};
    le_status status = !strcmp(command, "merge") ? le_wisdom_merge(engine, path, &options, &counts)
                                                 : le_wisdom_load(engine, path, &options, &counts);
    if (status == LE_OK)
        printf("%lld rows: %lld added, %lld known already, %lld refused\n", (long long)counts.rows,
               (long long)counts.added, (long long)counts.known, (long long)counts.refused);
    return status;
}

int report_transfer(le_engine *engine, char *const *words, bool keep_unknown) {
    if (!words[1] || words[2]) {
        tool_message("%s takes one file; see --help", words[0]);
        return TOOL_USAGE;
    }
    bool exports = !strcmp(words[0], "export");
    if (exports && !strcmp(words[1], "-"))
        return print_all(engine);
    const int error = exports ? tool_make_folders(words[1]) : 0;
    if (error) {
        tool_message("%s cannot be written: %s", words[1], strerror(error));
        return TOOL_FAILED;
    }
    le_status status = exports ? le_wisdom_save(engine, words[1])
                               : add_rows(engine, words[0], words[1], keep_unknown);
    return status == LE_OK ? TOOL_OK : failed();
}
