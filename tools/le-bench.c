/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench: measures ahead of need, checks implementations, shows where time goes.
 */
#include "bench_chain.h"
#include "bench_options.h"
#include "bench_volume.h"
#include "liquid_engine/le_io.h"
#include "run_world.h"
#include "wrap.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int help_env(void) {
    enum { COLUMN = 25 };
    for (const le_env_row *e = le_environment(); e->name; e++) {
        char text[320];
        snprintf(text, sizeof text, "%s (default: %s)", e->help, e->default_text);
        printf("%-*s ", COLUMN - 1, e->name);
        wrap_print(stdout, COLUMN, COLUMN, text);
    }
    return TOOL_OK;
}

static int list_devices(const bench_settings *s) {
    le_bench_device list[32];
    le_engine *engine = bench_engine(s, ":memory:", LE_MODE_FROZEN);
    if (!engine)
        return TOOL_FAILED;
    size_t n = le_bench_devices(engine, list, 32);
    for (size_t i = 0; i < n && i < 32; i++)
        printf("%-10s  %s%s%s%s%s\n", list[i].id, list[i].name, *list[i].vendor ? ", " : "",
               list[i].vendor, *list[i].driver ? ", driver " : "", list[i].driver);
    le_close(&engine);
    return n ? TOOL_OK : TOOL_FAILED;
}

/* Ranks that measure ahead of need together are told by their calls: another one may have it. */
static bool needs_device(way w) {
    return w == WAY_WARM ? !run_launched().launcher : w != WAY_REPLAY && w != WAY_HELP_ENV;
}

static int run(command *c) {
    if (needs_device(c->way) && !bench_has_device(&c->s))
        return TOOL_FAILED;
    switch (c->way) {
    case WAY_WARM:
        c->s.open = run_world_open;
        return bench_warm(&c->s);
    case WAY_VERIFY:
        bench_catch_interrupts();
        return bench_verify(&c->s, stdout);
    case WAY_OVERHEAD:
        return bench_overhead(&c->s);
    case WAY_PROFILE:
        return bench_profile(&c->s);
    case WAY_TIME:
        return bench_time(&c->s);
    case WAY_SUITE:
        return bench_suite(&c->s);
    case WAY_CHAIN:
        return bench_chain(&c->s);
    case WAY_CHOICES:
        return bench_choices(&c->s);
    case WAY_RIVALS:
        return bench_rivals(&c->s);
    case WAY_REPLAY:
        return le_bench_replay(c->s.replay, c->s.seed, c->s.mode, stdout, stderr);
    case WAY_HELP_ENV:
        return help_env();
    case WAY_DEVICES:
        return list_devices(&c->s);
    }
    return TOOL_USAGE;
}

/* Those that a launcher has started measure ahead of need together. What else there is is for rank
 * 0 alone: they would disturb each other's timings. */
static void meet(const command *c, const run_launch *l, int voice, char **argv) {
    if (!l->launcher)
        return;
    if (c->way == WAY_WARM) {
        if (voice >= 0)
            dup2(voice, STDERR_FILENO);
        run_world_start(argv);
        return;
    }
    if (l->rank > 0)
        exit(TOOL_OK);
    tool_message("rank 0 of %d measures, alone; LE_MPI=off lets each process do so", l->ranks);
}

/* What is wrong with a command one rank says. *voice: standard error, of which others may be in need
 * later. */
static bool silence(int *voice) {
    *voice = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return freopen("/dev/null", "w", stderr) && setvbuf(stderr, NULL, _IONBF, 0) == 0;
}

/* False after a message: a file to be written is a timings database, or that of the volume, be it
 * the library's own. */
static bool spares(const char *option, const char *path, const bench_settings *s) {
    char own[PATH_MAX];
    const char *volume = s->volume ? s->volume : bench_default_volume(own);
    if (!tool_spares_databases(s->db, path))
        return false;
    const bool lost = path && volume && le_io_replaces(path, volume);
    if (lost)
        tool_message("%s=%s would replace the volume %s; give it another place", option, path,
                     volume);
    return !lost;
}

int main(int argc, char **argv) {
    tool_start();
    const run_launch launch = run_launched();
    command c = {.s = {.atol = NAN, .rtol = NAN, .seed = 1}};
    c.s.operations = calloc((size_t)argc + 1, sizeof *c.s.operations);
    if (!c.s.operations) {
        tool_message("out of memory");
        return TOOL_FAILED;
    }
    int voice = -1;
    if (launch.rank > 0 && !silence(&voice))
        return TOOL_FAILED;
    bench_parse(&c, argc, argv);
    meet(&c, &launch, voice, argv);
    const bool spared = spares("--output", c.s.output, &c.s) && spares("--trace", c.s.trace, &c.s);
    int status = spared ? run(&c) : TOOL_FAILED;
    free(c.s.operations);
    return bench_status(status);
}
