/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Loops of a known number of rounds without branches, which compilers turn into vectors.
 */
#include "scattering/lines.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define TOGETHER static inline __attribute__((always_inline))
#else
#define TOGETHER static inline
#endif

/* atan of numbers up to 0.66 (Moshier, Methods and Programs for Mathematical Functions, 1989:
 * Cephes) */
TOGETHER double small_atan(double a) {
    const double z = a * a;
    const double p = (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z -
                       7.500855792314704667340e1) *
                          z -
                      1.228866684490136173410e2) *
                         z -
                     6.485021904942025371773e1;
    const double q = ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z +
                       4.328810604912902668951e2) *
                          z +
                      4.853903996359136964868e2) *
                         z +
                     1.945506571482613964425e2;
    return a + a * (z * (p / q));
}

TOGETHER double plain_atan2(double y, double x) {
    const double pi = 3.14159265358979323846, eighth = 0.41421356237309504880; /* tan(pi / 8) */
    const double ax = fabs(x), ay = fabs(y);
    const double least = ax < ay ? ax : ay, most = ax < ay ? ay : ax;
    const bool turned = least > eighth * most;
    const double above = turned ? least - most : least, below = turned ? least + most : most;
    const double first = small_atan(above / (below > 0 ? below : 1)) + (turned ? pi / 4 : 0);
    const double second = ax < ay ? pi / 2 - first : first;
    const double third = x < 0 ? pi - second : second;
    return y < 0 ? -third : third;
}

TOGETHER void sin_half_of(const double *restrict r, const double *restrict t3,
                          double *restrict out) {
    double n[LE__SC_LINE];
    bool back = false;
    for (int k = 0; k < LE__SC_LINE; k++)
        n[k] = sqrt(r[k] * r[k] + t3[k] * t3[k]);
    for (int k = 0; k < LE__SC_LINE; k++)
        out[k] = r[k] / sqrt(2 * n[k] * (n[k] + t3[k]));
    for (int k = 0; k < LE__SC_LINE; k++)
        back |= !(t3[k] > 0);
    for (int k = 0; k < LE__SC_LINE && back; k++)
        out[k] = le__sc_sin_half(r[k], t3[k]);
}

TOGETHER void line_of(const double m[3][3], double x1, const double *restrict x2, double distance,
                      le__sc_radial radial, bool chi, le__sc_line *restrict out) {
    double t1[LE__SC_LINE], t2[LE__SC_LINE], t3[LE__SC_LINE], r[LE__SC_LINE];
    for (int k = 0; k < LE__SC_LINE; k++) {
        t1[k] = m[0][0] * x1 + m[0][1] * x2[k] + m[0][2] * distance;
        t2[k] = m[1][0] * x1 + m[1][1] * x2[k] + m[1][2] * distance;
        t3[k] = m[2][0] * x1 + m[2][1] * x2[k] + m[2][2] * distance;
    }
    for (int k = 0; k < LE__SC_LINE; k++)
        r[k] = sqrt(t1[k] * t1[k] + t2[k] * t2[k]);
    if (radial == LE__SC_SIN_HALF)
        sin_half_of(r, t3, out->radial);
    else
        for (int k = 0; k < LE__SC_LINE; k++)
            out->radial[k] = radial == LE__SC_RADIUS ? r[k] : plain_atan2(r[k], t3[k]);
    if (chi)
        for (int k = 0; k < LE__SC_LINE; k++)
            out->chi[k] = plain_atan2(t1[k], t2[k]);
}

TOGETHER void solid_angles_of(double x1, const double *restrict x2, double distance,
                              double *restrict out) {
    for (int k = 0; k < LE__SC_LINE; k++) {
        const double c = distance / sqrt(x1 * x1 + x2[k] * x2[k] + distance * distance);
        out[k] = c * c * c;
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#define FOR_AVX512 __attribute__((target("avx512f,avx512dq"))) static void
#define FOR_AVX2   __attribute__((target("avx2"))) static void

FOR_AVX512 line_of_avx512(const double m[3][3], double x1, const double x2[LE__SC_LINE],
                          double distance, le__sc_radial radial, bool chi, le__sc_line *out) {
    line_of(m, x1, x2, distance, radial, chi, out);
}

FOR_AVX2 line_of_avx2(const double m[3][3], double x1, const double x2[LE__SC_LINE],
                      double distance, le__sc_radial radial, bool chi, le__sc_line *out) {
    line_of(m, x1, x2, distance, radial, chi, out);
}

FOR_AVX512 solid_angles_of_avx512(double x1, const double x2[LE__SC_LINE], double distance,
                                  double out[LE__SC_LINE]) {
    solid_angles_of(x1, x2, distance, out);
}

FOR_AVX2 solid_angles_of_avx2(double x1, const double x2[LE__SC_LINE], double distance,
                              double out[LE__SC_LINE]) {
    solid_angles_of(x1, x2, distance, out);
}

#define FASTEST(function, ...)                                                                     \
    (__builtin_cpu_supports("avx512dq") ? function##_avx512(__VA_ARGS__)                           \
     : __builtin_cpu_supports("avx2")   ? function##_avx2(__VA_ARGS__)                             \
                                        : function(__VA_ARGS__))
#else
#define FASTEST(function, ...) function(__VA_ARGS__)
#endif

void le__sc_line_of(const double m[3][3], double x1, const double x2[LE__SC_LINE], double distance,
                    le__sc_radial radial, bool chi, le__sc_line *out) {
    FASTEST(line_of, m, x1, x2, distance, radial, chi, out);
}

void le__sc_solid_angles_of(double x1, const double x2[LE__SC_LINE], double distance,
                            double out[LE__SC_LINE]) {
    FASTEST(solid_angles_of, x1, x2, distance, out);
}
