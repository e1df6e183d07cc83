/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reading PONI files. They are not trusted: lengths, numbers and shapes are checked.
 */
#include "scattering/poni.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LARGEST_FILE = 1 << 20, LARGEST_LINE = 8192 };

/* What is read of a file, the numbers in the order of le__sc_number. */
enum { DETECTOR = LE__SC_NUMBERS, DETECTOR_CONFIG, VERSION, PARALLAX, SPLINE_FILE, KEYS };

static const char *const keys[KEYS] = {"distance",   "poni1",     "poni2",           "rot1",
                                       "rot2",       "rot3",      "wavelength",      "pixelsize1",
                                       "pixelsize2", "detector",  "detector_config", "poni_version",
                                       "parallax",   "splinefile"};

static bool is_none(const char *value) {
    return !*value || !strcasecmp(value, "none") || !strcasecmp(value, "null");
}

static le_status set_number(const char *name, const char *key, const char *value,
                            le__sc_number which, le__sc_poni *out) {
    char *end;
    const double x = le_number(value, &end);
    if (is_none(value))
        return LE_OK;
    if (end == value || *end || !isfinite(x))
        return le_fail(LE_ERR_IO, "%s: %s is '%s', expected a number", name, key, value);
    out->number[which] = x;
    out->given[which] = true;
    return LE_OK;
}

static le_status set_text(const char *name, const char *key, const char *value, char *out,
                          size_t size) {
    if (strlen(value) >= size)
        return le_fail(LE_ERR_IO, "%s: %s has %zu characters, at most %zu are possible", name, key,
                       strlen(value), size - 1);
    strcpy(out, value);
    return LE_OK;
}

/* A member of Detector_config that is a number; others are left alone. */
static void config_number(const cJSON *config, const char *key, le__sc_number which,
                          le__sc_poni *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(config, key);
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return;
    out->number[which] = item->valuedouble;
    out->given[which] = true;
}

static le_status config_shape(const char *name, const cJSON *config, le__sc_poni *out) {
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(config, "max_shape");
    if (!cJSON_IsArray(shape))
        return LE_OK;
    for (int k = 0; k < 2; k++) {
        const cJSON *n = cJSON_GetArrayItem(shape, k);
        if (cJSON_GetArraySize(shape) != 2 || !cJSON_IsNumber(n) || !(n->valuedouble >= 1) ||
            n->valuedouble > 1e6)
            return le_fail(LE_ERR_IO, "%s: max_shape is expected to be two numbers of pixels",
                           name);
        out->shape[k] = (int64_t)n->valuedouble;
    }
    return LE_OK;
}

static le_status read_config(const char *name, const cJSON *config, le__sc_poni *out) {
    const cJSON *spline = cJSON_GetObjectItemCaseSensitive(config, "splineFile"),
                *file = cJSON_GetObjectItemCaseSensitive(config, "filename"),
                *orientation = cJSON_GetObjectItemCaseSensitive(config, "orientation");
    if (cJSON_IsString(spline) && !is_none(spline->valuestring))
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: a detector with the spline file '%s' is not supported; save it as a "
                       "NeXus detector",
                       name, spline->valuestring);
    config_number(config, "pixel1", LE__SC_PIXEL1, out);
    config_number(config, "pixel2", LE__SC_PIXEL2, out);
    if (cJSON_IsNumber(orientation)) {
        if (orientation->valuedouble != 0 &&
            !(orientation->valuedouble >= 1 && orientation->valuedouble <= 4))
            return le_fail(LE_ERR_UNSUPPORTED, "%s: orientation %g, expected 1 to 4", name,
                           orientation->valuedouble);
        out->orientation = (int)orientation->valuedouble;
    }
    le_status status = config_shape(name, config, out);
    if (status == LE_OK && cJSON_IsString(file))
        status = set_text(name, "filename", file->valuestring, out->file, sizeof out->file);
    return status;
}

static le_status set_config(const char *name, const char *value, le__sc_poni *out) {
    if (is_none(value))
        return LE_OK;
    cJSON *config = cJSON_Parse(value);
    if (!config)
        return le_fail(LE_ERR_IO, "%s: Detector_config is no JSON text: '%.80s'", name, value);
    le_status status = read_config(name, config, out);
    cJSON_Delete(config);
    return status;
}

static char *trim(char *text) {
    text += strspn(text, " \t\r");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1]))
        text[--n] = 0;
    return text;
}

/* Where the last value of a key is; NULL: there is none. */
typedef struct last_value {
    const char *at;
    size_t length;
} last_value;

static le_status copy_line(const char *from, size_t length, const char *name, char *line) {
    if (length >= LARGEST_LINE)
        return le_fail(LE_ERR_IO, "%s: a line of %zu characters", name, length);
    memcpy(line, from, length);
    line[length] = 0;
    return LE_OK;
}

/* pyFAI appends when it saves, and takes the last value of each key before it looks at any. */
static le_status find_last(const char *text, const char *name, last_value last[KEYS]) {
    char line[LARGEST_LINE];
    bool any = false;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        le_status status = copy_line(text, length, name, line);
        if (status != LE_OK)
            return status;
        char *colon = strchr(line, ':'), *key = trim(line);
        if (*key != '#' && colon) {
            const size_t to = (size_t)(colon - line) + 1;
            *colon = 0;
            key = trim(key);
            for (int k = 0; k < KEYS; k++)
                if (!strcasecmp(key, keys[k]))
                    last[k] = (last_value){.at = text + to, .length = length - to};
            any = true;
        }
        text += length + (text[length] == '\n');
    }
    return any ? LE_OK : le_fail(LE_ERR_IO, "%s: no PONI file: it has no line 'key: value'", name);
}

static bool is_true(const char *value) {
    return !strcasecmp(value, "true");
}

static le_status set(const char *name, int key, const char *value, le__sc_poni *out) {
    if (key < LE__SC_NUMBERS)
        return set_number(name, keys[key], value, (le__sc_number)key, out);
    if (key == DETECTOR)
        return set_text(name, keys[key], value, out->detector, sizeof out->detector);
    if (key == DETECTOR_CONFIG)
        return set_config(name, value, out);
    if (key == SPLINE_FILE ? !is_none(value) : key == PARALLAX && is_true(value))
        return le_fail(LE_ERR_UNSUPPORTED, "%s: '%s: %s' is not supported", name, keys[key], value);
    return LE_OK;
}

/* Since version 2 a detector's settings are in its Detector_config only. */
static bool is_of_version_1(int key) {
    return key == LE__SC_PIXEL1 || key == LE__SC_PIXEL2 || key == SPLINE_FILE;
}

le_status le__sc_poni_parse(const char *text, const char *name, le__sc_poni *out) {
    char line[LARGEST_LINE];
    last_value last[KEYS] = {{0}};
    *out = (le__sc_poni){0};
    le_status status = find_last(text, name, last);
    if (status != LE_OK)
        return status;
    bool later = last[DETECTOR_CONFIG].at || last[PARALLAX].at;
    if (last[VERSION].at && copy_line(last[VERSION].at, last[VERSION].length, name, line) == LE_OK)
        later = later || le_number(trim(line), &(char *){NULL}) >= 2;
    for (int k = 0; status == LE_OK && k < KEYS; k++)
        if (last[k].at && !(later && is_of_version_1(k))) {
            status = copy_line(last[k].at, last[k].length, name, line);
            if (status == LE_OK)
                status = set(name, k, trim(line), out);
        }
    return status;
}

le_status le__sc_poni_read(const char *path, le__sc_poni *out) {
    FILE *f = fopen(path, "rbe");
    if (!f)
        return le_fail(LE_ERR_IO, "PONI file '%s': %s", path, strerror(errno));
    char *text = malloc(LARGEST_FILE + 1);
    const size_t n = text ? fread(text, 1, LARGEST_FILE, f) : 0;
    const bool bad = ferror(f), more = n == LARGEST_FILE;
    fclose(f);
    le_status status = LE_OK;
    if (!text)
        return le_fail(LE_ERR_MEMORY, "PONI file '%s': no memory", path);
    text[n] = 0;
    if (bad || more || memchr(text, 0, n))
        status = le_fail(LE_ERR_IO, "PONI file '%s': %s", path,
                         bad    ? "cannot be read"
                         : more ? "more than 1 MiB"
                                : "no text file");
    else
        status = le__sc_poni_parse(text, path, out);
    free(text);
    return status;
}
