/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Makes replay traces.
 */
#include "generate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define POOL 12
#define RUNS 32

static double uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double u = uniform(state), v = uniform(state);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * uniform(state);
}

typedef enum behaviour { STEPS, WARM_UP, RIPPLE, STEADY, NOISY, BEHAVIOURS } behaviour;

/* The clock steps up by some per cent now and then. */
static void steps(uint64_t *seed, double base, double *out)
{
    double level = base;
    for (int k = 0; k < RUNS; k++) {
        if (k > 8 && uniform(seed) < 0.03)
            level *= between(seed, 1.03, 1.15);
        out[k] = level * (1.0 + 0.001 * normal(seed));
    }
    out[0] = base + 8e-5;
    out[1] *= 1.005;
}

/* Four runs of warm-up, by a constant that is large for fast ones; a slow drift afterwards. */
static void warm_up(uint64_t *seed, double base, double constant, double *out)
{
    const double part[] = {1.0, between(seed, 0.05, 0.28), between(seed, 0.0, 0.04),
                           between(seed, 0.0, 0.03)};
    double drift = between(seed, 0.0, 0.05);
    for (int k = 0; k < RUNS; k++) {
        double level = base * (1.0 + (k > 12 ? drift * (1.0 - exp((12.0 - k) / 8.0)) : 0.0));
        out[k] = level * (1.0 + 0.0008 * normal(seed)) + (k < 4 ? constant * part[k] : 0.0);
    }
}

static void plain(uint64_t *seed, double base, double cold, double noise, double spikes,
                  double *out)
{
    for (int k = 0; k < RUNS; k++) {
        out[k] = base * exp(noise * normal(seed));
        if (uniform(seed) < spikes)
            out[k] *= between(seed, 1.05, 1.5);
    }
    out[0] *= cold;
}

static void series(uint64_t *seed, behaviour kind, double base, double cold, double *out)
{
    if (kind == STEPS)
        steps(seed, base, out);
    else if (kind == WARM_UP)
        warm_up(seed, base, cold, out);
    else if (kind == RIPPLE)
        plain(seed, base, 0.985, 0.004, 0.0, out);
    else if (kind == STEADY)
        plain(seed, base, cold, 0.0006, 0.0, out);
    else
        plain(seed, base, cold, between(seed, 0.003, 0.02), 0.03, out);
}

static void print_series(FILE *out, const char *name, const double *x, int n)
{
    fprintf(out, "\"%s\":[", name);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%.9g", i ? "," : "", x[i]);
    fputs("]", out);
}

static FILE *begin(char **text, size_t *size, const char *name)
{
    *text = NULL;
    FILE *out = open_memstream(text, size);
    if (out)
        fprintf(out, "{\"schema\":1,\"name\":\"%s\",\"source\":\"generated\",", name);
    return out;
}

char *generate_pool(uint64_t seed, bool near)
{
    static const double spreads[] = {0.1, 0.3, 0.5, 0.8, 1.0};
    char *text;
    size_t size;
    FILE *out = begin(&text, &size, near ? "near" : "wide");
    if (!out)
        return NULL;
    behaviour kind = (behaviour)(uniform(&seed) * BEHAVIOURS);
    double scale = kind == WARM_UP ? between(&seed, 0.002, 0.006) : between(&seed, 0.001, 0.1);
    double cold = kind == WARM_UP  ? between(&seed, 0.004, 0.01)
                  : kind == STEADY ? between(&seed, 0.92, 0.98)
                                   : between(&seed, 0.9, 1.5);
    double spread = spreads[(int)(uniform(&seed) * 5.0)];
    fputs("\"candidates\":[", out);
    for (int i = 0; i < POOL; i++)
        fprintf(out, "%s{\"name\":\"c%02d\",\"resource\":\"gpu0\"}", i ? "," : "", i);
    fputs("],\"problems\":[{\"name\":\"p0\",\"work\":1}],\"models\":{},\"slow\":[],"
          "\"calls\":[{\"problem\":\"p0\",\"count\":300}],\"samples\":{\"p0\":{",
          out);
    for (int i = 0; i < POOL; i++) {
        double x[RUNS], ratio = near ? between(&seed, 1.0, 1.15) : exp(fabs(spread * normal(&seed)));
        char name[16];
        series(&seed, kind, scale * ratio, cold, x);
        snprintf(name, sizeof name, "c%02d", i);
        fputs(i ? "," : "", out);
        print_series(out, name, x, RUNS);
    }
    fputs("}}}", out);
    return fclose(out) == 0 ? text : NULL;
}

typedef struct weather {
    int kind;
    double spread, gap, share;
    bool high;                 /* the state of a clock that has two */
} weather;

/* A factor: quiet, with spikes, with a tail without end, in two states that last for some runs. */
static double disturbed(uint64_t *seed, weather *w)
{
    double x = exp(w->spread * normal(seed)), u = uniform(seed);
    if (w->kind == 1 && u < 0.05)
        x *= exp(fabs(0.2 * normal(seed)));
    if (w->kind == 2)
        x *= 1.0 + 0.01 * fabs(tan(1.5 * (u - 0.5)));
    if (w->kind == 3 && u < 0.15)
        w->high = uniform(seed) < w->share;
    return w->high ? x * (1.0 + w->gap) : x;
}

char *generate_other(uint64_t seed, bool near)
{
    char *text;
    size_t size;
    FILE *out = begin(&text, &size, "other");
    if (!out)
        return NULL;
    int n = (int)between(&seed, 3.0, 21.0);
    double scale = exp(between(&seed, log(5e-4), log(0.2))), apart = between(&seed, 0.1, 1.6);
    bool late = uniform(&seed) < 0.25;
    double extra = late ? scale * between(&seed, 0.5, 3.0) : 0.0, cold = between(&seed, 0.92, 1.08);
    weather w = {.kind = (int)(uniform(&seed) * 4.0), .spread = exp(between(&seed, -7.0, -4.0))};
    fputs("\"candidates\":[", out);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s{\"name\":\"c%02d\",\"resource\":\"r\"}", i ? "," : "", i);
    fputs("],\"problems\":[{\"name\":\"p0\",\"work\":1}],\"models\":{},\"slow\":[],"
          "\"calls\":[{\"problem\":\"p0\",\"count\":300}],\"samples\":{\"p0\":{",
          out);
    for (int i = 0; i < n; i++) {
        double x[RUNS];
        double level = scale * (near ? between(&seed, 1.0, 1.15) : exp(fabs(apart * normal(&seed))));
        char name[16];
        w.share = between(&seed, 0.0, 0.5);
        w.gap = between(&seed, 0.03, 0.16);
        w.high = false;
        for (int k = 0; k < RUNS; k++)
            x[k] = level * disturbed(&seed, &w);
        x[0] = x[0] * cold + extra;
        snprintf(name, sizeof name, "c%02d", i);
        fputs(i ? "," : "", out);
        print_series(out, name, x, RUNS);
    }
    fputs("}}}", out);
    return fclose(out) == 0 ? text : NULL;
}

char *generate_delay(uint64_t seed, double factor)
{
    static const char *const names[] = {"gpu", "single", "threads"};
    static const double base[] = {1.0, 8.0, 1.5};
    char *text;
    size_t size;
    FILE *out = begin(&text, &size, "delay");
    if (!out)
        return NULL;
    fputs("\"candidates\":[{\"name\":\"gpu\",\"resource\":\"gpu0\"},{\"name\":\"single\","
          "\"resource\":\"cpu\"},{\"name\":\"threads\",\"resource\":\"cpu\"}],"
          "\"problems\":[{\"name\":\"p0\",\"work\":1}],\"models\":{},",
          out);
    fprintf(out, "\"slow\":[{\"resource\":\"gpu0\",\"first_call\":150,\"last_call\":249,"
                 "\"factor\":%g}],\"calls\":[{\"problem\":\"p0\",\"count\":400}],"
                 "\"samples\":{\"p0\":{",
            factor);
    for (int i = 0; i < 3; i++) {
        double x[400];
        for (int k = 0; k < 400; k++)
            x[k] = base[i] * exp(0.05 * normal(&seed) - 0.00125);
        fputs(i ? "," : "", out);
        print_series(out, names[i], x, 400);
    }
    fputs("}}}", out);
    return fclose(out) == 0 ? text : NULL;
}

static void print_models(FILE *out, uint64_t *seed)
{
    static const double cvs[] = {0.03, 0.05, 0.05, 0.1};
    fputs("\"models\":{", out);
    for (int i = 0; i < 8; i++) {
        /* What costs more to start is faster afterwards, by and large. */
        double u = uniform(seed);
        double overhead = exp(log(1e-6) + 6.4 * u + 0.5 * normal(seed));
        double rate = exp(log(3e-9) - 3.4 * u + 0.7 * normal(seed));
        fprintf(out, "%s\"m%d\":{\"overhead\":%.9g,\"per_work\":%.9g,\"exponent\":%.9g,\"cv\":%g}",
                i ? "," : "", i, overhead, rate, between(seed, 0.92, 1.05),
                cvs[(int)(uniform(seed) * 4.0)]);
    }
    fputs("},\"candidates\":[", out);
    for (int i = 0; i < 8; i++)
        fprintf(out, "%s{\"name\":\"m%d\",\"resource\":\"%s\"}", i ? "," : "", i,
                i % 2 ? "gpu0" : "cpu");
    fputs("],", out);
}

char *generate_sizes(uint64_t seed)
{
    static const int counts[] = {1, 1, 2, 5};
    char *text;
    size_t size;
    FILE *out = begin(&text, &size, "sizes");
    if (!out)
        return NULL;
    print_models(out, &seed);
    fputs("\"problems\":[", out);
    for (int i = 0; i < 240; i++)
        fprintf(out, "%s{\"name\":\"s%03d\",\"work\":%.0f}", i ? "," : "", i,
                exp(between(&seed, log(100.0), log(1e9))));
    fputs("],\"samples\":{},\"slow\":[],\"calls\":[", out);
    for (int i = 0; i < 240; i++)
        fprintf(out, "%s{\"problem\":\"s%03d\",\"count\":%d}", i ? "," : "", i,
                counts[(int)(uniform(&seed) * 4.0)]);
    fputs("]}", out);
    return fclose(out) == 0 ? text : NULL;
}
