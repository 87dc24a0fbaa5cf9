/* The invariants of the edge-partitions layout (specs/edge-partitions.md), checked at memory
 * speed: loops over chunks of edges say whether a chunk is sound; only the first one that is not
 * is walked again to name the rule and the place. */
#include <inttypes.h>

#include "support/memory.h"
#include "support/search.h"
#include <quern/edge_partitions.h>
#include <quern/fingerprint.h>

#define CHUNK_EDGES ((uint64_t)1 << 17)

/* Edges [begin, end) of partition p, with what its edges are compared against. */
struct piece {
  uint64_t begin, end;
  uint64_t partition;
  bool continues; /* the partition has no sources of its own */
  bool leads;     /* the piece begins with the partition's first edge */
};

static uint64_t partition_of_edge(const struct qn_edge_partitions *view, uint64_t edge) {
  return qn_range_at_u64(view->edge_offsets, 0, view->num_partitions, edge);
}

/* The piece of a chunk that begins at `edge` and ends with its partition or at `end`. */
static struct piece piece_at(const struct qn_edge_partitions *view, uint64_t partition,
                             uint64_t edge, uint64_t end) {
  uint64_t partition_end = view->edge_offsets[partition + 1];
  return (struct piece){.begin = edge,
                        .end = end < partition_end ? end : partition_end,
                        .partition = partition,
                        .continues = qn_ep_num_sources(view, partition) == 0,
                        .leads = edge == view->edge_offsets[partition]};
}

/* ---- The small tables ------------------------------------------------------ */

static enum qn_status check_edge_offsets(const struct qn_container *container,
                                         const struct qn_edge_partitions *view,
                                         struct qn_error *error) {
  const uint64_t *offsets = view->edge_offsets;
  uint64_t num_partitions = view->num_partitions;
  if (offsets[0] != 0 || offsets[num_partitions] != view->num_edges)
    return qn_container_violation(container, error, "EP-2",
                                  "edge_offsets go from %" PRIu64 " to %" PRIu64
                                  ", not from 0 to %" PRIu64,
                                  offsets[0], offsets[num_partitions], view->num_edges);
  for (uint64_t p = 0; p < num_partitions; p++)
    if (offsets[p] >= offsets[p + 1])
      return qn_container_violation(container, error, "EP-2",
                                    "edge_offsets do not ascend at partition %" PRIu64, p);
  for (uint64_t p = 0; p < num_partitions; p++)
    if (offsets[p + 1] - offsets[p] > view->capacity)
      return qn_container_violation(container, error, "EP-3",
                                    "partition %" PRIu64 " has %" PRIu64
                                    " edges, more than the capacity of %" PRIu64,
                                    p, offsets[p + 1] - offsets[p], view->capacity);
  return QN_OK;
}

static enum qn_status check_prefix_offsets(const struct qn_container *container,
                                           const struct qn_edge_partitions *view,
                                           struct qn_error *error) {
  const uint32_t *prefixes = view->prefix_offsets;
  uint64_t num_partitions = view->num_partitions;
  uint64_t unused = num_partitions * view->range_size - view->num_sources;
  bool full_range = num_partitions == 0;
  if (prefixes[0] != 0 || prefixes[num_partitions] != unused)
    return qn_container_violation(container, error, "EP-4",
                                  "prefix_offsets go from %" PRIu32 " to %" PRIu32
                                  ", not from 0 to %" PRIu64,
                                  prefixes[0], prefixes[num_partitions], unused);
  for (uint64_t p = 0; p < num_partitions; p++) {
    if (prefixes[p + 1] < prefixes[p] || prefixes[p + 1] - prefixes[p] > view->range_size)
      return qn_container_violation(container, error, "EP-4",
                                    "prefix_offsets grow from %" PRIu32 " to %" PRIu32
                                    " over partition %" PRIu64 " of range_size %" PRIu64,
                                    prefixes[p], prefixes[p + 1], p, view->range_size);
    full_range |= prefixes[p + 1] == prefixes[p];
  }
  if (!full_range)
    return qn_container_violation(container, error, "EP-5",
                                  "no partition has as many sources as range_size, %" PRIu64,
                                  view->range_size);
  return QN_OK;
}

/* EP-9 as far as the tables tell: what a continuation continues is one source in full partitions.
 */
static enum qn_status check_continuations(const struct qn_container *container,
                                          const struct qn_edge_partitions *view,
                                          struct qn_error *error) {
  uint64_t head_sources = 0;
  for (uint64_t p = 0; p < view->num_partitions; p++) {
    uint64_t num_sources = qn_ep_num_sources(view, p);
    if (num_sources > 0) {
      head_sources = num_sources;
      continue;
    }
    if (head_sources != 1)
      return qn_container_violation(container, error, "EP-9",
                                    "partition %" PRIu64
                                    " has no sources, and none of degree over the capacity comes "
                                    "before it",
                                    p);
    if (view->edge_offsets[p] - view->edge_offsets[p - 1] != view->capacity)
      return qn_container_violation(container, error, "EP-9",
                                    "partition %" PRIu64 " is continued, but not full", p - 1);
  }
  return QN_OK;
}

/* ---- The numbering of vertices --------------------------------------------- */

/* The first i > begin in [begin, end) that does not exceed its predecessor, or is no vertex. */
static uint64_t first_misplaced(const uint32_t *vertices, uint64_t begin, uint64_t end,
                                uint64_t num_vertices) {
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for reduction(min : bad)
  for (uint64_t i = begin; i < end; i++)
    if (vertices[i] >= num_vertices || (i > begin && vertices[i - 1] >= vertices[i]))
      bad = i < bad ? i : bad;
  return bad;
}

/* The first vertex without out-edges that also is a source. */
static enum qn_status find_twice(const struct qn_edge_partitions *view, uint64_t *twice,
                                 struct qn_error *error) {
  uint64_t *is_source, bad = UINT64_MAX, words = view->num_vertices / 64 + 1;
  enum qn_status status =
      qn_pages_alloc(&is_source, words, sizeof *is_source, "a set of vertices", error);
  if (status)
    return status;
#pragma omp parallel for
  for (uint64_t i = 0; i < view->num_sources; i++) {
    uint32_t vertex = view->new_to_old[i];
    __atomic_fetch_or(&is_source[vertex / 64], (uint64_t)1 << (vertex % 64), __ATOMIC_RELAXED);
  }
#pragma omp parallel for reduction(min : bad)
  for (uint64_t i = view->num_sources; i < view->num_vertices; i++) {
    uint32_t vertex = view->new_to_old[i];
    if (is_source[vertex / 64] >> (vertex % 64) & 1)
      bad = i < bad ? i : bad;
  }
  qn_pages_free(is_source, words, sizeof *is_source);
  *twice = bad;
  return QN_OK;
}

/* Two ascending runs of V vertices in all, without one in common, are a permutation. */
static enum qn_status check_permutation(const struct qn_container *container,
                                        const struct qn_edge_partitions *view,
                                        struct qn_error *error) {
  uint64_t num_vertices = view->num_vertices;
  uint64_t bad = first_misplaced(view->new_to_old, 0, view->num_sources, num_vertices);
  if (bad == UINT64_MAX)
    bad = first_misplaced(view->new_to_old, view->num_sources, num_vertices, num_vertices);
  if (bad != UINT64_MAX)
    return qn_container_violation(container, error, "EP-6",
                                  "new_to_old[%" PRIu64 "] is %" PRIu32
                                  ": no vertex, or not after the one before",
                                  bad, view->new_to_old[bad]);
  enum qn_status status = find_twice(view, &bad, error);
  if (!status && bad != UINT64_MAX)
    return qn_container_violation(container, error, "EP-7", "vertex %" PRIu32 " occurs twice",
                                  view->new_to_old[bad]);
  return status;
}

/* ---- Edges ------------------------------------------------------------------ */

/* For every quotient of an id by range_size: the end of the ids that are vertices'. */
static enum qn_status create_id_ends(const struct qn_edge_partitions *view, uint32_t **out,
                                     struct qn_error *error) {
  uint32_t *ends;
  uint64_t num_partitions = view->num_partitions;
  enum qn_status status =
      qn_alloc(&ends, num_partitions + 1, sizeof *ends, "ends of id ranges", error);
  if (!status) {
    for (uint64_t p = 0; p < num_partitions; p++)
      ends[p] = (uint32_t)(p * view->range_size + qn_ep_num_sources(view, p));
    ends[num_partitions] =
        (uint32_t)(num_partitions * view->range_size + view->num_vertices - view->num_sources);
  }
  *out = ends;
  return status;
}

static bool is_vertex(const struct qn_edge_partitions *view, const uint32_t *ends,
                      struct qn_ep_divider divider, uint32_t id) {
  uint64_t range = qn_ep_divide(divider, id);
  return id < ends[range < view->num_partitions ? range : view->num_partitions];
}

static uint32_t count_strangers(const struct qn_edge_partitions *view, const uint32_t *ends,
                                struct qn_ep_divider divider, const struct piece *piece) {
  uint32_t strangers = 0;
  for (uint64_t e = piece->begin; e < piece->end; e++)
    strangers += !is_vertex(view, ends, divider, view->destinations[e]);
  return strangers;
}

/* Source steps other than 0 and 1, and descents of destinations where the step is 0. */
static uint32_t count_disorder(const uint32_t *sources, const uint32_t *destinations,
                               uint64_t begin, uint64_t end, uint32_t largest_step) {
  uint32_t disorder = 0;
  for (uint64_t e = begin; e < end; e++) {
    uint32_t step = sources[e] - sources[e - 1];
    disorder += (step > largest_step) | ((step == 0) & (destinations[e - 1] > destinations[e]));
  }
  return disorder;
}

static bool piece_is_sound(const struct qn_edge_partitions *view, const uint32_t *ends,
                           struct qn_ep_divider divider, const struct piece *piece) {
  uint64_t p = piece->partition, first = piece->begin;
  uint32_t lowest = (uint32_t)(p * view->range_size);
  if (piece->leads && !piece->continues && view->sources[first++] != lowest)
    return false;
  if (!piece->continues && piece->end == view->edge_offsets[p + 1] &&
      view->sources[piece->end - 1] != lowest + qn_ep_num_sources(view, p) - 1)
    return false;
  return count_disorder(view->sources, view->destinations, first, piece->end, !piece->continues) ==
             0 &&
         count_strangers(view, ends, divider, piece) == 0;
}

/* Slow and exact: names the first edge at fault in the piece. */
static enum qn_status report_piece(const struct qn_container *container,
                                   const struct qn_edge_partitions *view, const uint32_t *ends,
                                   struct qn_ep_divider divider, const struct piece *piece,
                                   struct qn_error *error) {
  uint64_t p = piece->partition;
  uint32_t lowest = (uint32_t)(p * view->range_size);
  uint32_t highest = lowest + (uint32_t)qn_ep_num_sources(view, p) - 1;
  for (uint64_t e = piece->begin; e < piece->end; e++) {
    uint32_t source = view->sources[e], destination = view->destinations[e];
    bool first = e == view->edge_offsets[p], last = e + 1 == view->edge_offsets[p + 1];
    if (piece->continues && source != view->sources[e - 1])
      return qn_container_violation(container, error, "EP-9",
                                    "edge %" PRIu64 " of the continuation partition %" PRIu64
                                    " has another source than the edge before",
                                    e, p);
    if (!piece->continues && (first ? source != lowest : source - view->sources[e - 1] > 1))
      return qn_container_violation(container, error, "EP-8",
                                    "source %" PRIu32 " of edge %" PRIu64 " in partition %" PRIu64
                                    " is not the one before or the next",
                                    source, e, p);
    if (!piece->continues && last && source != highest)
      return qn_container_violation(container, error, "EP-8",
                                    "partition %" PRIu64 " ends with source %" PRIu32
                                    ", not with %" PRIu32,
                                    p, source, highest);
    if (!is_vertex(view, ends, divider, destination))
      return qn_container_violation(
          container, error, "EP-10",
          "edge %" PRIu64 " leads to %" PRIu32 ", which is not a vertex id", e, destination);
    if ((piece->continues || !first) && source == view->sources[e - 1] &&
        destination < view->destinations[e - 1])
      return qn_container_violation(
          container, error, "EP-11",
          "the destinations of source %" PRIu32 " are not sorted at edge %" PRIu64, source, e);
  }
  return QN_OK;
}

static bool chunk_is_sound(const struct qn_edge_partitions *view, const uint32_t *ends,
                           struct qn_ep_divider divider, uint64_t begin, uint64_t end) {
  uint64_t p = partition_of_edge(view, begin);
  for (uint64_t e = begin; e < end; p++) {
    struct piece piece = piece_at(view, p, e, end);
    if (!piece_is_sound(view, ends, divider, &piece))
      return false;
    e = piece.end;
  }
  return true;
}

static enum qn_status report_chunk(const struct qn_container *container,
                                   const struct qn_edge_partitions *view, const uint32_t *ends,
                                   uint64_t begin, uint64_t end, struct qn_error *error) {
  struct qn_ep_divider divider = qn_ep_divider(view->range_size);
  uint64_t p = partition_of_edge(view, begin);
  enum qn_status status = QN_OK;
  for (uint64_t e = begin; e < end && !status; p++) {
    struct piece piece = piece_at(view, p, e, end);
    status = report_piece(container, view, ends, divider, &piece, error);
    e = piece.end;
  }
  return status;
}

static enum qn_status check_edges(const struct qn_container *container,
                                  const struct qn_edge_partitions *view, struct qn_error *error) {
  struct qn_ep_divider divider = qn_ep_divider(view->range_size);
  uint64_t num_edges = view->num_edges, bad = UINT64_MAX;
  uint64_t num_chunks = (num_edges + CHUNK_EDGES - 1) / CHUNK_EDGES;
  uint32_t *ends;
  enum qn_status status = create_id_ends(view, &ends, error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t chunk = 0; chunk < num_chunks; chunk++) {
    uint64_t begin = chunk * CHUNK_EDGES, end = begin + CHUNK_EDGES;
    end = end < num_edges ? end : num_edges;
    qn_container_reading(container, view->sources + begin, view->sources + end);
    qn_container_reading(container, view->destinations + begin, view->destinations + end);
    if (chunk < bad && !chunk_is_sound(view, ends, divider, begin, end))
      bad = chunk;
  }
  if (bad != UINT64_MAX) {
    uint64_t begin = bad * CHUNK_EDGES, end = begin + CHUNK_EDGES;
    status = report_chunk(container, view, ends, begin, end < num_edges ? end : num_edges, error);
  }
  qn_free(ends);
  return status;
}

enum qn_status qn_edge_partitions_check(const struct qn_container *container,
                                        const struct qn_edge_partitions *view,
                                        struct qn_error *error) {
  enum qn_status status = check_edge_offsets(container, view, error);
  if (!status)
    status = check_prefix_offsets(container, view, error);
  if (!status)
    status = check_continuations(container, view, error);
  if (!status)
    status = check_permutation(container, view, error);
  if (!status)
    status = check_edges(container, view, error);
  return status ? status : qn_ids_check(container, &view->ids, error);
}

/* ---- Content ----------------------------------------------------------------- */

/* The fingerprint of the edges, or of their reversals, over ids. */
static uint64_t fingerprint(const struct qn_edge_partitions *view, bool reverse) {
  const uint32_t *from = reverse ? view->destinations : view->sources;
  const uint32_t *to = reverse ? view->sources : view->destinations;
  unsigned weight_bytes = qn_weight_bytes(view->weights.type);
  uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (uint64_t e = 0; e < view->num_edges; e++) {
    uint64_t mixed = qn_mix_source(from[e]) * qn_mix_destination(to[e]);
    sum += mixed * qn_mix_weight_at(view->weights.data, weight_bytes, e);
  }
  return sum;
}

enum qn_status qn_edge_partitions_check_content(const struct qn_container *container,
                                                const struct qn_edge_partitions *view,
                                                struct qn_error *error) {
  enum qn_status status =
      qn_weights_check(container, "EP-12", "weights", &view->weights, view->num_edges, error);
  if (!status && view->directedness == QN_UNDIRECTED &&
      fingerprint(view, false) != fingerprint(view, true))
    return qn_container_violation(container, error, "EP-13",
                                  "the header says undirected, but some edge lacks its reverse");
  return status;
}
