/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Points of light convolved with a Gaussian, and a fair timing of it: an image that lies in the
 * host's memory has to travel to a device and its result back, and the time of the kernel alone
 * leaves that out. Prints both for the CPU and for an OpenCL device, if there is one.
 *
 *     06_convolution [PIXELS]
 */
#include <liquid_engine/le.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAPS = 15, RUNS = 5 };

/* A point every 16 pixels along both axes. */
static void fill_points(le_tensor *image) {
    float *pixels = image->data;
    for (int64_t i = 0; i < le_tensor_count(image); i++)
        pixels[i] = i / image->shape[1] % 16 == 8 && i % image->shape[1] % 16 == 8;
}

static void fill_gauss(double taps[TAPS * TAPS]) {
    for (int i = 0; i < TAPS * TAPS; i++) {
        const double y = i / TAPS - TAPS / 2, x = i % TAPS - TAPS / 2;
        taps[i] = exp(-0.5 * (x * x + y * y));
    }
}

/* The least of some runs; the first ones also find out which implementation is the fastest. */
static int time_on(const char *device, le_tensor *image, const le_tensor *kernel,
                   le_tensor *result) {
    double whole = INFINITY, alone = INFINITY;
    le_run_info info = {.struct_size = sizeof info};
    for (int i = 0; i < RUNS; i++) {
        le_tensor_touch(image); /* as if it were new: a device keeps what it has seen */
        if (le_run("convolve2d", LE_IN("image", image), LE_TABLE("kernel", kernel),
                   LE_STR("mode", "same"), LE_OUT("result", result),
                   LE_OPT_DEVICE(device)) != LE_OK)
            return 1;
        le_last_run(&info);
        whole = fmin(whole, info.seconds);
        alone = fmin(alone, info.kernel_seconds);
    }
    printf("%-40s %8.3f ms", info.candidate, 1e3 * whole);
    if (alone > 0)
        printf(", of which the kernel %.3f ms, with %.1f MB moved", 1e3 * alone,
               1e-6 * (double)(info.bytes_to_device + info.bytes_from_device));
    printf("\n");
    return 0;
}

int main(int argc, char **argv) {
    const int64_t n = argc > 1 ? atoll(argv[1]) : 512, k = TAPS, shape[2] = {n, n};
    double taps[TAPS * TAPS];
    le_tensor image = {0}, result = {0};
    const le_tensor kernel = le_tensor_of(taps, LE_F64, 2, (int64_t[]){k, k});
    fill_gauss(taps);
    if (n < 32 || le_tensor_alloc(&image, LE_F32, 2, shape) != LE_OK ||
        le_tensor_alloc(&result, LE_F32, 2, shape) != LE_OK) {
        fprintf(stderr, "usage: %s [PIXELS, 32 or more]\n", argv[0]);
        return 2;
    }
    fill_points(&image);
    int failed = time_on("cpu", &image, &kernel, &result);
    if (failed)
        fprintf(stderr, "%s\n", le_error_message());
    else if (time_on("opencl", &image, &kernel, &result))
        printf("no OpenCL: %s\n", le_error_message());
    /* beside a point its neighbours' Gaussians are gone */
    const float *pixels = result.data;
    if (!failed)
        printf("at a point %.3f, a pixel beside it %.3f\n", pixels[8 * n + 8], pixels[8 * n + 9]);
    le_tensor_free(&image);
    le_tensor_free(&result);
    return failed;
}
