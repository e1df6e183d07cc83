/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables as VOTable, the XML of the virtual observatory, for reading by its programs.
 */
#include "escape.h"
#include "files/table.h"

#include <math.h>

static const char *const types[LE_DTYPE_LAST + 1] = {
    [LE_U8] = "unsignedByte", [LE_I8] = "short", [LE_I16] = "short", [LE_U16] = "int",
    [LE_I32] = "int",         [LE_U32] = "long", [LE_I64] = "long",  [LE_F32] = "float",
    [LE_F64] = "double",      [LE_U64] = "double" /* has no type of its own */};

static void put_fields(FILE *f, const le__io_request *r, const le_tensor *t) {
    char made[LE__IO_NUMBER];
    for (int64_t k = 0; k < t->shape[1]; k++) {
        const char *name = le__io_column_name(r, k, made);
        fputs("<FIELD name=\"", f);
        le__escape(f, name);
        fprintf(f, "\" datatype=\"%s\"%s/>\n", types[t->dtype],
                le__io_is_degrees(name) ? " unit=\"deg\"" : "");
    }
}

static void put_cell(FILE *f, const le_tensor *t, int64_t i) {
    char number[LE__IO_NUMBER];
    double value = le_tensor_get(t, i);
    le__io_print_number(t, i, number);
    fprintf(f, "<TD>%s</TD>",
            isnan(value)   ? "NaN"
            : isinf(value) ? value < 0 ? "-Inf" : "+Inf"
                           : number);
}

static void put_table(FILE *f, const le__io_request *r, const le_tensor *t) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<VOTABLE version=\"1.3\" xmlns=\"http://www.ivoa.net/xml/VOTable/v1.3\">\n"
          "<RESOURCE>\n",
          f);
    fprintf(f, "<TABLE nrows=\"%lld\">\n", (long long)t->shape[0]);
    put_fields(f, r, t);
    fputs("<DATA>\n<TABLEDATA>\n", f);
    for (int64_t i = 0; i < t->shape[0]; i++) {
        fputs("<TR>", f);
        for (int64_t k = 0; k < t->shape[1]; k++)
            put_cell(f, t, i * t->shape[1] + k);
        fputs("</TR>\n", f);
    }
    fputs("</TABLEDATA>\n</DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n", f);
}

le_status le__votable_write(const le__io_request *r, const le_tensor *t, const void *data) {
    le_tensor table;
    le_status status = le__io_table(r, t, data, "VOTable", &table);
    return status == LE_OK ? le__io_put_text(r, &table, put_table) : status;
}
