/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Transfer functions written as JSON; transfer.h has the format.
 */
#include "volume/transfer.h"

#include <math.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

/* count numbers of an array; false when it is something else or one is not finite */
static bool read_numbers(const cJSON *array, double *out, int count)
{
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) != count)
        return false;
    for (int i = 0; i < count; i++) {
        const cJSON *item = cJSON_GetArrayItem(array, i);
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            return false;
        out[i] = item->valuedouble;
    }
    return true;
}

static bool read_number(const cJSON *object, const char *name, double *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return false;
    *out = item->valuedouble;
    return true;
}

static bool read_gaussian(const cJSON *item, le__gaussian *g)
{
    return cJSON_IsObject(item) && read_number(item, "centre", &g->centre) &&
           read_number(item, "width", &g->width) && g->width > 0.0 &&
           read_number(item, "alpha", &g->rgba[3]) &&
           read_numbers(cJSON_GetObjectItemCaseSensitive(item, "rgb"), g->rgba, 3);
}

static bool read_knot(const cJSON *item, le__knot *k, const le__knot *before)
{
    double numbers[5];
    if (!read_numbers(item, numbers, 5) || (before && !(numbers[0] > before->s)))
        return false;
    k->s = numbers[0];
    for (int c = 0; c < 4; c++)
        k->rgba[c] = numbers[1 + c];
    return true;
}

static le_status read_list(le__transfer **out, const cJSON *list, bool table, bool log,
                           const char *who)
{
    int n = cJSON_GetArraySize(list);
    if (!cJSON_IsArray(list) || n < (table ? 2 : 1) || n > LE__TRANSFER_MAX)
        return le_fail(LE_ERR_ARGUMENT, "%s: transfer: expected an array of %s", who,
                       table ? "2 to 4096 knots" : "1 to 4096 Gaussians");
    le__transfer *t = le__transfer_new(log, table, (size_t)n);
    if (!t)
        return le_fail(LE_ERR_MEMORY, "%s: no memory for a transfer function", who);
    le__knot *knots = (le__knot *)(t + 1);
    le__gaussian *gaussians = (le__gaussian *)(t + 1);
    int i = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        bool good = table ? read_knot(item, &knots[i], i > 0 ? &knots[i - 1] : NULL)
                          : read_gaussian(item, &gaussians[i]);
        if (!good) {
            free(t);
            return le_fail(LE_ERR_ARGUMENT, "%s: transfer: entry %d, expected %s", who, i,
                           table ? "[s, r, g, b, alpha] with s above the one before"
                                 : "{\"centre\", \"width\" > 0, \"rgb\": [r, g, b], \"alpha\"}");
        }
        i++;
    }
    *out = t;
    return LE_OK;
}

static le_status read_map(le__transfer **out, const cJSON *root, const char *map, bool log,
                          const char *who)
{
    double limits[2] = {log ? -5.0 : 0.0, log ? 5.0 : 1.0}, alpha = 0.1;
    const cJSON *l = cJSON_GetObjectItemCaseSensitive(root, "limits");
    if (l && !read_numbers(l, limits, 2))
        return le_fail(LE_ERR_ARGUMENT, "%s: transfer: limits, expected [low, high]", who);
    if (cJSON_HasObjectItem(root, "alpha") && !read_number(root, "alpha", &alpha))
        return le_fail(LE_ERR_ARGUMENT, "%s: transfer: alpha, expected a number", who);
    return le__transfer_from_map(out, map, limits, alpha, log, who);
}

static le_status read_root(le__transfer **out, const cJSON *root, bool log, const char *who)
{
    const cJSON *gaussians = cJSON_GetObjectItemCaseSensitive(root, "gaussians");
    const cJSON *table = cJSON_GetObjectItemCaseSensitive(root, "table");
    const cJSON *map = cJSON_GetObjectItemCaseSensitive(root, "colormap");
    if (gaussians)
        return read_list(out, gaussians, false, log, who);
    if (table)
        return read_list(out, table, true, log, who);
    if (cJSON_IsString(map))
        return read_map(out, root, map->valuestring, log, who);
    return le_fail(LE_ERR_ARGUMENT,
                   "%s: transfer: expected an object with \"gaussians\", \"table\" or \"colormap\"",
                   who);
}

le_status le__transfer_from_json(le__transfer **out, const char *json, bool log, const char *who)
{
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithOpts(json, &end, 1);
    if (!root)
        return le_fail(LE_ERR_ARGUMENT, "%s: transfer: not JSON at '%.20s'", who, end ? end : "");
    le_status status = read_root(out, root, log, who);
    cJSON_Delete(root);
    return status;
}
