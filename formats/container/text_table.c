#include "formats/container/text_table.h"

#include <stdbool.h>
#include <string.h>

#include "support/text/fold.h"

enum { MOST_COLUMNS = 16, GAP = 2, INDENT = 4 };

static void put_blanks(unsigned count, FILE *stream) {
  fprintf(stream, "%*s", (int)count, "");
}

static void begin_line(unsigned indent, FILE *stream) {
  fputc('\n', stream);
  put_blanks(indent, stream);
}

struct column {
  unsigned width;
  bool right;
  bool begins_line;
};

static const char *cell_of(const json_t *row, size_t column) {
  const char *text = json_string_value(json_array_get(row, column));
  return text ? text : "";
}

/* Returns how many there are. */
static size_t measure(const json_t *rows, const char *alignment, unsigned width,
                      struct column columns[MOST_COLUMNS]) {
  const size_t count = strlen(alignment) < MOST_COLUMNS ? strlen(alignment) : MOST_COLUMNS;
  unsigned at = 0;
  size_t i;
  json_t *row;
  for (size_t c = 0; c < count; c++) {
    columns[c] = (struct column){.right = alignment[c] == 'r'};
    json_array_foreach((json_t *)rows, i, row) {
      const unsigned here = qn_text_width(cell_of(row, c));
      columns[c].width = here > columns[c].width ? here : columns[c].width;
    }
    if (columns[c].width > width - INDENT)
      columns[c].width = width - INDENT;
    columns[c].begins_line = c > 0 && at + GAP + columns[c].width > width;
    at = columns[c].begins_line ? INDENT + columns[c].width : at + (c ? GAP : 0) + columns[c].width;
  }
  return count;
}

static void print_cell(const char *text, const struct column *column, bool is_last, FILE *stream) {
  while (qn_text_width(text) > column->width) {
    const char *end = qn_text_skip(text, column->width);
    fwrite(text, 1, (size_t)(end - text), stream);
    begin_line(INDENT, stream);
    text = end;
  }
  const unsigned rest = column->width - qn_text_width(text);
  if (column->right)
    put_blanks(rest, stream);
  fputs(text, stream);
  if (!column->right && !is_last)
    put_blanks(rest, stream);
}

void qn_text_table_print(const json_t *rows, const char *alignment, unsigned width, FILE *stream) {
  struct column columns[MOST_COLUMNS];
  const size_t count = measure(rows, alignment, width, columns);
  size_t i;
  json_t *row;
  json_array_foreach((json_t *)rows, i, row) {
    for (size_t c = 0; c < count; c++) {
      if (columns[c].begins_line)
        begin_line(INDENT, stream);
      else
        put_blanks(c ? GAP : 0, stream);
      const bool is_last = c + 1 == count || columns[c + 1].begins_line;
      print_cell(cell_of(row, c), &columns[c], is_last, stream);
    }
    fputc('\n', stream);
  }
}
