/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A chain: samples of a volume, coloured, seen from the front, and the mean of the samples beside
 * it. The samples feed two steps; they are made once and stay on the device that the plan chose.
 */
#include <liquid_engine/le_chain.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, SIZE = 45 };

static int failed(void) {
    fprintf(stderr, "%s\n", le_error_message());
    return 1;
}

static le_chain *build(void) {
    le_chain *c;
    if (le_chain_new(&c, NULL, "front_view") != LE_OK)
        return NULL;
    le_value volume = le_chain_input(c, "volume", LE_F32, 3, (int64_t[]){N, N, N});
    le_value samples = le_chain_temp(c), rgba = le_chain_temp(c);
    le_value image = le_chain_temp(c), mean = le_chain_temp(c);
    le_chain_add(c, "interpolate", LE_VALUE_IN("volume", volume), LE_VALUE_OUT("samples", samples),
                 LE_I64("size", SIZE), LE_F64("angle", 30));
    le_chain_add(c, "transfer_function", LE_VALUE_IN("samples", samples),
                 LE_VALUE_OUT("rgba", rgba));
    le_chain_add(c, "composite", LE_VALUE_IN("rgba", rgba), LE_VALUE_OUT("image", image));
    le_chain_add(c, "project", LE_VALUE_IN("volume", samples), LE_VALUE_OUT("image", mean),
                 LE_STR("reduce", "mean"));
    le_chain_output(c, "image", image); /* errors stick: running the chain reports the first one */
    le_chain_output(c, "mean", mean);
    return c;
}

int main(void) {
    le_tensor volume, image = {0}, mean = {0};
    le_chain *chain = build();
    le_chain_plan *plan;
    le_chain_report report;
    if (!chain || le_tensor_alloc(&volume, LE_F32, 3, (int64_t[]){N, N, N}) != LE_OK)
        return failed();
    for (int i = 0; i < N * N * N; i++) /* a shell: densest 20 voxels from the centre */
        ((float *)volume.data)[i] = expf(
            10 - fabsf(20 - hypotf(hypotf((float)(i / N / N - N / 2), (float)(i / N % N - N / 2)),
                                   (float)(i % N - N / 2))));
    for (int run = 0; run < 3; run++) /* a chain is kept, and what it learns too */
        if (le_chain_run(chain, LE_IN("volume", &volume), LE_OUT("image", &image),
                         LE_OUT("mean", &mean)) != LE_OK)
            return failed();
    le_chain_last_run(chain, &report);
    printf("%.2f ms, %lld bytes to devices, %lld from them, values of %lld bytes at most\n",
           1e3 * report.seconds, (long long)report.bytes_to_device,
           (long long)report.bytes_from_device, (long long)report.peak_host_bytes);
    if (le_chain_explain(chain, &plan, NULL, 0) == LE_OK) {
        for (size_t i = 0; i < plan->n_steps; i++)
            printf("  %-18s %s\n", plan->steps[i].operation, plan->steps[i].candidate);
        le_chain_plan_free(&plan);
    }
    le_tensor_free(&image);
    le_tensor_free(&mean);
    le_tensor_free(&volume);
    le_chain_free(&chain);
    le_shutdown();
    return 0;
}
