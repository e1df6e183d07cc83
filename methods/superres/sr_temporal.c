/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Words and counts of the temporal projections.
 */
#include "superres.h"

#include <string.h>

const char *const le__sr_temporal_words[] = {"none", "avg", "var", "tac2", NULL};

le__sr_temporal le__sr_temporal_of(const char *word) {
    int k = 0;
    while (le__sr_temporal_words[k] && strcmp(word, le__sr_temporal_words[k]) != 0)
        k++;
    return (le__sr_temporal)(k & 3);
}

int64_t le__sr_timepoint_frames(int64_t frames, int64_t per_timepoint) {
    return per_timepoint < 1 || per_timepoint > frames ? frames : per_timepoint;
}

int64_t le__sr_timepoints(int64_t frames, int64_t per_timepoint) {
    int64_t each = le__sr_timepoint_frames(frames, per_timepoint);
    return (frames + each - 1) / each;
}
