/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A race: measuring a problem before answering it, with as few runs as the choice needs.
 */
#include <math.h>
#include <stdlib.h>

#include "policy/policy_race.h"
#include "core/array.h"

#define Z90 1.6448536269514722
#define RUNS 512             /* of one candidate in one race, at most */
#define FEW_RUNS 24          /* ... where each one counts */
#define REGRET 0.0005        /* expected of the choice, that ends such a race */
#define FINE 0.02            /* of the noise: a regret not worth another run */
#define SAME 0.2             /* of the noise, at most the margin: a difference that does not matter */
#define MORE_DROPS 3.0
#define COLD_BEATEN 2.302585 /* ln 10 behind the best cold run: beyond doubt */
#define BEATEN 1.098612      /* ln 3 behind the leader, a warm run is stopped */
#define CUTS 2               /* stopped warm runs that are no accident, unless more were not stopped */
#define NEAR 0.693147        /* ln 2: one warm run does not rule out those within */
#define CLOSE 0.182322       /* ln 1.2: two do not rule out those within */
#define SHORT 0.02           /* seconds: of shorter runs as many are made as fit into race_seconds */
#define SHORT_REGRET 0.001   /* the regret that ends a race of these */
#define LASTING 0.2          /* of race_seconds: what those near the best run at least */
#define DISTURBED 5.0        /* times race_seconds that one may run when most is disturbance */
#define CLEAN 0.5            /* weight from which a sample counts as clean */
#define TRUSTED 0.6          /* loaded samples of less trust are a prior, to be confirmed */
#define KIN_MARGINS 6.0      /* more than this behind is too far to be preferred among kin */
#define KIN_CONFIDENCE 0.99  /* that one leads its kin */
#define AS_BEFORE 0.26       /* 30 %: a time that confirms what was known of all */

/* ----------------------------------------------------------------------------- set-up --------- */

/* Of other problems nothing but times is taken over. */
static bool may_judge(const le__policy_race *race, const le__race_entry *e) {
    return le__belief_known(e->known) && !(race->doubted && e->stale) &&
           (e->met || race->objective != LE_OBJECTIVE_MEMORY);
}

/* Leaves out what is known to lose: its fastest is slower than the slowest of another. */
static void rule_out(le__policy_race *race) {
    double limit = INFINITY;
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        if (may_judge(race, e))
            limit = fmin(limit, e->known.mean + Z90 * sqrt(e->known.var) + le__race_score_shift(race, e));
    }
    for (size_t i = 0; i < race->n; i++) {
        le__race_entry *e = &race->entries[i];
        if (may_judge(race, e) && !e->given &&
            e->known.mean - Z90 * sqrt(e->known.var) + le__race_score_shift(race, e) > limit)
            e->out = true;
    }
}

static bool make_room(le__race_entry *e) {
    int room = e->room ? 2 * e->room : 8;
    if (e->n < e->room)
        return true;
    if (!LE__ARRAY_RESIZE(e->runs, room) || !LE__ARRAY_RESIZE(e->sorted, room) ||
        !LE__ARRAY_RESIZE(e->weights, room))
        return false;
    e->room = room;
    return true;
}

static void add_run(le__race_entry *e, double value, double weight) {
    int at = e->n;
    for (; at > 0 && e->sorted[at - 1] > value; at--)
        e->sorted[at] = e->sorted[at - 1];
    e->sorted[at] = value;
    e->runs[e->n] = value;
    e->weights[e->n++] = weight;
    e->weight += weight;
    e->spent += exp(value);
}

static void record(le__race_entry *e, double value, double weight) {
    if (!e->has_cold) {
        e->cold = value;
        e->has_cold = true;
    } else if (e->n < RUNS && make_room(e)) {
        add_run(e, value, weight);
    } else {
        e->out = true; /* no memory for it */
    }
}

/* Samples count as long as nothing has changed; cold ones say too little to stand for a time. */
static void use_known(le__policy_race *race, const le__problem *problem, bool keep_known) {
    for (size_t i = 0; i < race->n; i++) {
        le__race_entry *e = &race->entries[i];
        const le__cell *cell = le__cell_find(problem, e->allowed.candidate);
        if (!cell || !le__belief_known(e->known))
            continue;
        bool loaded = cell->loaded.n > 0.0, trusted = loaded && cell->trust >= TRUSTED;
        e->stale = loaded && !trusted && !(cell->warm.n > 0.0);
        e->given = keep_known && (trusted || cell->warm.n > 0.0);
        race->doubted = race->doubted || e->stale;
        if (!e->given)
            continue;
        e->has_cold = true;
        e->cold = e->known.mean;
        while (e->n < race->max_runs && !e->out)
            record(e, e->known.mean, 1.0);
    }
    if (race->doubted && race->max_runs > CONFIRMING)
        race->max_runs = CONFIRMING;
}

static le__policy_race *make_race(le__policy *policy, const le__policy_question *q) {
    const le__belief *beliefs = le__beliefs_of(policy, q, false);
    le__policy_race *race = beliefs ? calloc(1, sizeof *race) : NULL;
    le__race_entry *entries = race ? calloc(q->n_allowed, sizeof *entries) : NULL;
    double *drops = entries ? calloc(q->n_allowed, sizeof *drops) : NULL;
    size_t *round = drops ? calloc(q->n_allowed, sizeof *round) : NULL;
    if (!round) {
        free(drops);
        free(entries);
        free(race);
        return NULL;
    }
    const le__family *family = le__family_at(policy, q->family);
    const le__problem *problem = &family->problems[q->problem];
    *race = (le__policy_race){.policy = policy,
                              .family = q->family,
                              .problem = q->problem,
                              .entries = entries,
                              .drops = drops,
                              .round = round,
                              .race_seconds = policy->options.race_seconds,
                              .random = policy->options.seed,
                              .n = q->n_allowed,
                              .objective = q->objective,
                              .max_runs = FEW_RUNS,
                              .incumbent = problem->incumbent};
    for (size_t i = 0; i < q->n_allowed; i++) {
        const le__cell *cell = le__cell_find(problem, q->allowed[i].candidate);
        entries[i].allowed = q->allowed[i];
        entries[i].allowed.memory_bytes = le__cell_memory(cell, &q->allowed[i]);
        entries[i].known = beliefs[i];
        entries[i].met = le__cell_has_run(cell);
    }
    use_known(race, problem, q->keep_known);
    le__race_update_noise(race);
    rule_out(race);
    return race;
}

le__policy_race *le__policy_race_new(le__policy *policy, const le__policy_question *question) {
    pthread_mutex_lock(&policy->lock);
    le__policy_race *race = make_race(policy, question);
    pthread_mutex_unlock(&policy->lock);
    return race;
}

/* ------------------------------------------------------------------------------ running ------- */

static bool next_cold(const le__policy_race *race, size_t *index) {
    for (size_t i = 0; i < race->n; i++)
        if (!race->entries[i].out && !race->entries[i].has_cold) {
            *index = i;
            return true;
        }
    return false;
}

/* The first warm runs go by cold time. Returns false when all have one. */
static bool next_warm(const le__policy_race *race, size_t *index) {
    double least = INFINITY;
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        double cold = e->cold + le__race_score_shift(race, e);
        if (!e->out && e->n == 0 && cold < least) {
            least = cold;
            *index = i;
        }
    }
    return isfinite(least);
}

/* Cold runs rule out only what is beyond any doubt. */
static void drop_hopeless(le__policy_race *race) {
    double best = INFINITY;
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        if (!e->out && e->has_cold)
            best = fmin(best, e->cold + le__race_score_shift(race, e));
    }
    for (size_t i = 0; i < race->n; i++) {
        le__race_entry *e = &race->entries[i];
        bool brief = e->cold < log(LE__POLICY_FIRST_S);
        if (e->n == 0 && e->has_cold && !brief &&
            e->cold + le__race_score_shift(race, e) >= best + COLD_BEATEN)
            e->out = true;
    }
}

/* How many lie less than `width` behind the best run of all. */
static size_t within(const le__policy_race *race, double best, double width) {
    size_t n = 0;
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        n += !e->out && e->n > 0 && le__race_fastest(e) + le__race_score_shift(race, e) - best < width;
    }
    return n;
}

/* A single run may have been disturbed: where several are not far apart, each runs again. */
static bool next_again(const le__policy_race *race, size_t *index) {
    double best = INFINITY;
    size_t found = race->n;
    for (size_t i = 0; i < race->n; i++)
        if (!race->entries[i].out && race->entries[i].n > 0)
            best = fmin(best, le__race_fastest(&race->entries[i]) +
                                  le__race_score_shift(race, &race->entries[i]));
    bool some = within(race, best, NEAR) > 1, many = within(race, best, CLOSE) > 1;
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        if (e->out || e->given || e->n == 0 || e->n >= race->max_runs)
            continue;
        double behind = le__race_fastest(e) + le__race_score_shift(race, e) - best;
        bool again = e->n < 2 ? some && behind < NEAR : e->n < 3 && many && behind < CLOSE;
        if (again && (found == race->n || e->n < race->entries[found].n))
            found = i;
    }
    *index = found;
    return found < race->n;
}

/* One that still gets faster and may so overtake the leader, by three more drops like the last. */
static bool next_unsettled(const le__policy_race *race, size_t *index) {
    size_t best = le__race_leader(race), found = race->n;
    if (best == race->n)
        return false;
    double least = le__race_score_of(race, &race->entries[best]).mean;
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        if (e->out || e->n == 0 || e->n >= race->max_runs || le__race_falling(e) <= 0.0)
            continue;
        double behind = le__race_score_of(race, e).mean - least;
        if (behind < MORE_DROPS * le__race_falling(e) && (found == race->n || e->n < race->entries[found].n))
            found = i;
    }
    *index = found;
    return found < race->n;
}

/* The pair whose comparison may still gain most: of the leader and a challenger the one that is less
 * well known runs next. False when no comparison can gain more than the regret that is allowed. */
static bool next_duel(const le__policy_race *race, size_t *index) {
    double deviation = sqrt(race->noise), most = fmax(REGRET, FINE * deviation);
    double same = fmin(LE__MARGIN, SAME * deviation);
    size_t best = le__race_leader(race), rival = race->n;
    if (best == race->n)
        return false;
    le__race_estimate b = le__race_score_of(race, &race->entries[best]);
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        if (e->out || i == best || e->n == 0)
            continue;
        le__race_estimate o = le__race_score_of(race, e);
        double gain = le__expected_gain(o.mean - b.mean + same, hypot(o.se, b.se));
        if (e->n >= race->max_runs && race->entries[best].n >= race->max_runs)
            continue;
        if (gain > most) {
            most = gain;
            rival = i;
        }
    }
    if (rival == race->n)
        return false;
    le__race_estimate r = le__race_score_of(race, &race->entries[rival]);
    bool rival_runs = r.se >= b.se ? race->entries[rival].n < race->max_runs
                                   : race->entries[best].n >= race->max_runs;
    *index = rival_runs ? rival : best;
    return true;
}

static void find_usual_drop(le__policy_race *race) {
    size_t n = 0;
    for (size_t i = 0; i < race->n; i++)
        if (race->entries[i].has_cold && race->entries[i].n > 0 && !race->entries[i].given)
            race->drops[n++] = race->entries[i].cold - race->entries[i].runs[0];
    if (n == 0)
        return;
    qsort(race->drops, n, sizeof *race->drops, le__race_ascending);
    race->usual_drop = 0.5 * (race->drops[(n - 1) / 2] + race->drops[n / 2]);
}

static size_t alive(const le__policy_race *race) {
    size_t count = 0;
    for (size_t i = 0; i < race->n; i++)
        count += !race->entries[i].out;
    return count;
}

/* The stale one that should be the fastest runs first. If it takes as long as it did, the others'
 * times are believed as well; else all that is stale is forgotten. */
static bool next_doubted(le__policy_race *race, size_t *index) {
    le__race_entry *first = NULL;
    for (size_t i = 0; i < race->n; i++) {
        le__race_entry *e = &race->entries[i];
        if (e->stale && !e->out &&
            (!first || e->known.mean + le__race_score_shift(race, e) <
                           first->known.mean + le__race_score_shift(race, first))) {
            first = e;
            *index = i;
        }
    }
    if (first && first->n == 0)
        return true;
    bool as_before = first && fabs(first->runs[0] - first->known.mean) < AS_BEFORE;
    for (size_t i = 0; i < race->n && !as_before; i++)
        if (race->entries[i].stale)
            race->entries[i].known = le__no_belief;
    race->doubted = false;
    rule_out(race);
    return false;
}

/* Runs so short that knowing them is cheap. */
static bool is_short(const le__policy_race *race) {
    size_t best = le__race_leader(race);
    return le__policy_race_counts_seconds(race) && best < race->n &&
           exp(le__race_fastest(&race->entries[best])) < SHORT;
}

/* Seconds of its runs, had each taken as long as most do. */
static double undisturbed(const le__race_entry *e) {
    return e->n * exp(e->sorted[e->n / 2]);
}

/* Disturbances do not count as long as they are, up to a limit. */
static bool has_run_enough(const le__policy_race *race, const le__race_entry *e) {
    return undisturbed(e) >= race->race_seconds || e->spent >= DISTURBED * race->race_seconds;
}

/* A few milliseconds are one moment of a machine whose cores come and go. */
static bool is_momentary(const le__policy_race *race, const le__race_entry *e) {
    return e->n < SHORT_RUNS || (e->n < RUNS && undisturbed(e) < LASTING * race->race_seconds);
}

/* Whether e may still turn out to be the choice: its fastest run, the cold one included, within twice
 * the leader's time, not run for long enough, and not behind beyond doubt. */
static bool contends(const le__policy_race *race, const le__race_entry *e,
                     const le__race_entry *best) {
    le__race_estimate lead = le__race_score_of(race, best);
    if (e->out || e->given || e->n == 0 || e->n >= RUNS || has_run_enough(race, e))
        return false;
    if (fmin(le__race_fastest(e), e->cold) + le__race_score_shift(race, e) - lead.mean > NEAR)
        return false;
    le__race_estimate o = le__race_score_of(race, e);
    if (o.mean - lead.mean < CLOSE && is_momentary(race, e))
        return true;
    return e->n < SHORT_RUNS ||
           le__expected_gain(o.mean - lead.mean, le__race_gap_error(e, o, best, lead)) > SHORT_REGRET / 10.0;
}

static void shuffle(le__policy_race *race) {
    for (size_t i = race->n_round; i > 1; i--) {
        race->random = race->random * 6364136223846793005u + 1442695040888963407u;
        size_t k = (size_t)((race->random >> 33) % i), held = race->round[i - 1];
        race->round[i - 1] = race->round[k];
        race->round[k] = held;
    }
}

/* All who contend, in an order that changes from round to round, until the choice is known. */
static bool next_of_round(le__policy_race *race, size_t *index) {
    if (race->n_round == 0) {
        size_t best = le__race_leader(race);
        bool rivals = false;
        for (size_t i = 0; i < race->n; i++) {
            if (!contends(race, &race->entries[i], &race->entries[best]))
                continue;
            race->round[race->n_round++] = i;
            rivals = rivals || i != best;
        }
        bool known = !is_momentary(race, &race->entries[best]) &&
                     le__race_left_regret(race, best) < SHORT_REGRET;
        if (!rivals || known)
            race->n_round = 0;
        shuffle(race);
    }
    if (race->n_round == 0)
        return false;
    *index = race->round[--race->n_round];
    return true;
}

bool le__policy_race_next(le__policy_race *race, size_t *index, bool *cold) {
    *cold = false;
    if (alive(race) < 2)
        return false;
    if (race->doubted && next_doubted(race, index)) {
        *cold = !race->entries[*index].has_cold;
        return true;
    }
    if (alive(race) < 2)
        return false;
    if (next_cold(race, index)) {
        *cold = true;
        return true;
    }
    drop_hopeless(race);
    find_usual_drop(race);
    if (next_warm(race, index))
        return true;
    if (is_short(race))
        return next_of_round(race, index);
    return next_again(race, index) || next_unsettled(race, index) || next_duel(race, index);
}

/* Counts a run, which was stopped or not, and tells the policy of it. NULL when it has no time: it
 * would be asked for again, and again. */
static le__race_entry *note(le__policy_race *race, size_t index, bool cut, double seconds,
                            double paid, double weight, double now) {
    le__race_entry *e = index < race->n ? &race->entries[index] : NULL;
    if (!e)
        return NULL;
    if (!(seconds > 0.0 && isfinite(seconds))) {
        e->out = true;
        return NULL;
    }
    le__policy_sample sample = {.family = race->family,
                                .problem = race->problem,
                                .candidate = e->allowed.candidate,
                                .why = LE__WHY_MEASURE,
                                .cold = !e->has_cold,
                                .cut = cut,
                                .n = 1,
                                .mean_log = log(seconds),
                                .seconds = paid,
                                .weight = weight,
                                .memory_bytes = e->allowed.memory_bytes,
                                .now = now};
    le__policy_observe(race->policy, &sample);
    race->total++;
    race->clean += !(weight > 0.0 && weight < CLEAN);
    return e;
}

void le__policy_race_observe(le__policy_race *race, size_t index, double seconds, double paid,
                             double weight, double now) {
    le__race_entry *e = note(race, index, false, seconds, paid, weight, now);
    if (!e)
        return;
    record(e, log(seconds), weight > 0.0 && weight < 1.0 ? weight : 1.0);
    le__race_update_noise(race);
}

double le__policy_race_stop(const le__policy_race *race, size_t index) {
    const le__race_entry *own = &race->entries[index];
    double best = INFINITY;
    if (race->objective != LE_OBJECTIVE_TIME)
        return INFINITY;
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        if (i == index || e->out)
            continue;
        if (!own->has_cold && e->has_cold && !e->given)
            best = fmin(best, fmax(e->cold + COLD_BEATEN, log(LE__POLICY_FIRST_S)));
        else if (own->has_cold && e->n > 0)
            best = fmin(best, le__race_fastest(e) + BEATEN);
    }
    return exp(best);
}

void le__policy_race_cut(le__policy_race *race, size_t index, double seconds, double paid,
                         double weight, double now) {
    le__race_entry *e = note(race, index, true, seconds, paid, weight, now);
    if (!e)
        return;
    e->spent += seconds;
    e->out = e->out || !e->has_cold || (++e->cuts >= CUTS && e->cuts > e->n);
}

void le__policy_race_set_extra(le__policy_race *race, size_t index, double seconds) {
    if (index < race->n)
        race->entries[index].allowed.extra_seconds = seconds;
}

void le__policy_race_took_memory(le__policy_race *race, size_t index, double bytes) {
    if (index < race->n)
        race->entries[index].allowed.memory_bytes =
            fmax(race->entries[index].allowed.memory_bytes, bytes);
}

void le__policy_race_drop(le__policy_race *race, size_t index) {
    if (index < race->n)
        race->entries[index].out = true;
}

/* ------------------------------------------------------------------------------- ending ------- */

double le__policy_race_score(const le__policy_race *race, size_t index) {
    const le__race_entry *e = &race->entries[index];
    return e->n > 0 ? le__race_score_of(race, e).mean
           : e->has_cold ? e->cold + le__race_score_shift(race, e)
           : le__belief_known(e->known) ? e->known.mean + le__race_score_shift(race, e)
                                        : NAN;
}

/* Before anyone has run warm: by what is known, else the first that may still win. */
static size_t likeliest(const le__policy_race *race) {
    size_t first = race->n, best = race->n;
    for (size_t i = race->n; i-- > 0;) {
        double score = race->entries[i].out ? NAN : le__policy_race_score(race, i);
        if (!race->entries[i].out)
            first = i;
        if (!isnan(score) && (best == race->n || score <= le__policy_race_score(race, best)))
            best = i;
    }
    return best < race->n ? best : first;
}

/* Whether b leads o not by the margin, or not with confidence. */
static bool stands(le__race_estimate o, le__race_estimate b, double confidence) {
    double behind = o.mean - b.mean;
    return behind < LE__MARGIN || le__normal_cdf(behind / hypot(o.se, b.se)) < confidence;
}

/* The first in canonical order of the choice's kin that stands and is not far behind. */
static size_t eldest(const le__policy_race *race, size_t choice) {
    uint64_t kin = race->entries[choice].allowed.kin;
    le__race_estimate b = le__race_score_of(race, &race->entries[choice]);
    for (size_t i = 0; kin && i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        if (e->out || e->n == 0 || e->allowed.kin != kin)
            continue;
        le__race_estimate o = le__race_score_of(race, e);
        if (o.mean - b.mean < KIN_MARGINS * LE__MARGIN && stands(o, b, KIN_CONFIDENCE))
            return i;
    }
    return choice;
}

/* The leader, unless the incumbent or one earlier in canonical order is as good by all evidence. */
static size_t choose(const le__policy_race *race) {
    size_t best = le__race_leader(race);
    if (best == race->n)
        return likeliest(race);
    le__race_estimate b = le__race_score_of(race, &race->entries[best]);
    size_t choice = best;
    for (size_t i = race->n; i-- > 0;) {
        const le__race_entry *e = &race->entries[i];
        if (e->out || e->n == 0)
            continue;
        le__race_estimate o = le__race_score_of(race, e);
        if (e->allowed.candidate == race->incumbent && stands(o, b, LE__CONFIDENCE))
            return i;
        if (i < best && o.mean - b.mean < fmin(LE__MARGIN, 0.5 * hypot(o.se, b.se)))
            choice = i;
    }
    return eldest(race, choice);
}

bool le__policy_race_end(le__policy_race **handle, le__policy_race_result *out) {
    if (!handle || !*handle)
        return false;
    le__policy_race *race = *handle;
    size_t choice = choose(race);
    bool found = choice < race->n;
    if (found) {
        const le__race_entry *e = &race->entries[choice];
        le__policy_race_result result = {
            .index = choice, .candidate = e->allowed.candidate,
            .seconds = e->n > 0 ? exp(le__race_estimate_of(race, e).mean)
                                : exp(e->has_cold ? e->cold : e->known.mean),
            .expected_regret = le__race_left_regret(race, choice), .runs = race->total,
            .storable = 2 * race->clean >= race->total};
        if (result.storable || race->incumbent < 0)
            le__policy_set_incumbent(race->policy, race->family, race->problem, result.candidate);
        if (out)
            *out = result;
    }
    for (size_t i = 0; i < race->n; i++) {
        free(race->entries[i].runs);
        free(race->entries[i].sorted);
        free(race->entries[i].weights);
    }
    free(race->entries);
    free(race->drops);
    free(race->round);
    free(race);
    *handle = NULL;
    return found;
}
