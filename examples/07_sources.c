/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The sources of an image of the sky, in the four steps of a lesson on GPUs: clip what is far from
 * the rest, mark pixels brighter than five standard deviations, number the islands, measure them.
 * Then the same as one call. Without a file an image is made up.
 *
 *     07_sources [IMAGE.fits]
 */
#include <liquid_engine/le_io.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 512, MEDIAN = 3, STD = 5, SUM = 2, CENTER_0 = 11, CENTER_1 = 12 };

static int failed(void) {
    fprintf(stderr, "%s\n", le_error_message());
    return 1;
}

/* Noise and forty round sources. */
static le_status make_up(le_tensor *image) {
    le_status status = le_tensor_alloc(image, LE_F32, 2, (int64_t[]){SIZE, SIZE});
    float *pixels = image->data;
    uint32_t random = 1;
    for (int64_t i = 0; status == LE_OK && i < SIZE * SIZE; i++) {
        const double y = (double)(i / SIZE % 80) - 40, x = (double)(i % SIZE % 80) - 40;
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            random = random * 1664525u + 1013904223u;
            sum += (double)(random >> 8) / 16777216.0 - 0.5;
        }
        pixels[i] = (float)(0.02 * sum + 0.8 * exp(-(x * x + y * y) / 12));
    }
    return status;
}

int main(int argc, char **argv) {
    le_tensor image = {0}, statistics = {0}, mask = {0}, labels = {0}, catalogue = {0}, once = {0};
    if ((argc > 1 ? le_io_read(NULL, argv[1], NULL, &image) : make_up(&image)) != LE_OK)
        return failed();

    /* step 1: median and standard deviation of what is not a source */
    if (le_run("sigma_clip", LE_IN("image", &image), LE_OUT("statistics", &statistics)) != LE_OK)
        return failed();
    const double *s = statistics.data;
    printf("noise: median %.6g, std %.6g, after %.0f passes\n", s[MEDIAN], s[STD], s[2]);

    /* steps 2 and 3: segmentation, and the islands in it */
    if (le_run("threshold", LE_IN("image", &image), LE_F64("level", 5 * s[STD]),
               LE_OUT("mask", &mask)) != LE_OK ||
        le_run("label", LE_IN("mask", &mask), LE_OUT("labels", &labels)) != LE_OK)
        return failed();

    /* step 4: where they are and how bright */
    if (le_run("measure_sources", LE_IN("image", &image), LE_IN("labels", &labels),
               LE_OUT("catalogue", &catalogue)) != LE_OK)
        return failed();
    printf("%lld sources\n", (long long)catalogue.shape[0]);
    for (int64_t i = 0; i < catalogue.shape[0] && i < 5; i++) {
        const double *row = (const double *)catalogue.data + i * catalogue.shape[1];
        printf("%4.0f at (%.2f, %.2f), flux %.4g\n", row[0], row[CENTER_0], row[CENTER_1],
               row[SUM]);
    }

    /* all of it at once */
    if (le_run("find_sources", LE_IN("image", &image), LE_OUT("catalogue", &once)) != LE_OK)
        return failed();
    printf("in one call: %lld\n", (long long)once.shape[0]);
    const int same = once.shape[0] == catalogue.shape[0];
    le_tensor *const all[] = {&image, &statistics, &mask, &labels, &catalogue, &once};
    for (int k = 0; k < 6; k++)
        le_tensor_free(all[k]);
    le_shutdown();
    return same ? 0 : 1;
}
