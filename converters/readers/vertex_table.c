/* Tables of vertices as they lie beside tables of edges: CSV with a header, which calls the column
 * of ids "id", or NAME:ID as Neo4j's admin import has it. Other columns are left out. A manifest
 * names such files (readers/parts.c), and says whether ids are numbers or names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/parse/column_choice.h"
#include "converters/parse/names.h"
#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/input/input.h"
#include "support/memory.h"
#include "support/progress.h"

struct vertex_table {
  struct qn_read_result *result;
  struct qn_dialect dialect;
  bool names;      /* ids are; else numbers */
  uint32_t column; /* of ids, from 0 */
  uint64_t line;
  uint64_t records;     /* lines, but for those that a value breaks */
  uint64_t count, room; /* of ids; room for them in result->extra_ids */
};

static enum qn_status take_header(struct vertex_table *table, const char *line, const char *end,
                                  struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  if (qn_column_of_ids(line, end, &table->dialect, &table->column))
    return QN_OK;
  return qn_fail(error, QN_INVALID, "expected a header with a column of ids, id or :ID; found %s",
                 qn_text_quote(line, end, quoted));
}

static enum qn_status fail_id(const struct qn_column *id, const char *expected,
                              struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  return qn_fail(error, QN_INVALID, "expected %s; found %s", expected,
                 qn_text_quote(id->begin, id->end, quoted));
}

static enum qn_status take_name(struct vertex_table *table, const struct qn_column *id,
                                struct qn_error *error) {
  uint64_t length = (uint64_t)(id->end - id->begin);
  char *text = NULL; /* without what escapes quotes */
  uint32_t number;
  enum qn_status status =
      id->escape ? qn_alloc(&text, length, 1, "the name of a vertex", error) : QN_OK;
  if (status)
    return status;
  const char *name = qn_column_text(id, text, &length);
  enum qn_interned result = qn_string_map_intern(table->result->names_map, name, length, &number);
  qn_free(text);
  switch (result) {
  case QN_INTERNED:
    return QN_OK;
  case QN_INTERN_NO_NAME:
    return fail_id(id, "the name of a vertex", error);
  case QN_INTERN_TOO_MANY:
    return qn_fail(error, QN_INVALID, "the input has more than 2^32-1 vertices");
  default:
    return qn_fail_memory(error, "a map of names", 0);
  }
}

static enum qn_status take_number(struct vertex_table *table, const struct qn_column *id,
                                  struct qn_error *error) {
  struct qn_read_result *result = table->result;
  uint64_t used = result->num_extra_ids + table->count, number;
  if (qn_parse_whole(id->begin, id->end, &number) != QN_NUMBER_FINE)
    return fail_id(id, "a vertex id, an integer up to 2^64-1", error);
  if (used >= table->room) {
    table->room = used + used / 2 + 1024;
    enum qn_status status = qn_realloc(&result->extra_ids, table->room, sizeof *result->extra_ids,
                                       "ids of vertices", error);
    if (status)
      return status;
  }
  result->extra_ids[used] = number;
  return QN_OK;
}

static enum qn_status take_row(struct vertex_table *table, const char *line, const char *end,
                               struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, &table->dialect);
  struct qn_column id;
  for (uint32_t i = 0; i <= table->column; i++) {
    char quoted[QN_QUOTE_BYTES];
    const char *where;
    if (!qn_columns_next(&columns, &id))
      return qn_fail(error, QN_INVALID, "expected an id in column %" PRIu32 "; found %s",
                     table->column + 1, qn_text_quote(line, end, quoted));
    if (id.fault != QN_COLUMN_FINE)
      return qn_fail(error, QN_INVALID, "%s", qn_column_fault_text(&id, &table->dialect, &where));
  }
  enum qn_status status =
      table->names ? take_name(table, &id, error) : take_number(table, &id, error);
  table->count += !status;
  return status;
}

/* Values in quotes may break lines. */
static bool take_record(const struct vertex_table *table, struct qn_input_block *block,
                        const char **line, const char **end, uint64_t *lines) {
  const char *last = block->data + block->bytes;
  if (block->bytes == 0)
    return false;
  *line = block->data;
  if (table->dialect.quotes && !table->dialect.escapes)
    *end = qn_record_end(*line, last);
  else if (!(*end = memchr(*line, '\n', block->bytes)))
    *end = last;
  block->data = *end < last ? *end + 1 : last;
  block->bytes = (uint64_t)(last - block->data);
  for (const char *p = *line; p < *end && (p = memchr(p, '\n', (size_t)(*end - p))); p++)
    ++*lines;
  if (*end > *line && (*end)[-1] == '\r')
    --*end;
  return true;
}

static enum qn_status take_lines(struct vertex_table *table, struct qn_input_block block,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t broken = 0;
  for (const char *line, *end; !status && take_record(table, &block, &line, &end, &broken);
       table->line += status ? 0 : broken, broken = 0) {
    table->line++;
    table->records++;
    if (table->records == 1)
      status = take_header(table, line, end, error);
    else
      status = take_row(table, line, end, error);
  }
  return status;
}

static enum qn_status read_table(struct qn_input *input, bool names,
                                 const struct qn_read_options *options,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct vertex_table table = {.result = result,
                               .dialect = qn_vertex_table_dialect(&options->text),
                               .names = names,
                               .room = result->num_extra_ids};
  struct qn_input_block block;
  enum qn_status status = names ? qn_names_begin(result, error) : QN_OK;
  if (!status)
    status = qn_input_next(input, &block, error);
  while (!status && block.bytes) {
    qn_progress_add(block.bytes);
    status = take_lines(&table, block, error);
    if (status && !error->file[0])
      qn_error_at_line(error, qn_input_name(input), table.line, 1);
    if (!status)
      status = qn_input_next(input, &block, error);
  }
  if (status)
    return status;
  if (!names)
    result->num_extra_ids += table.count;
  result->vertices_listed += table.count;
  result->ledger.records += table.records;
  result->ledger.comments += table.records;
  snprintf(result->description, sizeof result->description, "%" PRIu64 " vertices", table.count);
  return QN_OK;
}

static enum qn_status read_numbers(struct qn_input *input, const struct qn_read_options *options,
                                   struct qn_edge_list *list, uint64_t *sequence,
                                   struct qn_read_result *result, struct qn_error *error) {
  (void)list;
  (void)sequence;
  return read_table(input, false, options, result, error);
}

static enum qn_status read_names(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  (void)list;
  (void)sequence;
  return read_table(input, true, options, result, error);
}

const struct qn_reader qn_reader_vertex_numbers = {.name = "vertices", .read = read_numbers};
const struct qn_reader qn_reader_vertex_names = {
    .name = "vertices", .read = read_names, .release = qn_names_release};
