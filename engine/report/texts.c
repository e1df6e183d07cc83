/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Numbers as people read them.
 */
#include "texts.h"

#include <math.h>
#include <stdio.h>

/* Three significant digits, without an exponent. */
static void three(double v, const char *unit, char *out) {
    int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
    snprintf(out, LE__TEXT, "%.*f%s", decimals, v, unit);
}

const char *le__seconds_text(double s, char *out) {
    if (!(s > 0) || !isfinite(s))
        snprintf(out, LE__TEXT, "-");
    else if (s < 999.5e-9)
        three(s * 1e9, " ns", out);
    else if (s < 999.5e-6)
        three(s * 1e6, " us", out);
    else if (s < 0.9995)
        three(s * 1e3, " ms", out);
    else
        three(s < 1e9 ? s : 1e9, " s", out);
    return out;
}

const char *le__bytes_text(double b, char *out) {
    static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
    size_t u = 0;
    if (!(b > 0) || !isfinite(b)) {
        snprintf(out, LE__TEXT, "-");
        return out;
    }
    for (; b >= 1000 && u < 4; u++)
        b /= 1024;
    if (u == 0)
        snprintf(out, LE__TEXT, "%.0f B", b);
    else
        three(b, units[u], out);
    return out;
}

const char *le__age_text(double s, char *out) {
    if (!isfinite(s))
        snprintf(out, LE__TEXT, "-");
    else if (s < 90)
        snprintf(out, LE__TEXT, "%.0f s", s > 0 ? s : 0);
    else if (s < 90 * 60)
        snprintf(out, LE__TEXT, "%.0f min", s / 60);
    else if (s < 48 * 3600)
        snprintf(out, LE__TEXT, "%.0f h", s / 3600);
    else
        snprintf(out, LE__TEXT, "%.0f d", s / 86400);
    return out;
}

const char *le__ratio_text(double ratio, char *out) {
    if (!(ratio > 0) || !isfinite(ratio))
        snprintf(out, LE__TEXT, "-");
    else
        three(ratio < 1e9 ? ratio : 1e9, "x", out);
    return out;
}

const char *le__error_text(double error, char *out) {
    if (isnan(error))
        snprintf(out, LE__TEXT, "-");
    else if (error == 0)
        snprintf(out, LE__TEXT, "0");
    else
        snprintf(out, LE__TEXT, "%.1e", error);
    return out;
}
