/* Text edge lists whose vertices have names, or are of two kinds that number themselves alike.
 *
 *   # comments begin with # or %, unless --comments says otherwise; blank lines are skipped
 *   source destination [weight [more columns]]
 *
 * What separates columns, and whether a header names them, is learned from the first lines
 * (converters/parse/table.h). Names are numbered in bytewise order.
 *
 * A bipartite list, as KONECT marks it ("% bip ..."), has names L<source> and R<destination>. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/parse/comments.h"
#include "converters/parse/declared_size.h"
#include "converters/parse/edges_header.h"
#include "converters/parse/names.h"
#include "converters/parse/reader.h"
#include "converters/parse/table.h"
#include "converters/parse/text_lines.h"
#include "converters/parse/waiting_edges.h"
#include "converters/readers/konect.h"
#include "formats/text/string_map.h"
#include "support/input/input.h"
#include "support/memory.h"

/* What all lines have in common. */
struct layout {
  struct qn_table table;
  bool bipartite;
  struct qn_string_map *map;
};

/* ---- Lines ---------------------------------------------------------------- */

/* With the side before it, and without what escapes quotes. */
static enum qn_interned intern_changed(const struct layout *layout, char side,
                                       const struct qn_column *name, uint32_t *id) {
  char usual[1024], *text = usual;
  uint64_t length = (uint64_t)(name->end - name->begin);
  enum qn_interned interned = QN_INTERN_NO_NAME;
  if (length > 2 * QN_MAX_NAME_BYTES)
    return QN_INTERN_NO_NAME;
  if (length >= sizeof usual && qn_alloc(&text, length + 1, 1, "a name", NULL))
    return QN_INTERN_NO_MEMORY;
  const char *bytes = qn_column_text(name, text + 1, &length);
  if (!layout->bipartite) {
    interned = qn_string_map_intern(layout->map, bytes, length, id);
  } else if (length < QN_MAX_NAME_BYTES) {
    text[0] = side;
    memmove(text + 1, bytes, length);
    interned = qn_string_map_intern(layout->map, text, length + 1, id);
  }
  if (text != usual)
    qn_free(text);
  return interned;
}

static void stop(struct qn_text_part *part, enum qn_interned why) {
  part->stream.status = qn_names_fail(why, NULL, 0, &part->stream.error);
  part->stop = true;
}

/* Let a name wait, or number it if it has to be changed first. Rejects the line and returns false
 * if it is none. */
static bool take_name(struct qn_text_part *part, const struct layout *layout, char side,
                      const char *line, const struct qn_column *name, struct qn_waiting_name *out) {
  char quoted[QN_QUOTE_BYTES];
  if (!layout->table.strings && qn_column_is_missing(name)) {
    qn_text_reject(part, line, name->begin,
                   "expected the name of a vertex; found %s, which means that there is none "
                   "(--ids=strings takes it as a name)",
                   qn_text_quote(name->begin, name->end, quoted));
    return false;
  }
  *out = (struct qn_waiting_name){name->begin, (uint64_t)(name->end - name->begin), 0};
  enum qn_interned result = qn_is_name(out->bytes, out->length) ? QN_INTERNED : QN_INTERN_NO_NAME;
  if (layout->bipartite || name->escape) {
    out->bytes = NULL;
    result = intern_changed(layout, side, name, &out->id);
  }
  if (result == QN_INTERN_NO_NAME)
    qn_text_reject(
        part, line, name->begin,
        "expected the name of a vertex, 1 to %d bytes without NUL, tab or line end; found %s",
        QN_MAX_NAME_BYTES, qn_text_quote(name->begin, name->end, quoted));
  else if (result != QN_INTERNED)
    stop(part, result);
  return result == QN_INTERNED;
}

static void parse_line(struct qn_text_part *part, const struct layout *layout, const char *line,
                       const char *end, struct qn_waiting_edges *waiting) {
  struct qn_table_row row;
  struct qn_waiting_name ends[2];
  enum qn_weight_type type;
  uint64_t bits;
  if (qn_table_take_comment(part, &layout->table, line, end))
    return;
  if (!qn_table_cut(part, &layout->table, line, end, &row) ||
      !qn_table_weight(part, &layout->table, line, &row, &type, &bits) ||
      !take_name(part, layout, 'L', line, &row.source, &ends[0]) ||
      !take_name(part, layout, 'R', line, &row.destination, &ends[1]))
    return;
  part->edges++;
  memcpy(qn_waiting_edge_add(waiting, type, bits), ends, sizeof ends);
  if (waiting->count == QN_WAITING_EDGES)
    qn_waiting_edges_push_part(waiting, layout->map, part);
}

static void parse_part(struct qn_text_part *part, const void *context) {
  const struct layout *layout = context;
  struct qn_waiting_edges waiting = {0};
  const char *line, *end;
  while (qn_table_skip_comments(part, &layout->table), qn_text_next_line(part, &line, &end))
    parse_line(part, layout, line, end, &waiting);
  qn_waiting_edges_push_part(&waiting, layout->map, part);
}

/* `names` and `edges` of this input. What the first line says is a name, too, or two. */
static enum qn_status check_counts(struct qn_input *input, const struct layout *layout,
                                   uint64_t names, uint64_t edges, struct qn_error *error) {
  const struct qn_table *table = &layout->table;
  const struct qn_claims claims = {.vertices_said = table->vertices_said,
                                   .edges_said = table->edges_said,
                                   .first_line = table->first_line,
                                   .above = names > table->vertices_said + 2};
  uint64_t begin, end;
  if (layout->bipartite || qn_input_part(input, &begin, &end))
    return QN_OK;
  return qn_counts_check(&claims, edges, qn_input_name(input), error);
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status read_lines(struct qn_input *input, const struct qn_read_options *options,
                                 struct layout *layout, struct qn_edge_list *list,
                                 uint64_t *sequence, struct qn_read_result *result,
                                 struct qn_error *error) {
  struct qn_input_block block;
  const char *head;
  uint64_t bytes;
  enum qn_status status = qn_input_peek(input, &head, &bytes, error);
  if (status)
    return status;
  if ((status = qn_konect_check(head, bytes, options, error)))
    return qn_error_in_file(error, qn_input_name(input));
  layout->bipartite =
      options->bipartite == QN_BIPARTITE_YES ||
      (options->bipartite == QN_BIPARTITE_AUTO && qn_konect_says(head, bytes, options, "bip"));
  if (qn_konect_says(head, bytes, options, "sym"))
    result->symmetric = result->listed_once = true;
  layout->table.names = true;
  layout->table.ends_are_known = layout->bipartite;
  status = qn_table_begin(input, options, &layout->table, &block, result, error);
  if (status || block.bytes == 0)
    return status;
  qn_table_describe(&layout->table,
                    layout->bipartite ? "bipartite, called L... and R...," : "names", result);
  struct qn_text_job job = {.input = input,
                            .options = options,
                            .parse = parse_part,
                            .records = layout->table.dialect.strict,
                            .signs = layout->table.signs,
                            .context = layout,
                            .list = list,
                            .sequence = sequence,
                            .ledger = &result->ledger,
                            .lines_before = layout->table.first_line - 1};
  const uint64_t names = qn_string_map_count(layout->map), edges = result->ledger.edges_read;
  status = qn_text_read(&job, &block, error);
  return status ? status
                : check_counts(input, layout, qn_string_map_count(layout->map) - names,
                               result->ledger.edges_read - edges, error);
}

static enum qn_status read_names(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct layout layout = {0};
  const char *head;
  uint64_t bytes;
  enum qn_status status = qn_input_peek(input, &head, &bytes, error);
  if (status)
    return status;
  struct qn_read_options known = *options;
  if (qn_edges_header_has_names(head, bytes)) {
    /* The first line of data is no header, whatever its names are. */
    known.text =
        (struct qn_text_choice){.delimiter = '\t', .header = QN_SAID_NO, .quotes = QN_SAID_YES};
    known.strings = true;
  }
  status = qn_names_begin(result, error);
  layout.map = result->names_map;
  return status ? status : read_lines(input, &known, &layout, list, sequence, result, error);
}

static enum qn_status read_named_edges(struct qn_input *input,
                                       const struct qn_read_options *options,
                                       struct qn_edge_list *list, uint64_t *sequence,
                                       struct qn_read_result *result, struct qn_error *error) {
  return qn_read_announced(input, options, list, sequence, result, read_names, error);
}

/* ---- Detection ------------------------------------------------------------ */

static int detect_named_edges(const char *head, uint64_t bytes,
                              const struct qn_read_options *options) {
  if (options->numbers)
    return 0;
  if (options->bipartite == QN_BIPARTITE_YES ||
      (options->bipartite == QN_BIPARTITE_AUTO && qn_konect_says(head, bytes, options, "bip")))
    return 3;
  if (qn_edges_header_has_names(head, bytes))
    return 3;
  if (options->strings)
    return 2;
  struct qn_table_guess guess;
  qn_table_guess(head, bytes, options, &guess);
  return guess.names ? 2 : 0;
}

const struct qn_reader qn_reader_named_edges = {
    .name = "named-edges",
    .detect = detect_named_edges,
    .read = read_named_edges,
    .release = qn_names_release,
    .divides = true,
};
