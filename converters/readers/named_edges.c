/* Text edge lists whose vertices have names, or are of two kinds that number themselves alike.
 *
 *   # comments begin with # or %, blank lines are skipped
 *   source destination [weight [more columns]]
 *
 * The first line of data says what separates columns: tabs, else commas or semicolons, else
 * blanks. With tabs (but in lines that have none) names may hold blanks; with commas and
 * semicolons a pair of double quotes around a name is not part of it. Names are numbered in
 * bytewise order.
 *
 * A bipartite list, as KONECT marks it ("% bip ..."), has names L<source> and R<destination>. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "converters/edges/edge_map.h"
#include "converters/input/input.h"
#include "converters/parse/column_choice.h"
#include "converters/parse/edges_header.h"
#include "converters/parse/reader.h"
#include "converters/parse/text_fields.h"
#include "converters/parse/text_lines.h"
#include "converters/text/string_map.h"
#include "converters/text/text_numbers.h"
#include "support/memory.h"
#include "support/temp_file.h"

/* What all lines have in common. */
struct layout {
  char separator;
  uint32_t num_columns;
  uint32_t source, destination, weight; /* columns from 0; weight may be none: UINT32_MAX */
  uint64_t first_line;                  /* where the number of columns was seen */
  enum qn_weight_choice weights;
  bool header;
  bool bipartite;
  struct qn_string_map *map;
};

static bool is_comment(const char *line, const char *end) {
  line = qn_skip_blanks(line, end);
  return line == end || *line == '#' || *line == '%';
}

/* ---- Lines ---------------------------------------------------------------- */

/* The last name seen in a column: lists are often sorted by source. */
struct recent {
  struct qn_text_column name;
  uint32_t id;
};

static bool same_text(const struct qn_text_column *a, const struct qn_text_column *b) {
  size_t length = (size_t)(a->end - a->begin);
  return a->begin && (size_t)(b->end - b->begin) == length &&
         memcmp(a->begin, b->begin, length) == 0;
}

static enum qn_interned intern_sided(struct qn_string_map *map, char side,
                                     const struct qn_text_column *name, uint32_t *id) {
  char text[QN_MAX_NAME_BYTES];
  size_t length = (size_t)(name->end - name->begin);
  if (length == 0 || length >= sizeof text)
    return QN_INTERN_NO_NAME;
  text[0] = side;
  memcpy(text + 1, name->begin, length);
  return qn_string_map_intern(map, text, length + 1, id);
}

static bool intern(struct qn_text_part *part, const struct layout *layout, char side,
                   const char *line, const struct qn_text_column *name, struct recent *recent) {
  char quoted[QN_QUOTE_BYTES];
  if (same_text(&recent->name, name))
    return true;
  enum qn_interned result =
      layout->bipartite ? intern_sided(layout->map, side, name, &recent->id)
                        : qn_string_map_intern(layout->map, name->begin,
                                               (uint64_t)(name->end - name->begin), &recent->id);
  switch (result) {
  case QN_INTERNED:
    recent->name = *name;
    return true;
  case QN_INTERN_NO_NAME:
    qn_text_reject(part, line, name->begin,
                   "expected the name of a vertex, 1 to %d bytes without NUL; found %s",
                   QN_MAX_NAME_BYTES, qn_text_quote(name->begin, name->end, quoted));
    return false;
  case QN_INTERN_TOO_MANY:
    part->stream.status =
        qn_fail(&part->stream.error, QN_INVALID, "the input has more than 2^32-1 vertices");
    break;
  case QN_INTERN_NO_MEMORY:
    part->stream.status =
        qn_memory_limit()
            ? qn_fail(&part->stream.error, QN_SYSTEM,
                      "the names of vertices, which stay in memory, do not fit into what --memory "
                      "allows")
            : qn_fail_memory(&part->stream.error, "a map of names", 0);
    break;
  }
  part->stop = true;
  return false;
}

/* Cut the line into columns; gives how many there are. */
static uint32_t cut_columns(const struct layout *layout, const char *line, const char *end,
                            char separator, struct qn_text_column found[3]) {
  struct qn_text_columns columns = qn_text_columns_of(line, end, separator);
  struct qn_text_column column;
  uint32_t number = 0;
  for (; qn_text_next_column(&columns, &column); number++) {
    if (number == layout->source)
      found[0] = column;
    if (number == layout->destination)
      found[1] = column;
    if (number == layout->weight)
      found[2] = column;
  }
  return number;
}

/* Files edited by hand have a blank here and there where the other lines have a tab. */
static bool find_columns(struct qn_text_part *part, const struct layout *layout, const char *line,
                         const char *end, struct qn_text_column found[3]) {
  uint32_t number = cut_columns(layout, line, end, layout->separator, found);
  if (number == layout->num_columns ||
      (layout->separator == '\t' && number == 1 &&
       cut_columns(layout, line, end, ' ', found) == layout->num_columns))
    return true;
  qn_text_reject(part, line, line,
                 "expected %" PRIu32 " columns, as in line %" PRIu64 "; found %" PRIu32,
                 layout->num_columns, layout->first_line, number);
  return false;
}

static void parse_line(struct qn_text_part *part, const struct layout *layout, const char *line,
                       const char *end, struct recent recent[2]) {
  struct qn_text_column columns[3];
  enum qn_weight_type type = QN_WEIGHT_NONE;
  uint32_t bits = 0;
  if (is_comment(line, end)) {
    part->comments++;
    return;
  }
  if (!find_columns(part, layout, line, end, columns))
    return;
  if (layout->weight != UINT32_MAX &&
      !qn_text_weight(part, layout->weights, line, columns[2].begin, columns[2].end, &type, &bits))
    return;
  if (!intern(part, layout, 'L', line, &columns[0], &recent[0]) ||
      !intern(part, layout, 'R', line, &columns[1], &recent[1]))
    return;
  part->edges++;
  if (type == QN_WEIGHT_NONE)
    qn_edge_push(&part->stream, recent[0].id, recent[1].id);
  else
    qn_edge_push_weighted(&part->stream, recent[0].id, recent[1].id, type, bits);
}

static void parse_part(struct qn_text_part *part, const void *context) {
  struct recent recent[2] = {{{NULL, NULL}, 0}, {{NULL, NULL}, 0}};
  const char *line, *end;
  while (qn_text_next_line(part, &line, &end))
    parse_line(part, context, line, end, recent);
}

/* ---- The first lines ------------------------------------------------------ */

static bool is_weight(const struct qn_text_column *column) {
  enum qn_weight_type type;
  uint32_t bits;
  return qn_parse_weight(column->begin, column->end, &type, &bits) != QN_WEIGHT_NO_NUMBER;
}

static enum qn_status set_layout(struct layout *layout, const struct qn_read_options *options,
                                 const char *line, const char *end, struct qn_error *error) {
  struct qn_text_columns columns = qn_text_columns_of(line, end, layout->separator);
  struct qn_text_column column;
  bool chosen = options->source_column || options->destination_column;
  layout->weights = options->weights;
  layout->source = options->source_column ? options->source_column - 1 : 0;
  layout->destination = options->destination_column ? options->destination_column - 1 : 1;
  layout->weight = options->weight_column ? options->weight_column - 1 : UINT32_MAX;
  layout->num_columns = 0;
  for (; qn_text_next_column(&columns, &column); layout->num_columns++)
    if (layout->num_columns == 2 && !chosen && is_weight(&column))
      layout->weight = 2;
  uint32_t needed = layout->source > layout->destination ? layout->source : layout->destination;
  if (layout->weight != UINT32_MAX && layout->weight > needed)
    needed = layout->weight;
  if (options->weights == QN_WEIGHTS_NONE)
    layout->weight = UINT32_MAX;
  if (layout->num_columns > needed)
    return QN_OK;
  char quoted[QN_QUOTE_BYTES];
  return qn_fail(error, QN_INVALID,
                 "expected an edge, with at least %" PRIu32 " columns; found %" PRIu32 ": %s",
                 needed + 1, layout->num_columns, qn_text_quote(line, end, quoted));
}

/* Learn from the first line of data; `*taken` if it is a header. */
static enum qn_status learn(struct layout *layout, struct qn_read_options *options,
                            const char *line, const char *end, bool *taken,
                            struct qn_error *error) {
  if (!layout->header)
    layout->separator = qn_text_separator(line, end);
  char separator = layout->separator;
  *taken = !layout->header &&
           (qn_column_choice_pending(options) || qn_column_header_is_sure(line, end, separator));
  layout->header |= *taken;
  enum qn_status status = QN_OK;
  if (*taken && !(status = qn_column_choice_guess(options, line, end, separator, error)))
    status = qn_column_choice_resolve(options, line, end, separator, error);
  if (*taken)
    return status;
  return set_layout(layout, options, line, end, error);
}

/* Take comments and a header from the block's begin, and learn from the first line of data.
 * `*found` if there was one. */
static enum qn_status take_first_lines(struct qn_input *input, struct qn_read_options *options,
                                       struct qn_input_block *block, struct layout *layout,
                                       struct qn_ledger *ledger, bool *found,
                                       struct qn_error *error) {
  struct qn_input_block before = *block;
  const char *line, *end;
  for (; qn_text_take_line(block, &line, &end); before = *block) {
    bool comment = is_comment(line, end), taken = true;
    layout->first_line++;
    if (!comment && learn(layout, options, line, end, &taken, error))
      return qn_error_at_line(error, qn_input_name(input), layout->first_line, 1);
    if (!taken) {
      *block = before;
      *found = true;
      return QN_OK;
    }
    ledger->records++;
    ledger->comments++;
  }
  return QN_OK;
}

static bool says_bipartite(const char *head, uint64_t bytes) {
  return bytes >= 6 && memcmp(head, "% bip ", 6) == 0;
}

/* ---- The whole ------------------------------------------------------------ */

/* The names of inputs before keep their numbers for the time being. */
static enum qn_status begin_map(const struct qn_read_result *result, struct qn_string_map **out,
                                struct qn_error *error) {
  const struct qn_ids *names = &result->names;
  enum qn_status status = qn_string_map_create(out, error);
  for (uint64_t i = 0; i < names->num_vertices && !status; i++) {
    uint32_t id;
    uint64_t begin = names->string_offsets[i], length = names->string_offsets[i + 1] - begin;
    if (qn_string_map_intern(*out, names->string_bytes + begin, length, &id) != QN_INTERNED)
      status = qn_fail_memory(error, "a map of names", 0);
  }
  return status;
}

static void release_names(struct qn_read_result *result) {
  struct qn_sorted_names *names = result->names_memory;
  if (!names)
    return;
  qn_sorted_names_destroy(names);
  qn_free(names);
  result->names_memory = NULL;
}

/* Number all names in order, the edges' ends too. */
static enum qn_status finish_map(const struct qn_string_map *map, struct qn_edge_list *list,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct qn_sorted_names *names;
  release_names(result);
  enum qn_status status = qn_alloc_zeroed(&names, 1, sizeof *names, "names", error);
  if (status)
    return status;
  result->names_memory = names;
  result->names = (struct qn_ids){0};
  status = qn_string_map_sort(map, names, error);
  if (status)
    return status;
  status = qn_edge_list_renumber(list, names->new_of_old, error);
  if (status)
    return status;
  result->names = names->ids;
  result->num_vertices = names->ids.num_vertices;
  return QN_OK;
}

static void describe(const struct layout *layout, struct qn_read_result *result) {
  const char *separators = layout->separator == '\t'  ? "tabs"
                           : layout->separator == ',' ? "commas"
                           : layout->separator == ';' ? "semicolons"
                                                      : "blanks";
  char weight[40] = "no weights";
  if (layout->weight != UINT32_MAX)
    snprintf(weight, sizeof weight, "weights in column %" PRIu32, layout->weight + 1);
  snprintf(result->description, sizeof result->description,
           "%s in columns %" PRIu32 " and %" PRIu32 " of %" PRIu32 ", separated by %s%s; %s",
           layout->bipartite ? "bipartite, called L... and R...," : "names", layout->source + 1,
           layout->destination + 1, layout->num_columns, separators,
           layout->header ? ", after a header" : "", weight);
}

static enum qn_status read_lines(struct qn_input *input, const struct qn_read_options *options,
                                 struct layout *layout, struct qn_edge_list *list,
                                 uint64_t *sequence, struct qn_read_result *result,
                                 struct qn_error *error) {
  struct qn_read_options chosen = *options;
  struct qn_input_block block;
  bool found = false, first = true;
  enum qn_status status;
  do {
    status = qn_input_next(input, &block, error);
    if (status || block.bytes == 0)
      return status;
    if (first) {
      qn_text_skip_mark(&block);
      layout->bipartite =
          options->bipartite == QN_BIPARTITE_YES ||
          (options->bipartite == QN_BIPARTITE_AUTO && says_bipartite(block.data, block.bytes));
    }
    first = false;
    status = take_first_lines(input, &chosen, &block, layout, &result->ledger, &found, error);
  } while (!status && !found);
  if (status)
    return status;
  describe(layout, result);
  struct qn_text_job job = {.input = input,
                            .options = options,
                            .parse = parse_part,
                            .context = layout,
                            .list = list,
                            .sequence = sequence,
                            .ledger = &result->ledger,
                            .lines_before = layout->first_line - 1};
  return qn_text_read(&job, &block, error);
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
  if (qn_edges_header_has_names(head, bytes)) {
    layout.header = true; /* the first line of data is none, whatever its names are */
    layout.separator = '\t';
  }
  status = begin_map(result, &layout.map, error);
  if (!status)
    status = read_lines(input, options, &layout, list, sequence, result, error);
  if (!status)
    status = finish_map(layout.map, list, result, error);
  qn_string_map_destroy(layout.map);
  return status;
}

static enum qn_status read_named_edges(struct qn_input *input,
                                       const struct qn_read_options *options,
                                       struct qn_edge_list *list, uint64_t *sequence,
                                       struct qn_read_result *result, struct qn_error *error) {
  return qn_read_announced(input, options, list, sequence, result, read_names, error);
}

/* ---- Detection ------------------------------------------------------------ */

/* Something that someone would call a vertex, and that is no number. */
static bool is_name(const struct qn_text_column *column) {
  bool letters = false;
  for (const char *p = column->begin; p < column->end; p++) {
    unsigned char c = (unsigned char)*p;
    if (c < 0x20 || c == 0x7f)
      return false;
    letters |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
  }
  return letters && !is_weight(column);
}

/* Lines of the head that look like edges. */
struct sample {
  uint64_t lines;
  uint64_t irregular;   /* with more or fewer columns than the one before */
  uint64_t first_names; /* whose source is a name */
  uint64_t any_names;   /* of which an end is */
};

#define SAMPLED_LINES 1000

static void sample_line(struct sample *sample, const char *line, const char *end, char separator,
                        const struct qn_read_options *options, uint32_t *num_columns) {
  struct qn_text_columns columns = qn_text_columns_of(line, end, separator);
  struct qn_text_column column;
  uint32_t source = options->source_column ? options->source_column - 1 : 0;
  uint32_t destination = options->destination_column ? options->destination_column - 1 : 1;
  uint32_t number = 0;
  bool first = false, any = false;
  for (; qn_text_next_column(&columns, &column); number++) {
    bool name = (number == source || number == destination) && is_name(&column);
    first |= name && number == source;
    any |= name;
  }
  sample->irregular += number < 2 || (*num_columns && number != *num_columns);
  *num_columns = number;
  sample->lines++;
  sample->first_names += first;
  sample->any_names += any;
}

/* Names if every source is one, or a good part of all lines has one: a few in a long list of
 * numbers are rather mistakes. */
static int detect_named_edges(const char *head, uint64_t bytes,
                              const struct qn_read_options *options) {
  if (options->numbers)
    return 0;
  if (options->bipartite == QN_BIPARTITE_YES ||
      (options->bipartite == QN_BIPARTITE_AUTO && says_bipartite(head, bytes)))
    return 3;
  if (qn_edges_header_has_names(head, bytes))
    return 3;
  if (options->strings)
    return 2;
  struct qn_input_block block = {head, bytes, 0};
  struct qn_read_options chosen = *options;
  struct sample sample = {0};
  const char *line, *end;
  char separator = '\0';
  uint32_t num_columns = 0;
  qn_text_skip_mark(&block);
  while (sample.lines < SAMPLED_LINES && qn_text_take_line(&block, &line, &end)) {
    if (is_comment(line, end))
      continue;
    bool first = separator == '\0';
    if (first)
      separator = qn_text_separator(line, end);
    if (first && qn_column_header_is_sure(line, end, separator)) {
      if (qn_column_choice_guess(&chosen, line, end, separator, NULL))
        return 0; /* the reader of numbers says why */
      continue;
    }
    sample_line(&sample, line, end, separator, &chosen, &num_columns);
  }
  bool all = sample.lines > 0 && sample.first_names == sample.lines;
  bool many = sample.any_names >= 10 && sample.any_names * 10 >= sample.lines;
  bool regular = sample.irregular * 2 <= sample.lines;
  return regular && (all || many) ? 2 : 0;
}

const struct qn_reader qn_reader_named_edges = {
    .name = "named-edges",
    .detect = detect_named_edges,
    .read = read_named_edges,
    .release = release_names,
};
