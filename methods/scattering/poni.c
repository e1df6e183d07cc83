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

static const struct {
    const char *key;
    le__sc_number number;
} numbers[] = {
    {"distance", LE__SC_DISTANCE},     {"poni1", LE__SC_PONI1},       {"poni2", LE__SC_PONI2},
    {"rot1", LE__SC_ROT1},             {"rot2", LE__SC_ROT2},         {"rot3", LE__SC_ROT3},
    {"wavelength", LE__SC_WAVELENGTH}, {"pixelsize1", LE__SC_PIXEL1}, {"pixelsize2", LE__SC_PIXEL2},
};

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

static le_status set(const char *name, const char *key, const char *value, le__sc_poni *out) {
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!strcasecmp(key, numbers[k].key))
            return set_number(name, key, value, numbers[k].number, out);
    if (!strcasecmp(key, "detector"))
        return set_text(name, key, value, out->detector, sizeof out->detector);
    if (!strcasecmp(key, "detector_config"))
        return set_config(name, value, out);
    const bool spline = !strcasecmp(key, "splinefile") && !is_none(value);
    if (spline || (!strcasecmp(key, "parallax") && !strcasecmp(value, "true")))
        return le_fail(LE_ERR_UNSUPPORTED, "%s: '%s: %s' is not supported", name, key, value);
    return LE_OK;
}

static char *trim(char *text) {
    text += strspn(text, " \t\r");
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r", text[n - 1]))
        text[--n] = 0;
    return text;
}

le_status le__sc_poni_parse(const char *text, const char *name, le__sc_poni *out) {
    char line[LARGEST_LINE];
    bool any = false;
    *out = (le__sc_poni){0};
    while (*text) {
        const size_t length = strcspn(text, "\n");
        if (length >= sizeof line)
            return le_fail(LE_ERR_IO, "%s: a line of %zu characters", name, length);
        memcpy(line, text, length);
        line[length] = 0;
        text += length + (text[length] == '\n');
        char *colon = strchr(line, ':'), *key = trim(line);
        if (*key == '#' || !colon)
            continue;
        *colon = 0;
        le_status status = set(name, trim(key), trim(colon + 1), out);
        if (status != LE_OK)
            return status;
        any = true;
    }
    if (!any)
        return le_fail(LE_ERR_IO, "%s: no PONI file: it has no line 'key: value'", name);
    return LE_OK;
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
