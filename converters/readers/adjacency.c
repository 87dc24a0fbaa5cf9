/* Adjacency graphs of Ligra and GBBS (https://github.com/jshun/ligra#input-format): after a word
 * nothing but numbers, of which others write one a line, and any white space will do.
 *
 *   AdjacencyGraph | WeightedAdjacencyGraph
 *   VERTICES EDGES
 *   offset...        of each vertex: where its edges begin
 *   neighbour...     from 0, of each edge
 *   weight...        of each edge, if weighted
 *
 * A symmetric graph lists its edges both ways, which the file does not say. Vertices are 0 to
 * VERTICES - 1. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/input_estimate.h"
#include "converters/parse/declared_size.h"
#include "converters/parse/text_tokens.h"
#include "converters/parse/text_weight.h"
#include "formats/text/delimited.h"
#include "formats/text/number_runs.h"
#include "formats/text/text_fields.h"
#include "support/checked.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/search.h"

static const char PLAIN_WORD[] = "AdjacencyGraph";
static const char WEIGHTED_WORD[] = "WeightedAdjacencyGraph";

/* Numbers after the header, by their place in the sequence. */
struct adjacency {
  struct qn_declared_size size;
  bool weighted;      /* the file has weights */
  bool wants_weights; /* and they are to be read */
  enum qn_weight_choice weights;
  uint64_t neighbors_begin, weights_begin, end;
  uint64_t *offsets;   /* of vertices, as far as they were read */
  uint32_t *neighbors; /* of edges, while weights are awaited */
  uint64_t offsets_room, neighbors_room;
};

/* ---- Header --------------------------------------------------------------- */

/* The next word of the first block; false if the block ends before. */
static bool take_word(struct qn_input_block *block, uint64_t *lines, struct qn_column *word) {
  const char *p = block->data, *end = p + block->bytes;
  for (; p < end && qn_is_token_space(*p); p++)
    *lines += *p == '\n';
  word->begin = p;
  while (p < end && !qn_is_token_space(*p))
    p++;
  word->end = p;
  block->bytes -= (uint64_t)(p - block->data);
  block->data = p;
  return word->end > word->begin;
}

static bool is_word(const struct qn_column *word, const char *text) {
  size_t length = (size_t)(word->end - word->begin);
  return length == strlen(text) && memcmp(word->begin, text, length) == 0;
}

static enum qn_status fail_header(const struct adjacency *adjacency, uint64_t lines,
                                  const struct qn_column *word, struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  qn_fail(error, QN_INVALID, "expected '[Weighted]AdjacencyGraph VERTICES EDGES'; found %s",
          word->begin == word->end ? "the end of the file"
                                   : qn_text_quote(word->begin, word->end, quoted));
  return qn_error_at_line(error, adjacency->size.file, lines + 1, 1);
}

static enum qn_status take_header(struct adjacency *adjacency, struct qn_input_block *block,
                                  uint64_t *lines, struct qn_error *error) {
  struct qn_declared_size *size = &adjacency->size;
  struct qn_column word;
  take_word(block, lines, &word);
  adjacency->weighted = is_word(&word, WEIGHTED_WORD);
  if (!adjacency->weighted && !is_word(&word, PLAIN_WORD))
    return fail_header(adjacency, *lines, &word, error);
  uint64_t *const numbers[] = {&size->num_vertices, &size->num_edges};
  for (int i = 0; i < 2; i++)
    if (!take_word(block, lines, &word) ||
        qn_parse_whole(word.begin, word.end, numbers[i]) != QN_NUMBER_FINE)
      return fail_header(adjacency, *lines, &word, error);
  size->line = *lines + 1;
  adjacency->neighbors_begin = size->num_vertices;
  if (!qn_add_u64(size->num_vertices, size->num_edges, &adjacency->weights_begin) ||
      !qn_add_u64(adjacency->weights_begin, adjacency->weighted ? size->num_edges : 0,
                  &adjacency->end)) {
    qn_fail(error, QN_INVALID, "%" PRIu64 " vertices and %" PRIu64 " edges are too many",
            size->num_vertices, size->num_edges);
    return qn_error_at_line(error, size->file, size->line, 1);
  }
  return QN_OK;
}

/* ---- Room for what has been read ------------------------------------------ */

/* Room for the first `wanted` elements: it grows with the content, not by what the header says. */
static enum qn_status make_room(void *array, uint64_t *room, uint64_t wanted, uint64_t most,
                                uint64_t size, const char *what, struct qn_error *error) {
  void *larger, *old;
  if (wanted <= *room)
    return QN_OK;
  wanted = wanted < most && *room ? 2 * wanted : wanted;
  wanted = wanted < most ? wanted : most;
  enum qn_status status = qn_pages_alloc(&larger, wanted, size, what, error);
  if (status)
    return status;
  memcpy(&old, array, sizeof old);
  if (old)
    memcpy(larger, old, *room * size);
  qn_pages_free(old, *room, size);
  memcpy(array, &larger, sizeof larger);
  *room = wanted;
  return QN_OK;
}

static void release(struct adjacency *adjacency) {
  qn_pages_free(adjacency->offsets, adjacency->offsets_room, sizeof *adjacency->offsets);
  qn_pages_free(adjacency->neighbors, adjacency->neighbors_room, sizeof *adjacency->neighbors);
}

/* ---- Parts ---------------------------------------------------------------- */

/* Each takes a part's numbers of one kind, and gives the place in the sequence of the first that is
 * wrong, or UINT64_MAX. They work on a copy of the part, which stays in registers. */
typedef uint64_t (*part_taker)(const struct adjacency *adjacency, struct qn_token_part *whole,
                               struct qn_edge_stream *stream);

static uint64_t lesser(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t take_offsets(const struct adjacency *adjacency, struct qn_token_part *whole,
                             struct qn_edge_stream *stream) {
  struct qn_token_part part = *whole;
  uint64_t last = lesser(part.last, adjacency->neighbors_begin);
  (void)stream;
  while (part.next < last) {
    uint64_t *offset = &adjacency->offsets[part.next];
    if (!qn_token_number(&part, offset))
      return part.next;
    if (*offset > adjacency->size.num_edges)
      return part.next - 1;
  }
  *whole = part;
  return UINT64_MAX;
}

static inline uint64_t row_end(const struct adjacency *adjacency, uint64_t row) {
  return row + 1 < adjacency->size.num_vertices ? adjacency->offsets[row + 1]
                                                : adjacency->size.num_edges;
}

/* The row of `edge`, which is not before the row `from`. */
static inline uint64_t row_from(const struct adjacency *adjacency, uint64_t from, uint64_t edge) {
  while (row_end(adjacency, from) <= edge)
    from++;
  return from;
}

/* The last row that begins at `edge` or before it. */
static uint64_t row_of(const struct adjacency *adjacency, uint64_t edge) {
  return qn_range_at_u64(adjacency->offsets, 0, adjacency->size.num_vertices, edge);
}

/* Numbers taken at once, and how many are taken singly where that failed. */
#define AT_ONCE 256
#define SINGLES 16

struct at_once {
  uint32_t numbers[AT_ONCE + QN_RUN_SLACK];
  uint32_t singles; /* to come */
};

/* The part's next numbers up to `last`, if they are short; returns how many. */
static inline uint32_t take_at_once(struct qn_token_part *part, uint64_t last,
                                    struct at_once *some) {
  if (some->singles) {
    some->singles--;
    return 0;
  }
  struct qn_number_run run = {part->cursor, part->readable_end, 1, false, false};
  while (qn_is_token_space(*run.cursor))
    run.cursor++;
  uint32_t count =
      qn_take_number_run(&run, some->numbers, (uint32_t)lesser(last - part->next, AT_ONCE));
  part->cursor = run.cursor;
  part->next += count;
  some->singles = count ? 0 : SINGLES;
  return count;
}

static uint64_t keep_neighbors(const struct adjacency *adjacency, struct qn_token_part *whole,
                               struct qn_edge_stream *stream) {
  struct qn_token_part part = *whole;
  uint64_t last = lesser(part.last, adjacency->weights_begin), neighbor;
  uint32_t *out = adjacency->neighbors + (part.next - adjacency->neighbors_begin);
  struct at_once some = {.singles = 0};
  (void)stream;
  while (part.next < last) {
    uint64_t first = part.next;
    uint32_t count = take_at_once(&part, last, &some);
    for (uint32_t i = 0; i < count; i++) {
      if (some.numbers[i] >= adjacency->size.num_vertices)
        return first + i;
      *out++ = some.numbers[i];
    }
    if (count)
      continue;
    if (!qn_token_number(&part, &neighbor))
      return part.next;
    if (neighbor >= adjacency->size.num_vertices)
      return part.next - 1;
    *out++ = (uint32_t)neighbor;
  }
  *whole = part;
  return UINT64_MAX;
}

static uint64_t push_neighbors(const struct adjacency *adjacency, struct qn_token_part *whole,
                               struct qn_edge_stream *stream) {
  struct qn_token_part part = *whole;
  uint64_t begin = adjacency->neighbors_begin;
  uint64_t edge = part.next - begin, last = lesser(part.last, adjacency->weights_begin) - begin;
  struct at_once some = {.singles = 0};
  for (uint64_t row = row_of(adjacency, edge); edge < last;) {
    uint32_t count = take_at_once(&part, begin + last, &some);
    for (uint32_t i = 0; i < count; i++, edge++) {
      if (some.numbers[i] >= adjacency->size.num_vertices)
        return begin + edge;
      row = row_from(adjacency, row, edge);
      qn_edge_push(stream, row, some.numbers[i]);
    }
    if (count)
      continue;
    uint64_t neighbor;
    if (!qn_token_number(&part, &neighbor) || neighbor >= adjacency->size.num_vertices)
      return begin + edge;
    row = row_from(adjacency, row, edge++);
    qn_edge_push(stream, row, neighbor);
  }
  *whole = part;
  return UINT64_MAX;
}

static inline bool take_weight(const struct adjacency *adjacency, struct qn_edge_list *list,
                               struct qn_token_part *part, enum qn_weight_type *type,
                               uint64_t *bits) {
  const struct qn_token_part before = *part;
  char fault[QN_FAULT_BYTES];
  uint64_t whole;
  const char *end;
  if (qn_token_number(part, &whole)) {
    *type = QN_WEIGHT_U32;
    *bits = (uint32_t)whole;
    if (whole <= UINT32_MAX)
      return true;
    *part = before; /* a number, but a real one: once more */
  }
  const char *begin = qn_token_text(part, &end);
  return qn_parse_wanted_weight(adjacency->weights, list, begin, end, type, bits, fault);
}

static uint64_t push_weights(const struct adjacency *adjacency, struct qn_token_part *whole,
                             struct qn_edge_stream *stream) {
  struct qn_token_part part = *whole;
  uint64_t begin = adjacency->weights_begin;
  uint64_t edge = part.next - begin, last = lesser(part.last, adjacency->end) - begin;
  struct at_once some = {.singles = 0};
  enum qn_weight_type type;
  uint64_t bits;
  for (uint64_t row = row_of(adjacency, edge); edge < last;) {
    uint32_t count = take_at_once(&part, begin + last, &some);
    for (uint32_t i = 0; i < count; i++, edge++) {
      row = row_from(adjacency, row, edge);
      qn_edge_push_u32(stream, row, adjacency->neighbors[edge], some.numbers[i]);
    }
    if (count)
      continue;
    if (!take_weight(adjacency, stream->list, &part, &type, &bits))
      return begin + edge;
    row = row_from(adjacency, row, edge);
    qn_edge_push_weighted(stream, row, adjacency->neighbors[edge++], type, bits);
  }
  *whole = part;
  return UINT64_MAX;
}

/* ---- Blocks --------------------------------------------------------------- */

struct reading {
  struct adjacency adjacency;
  struct qn_tokens tokens;
  struct qn_edge_list *list;
  uint64_t *sequence;
};

/* Let `take` have the block's numbers in [begin, end) of the sequence; `*bad` is the first wrong
 * one. */
static enum qn_status take_parts(struct reading *reading, uint64_t begin, uint64_t end,
                                 part_taker take, uint64_t *bad, struct qn_error *error) {
  struct qn_tokens *tokens = &reading->tokens;
  uint64_t first_bad = UINT64_MAX;
  enum qn_status status = QN_OK;
  *bad = UINT64_MAX;
  if (begin >= tokens->count || end <= tokens->first)
    return QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : first_bad)
  for (uint64_t i = 0; i < tokens->num_parts; i++) {
    struct qn_token_part *part = &tokens->parts[i];
    struct qn_edge_stream stream;
    struct qn_error own;
    if (part->next >= part->last || part->next >= end || part->last <= begin)
      continue;
    qn_edge_stream_open(&stream, reading->list, *reading->sequence + i);
    first_bad = lesser(first_bad, take(&reading->adjacency, part, &stream));
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    if (failed) {
#pragma omp critical(adjacency_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *reading->sequence += tokens->num_parts;
  *bad = first_bad;
  return status;
}

/* The first of the block's offsets that is less than the one before; UINT64_MAX: none. */
static uint64_t find_descent(const struct reading *reading) {
  const uint64_t *offsets = reading->adjacency.offsets;
  uint64_t last = lesser(reading->tokens.count, reading->adjacency.neighbors_begin);
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t v = reading->tokens.first; v < last; v++)
    if (offsets[v] < (v ? offsets[v - 1] : 0) || (v == 0 && offsets[0] != 0))
      bad = lesser(bad, v);
  return bad;
}

static enum qn_status read_offsets(struct reading *reading, struct qn_error *error) {
  struct adjacency *adjacency = &reading->adjacency;
  uint64_t last = lesser(reading->tokens.count, adjacency->neighbors_begin), bad;
  enum qn_status status =
      make_room(&adjacency->offsets, &adjacency->offsets_room, last, adjacency->size.num_vertices,
                sizeof *adjacency->offsets, "the offsets of vertices", error);
  if (!status)
    status = take_parts(reading, 0, adjacency->neighbors_begin, take_offsets, &bad, error);
  if (status)
    return status;
  if (bad == UINT64_MAX)
    bad = find_descent(reading);
  if (bad == UINT64_MAX)
    return QN_OK;
  return qn_tokens_fail(
      &reading->tokens, bad, error,
      "expected where the edges of vertex %" PRIu64 " begin, from %s up to %" PRIu64, bad,
      bad ? "the offset before" : "0, which is the first offset,", adjacency->size.num_edges);
}

static enum qn_status read_neighbors(struct reading *reading, struct qn_error *error) {
  struct adjacency *adjacency = &reading->adjacency;
  uint64_t bad, last = lesser(reading->tokens.count, adjacency->weights_begin);
  enum qn_status status = QN_OK;
  if (last <= adjacency->neighbors_begin)
    return QN_OK;
  if (adjacency->wants_weights)
    status = make_room(&adjacency->neighbors, &adjacency->neighbors_room,
                       last - adjacency->neighbors_begin, adjacency->size.num_edges,
                       sizeof *adjacency->neighbors, "neighbours that await weights", error);
  if (!status)
    status = take_parts(reading, adjacency->neighbors_begin, adjacency->weights_begin,
                        adjacency->wants_weights ? keep_neighbors : push_neighbors, &bad, error);
  if (status || bad == UINT64_MAX)
    return status;
  if (adjacency->size.num_vertices == 0)
    return qn_tokens_fail(&reading->tokens, bad, error, "without vertices there are no edges");
  return qn_tokens_fail(&reading->tokens, bad, error, "expected a vertex from 0 to %" PRIu64,
                        adjacency->size.num_vertices - 1);
}

static enum qn_status read_weights(struct reading *reading, struct qn_error *error) {
  struct adjacency *adjacency = &reading->adjacency;
  char fault[QN_FAULT_BYTES];
  uint64_t bad;
  enum qn_weight_type type;
  uint64_t bits;
  enum qn_status status =
      take_parts(reading, adjacency->weights_begin, adjacency->end, push_weights, &bad, error);
  if (status || bad == UINT64_MAX)
    return status;
  struct qn_token_place place = qn_tokens_find(&reading->tokens, bad);
  qn_parse_wanted_weight(adjacency->weights, reading->list, place.begin, place.end, &type, &bits,
                         fault);
  qn_fail(error, QN_INVALID, "%s", fault);
  return qn_error_at_line(error, adjacency->size.file, place.line, place.column);
}

/* What the block holds: the end of one kind of numbers may be in it, and all of the next. */
static enum qn_status read_block(struct reading *reading, struct qn_error *error) {
  const struct adjacency *adjacency = &reading->adjacency;
  enum qn_status status = qn_tokens_cut(&reading->tokens, error);
  if (!status)
    status = read_offsets(reading, error);
  if (!status)
    status = read_neighbors(reading, error);
  if (!status && adjacency->wants_weights)
    status = read_weights(reading, error);
  if (!status && reading->tokens.count > adjacency->end)
    status =
        qn_tokens_fail(&reading->tokens, adjacency->end, error,
                       "expected the end of the file after %" PRIu64 " numbers", adjacency->end);
  return status;
}

static enum qn_status read_numbers(struct reading *reading, struct qn_error *error) {
  const struct adjacency *adjacency = &reading->adjacency;
  struct qn_tokens *tokens = &reading->tokens;
  enum qn_status status = QN_OK;
  if (tokens->block.bytes == 0)
    status = qn_tokens_advance(tokens, error);
  while (!status && tokens->block.bytes) {
    uint64_t bytes = tokens->block.bytes;
    status = read_block(reading, error);
    qn_progress_add(bytes);
    if (!status)
      status = qn_tokens_advance(tokens, error);
  }
  if (!status && tokens->count < adjacency->end)
    return qn_tokens_fail_at_end(tokens, error,
                                 "%" PRIu64 " numbers should follow the header (offsets, "
                                 "neighbours%s), but there are %" PRIu64,
                                 adjacency->end, adjacency->weighted ? ", weights" : "",
                                 tokens->count);
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status read_adjacency(struct qn_input *input, const struct qn_read_options *options,
                                     struct qn_edge_list *list, uint64_t *sequence,
                                     struct qn_read_result *result, struct qn_error *error) {
  struct reading reading = {
      .adjacency = {.size = {.file = qn_input_name(input)}, .weights = options->weights},
      .list = list,
      .sequence = sequence};
  struct adjacency *adjacency = &reading.adjacency;
  struct qn_input_block block = {0};
  uint64_t lines = 0;
  enum qn_status status = qn_input_next(input, &block, error);
  qn_text_skip_mark(&block);
  const char *line = block.data;
  if (!status)
    status = take_header(adjacency, &block, &lines, error);
  if (!status)
    status = qn_declare_from_zero(&adjacency->size, options, result, error);
  if (status)
    return status;
  adjacency->wants_weights = adjacency->weighted && options->weights != QN_WEIGHTS_NONE;
  snprintf(result->description, sizeof result->description,
           "%" PRIu64 " vertices, %" PRIu64 " edges%s", adjacency->size.num_vertices,
           adjacency->size.num_edges, adjacency->weighted ? ", weights" : "");
  for (const char *p = line; p < block.data; p++)
    line = *p == '\n' ? p + 1 : line;
  qn_tokens_begin(&reading.tokens, input, &block, lines, line);
  status = read_numbers(&reading, error);
  qn_tokens_end(&reading.tokens);
  release(adjacency);
  result->ledger.records += adjacency->size.num_edges;
  result->ledger.edges_read += adjacency->size.num_edges;
  return status;
}

static int detect_adjacency(const char *head, uint64_t bytes,
                            const struct qn_read_options *options) {
  struct qn_input_block block = {.data = head, .bytes = bytes};
  struct qn_column word;
  uint64_t lines = 0;
  (void)options;
  return take_word(&block, &lines, &word) &&
                 (is_word(&word, PLAIN_WORD) || is_word(&word, WEIGHTED_WORD))
             ? 3
             : 0;
}

const struct qn_reader qn_reader_adjacency = {
    .name = "adjacency",
    .detect = detect_adjacency,
    .estimate = qn_expect_words,
    .read = read_adjacency,
};
