/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation select_labels: its arguments, and the labels of an image in which they are far
 * apart.
 */
#ifndef LE_IMAGING_SELECT_LABELS_H
#define LE_IMAGING_SELECT_LABELS_H

#include "imaging/pixels.h"

enum { SELECT_LABELS, SELECT_SEEDS, SELECT_AREA, SELECT_RESULT, SELECT_COUNT };

/* In ascending order, each once, without those below 1; returns how many are left. */
int64_t le__im_list_labels(int32_t *labels, int64_t n);

#endif
