/* The shards layout (specs/shards.md): Garaph's in-edges, grouped by ranges of destinations whose
 * accumulators fit a GPU's shared memory; in-edges and out-edges by row for CPU threads. */
#ifndef QUERN_SHARDS_H
#define QUERN_SHARDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/graph.h>
#include <quern/ids.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Positions in the header's parameters. */
enum qn_shards_parameter {
  QN_SH_NUM_SHARDS = 0,
  QN_SH_NUM_PAGES = 1,
  QN_SH_MAX_SHARD_VERTICES = 2,
  QN_SH_SHARED_BYTES = 3,
  QN_SH_PAGE_BYTES = 4,
};

#define QN_SH_MAX_VERTICES ((uint64_t)1 << 16) /* of a shard: offsets have 16 bits */
#define QN_SH_MAX_REPLICATION 32               /* one copy a thread of a warp */
#define QN_SH_VALUE_BYTES 4                    /* of an accumulator in shared memory */

struct qn_shards {
  struct qn_container *container; /* owned; NULL for borrowed containers */
  enum qn_directedness directedness;
  uint64_t num_vertices;
  uint64_t num_edges;
  uint64_t num_shards;
  uint64_t num_pages;
  uint64_t max_shard_vertices; /* 1 to QN_SH_MAX_VERTICES */
  uint64_t shared_bytes;       /* vertices x replication x 4 is at most this; 0: no limit */
  uint64_t page_bytes;         /* edges of a page are at most this */
  /* [num_shards + 1] shard s is the destinations [vertex_offsets[s], vertex_offsets[s + 1]) */
  const uint32_t *vertex_offsets;
  const uint8_t *replication;  /* [num_shards] copies of each accumulator: a power of 2, 1 to 32 */
  const uint32_t *page_shards; /* [num_pages + 1] page g is the shards
                                  [page_shards[g], page_shards[g + 1]) */
  /* In-edges by destination (CSC): row v spans edges [row_offsets[v], row_offsets[v + 1]), and a
   * shard has the edges of its rows. Columns are sources, ascending in a row. */
  struct qn_csr in;
  const uint16_t *destination_offsets; /* [E] the destination minus the shard's first vertex */
  /* Out-edges by source, without weights, for notification; of an undirected graph the in-edges. */
  struct qn_csr out;
  struct qn_ids ids;
};

/* The edges of shard s are [qn_sh_edge(view, s), qn_sh_edge(view, s + 1)). */
static inline uint64_t qn_sh_edge(const struct qn_shards *view, uint64_t shard) {
  return view->in.row_offsets[view->vertex_offsets[shard]];
}

/* The out-degree of a vertex of the graph. */
static inline uint64_t qn_shards_out_degree(const struct qn_shards *view, uint64_t vertex) {
  return view->out.row_offsets[vertex + 1] - view->out.row_offsets[vertex];
}

/* Garaph's equation (2), R = 2^min(ceil(log2(E / V) - 0.5), 5), at least 1, for a shard of
 * `num_vertices` (1 to 65,536) destinations and `num_edges` edges: without logarithms, the least
 * power of 2 with E / V <= R sqrt(2), that is E^2 <= 2 R^2 V^2. */
uint32_t qn_sh_replication(uint64_t num_edges, uint64_t num_vertices);

/* Bytes of one edge in a page: source, destination offset, weight. */
static inline uint64_t qn_sh_edge_bytes(enum qn_weight_type type) {
  return 6 + qn_weight_bytes(type);
}

/* Structure: SH-1, sections, types, counts. Check: SH-1 to SH-9, G-1 to G-5 for both directions,
 * and ID-1 to ID-4. Content: finite weights (SH-10), out-edges that are the in-edges (SH-11),
 * symmetry of undirected graphs (SH-12). */
QN_DECLARE_LAYOUT(shards)

/* The sections of a container being written. */
struct qn_shards_arrays {
  uint64_t *in_row_offsets;
  uint32_t *sources;
  void *weights; /* as the header's type says; NULL without weights */
  uint32_t *vertex_offsets;
  uint8_t *replication;
  uint32_t *page_shards;
  uint16_t *destination_offsets;
  uint64_t *out_row_offsets; /* NULL for undirected graphs, like the next */
  uint32_t *out_destinations;
};

/* Add the sections to a writer, in the order of the spec. In-edges (the first three arrays) need
 * only the counts in its info; the others also need its parameters, which may be computed from the
 * in-edges. */
enum qn_status qn_shards_write_in_edges(struct qn_writer *writer, struct qn_shards_arrays *arrays,
                                        struct qn_error *error);
enum qn_status qn_shards_write_shards(struct qn_writer *writer, struct qn_shards_arrays *arrays,
                                      struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
