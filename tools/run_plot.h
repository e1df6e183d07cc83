/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Results over axes in le-run, of operations with outputs `intensity` and `radial`: plots as NeXus
 * has them in HDF5 files, text files with columns, and pictures.
 */
#ifndef LE_TOOLS_RUN_PLOT_H
#define LE_TOOLS_RUN_PLOT_H

#include "run.h"

/* Before the call: asks for the outputs that a plot needs beside those that the user asked for. */
le_status run_plot_prepare(run_args *a);
/* When all outputs are there and written: writes what is left. */
le_status run_plot_write(run_args *a);

#endif
