/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How numbers are written for people.
 */
#ifndef LE_REPORT_TEXTS_H
#define LE_REPORT_TEXTS_H

enum { LE__TEXT = 24 }; /* bytes that hold any of the texts below */

/* "12.3 ms", "4.56 us", "1.20 s"; "-" for NaN and what is not positive. Return out. */
const char *le__seconds_text(double seconds, char *out);
/* "1.5 MiB"; "-" for 0 and less. */
const char *le__bytes_text(double bytes, char *out);
/* "12 s", "5 min", "3 h", "12 d"; "-" for NaN. */
const char *le__age_text(double seconds, char *out);
/* "231x", "1.08x"; "-" for NaN. */
const char *le__ratio_text(double ratio, char *out);
/* "2.3e-06", "0"; "-" for NaN. */
const char *le__error_text(double error, char *out);

#endif
