/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is wrong with a chunk: the operation is asked again, for it alone.
 */
#include "scan.h"

#include <stdio.h>
#include <string.h>

/* The chunk alone, asked for without mercy: what the operation says then. */
const char *scan_reason_of(void *cookie, int64_t item) {
    static const char behind[] = "cannot be decoded: ";
    static char reason[200];
    const scan *s = cookie;
    le_source *source = NULL;
    le_tensor parts[LE_SOURCE_PARTS] = {{0}}, results[LE_MAX_ARGS] = {{0}};
    le_arg args[3 * LE_MAX_ARGS];
    size_t n = s->n_format;
    memcpy(args, s->format, n * sizeof *args);
    args[n - 1] = LE_STR("bad_frames", "refuse");
    le_status status = scan_frames_open(s->engine, s->a->args[s->frames].text, &s->wish, &source);
    if (status == LE_OK)
        status = scan_frames_leave(source, item);
    if (status == LE_OK)
        status = source->next(source, 1, parts);
    args[n++] = LE_IN("frames", &parts[0]);
    args[n++] = LE_IN("offsets", &parts[1]);
    args[n++] = LE_IN("skipped", &parts[2]);
    for (size_t i = 0; i < s->n_given; i++)
        if (s->given[i].kind != LE_KIND_OUT && strcmp(s->given[i].name, "bad_frames") != 0 &&
            strcmp(s->given[i].name, "frames") != 0)
            args[n++] = s->given[i];
    for (int k = 0; k < s->n_outputs; k++)
        args[n++] = LE_OUT(s->outputs[k].desc->name, &results[k]);
    if (status == LE_OK)
        status = le_call_run(s->engine, s->a->operation->name, args, n);
    const char *text = status == LE_OK ? NULL : strstr(le_error_message(), behind);
    snprintf(reason, sizeof reason, "%s", text ? text + sizeof behind - 1 : "");
    for (int k = 0; k < s->n_outputs; k++)
        le_tensor_free(&results[k]);
    for (int k = 0; k < LE_SOURCE_PARTS; k++)
        le_tensor_free(&parts[k]);
    le_source_close(&source);
    return reason;
}

le_status scan_reason_tell(scan *s, le_status status) {
    const int64_t item = scan_report_refused(&s->report);
    char text[400];
    if (item < 0)
        return status;
    snprintf(text, sizeof text, "%s", le_error_message());
    const char *why = scan_reason_of(s, item);
    return le_fail(status, "%s%s%s; bad_frames=skip leaves such frames out", text, *why ? ": " : "",
                   why);
}
