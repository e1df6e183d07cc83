/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The life of le-trial: an engine that only serves trials.
 */
#include "helper.h"

#include "call/engine.h"
#include "trial/spawn.h"
#include "trial/trial_request.h"
#include "trial/trial_server.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int le__trial_main(int argc, char **argv) {
    char identity[32], ready = 'r';
    le_options o;
    le_engine *e = NULL;
    snprintf(identity, sizeof identity, "%016" PRIx64, le__trial_identity());
    if (argc != 2 || strcmp(argv[1], identity) != 0)
        return 2;
    le_default_options(&o);
    o.db_path = ":memory:";
    if (le_open(&e, &o) != LE_OK || write(LE__TRIAL_FD, &ready, 1) != 1)
        return 1;
    le__trial_serve(e, LE__TRIAL_FD);
    return 0;
}
