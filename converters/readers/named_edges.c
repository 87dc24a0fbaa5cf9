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

/* A name as it is in the text, at most: quotes may be doubled. */
#define MOST_TEXT_BYTES (2 * QN_MAX_NAME_BYTES + 1)
#define CHANGED_BYTES ((uint64_t)4 * MOST_TEXT_BYTES)

/* Of a part: edges that wait, and names of theirs that are not as they are in the text. */
struct hand {
  struct qn_waiting_edges waiting;
  char *changed; /* [CHANGED_BYTES], or NULL */
  uint64_t used;
};

static void push(struct qn_text_part *part, const struct layout *layout, struct hand *hand) {
  qn_waiting_edges_push_part(&hand->waiting, layout->map, part);
  hand->used = 0;
}

/* With the side before it, and without what escapes quotes. The length is 0 if it is none; false
 * without memory. */
static bool change_name(const struct layout *layout, char side, const struct qn_column *name,
                        struct hand *hand, struct qn_waiting_name *out) {
  uint64_t length = (uint64_t)(name->end - name->begin);
  out->length = 0;
  if (length >= MOST_TEXT_BYTES)
    return true;
  if (!hand->changed && qn_alloc(&hand->changed, CHANGED_BYTES, 1, "names", NULL))
    return false;
  char *text = hand->changed + hand->used;
  *text = side;
  const char *bytes = qn_column_text(name, text + 1, &length);
  if (layout->bipartite)
    memmove(text + 1, bytes, length);
  out->bytes = layout->bipartite ? text : bytes;
  out->length = layout->bipartite ? length + 1 : length;
  hand->used += out->length + 1;
  return true;
}

/* Let a name wait. Rejects the line and returns false if it is none. */
static bool take_name(struct qn_text_part *part, const struct layout *layout, char side,
                      const char *line, const struct qn_column *name, struct hand *hand,
                      struct qn_waiting_name *out) {
  char quoted[QN_QUOTE_BYTES];
  if (!layout->table.strings && qn_column_is_missing(name)) {
    qn_text_reject(part, line, name->begin,
                   "expected the name of a vertex; found %s, which means that there is none "
                   "(--ids=strings takes it as a name)",
                   qn_text_quote(name->begin, name->end, quoted));
    return false;
  }
  *out = (struct qn_waiting_name){name->begin, (uint64_t)(name->end - name->begin), 0};
  if ((layout->bipartite || name->escape) && !change_name(layout, side, name, hand, out)) {
    part->stream.status = qn_names_fail(QN_INTERN_NO_MEMORY, NULL, 0, &part->stream.error);
    part->stop = true;
    return false;
  }
  if (qn_is_name(out->bytes, out->length))
    return true;
  qn_text_reject(
      part, line, name->begin,
      "expected the name of a vertex, 1 to %d bytes without NUL, tab or line end; found %s",
      QN_MAX_NAME_BYTES, qn_text_quote(name->begin, name->end, quoted));
  return false;
}

static void parse_line(struct qn_text_part *part, const struct layout *layout, const char *line,
                       const char *end, struct hand *hand) {
  struct qn_table_row row;
  struct qn_waiting_name ends[2];
  enum qn_weight_type type;
  uint64_t bits;
  if (qn_table_take_comment(part, &layout->table, line, end))
    return;
  if (CHANGED_BYTES - hand->used < 2 * (uint64_t)(MOST_TEXT_BYTES + 1))
    push(part, layout, hand);
  if (!qn_table_cut(part, &layout->table, line, end, &row) ||
      !qn_table_weight(part, &layout->table, line, &row, &type, &bits) ||
      !take_name(part, layout, 'L', line, &row.source, hand, &ends[0]) ||
      !take_name(part, layout, 'R', line, &row.destination, hand, &ends[1]))
    return;
  part->edges++;
  memcpy(qn_waiting_edge_add(&hand->waiting, type, bits), ends, sizeof ends);
  if (hand->waiting.count == QN_WAITING_EDGES)
    push(part, layout, hand);
}

static void parse_part(struct qn_text_part *part, const void *context) {
  const struct layout *layout = context;
  struct hand hand = {0};
  const char *line, *end;
  while (qn_table_skip_comments(part, &layout->table), qn_text_next_line(part, &line, &end))
    parse_line(part, layout, line, end, &hand);
  push(part, layout, &hand);
  qn_free(hand.changed);
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
