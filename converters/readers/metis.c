/* METIS graphs (.graph; METIS 5 manual, section 4.1.1):
 *
 *   % comment
 *   VERTICES EDGES [FORMAT [WEIGHTS]]    FORMAT: three digits, 0 or 1; leading zeros may lack
 *   [size] [weight...] neighbour [edge weight] ...      line i is vertex i, from 1
 *
 * The digits of FORMAT say whether there are sizes of vertices, weights of vertices (WEIGHTS of
 * them, 1 by default) and weights of edges. Sizes and weights of vertices are properties of them,
 * called size, and weight or weight1, weight2, ... An empty line is a vertex without edges.
 *
 * An edge is counted once and listed by both its ends: the graph is undirected. Some programs list
 * every edge once, or only one way: if so the graph is directed, and a note says it. The GAP
 * suite and the 10th DIMACS challenge mean by a first digit of 1 that loops and multi-edges may
 * occur; there are no sizes then, which an empty line proves.
 *
 * Vertices are 0 to VERTICES - 1 and called 1 to VERTICES. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "converters/elements/records.h"
#include "converters/input_estimate.h"
#include "converters/parse/declared_size.h"
#include "converters/parse/text_lines.h"
#include "converters/parse/text_weight.h"
#include "formats/text/delimited.h"
#include "formats/text/number_runs.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/input/input.h"
#include "support/multiversion.h"
#include "support/progress.h"
#include <quern/fingerprint.h>
#include <quern/inline.h>

/* What qn_parse_short_number may read. */
#define FAST_BYTES 24
/* No graph has more weights a vertex. */
#define MAX_VERTEX_WEIGHTS 1000

struct metis {
  struct qn_declared_size size;
  unsigned vertex_numbers; /* size and weights before the neighbours */
  bool has_sizes;          /* the first of them is a size */
  bool edge_weights;
  enum qn_weight_choice weights;
  uint64_t first_id; /* of vertex 1 */
};

/* What all parts find together; added to atomically. */
struct metis_sums {
  const struct metis *metis;
  uint64_t lines;             /* vertices */
  uint64_t forward, backward; /* fingerprints of the edges and of their reversals */
};

static bool is_comment(const char *line, const char *end) {
  return line < end && *line == '%';
}

static bool is_blank_line(const char *line, const char *end) {
  return qn_skip_blanks(line, end) == end;
}

/* ---- Header --------------------------------------------------------------- */

static enum qn_status fail_header(const struct metis *metis, struct qn_error *error,
                                  const char *line, const char *end) {
  char quoted[QN_QUOTE_BYTES];
  qn_fail(error, QN_INVALID, "expected 'VERTICES EDGES [FORMAT [WEIGHTS]]'; found %s",
          qn_text_quote(line, end, quoted));
  return qn_error_at_line(error, metis->size.file, metis->size.line, 1);
}

/* "0" to "111". False if it is something else. */
static bool parse_format(const struct qn_column *word, unsigned *sizes, unsigned *weights,
                         bool *edge_weights) {
  unsigned digits[3] = {0, 0, 0};
  long length = word->end - word->begin;
  if (length < 1 || length > 3)
    return false;
  for (long i = 0; i < length; i++) {
    if (word->begin[i] != '0' && word->begin[i] != '1')
      return false;
    digits[3 - length + i] = word->begin[i] == '1';
  }
  *sizes = digits[0];
  *weights = digits[1];
  *edge_weights = digits[2];
  return true;
}

/* Has one of the first vertices nothing on its line, not even a size? */
static bool has_empty_vertex(const struct qn_input_block *block, uint64_t num_vertices) {
  struct qn_input_block rest = *block;
  const char *line, *end;
  uint64_t vertices = 0;
  while (vertices < num_vertices && vertices < 10000 && qn_text_take_line(&rest, &line, &end)) {
    if (is_blank_line(line, end))
      return true;
    vertices += !is_comment(line, end);
  }
  return false;
}

static bool parse_header(struct metis *metis, const char *line, const char *end,
                         const struct qn_input_block *rest) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column word[5];
  unsigned count = 0, sizes = 0, weights = 0;
  uint64_t constraints = 1;
  while (count < 5 && qn_columns_next(&columns, &word[count]))
    count++;
  if (count < 2 || count > 4 ||
      qn_parse_whole(word[0].begin, word[0].end, &metis->size.num_vertices) != QN_NUMBER_FINE ||
      qn_parse_whole(word[1].begin, word[1].end, &metis->size.num_edges) != QN_NUMBER_FINE ||
      metis->size.num_vertices > UINT32_MAX)
    return false;
  if (count > 2 && !parse_format(&word[2], &sizes, &weights, &metis->edge_weights))
    return false;
  if (count > 3 && (qn_parse_whole(word[3].begin, word[3].end, &constraints) != QN_NUMBER_FINE ||
                    constraints > MAX_VERTEX_WEIGHTS || (!weights && constraints > 1)))
    return false;
  if (sizes && has_empty_vertex(rest, metis->size.num_vertices))
    sizes = 0;
  metis->has_sizes = sizes;
  metis->vertex_numbers = sizes + weights * (unsigned)constraints;
  return true;
}

static bool is_before_header(const char *line, const char *end) {
  return is_comment(line, end) || is_blank_line(line, end);
}

/* ---- Vertices ------------------------------------------------------------- */

/* The lines of a part that are vertices. */
static uint64_t count_vertices(const char *begin, const char *end) {
  uint64_t count = 0;
  while (begin < end) {
    const char *newline = memchr(begin, '\n', (size_t)(end - begin));
    count += *begin != '%';
    begin = newline ? newline + 1 : end;
  }
  return count;
}

/* The line being parsed. */
struct vertex_line {
  const char *begin, *end;
  const char *cursor;
  uint64_t vertex;  /* from 0 */
  uint64_t entries; /* edges pushed */
};

/* The next number of the line, which is not at its end; false if it is none. */
static inline bool take_number(const struct qn_text_part *part, struct vertex_line *line,
                               uint64_t *number) {
  const char *p = line->cursor;
  if (part->readable_end - p >= FAST_BYTES && qn_parse_short_number(&p, number) &&
      (p >= line->end || qn_is_blank(*p))) {
    line->cursor = p;
    return p <= line->end;
  }
  p = line->cursor;
  while (p < line->end && !qn_is_blank(*p))
    p++;
  if (qn_parse_whole(line->cursor, p, number) != QN_NUMBER_FINE)
    return false;
  line->cursor = p;
  return true;
}

static bool reject(struct qn_text_part *part, const struct vertex_line *line, const char *what) {
  char quoted[QN_QUOTE_BYTES];
  part->joined += line->entries > 0;
  const char *end = line->cursor;
  while (end < line->end && !qn_is_blank(*end))
    end++;
  qn_text_reject(part, line->begin, line->cursor, "expected %s; found %s", what,
                 qn_text_quote(line->cursor, end, quoted));
  return false;
}

static bool skip_vertex_numbers(struct qn_text_part *part, const struct metis *metis,
                                struct vertex_line *line) {
  uint64_t number;
  for (unsigned i = 0; i < metis->vertex_numbers; i++) {
    line->cursor = qn_skip_blanks(line->cursor, line->end);
    if (line->cursor >= line->end || !take_number(part, line, &number))
      return reject(part, line, "the size or a weight of the vertex");
  }
  return true;
}

/* May weights of this type be taken as they are? */
static inline bool is_wanted(const struct metis *metis, enum qn_weight_type type) {
  return metis->weights != QN_WEIGHTS_NONE && qn_weights_take(metis->weights, type);
}

static inline bool take_weight(struct qn_text_part *part, const struct metis *metis,
                               struct vertex_line *line, enum qn_weight_type *type,
                               uint64_t *bits) {
  line->cursor = qn_skip_blanks(line->cursor, line->end);
  const char *begin = line->cursor, *end = begin;
  if (part->readable_end - begin >= FAST_BYTES && qn_parse_short_weight(&end, type, bits) &&
      (end == line->end || (end < line->end && qn_is_blank(*end))) && is_wanted(metis, *type)) {
    line->cursor = end;
    return true;
  }
  end = begin;
  while (end < line->end && !qn_is_blank(*end))
    end++;
  if (begin == end)
    return reject(part, line, "the weight of the edge");
  line->cursor = end;
  *type = QN_WEIGHT_NONE;
  if (metis->weights == QN_WEIGHTS_NONE)
    return true;
  part->joined += line->entries > 0; /* should it be rejected */
  if (!qn_text_weight(part, metis->weights, line->begin, begin, end, type, bits))
    return false;
  part->joined -= line->entries > 0;
  return true;
}

/* One neighbour and its weight. */
static bool take_edge(struct qn_text_part *part, const struct metis *metis,
                      struct vertex_line *line, struct metis_sums *sums) {
  char what[64];
  uint64_t neighbor;
  enum qn_weight_type type = QN_WEIGHT_NONE;
  uint64_t bits = 0;
  const char *begin = line->cursor;
  if (!take_number(part, line, &neighbor) || neighbor - 1 >= metis->size.num_vertices) {
    line->cursor = begin;
    snprintf(what, sizeof what, "a vertex from 1 to %" PRIu64, metis->size.num_vertices);
    return reject(part, line, what);
  }
  if (metis->edge_weights && !take_weight(part, metis, line, &type, &bits))
    return false;
  uint64_t source = line->vertex + metis->first_id, destination = neighbor - 1 + metis->first_id;
  uint64_t weight = qn_mix_weight_of(bits, qn_weight_bytes(type));
  sums->forward +=
      qn_mix_source((uint32_t)source) * qn_mix_destination((uint32_t)destination) * weight;
  sums->backward +=
      qn_mix_source((uint32_t)destination) * qn_mix_destination((uint32_t)source) * weight;
  if (type == QN_WEIGHT_NONE)
    qn_edge_push(&part->stream, source, destination);
  else
    qn_edge_push_weighted(&part->stream, source, destination, type, bits);
  part->edges++;
  part->joined += line->entries++ > 0;
  return true;
}

/* A bad number ends its line; the edges before it stay. */
static void parse_vertex(struct qn_text_part *part, const struct metis *metis,
                         struct vertex_line *line, struct metis_sums *sums) {
  uint64_t rejected = part->rejected;
  if (line->vertex >= metis->size.num_vertices) {
    if (is_blank_line(line->begin, line->end))
      part->comments++;
    else
      reject(part, line, "no more lines than vertices");
    return;
  }
  if (skip_vertex_numbers(part, metis, line))
    for (line->cursor = qn_skip_blanks(line->cursor, line->end);
         line->cursor < line->end && take_edge(part, metis, line, sums);
         line->cursor = qn_skip_blanks(line->cursor, line->end))
      continue;
  part->comments += line->entries == 0 && part->rejected == rejected;
}

/* ---- Ordinary lines, fast ------------------------------------------------- */

/* Edges that wait to be added up and pushed together. */
#define EDGES_AT_ONCE 512
/* Neighbours of a run. */
#define RUN_EDGES 128

struct waiting {
  uint32_t count;
  uint64_t pairs[EDGES_AT_ONCE + RUN_EDGES];
  uint32_t weights[EDGES_AT_ONCE + RUN_EDGES];
};

QN_VECTOR_CLONES
static void add_fingerprints(const struct waiting *edges, bool weighted, struct metis_sums *sums) {
  uint64_t forward = 0, backward = 0;
  for (uint32_t i = 0; i < edges->count; i++) {
    uint64_t source = qn_mix_source((uint32_t)edges->pairs[i]);
    uint64_t destination = qn_mix_source((uint32_t)(edges->pairs[i] >> 32));
    uint64_t weight = weighted ? qn_mix_weight(edges->weights[i]) : 1;
    forward += source * qn_mix_destination_of(destination) * weight;
    backward += destination * qn_mix_destination_of(source) * weight;
  }
  sums->forward += forward;
  sums->backward += backward;
}

static void push_waiting(struct qn_text_part *part, const struct metis *metis,
                         struct waiting *edges, struct metis_sums *sums) {
  bool weighted = metis->edge_weights && metis->weights != QN_WEIGHTS_NONE;
  if (edges->count == 0)
    return;
  add_fingerprints(edges, weighted, sums);
  qn_edge_push_pairs(&part->stream, edges->pairs, weighted ? QN_WEIGHT_U32 : QN_WEIGHT_NONE,
                     edges->weights, edges->count);
  edges->count = 0;
}

/* Let edges to neighbours, which are followed by weights if a unit has two numbers, wait; returns
 * how many neighbours are vertices, from the first one on. */
QN_ALWAYS_INLINE uint32_t add_neighbors(const struct metis *metis, uint64_t source,
                                        const uint32_t *numbers, uint32_t count, uint32_t unit,
                                        struct waiting *edges) {
  uint64_t *pairs = edges->pairs + edges->count;
  uint32_t *weights = edges->weights + edges->count, good = 0, beyond = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t neighbor = (uint64_t)numbers[i * unit] - 1;
    beyond |= neighbor >= metis->size.num_vertices;
    pairs[i] = source | (neighbor + metis->first_id) << 32;
    if (unit == 2)
      weights[i] = numbers[2 * i + 1];
  }
  while (good < count && (!beyond || numbers[good * unit] - UINT64_C(1) < metis->size.num_vertices))
    good++;
  edges->count += good;
  return good;
}

static const char *skip_numbers(const char *p, uint32_t count) {
  for (; count; count--) {
    while (qn_is_digit(*p))
      p++;
    p++;
  }
  return p;
}

/* The vertex at the part's cursor, as far as its numbers are short and come one blank after the
 * other. True if that is all of it; if not, the line's cursor is where it goes on. */
static bool take_neighbors(struct qn_text_part *part, const struct metis *metis,
                           struct vertex_line *line, struct waiting *edges,
                           struct metis_sums *sums) {
  uint32_t numbers[2 * RUN_EDGES + QN_RUN_SLACK], unit = metis->edge_weights ? 2 : 1, count, good;
  struct qn_number_run run = {part->cursor, part->readable_end, unit, true, false};
  line->cursor = part->cursor;
  line->entries = 0;
  if (metis->vertex_numbers || line->vertex >= metis->size.num_vertices)
    return false;
  run.cursor = qn_skip_blanks(run.cursor, part->end);
  if (run.cursor < part->end && *run.cursor == '\n') {
    part->comments++;
    part->cursor = run.cursor + 1;
    return true;
  }
  do {
    line->cursor = run.cursor;
    count = qn_take_number_run(&run, numbers, unit * RUN_EDGES) / unit;
    uint64_t source = line->vertex + metis->first_id;
    good = unit == 1 ? add_neighbors(metis, source, numbers, count, 1, edges)
                     : add_neighbors(metis, source, numbers, count, 2, edges);
    part->edges += good;
    part->joined += good - (good && line->entries == 0);
    line->entries += good;
    if (edges->count >= EDGES_AT_ONCE)
      push_waiting(part, metis, edges, sums);
  } while (good == RUN_EDGES && !run.ended);
  line->cursor = good < count ? skip_numbers(line->cursor, good * unit) : run.cursor;
  if (good < count || !run.ended)
    return false;
  part->cursor = run.cursor;
  return true;
}

/* ---- Parts ---------------------------------------------------------------- */

static void parse_part(struct qn_text_part *part, const void *context) {
  struct metis_sums *sums = *(struct metis_sums *const *)context, own = {.lines = 0};
  const struct metis *metis = sums->metis;
  struct vertex_line line = {.vertex = part->first_number};
  struct waiting edges = {.count = 0};
  for (;;) {
    while (part->cursor < part->end && !part->stop &&
           take_neighbors(part, metis, &line, &edges, &own)) {
      own.lines++;
      line.vertex++;
    }
    push_waiting(part, metis, &edges, &own);
    if (!qn_text_next_line(part, &line.begin, &line.end))
      break;
    if (is_comment(line.begin, line.end)) {
      part->comments++;
      continue;
    }
    parse_vertex(part, metis, &line, &own);
    own.lines++;
    line.vertex++;
  }
  __atomic_fetch_add(&sums->lines, own.lines, __ATOMIC_RELAXED);
  __atomic_fetch_add(&sums->forward, own.forward, __ATOMIC_RELAXED);
  __atomic_fetch_add(&sums->backward, own.backward, __ATOMIC_RELAXED);
}

/* ---- Properties ----------------------------------------------------------- */

/* Read again, for the numbers before the neighbours. */
struct numbers {
  const struct metis *metis;
  struct qn_element_records *records;
  uint32_t columns[MAX_VERTEX_WEIGHTS + 1];
  uint64_t vertex, line;
};

static enum qn_status begin_columns(struct numbers *numbers, struct qn_error *error) {
  const struct metis *metis = numbers->metis;
  const unsigned weights = metis->vertex_numbers - metis->has_sizes;
  enum qn_status status = QN_OK;
  for (unsigned i = 0; i < metis->vertex_numbers && !status; i++) {
    char name[32] = "weight";
    if (metis->has_sizes && i == 0)
      strcpy(name, "size");
    else if (weights > 1)
      snprintf(name, sizeof name, "weight%u", i + 1 - metis->has_sizes);
    status = qn_element_column(numbers->records, QN_OF_VERTICES, name, (enum qn_property_type)0,
                               &numbers->columns[i], error);
  }
  return status;
}

/* Vertices are called 1, 2, ...; of --ids=compact only those are there that have edges. */
static bool find_vertex(const struct numbers *numbers, uint32_t *vertex) {
  const struct qn_table_records *records = numbers->records->tables[QN_OF_VERTICES].records;
  char name[24];
  int length = snprintf(name, sizeof name, "%" PRIu64, numbers->vertex + 1);
  return qn_ids_lookup(records->ids, records->order, name, (uint64_t)length, vertex);
}

static enum qn_status take_numbers(struct numbers *numbers, const char *line, const char *end,
                                   struct qn_error *error) {
  struct qn_columns words = qn_columns_of(line, end, &qn_words);
  struct qn_column word;
  uint32_t vertex;
  enum qn_status status = QN_OK;
  const bool there = find_vertex(numbers, &vertex);
  numbers->vertex++;
  for (unsigned i = 0; there && i < numbers->metis->vertex_numbers && !status; i++) {
    bool fine = qn_columns_next(&words, &word);
    status = fine ? qn_element_value(numbers->records, QN_OF_VERTICES, numbers->columns[i],
                                     word.begin, (uint64_t)(word.end - word.begin), false, error)
                  : qn_fail(error, QN_INVALID, "expected the size or a weight of the vertex");
  }
  return there && !status ? qn_element_vertex_at(numbers->records, vertex, error) : status;
}

static enum qn_status read_numbers(struct qn_input *input, const struct metis *metis,
                                   struct qn_element_records *records, struct qn_input_block *block,
                                   struct qn_error *error) {
  struct numbers numbers = {.metis = metis, .records = records, .line = metis->size.line};
  const char *line, *end;
  qn_element_records_next(records);
  enum qn_status status = begin_columns(&numbers, error);
  if (!status && block->bytes == 0)
    status = qn_input_next(input, block, error);
  while (!status && block->bytes) {
    while (!status && qn_text_take_line(block, &line, &end)) {
      numbers.line++;
      if (!is_comment(line, end) && numbers.vertex < metis->size.num_vertices)
        status = take_numbers(&numbers, line, end, error);
    }
    if (status == QN_INVALID)
      return qn_error_at_line(error, metis->size.file, numbers.line, 1);
    if (!status)
      status = qn_input_next(input, block, error);
  }
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

/* Does the content keep what the header promises, and is the graph undirected? */
static enum qn_status conclude(const struct metis *metis, const struct metis_sums *sums,
                               uint64_t listed, bool complete, struct qn_read_result *result,
                               struct qn_error *error) {
  const struct qn_declared_size *size = &metis->size;
  if (sums->lines < size->num_vertices) {
    qn_fail(error, QN_INVALID,
            "%" PRIu64 " vertices are announced here, but %" PRIu64 " lines follow",
            size->num_vertices, sums->lines);
    return qn_error_at_line(error, size->file, size->line, 1);
  }
  /* A loop may be listed once or twice, but no edge is listed more than that. */
  if (complete && listed != size->num_edges && (listed % 2 != 0 || listed / 2 != size->num_edges)) {
    qn_fail(error, QN_INVALID,
            "%" PRIu64 " edges are announced here, each to be listed by both its ends, but %" PRIu64
            " entries follow",
            size->num_edges, listed);
    return qn_error_at_line(error, size->file, size->line, 1);
  }
  result->already_symmetric = sums->forward == sums->backward;
  if (!result->already_symmetric)
    qn_note(QN_NOTE_ONE_WAY,
            "some edges are listed by one end only, with METIS it should be both: read as a "
            "directed graph");
  return QN_OK;
}

static enum qn_status read_metis(struct qn_input *input, const struct qn_read_options *options,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_read_result *result, struct qn_error *error) {
  struct metis metis = {.size = {.file = qn_input_name(input), .text = input},
                        .weights = options->weights};
  struct metis_sums sums = {.metis = &metis}, *context = &sums;
  struct qn_input_block block = {0};
  const char *line, *end;
  enum qn_status status =
      qn_text_take_header(input, &block, is_before_header, "'VERTICES EDGES [FORMAT [WEIGHTS]]'",
                          &metis.size.line, &line, &end, error);
  if (!status && !parse_header(&metis, line, end, &block))
    status = fail_header(&metis, error, line, end);
  if (!status && options->records)
    return read_numbers(input, &metis, options->records, &block, error);
  if (!status)
    status = qn_declare_from_one(&metis.size, options, result, &metis.first_id, error);
  if (status)
    return status;
  snprintf(result->description, sizeof result->description,
           "%" PRIu64 " vertices, %" PRIu64 " edges%s", metis.size.num_vertices,
           metis.size.num_edges, metis.edge_weights ? ", weights" : "");
  if (metis.vertex_numbers && !options->others_wanted)
    qn_note(QN_NOTE_NOT_READ,
            "sizes and weights of vertices are dropped; --properties=all reads them");
  result->ledger.records += metis.size.line;
  result->ledger.comments += metis.size.line;
  struct qn_ledger before = result->ledger;
  struct qn_text_job job = {.input = input,
                            .options = options,
                            .parse = parse_part,
                            .number = count_vertices,
                            .long_lines = true,
                            .context = &context,
                            .list = list,
                            .sequence = sequence,
                            .ledger = &result->ledger,
                            .lines_before = metis.size.line};
  if (block.bytes == 0)
    status = qn_input_next(input, &block, error);
  if (!status)
    status = qn_text_read(&job, &block, error);
  if (status)
    return status;
  return conclude(&metis, &sums, result->ledger.edges_read - before.edges_read,
                  result->ledger.rejected == before.rejected, result, error);
}

/* How many numbers a line has; UINT_MAX if something on it is none. Without edge weights, whose
 * numbers may be anything, and vertex numbers all must be vertices. */
static unsigned count_numbers(const struct metis *metis, const char *line, const char *end) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column word;
  bool plain = !metis->edge_weights && metis->vertex_numbers == 0;
  unsigned count = 0;
  while (qn_columns_next(&columns, &word)) {
    uint64_t number = 1;
    if (!qn_is_digit(*word.begin) ||
        (plain && (qn_parse_whole(word.begin, word.end, &number) != QN_NUMBER_FINE ||
                   number - 1 >= metis->size.num_vertices)))
      return UINT_MAX;
    count++;
  }
  return count;
}

/* What the beginning of a text is, read as METIS. */
struct fit {
  uint64_t lines;             /* of vertices, empty ones too */
  uint64_t entries;           /* neighbours */
  bool wrong;                 /* what is no neighbour, or has no weight where all have one */
  uint64_t seen;              /* of them, but for loops, those whose line is among these */
  uint64_t forward, backward; /* fingerprints of what is seen, and of its reversals */
  unsigned numbers;           /* on every line */
  bool like_edges;            /* as many as in the header, or none */
  bool has_tabs;              /* in the header, where METIS has blanks */
  bool complete;              /* this is all of the text */
};

/* Weights are compared as text. */
static void fit_line(const struct metis *metis, const char *line, const char *end, uint64_t vertex,
                     struct fit *fit) {
  struct qn_columns columns = qn_columns_of(line, end, &qn_words);
  struct qn_column word, weight;
  uint64_t neighbor;
  for (unsigned i = 0; i < metis->vertex_numbers && qn_columns_next(&columns, &word);)
    i++;
  while (qn_columns_next(&columns, &word)) {
    uint64_t mixed = 1;
    fit->entries++;
    weight = (struct qn_column){0};
    fit->wrong |= (metis->edge_weights && !qn_columns_next(&columns, &weight)) ||
                  qn_parse_whole(word.begin, word.end, &neighbor) != QN_NUMBER_FINE ||
                  neighbor - 1 >= metis->size.num_vertices;
    for (const char *p = weight.begin; p < weight.end; p++)
      mixed = mixed * 31 + (unsigned char)*p;
    if (fit->wrong || neighbor > fit->lines || neighbor == vertex)
      continue;
    fit->seen++;
    fit->forward += qn_mix_source((uint32_t)vertex) * qn_mix_destination((uint32_t)neighbor) *
                    qn_mix_weight_of(mixed, 8);
    fit->backward += qn_mix_source((uint32_t)neighbor) * qn_mix_destination((uint32_t)vertex) *
                     qn_mix_weight_of(mixed, 8);
  }
}

/* Fewer entries that are there both ways may be chance. */
#define ENOUGH_ENTRIES 8

/* Do the lines, which are all alike, keep what the header promises? As sure as `detect` says. */
static int judge(const struct metis *metis, const struct fit *fit) {
  if (fit->wrong)
    return 0;
  if (fit->like_edges && !fit->complete && fit->seen < ENOUGH_ENTRIES)
    return 1;
  const uint64_t listed = 2 * metis->size.num_edges, unit = metis->edge_weights ? 2 : 1;
  const bool promised =
      fit->complete ? fit->lines == metis->size.num_vertices && fit->entries == listed
                    : fit->seen >= ENOUGH_ENTRIES ||
                          (fit->numbers > metis->vertex_numbers &&
                           (fit->numbers - metis->vertex_numbers) * metis->size.num_vertices ==
                               listed * unit);
  if (!promised || fit->forward != fit->backward)
    return 1;
  if (!fit->like_edges || fit->entries >= ENOUGH_ENTRIES)
    return 3;
  return fit->has_tabs ? 1 : QN_IN_DOUBT;
}

/* Lines of numbers, no more than vertices: not all equally many, as in a list of edges, or what the
 * header promises. */
static int detect_metis(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  const uint64_t all_if_less = 64 << 10, enough = 4 << 20;
  bytes = bytes < enough ? bytes : enough;
  struct qn_input_block block = {.data = head, .bytes = bytes};
  struct metis metis = {.size = {.file = ""}};
  const char *line, *end;
  (void)options;
  do {
    if (!qn_text_take_line(&block, &line, &end))
      return 0;
  } while (is_comment(line, end) || is_blank_line(line, end));
  if (!parse_header(&metis, line, end, &block))
    return 0;
  const unsigned columns = qn_columns_count(line, end, &qn_words);
  struct qn_input_block again = block;
  struct fit fit = {.complete = bytes < all_if_less,
                    .has_tabs = memchr(line, '\t', (size_t)(end - line)) != NULL};
  bool varied = false;
  while (qn_text_take_line(&block, &line, &end)) {
    if (is_comment(line, end) || (block.bytes == 0 && !fit.complete))
      continue; /* the last line may be cut */
    unsigned count = count_numbers(&metis, line, end);
    const bool more = fit.lines >= metis.size.num_vertices;
    if (count == UINT_MAX || (count > 0 && more))
      return 0;
    if (more)
      continue;
    fit.numbers = fit.lines == 0 ? count : fit.numbers;
    varied |= count != fit.numbers;
    fit.lines++;
  }
  if (fit.complete && fit.lines < metis.size.num_vertices)
    return 0;
  if (varied)
    return 3;
  for (uint64_t vertex = 1; vertex <= fit.lines && qn_text_take_line(&again, &line, &end);)
    if (!is_comment(line, end))
      fit_line(&metis, line, end, vertex++, &fit);
  fit.like_edges = fit.numbers == 0 || fit.numbers == columns; /* blank lines may end a list */
  return judge(&metis, &fit);
}

const struct qn_reader qn_reader_metis = {
    .name = "metis",
    .detect = detect_metis,
    .estimate = qn_expect_words,
    .read = read_metis,
    .release = qn_release_declared,
    .gives_properties = true,
};
