#include "converters/properties/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/parse/column_choice.h"
#include "converters/parse/comments.h"
#include "converters/parse/edges_header.h"
#include "converters/parse/table.h"
#include "formats/text/text_fields.h"
#include "support/context.h"
#include "support/input/whole_input.h"
#include "support/memory.h"
#include "support/progress.h"

/* The table that is read, and what becomes of its cells. */
struct reading {
  struct qn_table table;
  struct qn_table_records *records;
  struct qn_chosen_columns chosen;
  struct qn_column *cells; /* [num_columns] of a line */
  char *text;              /* a cell without what escapes quotes */
  uint64_t text_bytes;
  bool bipartite;
  struct qn_edge_stream stream; /* of edges */
  uint64_t *of_vertex;          /* of vertices: [V] */
  uint32_t id_column;
};

/* ---- Cells ---------------------------------------------------------------- */

static enum qn_status cell_text(struct reading *reading, const struct qn_column *cell,
                                const char **text, uint64_t *length, struct qn_error *error) {
  uint64_t most = (uint64_t)(cell->end - cell->begin);
  if (cell->escape && most > reading->text_bytes) {
    enum qn_status status = qn_realloc(&reading->text, 2 * most, 1, "a value", error);
    if (status)
      return status;
    reading->text_bytes = 2 * most;
  }
  *text = qn_column_text(cell, reading->text, length);
  return QN_OK;
}

static enum qn_status take_cells(struct reading *reading, struct qn_error *error) {
  struct qn_table_records *records = reading->records;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < reading->chosen.count && !status; i++) {
    const struct qn_column *cell = &reading->cells[reading->chosen.columns[i].column];
    const char *text;
    uint64_t length;
    status = cell_text(reading, cell, &text, &length, error);
    if (!status)
      status = qn_text_column_add(&records->columns[i], text, length, cell->quoted, error);
  }
  records->count++;
  return status;
}

/* "3.0" is 3, as the readers have it. */
static uint64_t without_fraction(const char *text, uint64_t length) {
  uint64_t whole = length;
  while (whole > 0 && text[whole - 1] == '0')
    whole--;
  return whole > 0 && text[whole - 1] == '.' ? whole - 1 : length;
}

static enum qn_status find_vertex(struct reading *reading, const struct qn_column *cell, char side,
                                  uint32_t *vertex, struct qn_error *error) {
  const struct qn_ids *ids = reading->records->ids;
  char sided[QN_QUOTE_BYTES], usual[1024], *named = usual;
  const char *text;
  uint64_t length;
  enum qn_status status = cell_text(reading, cell, &text, &length, error);
  if (status)
    return status;
  if (reading->bipartite) {
    if (length + 1 > sizeof usual)
      status = qn_alloc(&named, length + 1, 1, "a name", error);
    if (status)
      return status;
    named[0] = side;
    memcpy(named + 1, text, length++);
    text = named;
  }
  if (ids->kind != QN_IDS_STRINGS)
    length = without_fraction(text, length);
  bool found = qn_ids_lookup(ids, reading->records->order, text, length, vertex);
  if (named != usual)
    qn_free(named);
  return found ? QN_OK
               : qn_fail(error, QN_INVALID, "expected the id of a vertex of the graph; found %s",
                         qn_text_quote(cell->begin, cell->end, sided));
}

static enum qn_status take_edge(struct reading *reading, struct qn_error *error) {
  uint32_t source = 0, destination = 0;
  enum qn_status status =
      find_vertex(reading, &reading->cells[reading->table.source], 'L', &source, error);
  if (!status)
    status =
        find_vertex(reading, &reading->cells[reading->table.destination], 'R', &destination, error);
  if (status)
    return status;
  qn_edge_push_i64(&reading->stream, source, destination,
                   (int64_t)(reading->records->first + reading->records->count));
  return take_cells(reading, error);
}

static enum qn_status take_vertex(struct reading *reading, struct qn_error *error) {
  uint32_t vertex = 0;
  enum qn_status status =
      find_vertex(reading, &reading->cells[reading->id_column], 0, &vertex, error);
  if (status)
    return status;
  if (reading->of_vertex[vertex] != QN_NO_RECORD)
    return qn_fail(error, QN_INVALID, "this vertex was listed before");
  reading->of_vertex[vertex] = reading->records->count;
  return take_cells(reading, error);
}

/* ---- Lines ---------------------------------------------------------------- */

/* All columns of a line; false if there are more or fewer, or one has a fault. */
static bool cut(struct reading *reading, struct qn_text_part *part, const char *line,
                const char *end) {
  struct qn_columns columns = qn_columns_of(line, end, &reading->table.dialect);
  struct qn_column cell;
  uint32_t count = 0;
  for (; qn_columns_next(&columns, &cell); count++) {
    const char *where;
    if (cell.fault) {
      const char *fault = qn_column_fault_text(&cell, &reading->table.dialect, &where);
      qn_text_reject(part, line, where, "%s", fault);
      return false;
    }
    if (count < reading->table.num_columns)
      reading->cells[count] = cell;
  }
  if (count == reading->table.num_columns)
    return true;
  qn_text_reject(part, line, line, "expected %" PRIu32 " columns; found %" PRIu32,
                 reading->table.num_columns, count);
  return false;
}

static enum qn_status say_where(const struct qn_text_part *part, const struct reading *reading,
                                const char *name, struct qn_error *error) {
  if (part->rejected)
    qn_fail(error, QN_INVALID, "%s", part->last.message);
  return qn_error_at_line(error, name, reading->table.first_line - 1 + part->last.line,
                          part->last.column);
}

/* Behind the lines before the first one of data. */
static const char *first_line(const struct qn_whole_input *whole, uint64_t number) {
  const char *p = whole->data, *end = p + whole->bytes;
  if (whole->bytes >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
    p += 3;
  for (; number > 1 && p < end; number--) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    p = newline ? newline + 1 : end;
  }
  return p;
}

static enum qn_status take_lines(struct reading *reading, const struct qn_input *input,
                                 const struct qn_whole_input *whole,
                                 enum qn_status (*take)(struct reading *reading,
                                                        struct qn_error *error),
                                 struct qn_error *error) {
  const char *data = first_line(whole, reading->table.first_line), *line, *end;
  const bool records = reading->of_vertex
                           ? reading->table.dialect.quotes && !reading->table.dialect.escapes
                           : reading->table.dialect.strict;
  const uint64_t before = (uint64_t)(data - whole->data);
  struct qn_input_block block = {data, whole->bytes - before, before};
  const char *begin = qn_text_leave_part(input, records, &block);
  struct qn_text_part part = {.begin = begin,
                              .end = begin + block.bytes,
                              .cursor = begin,
                              .records = records,
                              .signs = reading->table.signs};
  part.readable_end = whole->data + whole->bytes;
  enum qn_status status = QN_OK;
  while (!status) {
    if (!reading->of_vertex)
      qn_table_skip_comments(&part, &reading->table);
    if (!qn_text_next_line(&part, &line, &end))
      break;
    if (!reading->of_vertex && qn_table_take_comment(&part, &reading->table, line, end))
      continue;
    if (!cut(reading, &part, line, end))
      break;
    status = take(reading, error);
    if (status == QN_INVALID) { /* for its place */
      qn_text_reject(&part, line, line, "%s", error->message);
      break;
    }
    part.edges++;
    if (part.edges % 65536 == 0 && !status)
      status = qn_context_check(error);
  }
  if (!part.rejected)
    return status;
  status = say_where(&part, reading, qn_input_name(input), error);
  qn_text_count_before(data, begin, error);
  return status;
}

/* ---- Tables --------------------------------------------------------------- */

/* The columns of the first table are begun; those of others must be the same. */
static enum qn_status begin_columns(struct reading *reading, const char *name,
                                    struct qn_error *error) {
  struct qn_table_records *records = reading->records;
  const struct qn_chosen_columns *chosen = &reading->chosen;
  enum qn_status status = qn_alloc(&reading->cells, reading->table.num_columns + 1,
                                   sizeof *reading->cells, "the cells of a line", error);
  if (status)
    return status;
  bool same = !records->begun || records->num_columns == chosen->count;
  for (uint32_t i = 0; same && records->begun && i < chosen->count; i++)
    same = strcmp(records->columns[i].property.name, chosen->columns[i].name) == 0;
  if (!same) {
    qn_fail(error, QN_INVALID, "the properties differ from those of the previous input");
    return qn_error_in_file(error, name);
  }
  if (records->begun)
    return QN_OK;
  records->begun = true;
  status = qn_alloc_zeroed(&records->columns, chosen->count, sizeof *records->columns, "properties",
                           error);
  for (uint32_t i = 0; i < chosen->count && !status; i++) {
    records->num_columns++;
    status = qn_text_column_begin(&records->columns[i], chosen->columns[i].name,
                                  chosen->columns[i].type, error);
  }
  return status;
}

static enum qn_status
read_rows(struct reading *reading, const char *path, const struct qn_input_options *how,
          enum qn_status (*take)(struct reading *reading, struct qn_error *error),
          struct qn_error *error) {
  struct qn_input *input;
  struct qn_whole_input whole = {0};
  enum qn_status status = qn_input_open(path, how, &input, error);
  if (status)
    return status;
  status = begin_columns(reading, qn_input_name(input), error);
  const bool lines = !reading->records->columns_only;
  if (!status && lines)
    status = qn_whole_input_take(input, &whole, error);
  qn_progress_begin("reading", "properties", 0);
  if (!status && lines)
    status = take_lines(reading, input, &whole, take, error);
  status = qn_input_unwritten(input, status, error);
  qn_progress_end();
  qn_whole_input_release(&whole);
  qn_input_close(input);
  return status;
}

static void release(struct reading *reading) {
  qn_chosen_columns_release(&reading->chosen);
  qn_free(reading->table.header);
  qn_free(reading->cells);
  qn_free(reading->text);
}

/* ---- Edges ---------------------------------------------------------------- */

static void call_weight(struct reading *reading) {
  const struct qn_table *table = &reading->table;
  struct qn_columns columns;
  struct qn_column cell;
  if (!table->header || table->weight == QN_NO_COLUMN || reading->records->weight[0])
    return;
  columns =
      qn_columns_of(table->header, table->header + table->header_bytes, &table->header_dialect);
  for (uint32_t i = 0; qn_columns_next(&columns, &cell) && i <= table->weight; i++) {
    uint64_t length = (uint64_t)(cell.end - cell.begin);
    if (i == table->weight && !cell.escape && qn_property_is_name(cell.begin, length))
      snprintf(reading->records->weight, sizeof reading->records->weight, "%.*s", (int)length,
               cell.begin);
  }
}

/* Of a table without a line of data, which has a header at most. */
static enum qn_status learn_header(struct reading *reading, struct qn_read_options *chosen,
                                   struct qn_error *error) {
  struct qn_table *table = &reading->table;
  const char *header = table->header, *end = header + table->header_bytes;
  struct qn_header_says says = {0};
  table->first_line = UINT64_MAX;
  if (!header)
    return QN_OK;
  enum qn_status status =
      qn_column_choice_guess(chosen, header, end, &table->header_dialect, &says, error);
  if (!status)
    status = qn_column_choice_resolve(chosen, header, end, &table->header_dialect, error);
  table->source = chosen->source_column ? chosen->source_column - 1 : 0;
  table->destination = chosen->destination_column ? chosen->destination_column - 1 : 1;
  table->weight = chosen->weight_column ? chosen->weight_column - 1 : QN_NO_COLUMN;
  return status;
}

/* What the readers of edge lists learn from the first lines. */
static enum qn_status learn(struct reading *reading, struct qn_input *input,
                            const struct qn_read_options *options, struct qn_error *error) {
  struct qn_read_options known = *options;
  struct qn_read_result result = {.num_vertices = QN_VERTICES_FROM_EDGES};
  struct qn_input_block block;
  const char *head;
  uint64_t bytes;
  enum qn_status status = qn_input_peek(input, &head, &bytes, error);
  if (status)
    return status;
  known.keep_header = true;
  reading->table.names = reading->records->ids->kind == QN_IDS_STRINGS;
  reading->bipartite = options->bipartite == QN_BIPARTITE_YES ||
                       (options->bipartite == QN_BIPARTITE_AUTO && !options->numbers &&
                        bytes >= 6 && memcmp(head, "% bip ", 6) == 0);
  if (reading->table.names && qn_edges_header_has_names(head, bytes)) {
    known.text =
        (struct qn_text_choice){.delimiter = '\t', .header = QN_SAID_NO, .quotes = QN_SAID_YES};
    known.strings = true;
  }
  status = qn_table_begin(input, &known, &reading->table, &block, &result, error);
  return !status && block.bytes == 0 ? learn_header(reading, &known, error) : status;
}

static enum qn_status choose(struct reading *reading, const char *wanted, const char *name,
                             struct qn_error *error) {
  const struct qn_table *table = &reading->table;
  const uint32_t taken[] = {table->source, table->destination, table->weight, table->type};
  call_weight(reading);
  if (!wanted)
    return QN_OK;
  if (table->dictionary)
    qn_fail(error, QN_UNSUPPORTED, "--properties: the values of this list are in dictionaries");
  else if (!qn_property_columns_choose(wanted, table->header, table->header + table->header_bytes,
                                       &table->header_dialect, table->num_columns, taken, 4,
                                       &reading->chosen, error))
    return QN_OK;
  return qn_error_in_file(error, name), error->status;
}

enum qn_status qn_edge_records_read(const char *path, const struct qn_input_options *how,
                                    const struct qn_read_options *options, const char *wanted,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_table_records *records, struct qn_error *error) {
  struct reading reading = {.records = records};
  struct qn_input *input;
  struct qn_error own;
  error = error ? error : &own;
  enum qn_status status = qn_input_open(path, how, &input, error);
  if (status)
    return status;
  status = learn(&reading, input, options, error);
  if (!status && reading.table.num_columns)
    status = choose(&reading, wanted, qn_input_name(input), error);
  qn_input_close(input);
  qn_edge_stream_open(&reading.stream, list, (*sequence)++);
  if (!status && reading.table.num_columns)
    status = read_rows(&reading, path, how, take_edge, error);
  enum qn_status closed = qn_edge_stream_close(&reading.stream, status ? NULL : error);
  release(&reading);
  return status ? status : closed;
}

/* ---- Vertices ------------------------------------------------------------- */

static enum qn_status learn_vertices(struct reading *reading, struct qn_input *input,
                                     const struct qn_text_choice *choice, struct qn_error *error) {
  const struct qn_dialect dialect = qn_vertex_table_dialect(choice);
  struct qn_input_block block;
  const char *line, *end;
  enum qn_status status = qn_input_next(input, &block, error);
  if (status)
    return status;
  qn_text_skip_mark(&block);
  if (!qn_text_take_line(&block, &line, &end) ||
      !qn_column_of_ids(line, end, &dialect, &reading->id_column))
    return qn_fail(error, QN_INVALID, "expected a header with a column of ids, id or :ID");
  const uint32_t count = qn_columns_count(line, end, &dialect);
  reading->table = (struct qn_table){.dialect = dialect,
                                     .num_columns = count,
                                     .signs = "\n\n", /* there are none */
                                     .first_line = 2};
  return qn_property_columns_choose("all", line, end, &dialect, count, &reading->id_column, 1,
                                    &reading->chosen, error);
}

enum qn_status qn_vertex_records_read(const char *path, const struct qn_input_options *how,
                                      const struct qn_text_choice *choice, uint64_t *of_vertex,
                                      struct qn_table_records *records, struct qn_error *error) {
  struct reading reading = {.records = records, .of_vertex = of_vertex};
  struct qn_input *input;
  struct qn_error own;
  error = error ? error : &own;
  enum qn_status status = qn_input_open(path, how, &input, error);
  if (status)
    return status;
  status = learn_vertices(&reading, input, choice, error);
  if (status && !error->file[0])
    qn_error_in_file(error, qn_input_name(input));
  qn_input_close(input);
  if (!status)
    status = read_rows(&reading, path, how, take_vertex, error);
  release(&reading);
  return status;
}

/* ---- The end -------------------------------------------------------------- */

enum qn_status qn_table_records_agree(struct qn_table_records *records,
                                      const struct qn_collective *ranks, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < records->num_columns && !status; i++)
    status = qn_text_column_agree(&records->columns[i], ranks, error);
  return status;
}

enum qn_status qn_table_records_finish(struct qn_table_records *records,
                                       struct qn_property_table *table, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&table->columns, records->num_columns,
                                          sizeof *table->columns, "properties", error);
  for (uint32_t i = 0; i < records->num_columns && !status; i++) {
    status = qn_text_column_finish(&records->columns[i], error);
    table->columns[table->count++] = records->columns[i].property;
  }
  return status;
}

void qn_table_records_end(struct qn_table_records *records) {
  for (uint32_t i = 0; i < records->num_columns; i++)
    qn_text_column_end(&records->columns[i]);
  qn_free(records->columns);
  *records = (struct qn_table_records){0};
}
