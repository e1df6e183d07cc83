/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The OpenCL devices of the report: what their short names in candidates' texts stand for.
 */
#include "report_views.h"
#include "wrap.h"

void report_devices(const report *r, FILE *out) {
    report_device d[REPORT_DEVICES];
    size_t n = le__report_devices(r, d);
    if (n)
        fputc('\n', out);
    for (size_t i = 0; i < n; i++) {
        tool_text line = {0};
        const char *driver = le__report_device_part(r, d[i].id, "driver");
        int column = fprintf(out, "@%s  ", n == 1 ? "opencl" : d[i].name);
        tool_add(&line, "%s%s%s", le__report_device_part(r, d[i].id, "name"),
                 *driver ? ", driver " : "", driver);
        wrap_print(out, column, 4, line.failed ? "" : line.text);
        tool_text_free(&line);
    }
}
