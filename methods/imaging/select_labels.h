/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation select_labels: its arguments.
 */
#ifndef LE_IMAGING_SELECT_LABELS_H
#define LE_IMAGING_SELECT_LABELS_H

#include "imaging/pixels.h"

enum { SELECT_LABELS, SELECT_SEEDS, SELECT_AREA, SELECT_RESULT, SELECT_COUNT };

#endif
