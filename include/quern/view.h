/* The view of a graph that everything works on: rows of edges with their weights, and the
 * vocabulary of headers. container.h and graph.h map, check and write it. */
#ifndef QUERN_VIEW_H
#define QUERN_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_container;

/* The layouts of a graph, a row each: constant, code in the header, name in C (struct qn_NAME,
 * qn_NAME_view, ...), name for people and JSON, the command that makes it. Everything else about
 * layouts is derived from these rows: the enum below, names, and the table of quern/layouts.h. */
#define QN_GRAPH_LAYOUTS(ROW)                                                                      \
  ROW(GRAPH, 1, graph, "graph", "quern-import")                                                    \
  ROW(BLOCKED_CSR, 2, blocked_csr, "blocked-csr", "quern-block")                                   \
  ROW(EDGE_PARTITIONS, 3, edge_partitions, "edge-partitions", "quern-partition")                   \
  ROW(SLOTTED_PAGES, 4, slotted_pages, "slotted-pages", "quern-page")                              \
  ROW(SHARDS, 5, shards, "shards", "quern-shard")                                                  \
  ROW(HYBRID, 6, hybrid, "hybrid", "quern-hybrid")                                                 \
  ROW(PACKED, 8, packed, "packed", "quern-pack")

#define QN_LAYOUT_CONSTANT(CONSTANT, code, layout, name, command) QN_LAYOUT_##CONSTANT = code,

/* QN_LAYOUT_GRAPH, QN_LAYOUT_BLOCKED_CSR, ... */
enum qn_layout {
  QN_GRAPH_LAYOUTS(QN_LAYOUT_CONSTANT) QN_LAYOUT_CHECKPOINT = 7, /* of a run on one of the others */
  QN_LAYOUT_SET = 0x10000, /* of no file: a graph in several, as kernels see it (specs/set.md) */
};

enum qn_weight_type {
  QN_WEIGHT_NONE = 0,
  QN_WEIGHT_U32 = 1,
  QN_WEIGHT_F32 = 2,
  QN_WEIGHT_I64 = 3,
  QN_WEIGHT_F64 = 4,
};
#define QN_WEIGHT_TYPES 5 /* "none" is one, too */

/* The bytes of a weight: 0, 4 or 8. */
static inline unsigned qn_weight_bytes(enum qn_weight_type type) {
  return type == QN_WEIGHT_NONE ? 0 : type == QN_WEIGHT_U32 || type == QN_WEIGHT_F32 ? 4 : 8;
}

/* Undirected: every edge that is not a loop is stored in both directions, with the same
 * multiplicity and weights. */
enum qn_directedness { QN_DIRECTED = 0, QN_UNDIRECTED = 1 };

/* Weights of E edges: the pointer of their `type` is valid, and `data` is NULL if there are none.
 */
struct qn_weights {
  enum qn_weight_type type;
  union {
    const void *data; /* qn_weight_bytes(type) each */
    const uint32_t *u32;
    const float *f32;
    const int64_t *i64;
    const double *f64;
  };
};

/* One direction of a graph. Row v spans edges [row_offsets[v], row_offsets[v+1]);
 * within a row the column indices ascend; equal ones (multi-edges) stay in input order. */
struct qn_csr {
  uint64_t num_vertices;          /* V < 2^32 */
  uint64_t num_edges;             /* E */
  const uint64_t *row_offsets;    /* V + 1 */
  const uint32_t *column_indices; /* E, each < V */
  struct qn_weights weights;      /* E, in the order of column_indices */
};

/* A number for every vertex, in as few bytes as the greatest takes. */
struct qn_degrees {
  const void *data; /* [V] */
  unsigned bytes;   /* of each: 1, 2, 4 or 8 */
};

static inline uint64_t qn_degree_of(const struct qn_degrees *degrees, uint64_t vertex) {
  switch (degrees->bytes) {
  case 1:
    return ((const uint8_t *)degrees->data)[vertex];
  case 2:
    return ((const uint16_t *)degrees->data)[vertex];
  case 4:
    return ((const uint32_t *)degrees->data)[vertex];
  default:
    return ((const uint64_t *)degrees->data)[vertex];
  }
}

enum qn_id_kind {
  QN_IDS_DENSE = 0,   /* no map: vertex v is called v */
  QN_IDS_NUMBERS = 1, /* section original_ids, u64[V] */
  QN_IDS_STRINGS = 2, /* sections id_offsets, u64[V+1], and id_bytes */
};

/* What the outside world calls the vertices (quern/ids.h). Ids are unique. Their ascending order
 * (by number, or by unsigned bytes) is the graph's original order. */
struct qn_ids {
  enum qn_id_kind kind;
  uint64_t num_vertices;
  const uint64_t *numbers;        /* [V] */
  const uint64_t *string_offsets; /* [V + 1] into string_bytes */
  const char *string_bytes;
  bool ascending; /* vertex order is the original order (true for dense ids) */
};

/* A graph: mapped, with pointers into the mapping, or in memory of its own. */
struct qn_graph {
  struct qn_container *container; /* owned; NULL for borrowed containers and graphs in memory */
  bool owns_arrays;               /* the arrays of `out` are this graph's own */
  enum qn_directedness directedness;
  bool has_transpose; /* in-edges are at hand: stored, or the same as `out` when undirected */
  struct qn_csr out;  /* out-edges */
  struct qn_csr in;   /* in-edges: row = destination; valid if has_transpose (when
                        undirected: the same arrays as `out`) */
  struct qn_ids ids;  /* original ids */
};

#ifdef __cplusplus
}
#endif
#endif
