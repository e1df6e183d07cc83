/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What launchers of MPI jobs tell their processes.
 */
#include "run_world.h"

#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *ranks, *rank, *name;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's launcher"},
    {"PMI_SIZE", "PMI_RANK", "MPICH's launcher"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun"},
};

static bool is_off(void) {
    const char *wanted = getenv("LE_MPI");
    return wanted && !strcmp(wanted, "off");
}

run_launch run_launched(void) {
    if (is_off())
        return (run_launch){NULL, 0, 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *ranks = getenv(launchers[i].ranks), *rank = getenv(launchers[i].rank);
        if (ranks && rank && atoi(ranks) > 1)
            return (run_launch){launchers[i].name, atoi(rank), atoi(ranks)};
    }
    return (run_launch){NULL, 0, 1};
}

bool run_is_left(char **argv) {
    char file[4096], journal[sizeof file + 16];
    const char *dataset;
    for (char **word = argv; *word && !is_off(); word++) {
        const char *value = strchr(*word, '=');
        if (!value || !place_split(value + 1, file, sizeof file, &dataset))
            continue;
        snprintf(journal, sizeof journal, "%s.journal", file);
        if (access(journal, F_OK) == 0)
            return true;
    }
    return false;
}
