/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Images and masks of sample calls.
 */
#ifndef LE_IMAGING_SCENE_H
#define LE_IMAGING_SCENE_H

#include "common/cases.h"

/* The argument "image" of a case: noise with sources; among the checks also few
 * pixels, constants, ties, numbers that are not finite, and lines of one pixel.
 * `arg`: its index in the operation. NULL when out of memory. */
le_tensor *le__im_scene(le_case *c, const le_case_request *r, int arg);
/* The same with two axes. */
le_tensor *le__im_scene_2d(le_case *c, const le_case_request *r, int arg);
/* An input "labels" of the shape of `like`, else of argument `arg`: blobs, numbered in order; now
 * and then scattered pixels with numbers of their own. */
le_tensor *le__im_numbered(le_case *c, const le_case_request *r, int arg, const le_tensor *like,
                           le_dtype dtype);
/* An input "mask" in the same way: sparse, dense and regular patterns. */
le_tensor *le__im_mask(le_case *c, const le_case_request *r, int arg);

#endif
