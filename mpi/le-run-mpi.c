/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What le-run and le-bench need to be one rank of many. Rank 0 alone prints.
 */
#include "deadline.h"
#include "hand.h"
#include "hooks.h"
#include "learn.h"
#include "liquid_engine/le_mpi.h"
#include "lost.h"
#include "patient.h"
#include "run_world.h"
#include "tool.h"
#include "world.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ALARM = 1000000, SPEECH_S = 1 };

/* For what is not a call. */
static le__world world = {.comm = MPI_COMM_NULL, .ranks = 1};
static int voice = -1; /* standard error of a rank that is silent while rank 0 speaks */

/* However the program ends: ranks that leave without a word end the job with an error. */
static void leave(void) {
    int begun = 0, ended = 1;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended || world.comm == MPI_COMM_NULL)
        return;
    if (le__lost_survivable()) { /* MPI_Finalize waits for ever for a rank that dies meanwhile */
        MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
        le__patient_barrier(world.comm);
        return;
    }
    le__world_close(&world);
    MPI_Finalize();
}

/* The lowest rank that lives says it, in place of rank 0 where that was lost; the others stay until
 * it has, for the launcher kills all once one has left with an error. */
static void end_job(const char *words) {
    if (le__lost_speaks(MPI_COMM_WORLD)) {
        if (voice >= 0)
            dup2(voice, STDERR_FILENO);
        tool_message("%s", words);
    } else {
        sleep(SPEECH_S);
    }
    _exit(TOOL_FAILED); /* a process that ends by a signal is no error to a launcher with ULFM */
}

static void give_up(void) {
    end_job("a rank was lost outside of a call: the job ends; the same command does what is left");
}

static void end_without_root(void) {
    end_job("rank 0, which writes the results, was lost: the job ends; the same command does what "
            "is left");
}

static bool silence(void) {
    voice = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr) &&
           setvbuf(stderr, NULL, _IONBF, 0) == 0;
}

static void never_began(int number) {
    static const char text[] =
        "MPI has not begun in a long time: a process may have died meanwhile, "
        "or the deadline has passed\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(TOOL_FAILED);
}

static double deadline(void) {
    double seconds; /* 0 for what is none, too, which is told as soon as MPI has begun */
    le__deadline_given(&seconds);
    return seconds > 0 ? seconds + le__hand_grace() : INFINITY;
}

/* Whether Open MPI's launcher lets the others live when a rank dies, who wait for it for ever then
 * while MPI begins. */
static double longest_beginning(int ranks) {
    static const double each_s = 0.01;
    const char *text = getenv("OMPI_MCA_mpi_ft_enable");
    return text && atoi(text) ? 2 * le__hand_grace() + each_s * ranks : INFINITY;
}

static void begin_alarm(int ranks) {
    const double seconds = ceil(fmin(deadline(), longest_beginning(ranks)));
    const struct sigaction action = {.sa_handler = never_began};
    if (seconds < MOST_ALARM && sigaction(SIGALRM, &action, NULL) == 0)
        alarm((unsigned)seconds);
}

static void check_launch(const run_launch *l) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    if (!l->launcher || world.ranks > 1)
        return;
    MPI_Get_library_version(version, &n);
    version[strcspn(version, ",\n")] = '\0';
    tool_message("started as rank %d of %d by %s, but the MPI part uses %s", l->rank, l->ranks,
                 l->launcher, version);
    exit(TOOL_FAILED);
}

/* Where one computes and another prints its help they would wait for each other. */
static void check_commands(char **argv) {
    uint64_t hash = 0;
    for (char **word = argv + 1; argv[0] && *word; word++)
        hash = XXH64(*word, strlen(*word) + 1, hash);
    if (le__world_same(&world, hash, "the words of the command on this rank") != LE_OK) {
        tool_message("%s", le_error_message());
        exit(TOOL_USAGE);
    }
}

void run_world_start(char **argv) {
    run_launch l = run_launched();
    int provided;
    if (!l.launcher && !run_is_left(argv + 1))
        return;
    begin_alarm(l.ranks);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    alarm(0);
    atexit(leave);
    le__lost_on_end(give_up);
    le__lost_ends_job(MPI_COMM_WORLD);
    if (le__world_open(&world, MPI_COMM_WORLD) != LE_OK) {
        tool_message("%s", le_error_message());
        exit(TOOL_FAILED);
    }
    le__hook_done(world.rank, 0, 0, NULL);
    check_launch(&l);
    if (world.rank > 0 && !silence())
        exit(TOOL_FAILED);
    check_commands(argv);
}

int run_world_ranks(void) {
    return world.ranks;
}

int run_world_rank(void) {
    return world.rank;
}

bool run_world_shares(void) {
    return world.comm != MPI_COMM_NULL;
}

le_status run_world_open(le_engine **out, const le_options *options) {
    return world.ranks > 1 ? le_mpi_open(out, MPI_COMM_WORLD, options) : le_open(out, options);
}

static void go_on_without(int lost) {
    tool_message("%d of %d ranks lost; the others went on", lost, world.ranks);
    MPI_Comm_set_errhandler(world.comm, MPI_ERRORS_RETURN);
    le__world_close(&world);
    if (le__world_open(&world, MPI_COMM_WORLD) != LE_OK)
        MPI_Abort(MPI_COMM_WORLD, TOOL_FAILED);
}

le_status run_world_call(le_engine *engine, const char *operation, const le_arg *args, size_t n,
                         int64_t *left) {
    le_mpi_report r = {.struct_size = sizeof r};
    le_status status = le_mpi_call_run(engine, MPI_COMM_WORLD, NULL, operation, args, n);
    if (status != LE_OK && le__lost_root(MPI_COMM_WORLD))
        end_without_root();
    bool known = status == LE_OK && le_mpi_last_run(&r) == LE_OK;
    if (known && r.why_whole && r.ranks > 1 && world.rank == 0)
        tool_message("rank 0 has made this call alone: %s", r.why_whole);
    *left = known && r.left < r.items ? r.left : -1;
    if (known && r.ranks < world.ranks)
        go_on_without(world.ranks - r.ranks);
    return status;
}

int64_t run_world_boxes(void) {
    le_mpi_report r = {.struct_size = sizeof r};
    return le_mpi_last_run(&r) == LE_OK ? r.boxes : 0;
}

le_status run_world_agree(le_status status) {
    return world.ranks > 1 ? le__world_agree(&world, status) : status;
}

bool run_world_all(bool own) {
    return le__world_all(&world, own);
}

le_status run_world_race(le_engine *engine, const char *operation, const le_arg *args, size_t n) {
    /* of the communicator that is watched: who hears of a loss keeps nobody waiting in the race */
    return world.ranks > 1 ? le_mpi_race(engine, world.comm, operation, args, n)
                           : le_call_run(engine, operation, args, n);
}

void run_world_begin(void) {
    if (world.ranks == 1)
        return;
    le__lost_begin(MPI_COMM_WORLD);
    le__lost_watch(world.comm);
}

bool run_world_again(void) {
    if (world.ranks == 1)
        return false;
    const int before = le__lost_number(MPI_COMM_WORLD);
    const bool again = le__lost_end(MPI_COMM_WORLD, world.comm);
    if (again && le__lost_root(MPI_COMM_WORLD))
        end_without_root();
    le__lost_unwatch(world.comm);
    if (again)
        go_on_without(le__lost_number(MPI_COMM_WORLD) - before);
    else
        le__lost_ends_job(world.comm);
    return again;
}

int64_t run_world_tell(int64_t number) {
    le__world_broadcast(&world, &number, world.ranks > 1 ? (int64_t)sizeof number : 0);
    return number;
}

void run_world_broadcast(void *data, int64_t bytes) {
    le__world_broadcast(&world, data, world.ranks > 1 ? bytes : 0);
}

void run_world_done(int64_t items, double seconds) {
    le__hook_done(world.rank, items, seconds, NULL);
}

double *run_world_speeds(double own) {
    return world.ranks > 1 ? le__learn_speeds(&world, own) : NULL;
}

void run_world_learn(le_engine *engine) {
    if (!le__lost())
        le__learn_share(&world, engine);
}

void run_world_send(const void *data, int64_t bytes) {
    le__world_send(&world, data, bytes, 0);
}

void run_world_receive(void *data, int64_t bytes, int from) {
    le__world_receive(&world, data, bytes, from);
}
