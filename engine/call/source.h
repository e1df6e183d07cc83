/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What tells one version of an implementation's code from another, for those registered at run
 * time: the build knows the sources of its own.
 */
#ifndef LE_SOURCE_H
#define LE_SOURCE_H

#include "liquid_engine/le_method.h"

enum { LE__SOURCE_HASH = 24 };

/* Of le_implementation.source where that is given. Else of the program or library that holds the
 * functions: its build ID, which follows the contents; without one its size and time of change.
 * Empty when nothing is known. */
void le__source_hash(const le_implementation *impl, char out[LE__SOURCE_HASH]);
/* Of the program or library that holds a function, likewise. */
void le__object_hash(void (*function)(void), char out[LE__SOURCE_HASH]);

enum { LE__KERNEL_HASH = 65 };
/* Of a kernel's text: its sha256 where the build has made it, else one made here. */
void le__kernel_hash(const le_cl_source *source, char out[LE__KERNEL_HASH]);

#endif
