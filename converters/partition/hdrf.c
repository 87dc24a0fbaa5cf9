#include "converters/partition/edges.h"

#include "converters/partition/levels.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include <quern/inline.h>

/* Vertices between two reports of progress; edges whose endpoints are fetched ahead. */
enum { STEP = 1 << 12, AHEAD = 16 };

/* What balance weighs beside replicas: more than 1, so that a stream that is sorted is balanced
 * (section 3.2 of the paper). */
static const double LAMBDA = 1.1;
#define TEN_LAMBDA 11

#define NO_PART UINT32_MAX

struct stream {
  const struct qn_graph *graph;
  uint64_t capacity;
  uint32_t *degrees;
  struct qn_replicas replicas;
  struct qn_part_levels levels;
};

/* Parts by which of the two endpoints are in them. */
enum sides { BOTH, SOURCE, DESTINATION };

static uint64_t bits_of(const struct stream *stream, uint64_t u, uint64_t v, enum sides sides,
                        unsigned word) {
  const uint64_t of_u = qn_replicas_word(&stream->replicas, u, word);
  const uint64_t of_v = qn_replicas_word(&stream->replicas, v, word);
  return sides == BOTH ? of_u & of_v : sides == SOURCE ? of_u & ~of_v : of_v & ~of_u;
}

static bool is_less(const struct qn_part_levels *levels, uint32_t a, uint32_t b) {
  return levels->of[a] < levels->of[b] || (levels->of[a] == levels->of[b] && a < b);
}

/* The least part with these sides, of several the first, by sizes that are far from the least. */
static uint32_t compare_sizes(const struct stream *stream, uint64_t u, uint64_t v,
                              enum sides sides) {
  uint32_t least = NO_PART;
  for (unsigned word = 0; word < stream->levels.num_words; word++)
    for (uint64_t bits = bits_of(stream, u, v, sides, word); bits; bits &= bits - 1) {
      const uint32_t part = 64 * word + (uint32_t)__builtin_ctzll(bits);
      if (least == NO_PART || is_less(&stream->levels, part, least))
        least = part;
    }
  return least;
}

/* The least part with these sides, of several the first; NO_PART: there is none. */
QN_ALWAYS_INLINE uint32_t find_least(const struct stream *stream, uint64_t u, uint64_t v,
                                     enum sides sides, unsigned num_words) {
  const struct qn_part_levels *levels = &stream->levels;
  unsigned i = 0;
  if (num_words == 1) {
    const uint64_t bits = bits_of(stream, u, v, sides, 0), *level = qn_part_level(levels, 0);
    i = qn_part_levels_count(level, bits);
    if (i < QN_PART_LEVELS_AT_ONCE)
      return (uint32_t)__builtin_ctzll(bits & level[i]);
    if (!bits)
      return NO_PART;
  }
  for (; i < QN_PART_LEVELS; i++)
    for (unsigned word = 0; word < num_words; word++) {
      const uint64_t bits = bits_of(stream, u, v, sides, word) & qn_part_level(levels, i)[word];
      if (bits)
        return 64 * word + (uint32_t)__builtin_ctzll(bits);
    }
  return compare_sizes(stream, u, v, sides);
}

/* What the room in a part is worth, at most in the least of all. */
static double balance_of(const struct qn_part_levels *levels, uint32_t part) {
  return LAMBDA * (double)(levels->most - levels->of[part]) /
         (double)(1 + levels->most - levels->least);
}

struct choice {
  uint32_t part;
  double score;
};

static void consider(const struct stream *stream, uint32_t part, double worth,
                     struct choice *best) {
  const struct qn_part_levels *levels = &stream->levels;
  if (part == NO_PART || levels->of[part] >= stream->capacity)
    return;
  const double score = balance_of(levels, part) + worth;
  if (best->part == NO_PART || score > best->score ||
      (score == best->score && is_less(levels, part, best->part)))
    *best = (struct choice){part, score};
}

/* What a part is worth by its replicas: 1 for each endpoint that is there, and what the other
 * endpoint has of both degrees; so 3 with both of them, and less than 2 with one. Of parts with the
 * same sides the least is the best. Sides whose worth is too little, however much room there is,
 * are not looked at: a hub is in most of the parts. */
static uint32_t choose_by_score(const struct stream *stream, uint64_t u, uint64_t v,
                                uint32_t both) {
  const unsigned num_words = stream->levels.num_words;
  const uint32_t least = qn_part_levels_first(&stream->levels);
  const double of_u = stream->degrees[u], of_v = stream->degrees[v], sum = of_u + of_v;
  const double with_u = 1 + of_v / sum, with_v = 1 + of_u / sum;
  const double most = balance_of(&stream->levels, least);
  struct choice best = {NO_PART, 0};
  consider(stream, both, 3, &best);
  consider(stream, least, 0, &best);
  if (most + with_u >= best.score)
    consider(stream, find_least(stream, u, v, SOURCE, num_words), with_u, &best);
  if (most + with_v >= best.score)
    consider(stream, find_least(stream, u, v, DESTINATION, num_words), with_v, &best);
  return best.part;
}

/* Mostly a part with both endpoints is the best: no room that others have makes up for 1. */
QN_ALWAYS_INLINE uint32_t choose(const struct stream *stream, uint64_t u, uint64_t v,
                                 unsigned num_words) {
  const struct qn_part_levels *levels = &stream->levels;
  const uint32_t both = find_least(stream, u, v, BOTH, num_words);
  if (both == NO_PART)
    return choose_by_score(stream, u, v, both);
  const uint64_t size = levels->of[both];
  const bool is_near =
      TEN_LAMBDA * (size - levels->least) < 10 * (1 + levels->most - levels->least);
  return is_near && size < stream->capacity ? both : choose_by_score(stream, u, v, both);
}

QN_ALWAYS_INLINE void place_row(struct stream *stream, uint64_t u,
                                const struct qn_part_column *parts, unsigned num_words) {
  uint64_t edge, last;
  qn_own_edges(stream->graph, u, &edge, &last);
  const uint32_t *columns = stream->graph->out.column_indices;
  const uint64_t num_edges = stream->graph->out.num_edges;
  for (; edge < last; edge++) {
    const uint64_t v = columns[edge];
    if (edge + AHEAD < num_edges) {
      const uint64_t next = columns[edge + AHEAD];
      __builtin_prefetch(&stream->degrees[next]);
      qn_replicas_prefetch(&stream->replicas, next);
    }
    const uint32_t part = choose(stream, u, v, num_words);
    qn_part_set(parts, edge, part);
    qn_replicas_add(&stream->replicas, u, part);
    qn_replicas_add(&stream->replicas, v, part);
    qn_part_levels_add(&stream->levels, part);
  }
}

static enum qn_status place_all(struct stream *stream, const struct qn_part_column *parts,
                                struct qn_error *error) {
  const uint64_t num_vertices = stream->graph->out.num_vertices;
  const unsigned num_words = qn_replicas_words(&stream->replicas);
  enum qn_status status = QN_OK;
  qn_progress_begin("partitioning", "vertices", num_vertices);
  for (uint64_t first = 0; first < num_vertices && !status; first += STEP) {
    const uint64_t left = num_vertices - first, count = left < STEP ? left : STEP;
    for (uint64_t v = first; v < first + count; v++)
      if (num_words == 1)
        place_row(stream, v, parts, 1);
      else
        place_row(stream, v, parts, num_words);
    qn_progress_add(count);
    status = qn_context_check(error);
  }
  qn_progress_end();
  return status;
}

enum qn_status qn_partition_hdrf(const struct qn_graph *graph,
                                 const struct qn_partition_options *options,
                                 const struct qn_part_column *parts, struct qn_error *error) {
  const uint64_t num_vertices = graph->out.num_vertices;
  struct stream stream = {.graph = graph,
                          .capacity = qn_partition_capacity(options, qn_count_edges_once(graph))};
  enum qn_status status = qn_part_levels_create(options->num_parts, &stream.levels, error);
  if (!status)
    status = qn_replicas_create(num_vertices, options->num_parts, &stream.replicas, error);
  if (!status)
    status =
        qn_pages_alloc(&stream.degrees, num_vertices, sizeof *stream.degrees, "degrees", error);
  if (!status) {
    qn_partition_degrees(graph, stream.degrees);
    status = place_all(&stream, parts, error);
  }
  qn_pages_free(stream.degrees, num_vertices, sizeof *stream.degrees);
  qn_replicas_destroy(&stream.replicas);
  qn_part_levels_destroy(&stream.levels);
  return status;
}
