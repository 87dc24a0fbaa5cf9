/* The invariants of the blocked-csr layout (specs/blocked-csr.md), checked at memory speed.
 *
 * Fast passes over rows, range starts and edges in equal shares only say whether all is
 * well; when it isn't, a slow walk in order finds the first thing that is wrong. Ascending
 * rows (BC-8) are checked as in graph_check.c: all descents between neighbouring
 * edges must be at row starts, so there must be as many as row starts that descend. */
#include <inttypes.h>

#include "support/search.h"
#include <quern/blocked_csr.h>
#include <quern/fingerprint.h>

struct direction {
  const struct qn_container *container;
  const struct qn_blocking *blocking;
  const char *name;
  uint64_t num_vertices;
  uint64_t num_edges;
};

enum { SHARE_ROWS = 1 << 16, SHARE_EDGES = 1 << 18 };

/* The block of entry `index` by its `bounds`: the last one that begins at or before it. */
static uint64_t block_at(const uint64_t *bounds, uint64_t num_blocks, uint64_t index) {
  return qn_range_at_u64(bounds, 0, num_blocks, index);
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t block_edges_of(const struct qn_blocking *blocking, uint64_t block) {
  return blocking->block_edges[block + 1] - blocking->block_edges[block];
}

static uint64_t block_rows_of(const struct qn_blocking *blocking, uint64_t block) {
  return blocking->block_rows[block + 1] - blocking->block_rows[block];
}

/* ---- Fast passes ---------------------------------------------------------- */

/* BC-4, BC-5 for the local rows [begin, end) of a block; adds up row starts that descend. */
static bool rows_are_sound(const struct direction *direction, uint64_t block, uint64_t begin,
                           uint64_t end, uint64_t *descents) {
  const struct qn_blocking *blocking = direction->blocking;
  const uint32_t *offsets = qn_block_offsets(blocking, block);
  const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
  const uint32_t *columns = blocking->columns;
  uint64_t first = blocking->block_edges[block], edges = block_edges_of(blocking, block);
  bool sound = true;
  for (uint64_t row = begin; row < end && sound; row++) {
    sound = offsets[row] < offsets[row + 1] && offsets[row + 1] <= edges &&
            ids[row] < direction->num_vertices && (row == 0 || ids[row - 1] < ids[row]);
    uint64_t start = first + offsets[row];
    if (sound && start > 0)
      *descents += columns[start - 1] > columns[start];
  }
  return sound;
}

static bool all_rows_are_sound(const struct direction *direction, uint64_t *descents) {
  const struct qn_blocking *blocking = direction->blocking;
  uint64_t num_blocks = blocking->num_blocks, num_rows = blocking->num_rows;
  uint64_t found = 0;
  bool sound = true;
  for (uint64_t block = 0; block < num_blocks; block++) {
    const uint32_t *offsets = qn_block_offsets(blocking, block);
    sound &= offsets[0] == 0;
    sound &= offsets[block_rows_of(blocking, block)] == block_edges_of(blocking, block);
  }
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : found) reduction(&& : sound)
  for (uint64_t share = 0; share < num_rows; share += SHARE_ROWS) {
    uint64_t share_end = smaller(share + SHARE_ROWS, num_rows), row = share;
    uint64_t block = block_at(blocking->block_rows, num_blocks, row);
    for (; row < share_end; block++) {
      uint64_t first = blocking->block_rows[block];
      uint64_t end = smaller(blocking->block_rows[block + 1], share_end);
      sound = sound && rows_are_sound(direction, block, row - first, end - first, &found);
      row = end;
    }
  }
  *descents = found;
  return sound;
}

static bool columns_are_between(const uint32_t *columns, uint64_t count, uint64_t begin,
                                uint64_t end) {
  uint32_t least = UINT32_MAX, largest = 0;
  for (uint64_t i = 0; i < count; i++) {
    least = columns[i] < least ? columns[i] : least;
    largest = columns[i] > largest ? columns[i] : largest;
  }
  return count == 0 || (least >= begin && largest < end);
}

static uint64_t count_descents(const uint32_t *columns, uint64_t begin, uint64_t end) {
  uint64_t descents = 0;
  for (uint64_t edge = begin > 0 ? begin : 1; edge < end; edge++)
    descents += columns[edge - 1] > columns[edge];
  return descents;
}

/* BC-7, and the number of descents that BC-8 allows. */
static bool columns_are_sound(const struct direction *direction, uint64_t descents) {
  const struct qn_blocking *blocking = direction->blocking;
  uint64_t num_edges = direction->num_edges, found = 0;
  bool sound = true;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : found) reduction(&& : sound)
  for (uint64_t share = 0; share < num_edges; share += SHARE_EDGES) {
    uint64_t share_end = smaller(share + SHARE_EDGES, num_edges), edge = share;
    uint64_t block = block_at(blocking->block_edges, blocking->num_blocks, edge);
    qn_container_reading(direction->container, blocking->columns + share,
                         blocking->columns + share_end);
    found += count_descents(blocking->columns, share, share_end);
    for (; edge < share_end; block++) {
      uint64_t end = smaller(blocking->block_edges[block + 1], share_end);
      uint64_t first = block * blocking->block_vertices;
      uint64_t last = smaller(first + blocking->block_vertices, direction->num_vertices);
      sound = sound && columns_are_between(blocking->columns + edge, end - edge, first, last);
      edge = end;
    }
  }
  return sound && found == descents;
}

/* BC-6 for entry `range` of a block's starts; the id map must be sound. */
static bool start_is_sound(const struct qn_blocking *blocking, uint64_t block, uint64_t range) {
  const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
  uint64_t rows = block_rows_of(blocking, block);
  uint64_t start = qn_block_ranges(blocking, block)[range];
  uint64_t vertex = range * QN_RANGE_VERTICES;
  return start <= rows && (start == 0 || ids[start - 1] < vertex) &&
         (start == rows || ids[start] >= vertex);
}

static enum qn_status check_ranges(const struct direction *direction, struct qn_error *error) {
  const struct qn_blocking *blocking = direction->blocking;
  uint64_t entries = blocking->num_ranges + 1, bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t i = 0; i < blocking->num_blocks * entries; i++)
    if (!start_is_sound(blocking, i / entries, i % entries) && i < bad)
      bad = i;
  if (bad == UINT64_MAX)
    return QN_OK;
  return qn_container_violation(direction->container, error, "BC-6",
                                "%s: range %" PRIu64 " of block %" PRIu64
                                " does not start at its first local vertex",
                                direction->name, bad % entries, bad / entries);
}

/* ---- The slow walk -------------------------------------------------------- */

static enum qn_status report_edges(const struct direction *direction, uint64_t block, uint64_t row,
                                   struct qn_error *error) {
  const struct qn_blocking *blocking = direction->blocking;
  const uint32_t *offsets = qn_block_offsets(blocking, block);
  uint64_t first = block * blocking->block_vertices;
  uint64_t last = smaller(first + blocking->block_vertices, direction->num_vertices);
  uint64_t begin = blocking->block_edges[block] + offsets[row];
  uint64_t end = blocking->block_edges[block] + offsets[row + 1];
  for (uint64_t edge = begin; edge < end; edge++) {
    uint32_t column = blocking->columns[edge];
    if (column < first || column >= last)
      return qn_container_violation(direction->container, error, "BC-7",
                                    "%s: edge %" PRIu64 " has column %" PRIu32
                                    ", but block %" PRIu64 " is the vertices %" PRIu64
                                    " to %" PRIu64,
                                    direction->name, edge, column, block, first, last - 1);
    if (edge > begin && blocking->columns[edge - 1] > column)
      return qn_container_violation(direction->container, error, "BC-8",
                                    "%s: row %" PRIu64 " of block %" PRIu64
                                    " is not sorted at edge %" PRIu64,
                                    direction->name, row, block, edge);
  }
  return QN_OK;
}

static enum qn_status report_block(const struct direction *direction, uint64_t block,
                                   struct qn_error *error) {
  const struct qn_blocking *blocking = direction->blocking;
  const uint32_t *offsets = qn_block_offsets(blocking, block);
  const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
  uint64_t rows = block_rows_of(blocking, block), edges = block_edges_of(blocking, block);
  if (offsets[0] != 0 || offsets[rows] != edges)
    return qn_container_violation(direction->container, error, "BC-4",
                                  "%s: the row offsets of block %" PRIu64 " go from %" PRIu32
                                  " to %" PRIu32 ", not from 0 to %" PRIu64,
                                  direction->name, block, offsets[0], offsets[rows], edges);
  for (uint64_t row = 0; row < rows; row++) {
    if (offsets[row] >= offsets[row + 1] || offsets[row + 1] > edges)
      return qn_container_violation(direction->container, error, "BC-4",
                                    "%s: row offsets of block %" PRIu64
                                    " do not ascend after row %" PRIu64,
                                    direction->name, block, row);
    if (ids[row] >= direction->num_vertices)
      return qn_container_violation(direction->container, error, "BC-5",
                                    "%s: row %" PRIu64 " of block %" PRIu64 " is vertex %" PRIu32
                                    ", but there are %" PRIu64,
                                    direction->name, row, block, ids[row], direction->num_vertices);
    if (row > 0 && ids[row - 1] >= ids[row])
      return qn_container_violation(direction->container, error, "BC-5",
                                    "%s: the id map of block %" PRIu64
                                    " does not ascend at row %" PRIu64,
                                    direction->name, block, row);
    enum qn_status status = report_edges(direction, block, row, error);
    if (status)
      return status;
  }
  return QN_OK;
}

static enum qn_status check_direction(const struct direction *direction, struct qn_error *error) {
  uint64_t descents;
  enum qn_status status = QN_OK;
  if (!all_rows_are_sound(direction, &descents) || !columns_are_sound(direction, descents))
    for (uint64_t block = 0; block < direction->blocking->num_blocks && !status; block++)
      status = report_block(direction, block, error);
  return status ? status : check_ranges(direction, error);
}

static struct direction pull_of(const struct qn_container *container,
                                const struct qn_blocked_csr *blocked) {
  return (struct direction){container, &blocked->pull, "pull", blocked->num_vertices,
                            blocked->num_edges};
}

static struct direction push_of(const struct qn_container *container,
                                const struct qn_blocked_csr *blocked) {
  return (struct direction){container, &blocked->push, "push", blocked->num_vertices,
                            blocked->num_edges};
}

enum qn_status qn_blocked_csr_check(const struct qn_container *container,
                                    const struct qn_blocked_csr *blocked, struct qn_error *error) {
  struct direction pull = pull_of(container, blocked), push = push_of(container, blocked);
  enum qn_status status = QN_OK;
  if (blocked->has_pull)
    status = check_direction(&pull, error);
  if (!status && blocked->has_push)
    status = check_direction(&push, error);
  if (!status && blocked->has_out)
    status = qn_csr_check(container, &blocked->out, "G", "out-edges", error);
  if (!status)
    status = qn_ids_check(container, &blocked->ids, error);
  return status;
}

/* ---- Content: the same edges everywhere ----------------------------------- */

static uint64_t edge_sum(const struct qn_blocking *blocking, uint64_t begin, uint64_t end,
                         bool column_is_source) {
  unsigned weight_bytes = qn_weight_bytes(blocking->weights.type);
  uint64_t sum = 0;
  for (uint64_t edge = begin; edge < end; edge++) {
    uint64_t mixed = column_is_source ? qn_mix_source(blocking->columns[edge])
                                      : qn_mix_destination(blocking->columns[edge]);
    sum += mixed * qn_mix_weight_at(blocking->weights.data, weight_bytes, edge);
  }
  return sum;
}

static uint64_t block_fingerprint(const struct qn_blocking *blocking, uint64_t block,
                                  uint64_t begin, uint64_t end, bool column_is_source) {
  const uint32_t *offsets = qn_block_offsets(blocking, block);
  const uint32_t *ids = blocking->id_map + blocking->block_rows[block];
  uint64_t first = blocking->block_edges[block], sum = 0;
  for (uint64_t row = begin; row < end; row++) {
    uint64_t mixed = column_is_source ? qn_mix_destination(ids[row]) : qn_mix_source(ids[row]);
    sum += mixed *
           edge_sum(blocking, first + offsets[row], first + offsets[row + 1], column_is_source);
  }
  return sum;
}

/* Of all edges source -> destination, where columns are sources or destinations. */
static uint64_t fingerprint(const struct qn_blocking *blocking, bool column_is_source) {
  uint64_t num_blocks = blocking->num_blocks, num_rows = blocking->num_rows, sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
  for (uint64_t share = 0; share < num_rows; share += SHARE_ROWS) {
    uint64_t share_end = smaller(share + SHARE_ROWS, num_rows), row = share;
    uint64_t block = block_at(blocking->block_rows, num_blocks, row);
    for (; row < share_end; block++) {
      uint64_t first = blocking->block_rows[block];
      uint64_t end = smaller(blocking->block_rows[block + 1], share_end);
      sum += block_fingerprint(blocking, block, row - first, end - first, column_is_source);
      row = end;
    }
  }
  return sum;
}

/* BC-10, by the sum of what qn_mix_source makes of every edge's source. */
static enum qn_status check_degrees(const struct qn_container *container,
                                    const struct qn_blocked_csr *blocked, struct qn_error *error) {
  uint64_t expected = 0, found = 0, total = 0;
#pragma omp parallel for schedule(static) reduction(+ : expected, total)
  for (uint64_t v = 0; v < blocked->num_vertices; v++) {
    expected += blocked->out_degrees[v] * qn_mix_source((uint32_t)v);
    total += blocked->out_degrees[v];
  }
  if (blocked->has_pull) {
    const uint32_t *columns = blocked->pull.columns;
#pragma omp parallel for schedule(static) reduction(+ : found)
    for (uint64_t edge = 0; edge < blocked->num_edges; edge++)
      found += qn_mix_source(columns[edge]);
  } else {
    const struct qn_blocking *push = &blocked->push;
    for (uint64_t block = 0; block < push->num_blocks; block++) {
      const uint32_t *offsets = qn_block_offsets(push, block);
      const uint32_t *ids = push->id_map + push->block_rows[block];
      uint64_t rows = block_rows_of(push, block);
#pragma omp parallel for schedule(static) reduction(+ : found)
      for (uint64_t row = 0; row < rows; row++)
        found += (uint64_t)(offsets[row + 1] - offsets[row]) * qn_mix_source(ids[row]);
    }
  }
  if (total == blocked->num_edges && expected == found)
    return QN_OK;
  return qn_container_violation(container, error, "BC-10",
                                "out_degrees are not those of the edges: they sum to %" PRIu64
                                " for %" PRIu64 " edges",
                                total, blocked->num_edges);
}

static enum qn_status check_weights(const struct qn_container *container,
                                    const struct qn_blocked_csr *blocked, struct qn_error *error) {
  uint64_t count = blocked->num_edges;
  enum qn_status status = QN_OK;
  if (blocked->has_pull)
    status = qn_weights_check(container, "BC-9", "pull", &blocked->pull.weights, count, error);
  if (!status && blocked->has_push)
    status = qn_weights_check(container, "BC-9", "push", &blocked->push.weights, count, error);
  if (!status && blocked->has_out)
    status = qn_weights_check(container, "BC-9", "out-edges", &blocked->out.weights, count, error);
  return status;
}

enum qn_status qn_blocked_csr_check_content(const struct qn_container *container,
                                            const struct qn_blocked_csr *blocked,
                                            struct qn_error *error) {
  enum qn_status status = check_weights(container, blocked, error);
  if (!status)
    status = check_degrees(container, blocked, error);
  if (status)
    return status;
  bool pull = blocked->has_pull;
  uint64_t edges = pull ? fingerprint(&blocked->pull, true) : fingerprint(&blocked->push, false);
  if (pull && blocked->has_push && fingerprint(&blocked->push, false) != edges)
    return qn_container_violation(container, error, "BC-11",
                                  "pull and push blocks do not hold the same edges");
  if (blocked->has_out && qn_csr_fingerprint(&blocked->out, false) != edges)
    return qn_container_violation(container, error, "BC-12",
                                  "the plain out-edges are not those of the blocks");
  if (blocked->directedness == QN_UNDIRECTED &&
      edges != (pull ? fingerprint(&blocked->pull, false) : fingerprint(&blocked->push, true)))
    return qn_container_violation(container, error, "BC-13",
                                  "the header says undirected, but some edge lacks its reverse");
  return QN_OK;
}
