#include "sotadb/emit/literal.h"
#include "sotadb/sql/field.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_STRING = 4095 };

/* Three octal digits always end an escape; a hexadecimal one would swallow an 'a' behind it. `\?` keeps `??=`
 * from being a trigraph. */
static void put_char(struct str *out, char c, char quote) {
    if (c == '\\' || c == quote || c == '?') str_printf(out, "\\%c", c);
    else if (c == '\n') str_puts(out, "\\n");
    else if (c < ' ' || c > '~') str_printf(out, "\\%03o", (unsigned char)c);
    else str_putc(out, c);
}

void literal_text(struct str *out, const char *text) {
    bool is_long = strlen(text) > LONGEST_STRING;
    str_puts(out, is_long ? "(const char[]){" : "\"");
    for (; *text; text++) {
        if (is_long) str_putc(out, '\'');
        put_char(out, *text, is_long ? '\'' : '"');
        if (is_long) str_puts(out, "', ");
    }
    str_puts(out, is_long ? "0}" : "\"");
}

/* The shortest digits that read back as this number, as a floating constant. */
static void put_double(struct str *out, double value) {
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
    str_puts(out, digits);
    if (!strpbrk(digits, ".e")) str_puts(out, ".0");
}

static void put_field(struct str *out, const struct field *field, const char *row) {
    const void *at = row + field->offset;
    const char *text;
    int number;
    bool flag;
    double real;
    struct range range;
    str_printf(out, ".%s = ", field->member);
    switch (field->type) {
    case FIELD_TEXT:
        memcpy(&text, at, sizeof text);
        literal_text(out, text);
        break;
    case FIELD_INT:
        memcpy(&number, at, sizeof number);
        str_printf(out, "%d", number);
        break;
    case FIELD_BOOL:
        memcpy(&flag, at, sizeof flag);
        str_puts(out, flag ? "true" : "false");
        break;
    case FIELD_DOUBLE:
        memcpy(&real, at, sizeof real);
        put_double(out, real);
        break;
    case FIELD_ENUM:
        memcpy(&number, at, sizeof number);
        str_puts(out, field->names[number].c);
        break;
    case FIELD_RANGE:
        memcpy(&range, at, sizeof range);
        str_printf(out, "{%u, %u}", range.first, range.n);
        break;
    }
}

static void put_table(struct str *out, const struct field_table *table, const struct matrix *m) {
    size_t n;
    const char *rows = field_rows(&n, table, m);
    if (n == 0) return;
    str_printf(out, "    .n_%s = %zu,\n    .%s = (const struct %s[]){\n", table->array, n, table->array,
               table->type);
    for (size_t i = 0; i < n; i++) {
        str_puts(out, "        {");
        for (const struct field *field = table->fields; field->member; field++) {
            put_field(out, field, rows + i * table->size);
            str_puts(out, field[1].member ? ",\n         " : "},\n");
        }
    }
    str_puts(out, "    },\n");
}

void literal_write(struct str *out, const struct matrix *m) {
    str_puts(out, "/* Made by sotac from sotadb/schema.sql and sotadb/seed/; change those. */\n"
                  "#include \"sotadb/matrix.h\"\n\nconst struct matrix sota_matrix = {\n    .source = ");
    literal_text(out, m->source);
    str_puts(out, ",\n");
    for (const struct field_table *table = field_tables; table->array; table++) put_table(out, table, m);
    str_puts(out, "};\n");
}
