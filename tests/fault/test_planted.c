/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Implementations that misbehave, each with the highest claimed speed so that it is tried first:
 * the caller gets the right answer of another one, and the verdict names the reason, also after a
 * restart.
 */
#include "planted.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = PLANTED_SMALL };

static float *out_of(void *context) {
    return le_call_out(context, TOY_RESULT)->data;
}

static void crashes(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    abort();
}

static void hangs(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    for (;;)
        pause();
}

/* One trial decides: it is no lock that waits for somebody. */
static void spins(void *context, size_t begin, size_t end, int worker) {
    static volatile unsigned turns;
    toy_range(context, begin, end, worker);
    for (;;)
        turns = turns + 1;
}

static void writes_before(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    out_of(context)[-1] = 1;
}

static void writes_behind(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    out_of(context)[le_tensor_count(le_call_out(context, TOY_RESULT))] = 1;
}

enum { FAR = 5000, VERY_FAR = 3000000 }; /* elements: 20 KB and 12 MB */

static void writes_far_before(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    out_of(context)[-FAR] = 1;
}

static void writes_far_behind(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    out_of(context)[le_tensor_count(le_call_out(context, TOY_RESULT)) + VERY_FAR] = 1;
}

static void writes_behind_when_large(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    int64_t n = le_tensor_count(le_call_out(context, TOY_RESULT));
    if (n > 5000)
        out_of(context)[n] = 1;
}

static const float *in_of(void *context) {
    return le_call_in(context, TOY_INPUT)->data;
}

static volatile float seen;

static void reads_behind(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    seen = in_of(context)[toy_items(context)];
}

static void reads_before(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    seen = in_of(context)[-1];
}

static void writes_to_input(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    ((volatile float *)le_call_in(context, TOY_INPUT)->data)[0] = in_of(context)[0];
}

/* Each leaves something of the process as it should not be. */
static void rounds_up(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (worker > 0 || begin == 0)
        fesetround(FE_UPWARD);
}

#define LEAVES(name, act)                                                                          \
    static le_status name(le_call *call) {                                                         \
        le_parallel_for(call, toy_items(call), toy_range, call);                                   \
        act;                                                                                       \
        return LE_OK;                                                                              \
    }
LEAVES(blocks_a_signal, {
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
})
LEAVES(handles_interrupts, signal(SIGINT, SIG_DFL))
LEAVES(ignores_interrupts, signal(SIGINT, SIG_IGN))
LEAVES(changes_folder, if (chdir("/usr") != 0) return LE_ERR_IO)
LEAVES(changes_locale, setlocale(LC_NUMERIC, "C.UTF-8"))
LEAVES(changes_umask, umask(0111))
LEAVES(leaves_a_file, if (open("/dev/null", O_RDONLY) < 0) return LE_ERR_IO)

static void leaves_a_part(void *context, size_t begin, size_t end, int worker) {
    if (end > begin + 1)
        toy_range(context, begin, end - 1, worker);
}

static void is_wrong(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    for (size_t i = begin; i < end; i++)
        out_of(context)[i] += 1e-3f; /* the tolerance is 1e-5 of the largest value, about 7 */
}

static void is_wrong_when_large(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (le_tensor_count(le_call_out(context, TOY_RESULT)) > 100000)
        out_of(context)[begin] += 1;
}

static void gives_nan(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (begin == 0 && end > 0)
        out_of(context)[0] = NAN;
}

static void differs_each_time(void *context, size_t begin, size_t end, int worker) {
    static _Atomic int runs;
    toy_range(context, begin, end, worker);
    int run = runs++;
    for (size_t i = begin; i < end; i++)
        out_of(context)[i] += 0.01f * (float)(run % 7);
}

static le_status leaks(le_call *call) {
    char *volatile lost = malloc(5000); /* compilers may leave out what nobody can see */
    if (lost)
        lost[0] = 1;
    le_parallel_for(call, toy_items(call), toy_range, call);
    call = NULL;
    return lost ? LE_OK : LE_ERR_MEMORY;
}

static le_status writes_behind_scratch(le_call *call) {
    char *scratch = le_call_scratch(call, 100);
    if (scratch)
        memset(scratch, 1, 101);
    return scratch ? le_parallel_for(call, toy_items(call), toy_range, call) : LE_ERR_MEMORY;
}

/* Scratch memory is zeros where nobody has used it. */
static le_status takes_scratch_for_zeros(le_call *call) {
    const float *scratch = le_call_scratch(call, 1 << 20);
    float *out = out_of(call);
    if (!scratch)
        return LE_ERR_MEMORY;
    toy_range(call, 0, toy_items(call), 0);
    for (int64_t i = 0, n = le_tensor_count(le_call_out(call, TOY_RESULT)); i < n; i++)
        out[i] += scratch[i % (1 << 18)];
    return LE_OK;
}

/* As one whose workers share memory that is there for one. */
static void for_the_first(void *context, size_t begin, size_t end, int worker) {
    if (worker == 0)
        toy_range(context, begin, end, worker);
}

/* Freed memory of that size lies in the caches of glibc's malloc. */
static le_status leaks_a_little(le_call *call) {
    char *volatile lost = malloc(100);
    if (lost)
        lost[0] = 1;
    le_parallel_for(call, toy_items(call), toy_range, call);
    return lost ? LE_OK : LE_ERR_MEMORY;
}

static le_status maps(le_call *call) {
    le_parallel_for(call, toy_items(call), toy_range, call);
    void *lost = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return lost == MAP_FAILED ? LE_ERR_MEMORY : LE_OK;
}

/* Both forget what they leave behind when they are told to end. */
static le_status keeps_its_lock(le_call *call) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    le_status status = le_parallel_for(call, toy_items(call), toy_range, call);
    if (status != LE_OK)
        return status;
    pthread_mutex_unlock(&mutex);
    return LE_OK;
}

static le_status stays_busy(le_call *call) {
    static bool busy;
    if (busy)
        return LE_OK;
    busy = true;
    le_status status = le_parallel_for(call, toy_items(call), toy_range, call);
    if (status == LE_OK)
        busy = false;
    return status;
}

static le_status asks_for_too_much(le_call *call) {
    char *p = le_call_scratch(call, (size_t)1 << (sizeof(size_t) > 4 ? 45 : 31));
    if (!p)
        return le_fail(LE_ERR_MEMORY, "toy: out of memory");
    memset(p, 1, 4096);
    return LE_OK;
}

static le_status lies(le_call *call) {
    (void)call;
    return le_fail(LE_ERR_UNSUPPORTED, "toy: cannot do this after all");
}

static const plant plants[] = {
    {"crashes", crashes, NULL, "crashed", N, false},
    {"hangs", hangs, NULL, "did not end within", N, false},
    {"writes_before", writes_before, NULL, "before its output", N, false},
    {"writes_behind", writes_behind, NULL, "behind its output", N, false},
    {"reads_behind", reads_behind, NULL, "reached behind its input", N, false},
    {"reads_before", reads_before, NULL, "reached before its input", N, false},
    {"writes_to_input", writes_to_input, NULL, "wrote to its input", N, false},
    {"writes_far_before", writes_far_before, NULL, "before its output", N, false},
    {"writes_far_behind", writes_far_behind, NULL, "behind its output", N, false},
    {"writes_behind_when_large", writes_behind_when_large, NULL, "behind its output", PLANTED_BIG,
     false},
    {"leaves_a_part", leaves_a_part, NULL, "exceeds the tolerance", N, false},
    {"is_wrong", is_wrong, NULL, "exceeds the tolerance", N, false},
    {"is_wrong_when_large", is_wrong_when_large, NULL, "exceeds the tolerance", PLANTED_BIG, false},
    {"rounds_up", rounds_up, NULL, "left the rounding mode", N, false},
    {"blocks_a_signal", NULL, blocks_a_signal, "left the signal mask", N, false},
    {"handles_interrupts", NULL, handles_interrupts, "left the handler of signal 2", N, false},
    {"ignores_interrupts", NULL, ignores_interrupts, "left the handler of signal 2", N, false},
    {"changes_folder", NULL, changes_folder, "left the working directory", N, false},
    {"changes_locale", NULL, changes_locale, "left the locale", N, false},
    {"changes_umask", NULL, changes_umask, "left the umask", N, false},
    {"leaves_a_file", NULL, leaves_a_file, "left file descriptor", N, false},
    {"gives_nan", gives_nan, NULL, "exceeds the tolerance", N, false},
    {"differs_each_time", differs_each_time, NULL, "exceeds the tolerance", N, false},
    {"leaks", NULL, leaks, "leaks", N, false},
    {"leaks_a_little", NULL, leaks_a_little, "leaks", N, false},
    {"maps", NULL, maps, "leaks", N, false},
    {"writes_behind_scratch", NULL, writes_behind_scratch, "wrote behind its scratch", N, false},
    {"takes_scratch_for_zeros", NULL, takes_scratch_for_zeros, "exceeds the tolerance", N, false},
    {"for_the_first", for_the_first, NULL, "exceeds the tolerance", N, false},
    {"keeps_its_lock", NULL, keeps_its_lock, "did not end within", N, false},
    {"stays_busy", NULL, stays_busy, "exceeds the tolerance", N, false},
    {"asks_for_too_much", NULL, asks_for_too_much, "memory", N, true},
    {"lies", NULL, lies, "cannot do this", N, true},
};

static void planted(planted_way way) {
    static const planted_bed bed = {.device = LE_DEVICE_CPU};
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++)
        if (planted_is_due(i, way) &&
            (PLANTED_COUNTS_MEMORY || /* a sanitizer of memory ends the process at a stray write */
             (plants[i].run != leaks && plants[i].run != leaks_a_little && plants[i].run != maps &&
              plants[i].range != writes_behind_when_large)))
            planted_check(&bed, &plants[i], way);
}

static void in_learn(void **state) {
    (void)state;
    planted(PLANTED_LEARN);
}

static void in_measure(void **state) {
    (void)state;
    planted(PLANTED_MEASURE);
}

static void in_bench(void **state) {
    (void)state;
    planted(PLANTED_BENCH);
}

static void hangs_delay_a_call_once(void **state) {
    static const planted_bed bed = {.device = LE_DEVICE_CPU};
    static const plant spinning = {"spins", spins, NULL, "did not end within", N, false};
    (void)state;
    for (planted_way way = PLANTED_LEARN; way <= PLANTED_BENCH; way++)
        for (int how_many = 1; how_many <= 3; how_many += 2)
            planted_check_delay(&bed, &spinning, way, how_many);
}

/* --- a smaller case instead of the whole --- */

enum { PIECE = 120000 };
static _Atomic int64_t largest_for_c;

static le_status piece(const le_call *call, uint64_t random, le_case *out, int64_t *first) {
    le_tensor view = *le_call_in(call, TOY_INPUT);
    (void)random;
    view.shape[0] = PIECE;
    *first = LE_PART_APART;
    le_case_borrow(out, "input", &view);
    le_case_like(out, call);
    return le_case_status(out);
}

static void counted_range(void *context, size_t begin, size_t end, int worker) {
    int64_t n = le_tensor_count(le_call_out(context, TOY_RESULT)), before = largest_for_c;
    while (n > before && !atomic_compare_exchange_weak(&largest_for_c, &before, n))
        ;
    toy_range(context, begin, end, worker);
}

/* It claims to be fifty times faster than c and takes 20 ms: c would take longer than a trial. */
static void linger(const le_call *call) {
    if (le_tensor_count(le_call_in(call, TOY_INPUT)) == PLANTED_BIG)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
}

static void right_range(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    linger(context);
}

static void wrong_range(void *context, size_t begin, size_t end, int worker) {
    is_wrong_when_large(context, begin, end, worker);
    linger(context);
}

/* Too slow to be asked instead of c. */
static void slow_reference(void *context, size_t begin, size_t end, int worker) {
    nanosleep(&(struct timespec){0, 200000}, NULL);
    toy_reference.range(context, begin, end, worker);
}

static void run_big(le_engine *e, const char *expected) {
    static _Alignas(64) float in[PLANTED_BIG];
    for (int i = 0; i < PLANTED_BIG; i++)
        in[i] = (float)(i % 17) - 8;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &(int64_t){PLANTED_BIG}), result = {0};
    le_run_info info = {.struct_size = sizeof info};
    assert_int_equal(le_engine_run(e, "pieces", LE_IN("input", &input), LE_F64("factor", 2),
                                   LE_OUT("result", &result)),
                     LE_OK);
    le_last_run(&info);
    if (!strstr(info.candidate, expected))
        fail_msg("%s answered, expected %s", info.candidate, expected);
    for (int i = 0; i < PLANTED_BIG; i++)
        assert_true(((float *)result.data)[i] == 2 * in[i]);
    le_tensor_free(&result);
}

static void a_piece_stands_for_the_whole(void **state) {
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        setenv("LE_TRIAL_LIMIT", "0.3", 1);
        le_engine *e = toy_open(NULL, LE_MODE_LEARN);
        assert_non_null(e);
        le_operation op = toy_operation;
        op.name = "pieces";
        op.part = piece;
        le_implementation reference = toy_reference, c = toy_c, quick = toy_c;
        reference.operation = c.operation = quick.operation = op.name;
        c.range = counted_range;
        reference.range = slow_reference;
        quick.name = "quick";
        quick.run_type = "simd";
        quick.speed = 50;
        quick.flags = LE_IMPL_SERIAL;
        quick.range = wrong ? wrong_range : right_range;
        assert_int_equal(le_register_operation(e, &op), LE_OK);
        assert_int_equal(le_register_implementation(e, &reference), LE_OK);
        assert_int_equal(le_register_implementation(e, &c), LE_OK);
        assert_int_equal(le_register_implementation(e, &quick), LE_OK);
        largest_for_c = 0;
        run_big(e, wrong ? "c@cpu" : "quick@cpu");
        assert_int_equal(largest_for_c, wrong ? PLANTED_BIG : PIECE);
        le_close(&e);
    }
}

/* --- nobody but the reference --- */

static void the_reference_judges_where_nobody_else_can(void **state) {
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        le_engine *e = toy_open(NULL, LE_MODE_LEARN);
        assert_non_null(e);
        le_operation op = toy_operation;
        op.name = "pieces";
        le_implementation reference = toy_reference, only = toy_c;
        reference.operation = only.operation = op.name;
        only.name = "only";
        only.speed = 1.5 * reference.speed; /* so the wait for the reference is no long one */
        only.range = wrong ? is_wrong_when_large : toy_range;
        assert_int_equal(le_register_operation(e, &op), LE_OK);
        assert_int_equal(le_register_implementation(e, &reference), LE_OK);
        assert_int_equal(le_register_implementation(e, &only), LE_OK);
        run_big(e, wrong ? "reference@cpu" : "only@cpu");
        le_close(&e);
    }
}

/* --- alignment --- */

/* Its bytes are a multiple of all that an alignment can be. */
static le_status round_case(le_case *c, const le_case_request *r) {
    int64_t n = 1024;
    le_tensor *in = le_case_in(c, "input", LE_F32, 1, &n);
    (void)r;
    for (int64_t i = 0; in && i < n; i++)
        le_tensor_set(in, i, le_case_normal(c));
    le_case_f64(c, "factor", 2.5);
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

/* Instructions for vectors end the process where data has the alignment of its elements only. */
static void need_vectors(const void *data) {
    if ((uintptr_t)data % (2 * sizeof(float)) != 0)
        abort();
}

static void wants_aligned_outputs(void *context, size_t begin, size_t end, int worker) {
    need_vectors(out_of(context));
    toy_range(context, begin, end, worker);
}

static void wants_aligned_inputs(void *context, size_t begin, size_t end, int worker) {
    need_vectors(in_of(context));
    toy_range(context, begin, end, worker);
}

/* The call itself has what they want. */
static void data_has_the_alignment_of_its_elements(void **state) {
    static const le_range_fn ranges[] = {toy_range, wants_aligned_outputs, wants_aligned_inputs};
    (void)state;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        le_engine *e = toy_open(NULL, LE_MODE_LEARN);
        assert_non_null(e);
        le_operation op = toy_operation;
        op.name = "pieces";
        op.make_case = round_case;
        le_implementation reference = toy_reference, c = toy_c, quick = toy_c;
        reference.operation = c.operation = quick.operation = op.name;
        quick.name = "quick";
        quick.run_type = "simd";
        quick.speed = 50;
        quick.range = ranges[i];
        assert_int_equal(le_register_operation(e, &op), LE_OK);
        assert_int_equal(le_register_implementation(e, &reference), LE_OK);
        assert_int_equal(le_register_implementation(e, &c), LE_OK);
        assert_int_equal(le_register_implementation(e, &quick), LE_OK);
        run_big(e, i ? "c@cpu" : "quick@cpu");
        le_close(&e);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_learn),
                                       cmocka_unit_test(in_measure),
                                       cmocka_unit_test(in_bench),
                                       cmocka_unit_test(a_piece_stands_for_the_whole),
                                       cmocka_unit_test(the_reference_judges_where_nobody_else_can),
                                       cmocka_unit_test(data_has_the_alignment_of_its_elements)};
    const struct CMUnitTest delays[] = {cmocka_unit_test(hangs_delay_a_call_once)};
    if (argc > 1 && strcmp(argv[1], "delays") == 0) /* wants a quiet machine */
        return cmocka_run_group_tests(delays, NULL, NULL);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
