#include "converters/partition/edges.h"

#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"

/* Vertices between two reports of progress; edges whose endpoints are fetched ahead. */
enum { STEP = 1 << 12, AHEAD = 8 };

/* What balance weighs beside replicas: more than 1, so that a stream that is sorted is balanced
 * (section 3.2 of the paper). */
static const double LAMBDA = 1.1;

#define NO_PART UINT32_MAX

struct stream {
  const struct qn_graph *graph;
  uint64_t capacity;
  uint32_t *degrees;
  struct qn_replicas replicas;
  struct qn_part_sizes sizes;
};

/* The part of least size among the `bits` of parts from `first` on and `least` (NO_PART: none). */
static uint32_t least_of(const struct qn_part_sizes *sizes, uint64_t bits, uint32_t first,
                         uint32_t least) {
  for (; bits; bits &= bits - 1) {
    const uint32_t part = first + (uint32_t)__builtin_ctzll(bits);
    if (least == NO_PART || qn_part_is_less(sizes, part, least))
      least = part;
  }
  return least;
}

/* Parts by which of the two endpoints are in them. */
enum sides { BOTH, SOURCE, DESTINATION, NUM_SIDES };

/* The least part with these sides; NO_PART: there is none. */
static uint32_t find_least(const struct stream *stream, uint64_t u, uint64_t v, enum sides sides) {
  const struct qn_replicas *replicas = &stream->replicas;
  uint32_t least = NO_PART;
  for (unsigned word = 0; word < qn_replicas_words(replicas); word++) {
    const uint64_t of_u = qn_replicas_word(replicas, u, word);
    const uint64_t of_v = qn_replicas_word(replicas, v, word);
    const uint64_t bits = sides == BOTH     ? of_u & of_v
                          : sides == SOURCE ? of_u & ~of_v
                                            : of_v & ~of_u;
    least = least_of(&stream->sizes, bits, 64 * word, least);
  }
  return least;
}

/* What the room in a part is worth, at most in the least of all. */
static double balance_of(const struct stream *stream, uint32_t part) {
  const struct qn_part_sizes *sizes = &stream->sizes;
  const uint64_t least = sizes->of[qn_part_sizes_least(sizes)];
  return LAMBDA * (double)(sizes->most - sizes->of[part]) / (double)(1 + sizes->most - least);
}

/* What the replicas of parts by sides are worth: 1 for each endpoint that is there, and what the
 * other endpoint has of both degrees. */
static void find_worth(const struct stream *stream, uint64_t u, uint64_t v,
                       double worth[NUM_SIDES]) {
  const double of_u = stream->degrees[u], of_v = stream->degrees[v], sum = of_u + of_v;
  worth[BOTH] = 3;
  worth[SOURCE] = 1 + of_v / sum;
  worth[DESTINATION] = 1 + of_u / sum;
}

/* Of parts with the same sides the least is the best, and of those with neither the least of all.
 * It is the best of all if both endpoints are there. Sides whose worth is too little, however much
 * room there is, are not looked at: a hub is in most of the parts. */
static uint32_t choose(const struct stream *stream, uint64_t u, uint64_t v) {
  const uint32_t least = qn_part_sizes_least(&stream->sizes);
  const int has_u = qn_replicas_has(&stream->replicas, u, least);
  const int has_v = qn_replicas_has(&stream->replicas, v, least);
  double worth[NUM_SIDES];
  if (has_u && has_v)
    return least;
  find_worth(stream, u, v, worth);
  const double most = balance_of(stream, least);
  uint32_t best = least;
  double best_score = most + (has_u ? worth[SOURCE] : has_v ? worth[DESTINATION] : 0);
  for (enum sides side = BOTH; side < NUM_SIDES; side++) {
    if (most + worth[side] < best_score)
      continue;
    const uint32_t part = find_least(stream, u, v, side);
    if (part == NO_PART || stream->sizes.of[part] >= stream->capacity)
      continue;
    const double score = balance_of(stream, part) + worth[side];
    if (score > best_score ||
        (score == best_score && qn_part_is_less(&stream->sizes, part, best))) {
      best = part;
      best_score = score;
    }
  }
  return best;
}

static void place_row(struct stream *stream, uint64_t u, const struct qn_part_column *parts) {
  uint64_t edge, last;
  qn_own_edges(stream->graph, u, &edge, &last);
  const uint32_t *columns = stream->graph->out.column_indices;
  const uint64_t num_edges = stream->graph->out.num_edges;
  for (; edge < last; edge++) {
    const uint64_t v = columns[edge];
    if (edge + AHEAD < num_edges) {
      const uint64_t next = columns[edge + AHEAD];
      __builtin_prefetch(&stream->degrees[next]);
      __builtin_prefetch(&stream->replicas.bits[next * stream->replicas.stride]);
    }
    const uint32_t part = choose(stream, u, v);
    qn_part_set(parts, edge, part);
    qn_replicas_add(&stream->replicas, u, part);
    qn_replicas_add(&stream->replicas, v, part);
    qn_part_sizes_add(&stream->sizes, part, 1);
  }
}

static enum qn_status place_all(struct stream *stream, const struct qn_part_column *parts,
                                struct qn_error *error) {
  const uint64_t num_vertices = stream->graph->out.num_vertices;
  enum qn_status status = QN_OK;
  qn_progress_begin("partitioning", "vertices", num_vertices);
  for (uint64_t first = 0; first < num_vertices && !status; first += STEP) {
    const uint64_t left = num_vertices - first, count = left < STEP ? left : STEP;
    for (uint64_t v = first; v < first + count; v++)
      place_row(stream, v, parts);
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
  enum qn_status status = qn_part_sizes_create(options->num_parts, &stream.sizes, error);
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
  qn_part_sizes_destroy(&stream.sizes);
  return status;
}
