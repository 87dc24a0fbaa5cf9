/* The graph layout: compressed sparse rows, the hub from which all other
 * layouts are made (specs/graph.md). */
#ifndef QUERN_GRAPH_H
#define QUERN_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/ids.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The section `name` of weights, one an edge as the header counts them: it is there if and only if
 * the header says so (G-6). For every layout that keeps weights in one section. */
enum qn_status qn_weights_view(const struct qn_container *container, const char *name,
                               struct qn_weights *weights, struct qn_error *error);

/* As qn_weights_view for a section of `count` weights. */
enum qn_status qn_weights_view_count(const struct qn_container *container, const char *name,
                                     uint64_t count, struct qn_weights *weights,
                                     struct qn_error *error);

/* Are all real weights (f32, f64) finite? QN_INVALID names `rule` and the first edge at fault. */
enum qn_status qn_weights_check(const struct qn_container *container, const char *rule,
                                const char *name, const struct qn_weights *weights, uint64_t count,
                                struct qn_error *error);

/* Map and structurally check a graph container (section presence, types, counts; the end points of
 * row offsets). Contents are checked by qn_graph_check. Unmap with qn_graph_unmap. */
enum qn_status qn_graph_map(const char *path, struct qn_graph *graph, struct qn_error *error);
void qn_graph_unmap(struct qn_graph *graph);

/* The writable arrays of a graph in memory. `weights` is NULL without weights. */
struct qn_graph_arrays {
  uint64_t *row_offsets;
  uint32_t *column_indices;
  void *weights; /* uint32_t, float, int64_t or double */
};

/* A directed graph in memory, or in temporary files if there is a limit of memory
 * (support/temp_file.h), with uninitialised contents, dense ids and no transpose, to be filled
 * through `arrays`. Free it with qn_graph_unmap. */
enum qn_status qn_graph_create(uint64_t num_vertices, uint64_t num_edges, enum qn_weight_type type,
                               struct qn_graph *graph, struct qn_graph_arrays *arrays,
                               struct qn_error *error);

/* The out-degree of a vertex, as every layout has it. */
static inline uint64_t qn_graph_out_degree(const struct qn_graph *graph, uint64_t vertex) {
  return graph->out.row_offsets[vertex + 1] - graph->out.row_offsets[vertex];
}

/* As qn_graph_map, for a container that is mapped already; the view borrows it. */
enum qn_status qn_graph_view(const struct qn_container *container, struct qn_graph *graph,
                             struct qn_error *error);

/* Check what kernels rely on, in parallel at memory speed: row offsets ascend
 * to E (G-1 to G-3), column indices are in range and ascend in their rows (G-4, G-5), in
 * both directions, and ids can be looked up (ID-1 to ID-4). Afterwards kernels may index
 * without further checks. */
enum qn_status qn_graph_check(const struct qn_container *container, const struct qn_graph *graph,
                              struct qn_error *error);

/* Every other invariant, for quern-verify: finite weights (G-7), a transpose that holds the
 * same edges (G-8), symmetry of undirected graphs (G-9). Call after qn_graph_check. */
enum qn_status qn_graph_check_content(const struct qn_container *container,
                                      const struct qn_graph *graph, struct qn_error *error);

/* Both checks. Call this before making another file of the graph, which would inherit its faults.
 */
enum qn_status qn_graph_check_all(const struct qn_container *container,
                                  const struct qn_graph *graph, struct qn_error *error);

/* The checks of qn_graph_check and G-7 for one CSR, as other layouts need them too. `rules` is
 * the prefix of the rule numbers ("G", "S", ...); `name` what to call the CSR in messages. */
enum qn_status qn_csr_check(const struct qn_container *container, const struct qn_csr *csr,
                            const char *rules, const char *name, struct qn_error *error);

/* The fingerprint (quern/fingerprint.h) of the edges row -> column of a checked CSR, or with
 * `reverse` of column -> row. */
uint64_t qn_csr_fingerprint(const struct qn_csr *csr, bool reverse);
/* The same where row v is that of vertex first_row + v. */
uint64_t qn_rows_fingerprint(const struct qn_csr *csr, uint64_t first_row, bool reverse);

/* Does every edge of a checked CSR have its reverse, as often and with the same weights? Judged by
 * the fingerprints of the edges and of their reversals. */
bool qn_csr_is_symmetric(const struct qn_csr *csr);

/* Add the sections of the graph layout to a writer, in the spec's order. Call
 * in this order; each gives the pointers to fill (weights as the info's type says). */
enum qn_status qn_graph_write_rows(struct qn_writer *writer, uint64_t num_vertices,
                                   uint64_t **row_offsets, struct qn_error *error);
/* `num_edges` may be an upper bound that qn_writer_shrink corrects. `*weights` is NULL without
 * weights.
 */
enum qn_status qn_graph_write_columns(struct qn_writer *writer, uint64_t num_edges,
                                      uint32_t **column_indices, struct qn_error *error);
enum qn_status qn_graph_write_weights(struct qn_writer *writer, uint64_t num_edges, void **weights,
                                      struct qn_error *error);
/* The transpose, after the three above: sections in_row_offsets, in_column_indices, in_weights. */
enum qn_status qn_graph_write_in_rows(struct qn_writer *writer, uint64_t num_vertices,
                                      uint64_t **row_offsets, struct qn_error *error);
enum qn_status qn_graph_write_in_columns(struct qn_writer *writer, uint64_t num_edges,
                                         uint32_t **column_indices, struct qn_error *error);
enum qn_status qn_graph_write_in_weights(struct qn_writer *writer, uint64_t num_edges,
                                         void **weights, struct qn_error *error);

/* ---- What every other layout declares ---------------------------------------
 *
 * LAYOUT_map: map a container and check its structure. Give back with LAYOUT_unmap.
 * LAYOUT_view: the same for a container that is mapped already, which the view then borrows.
 * LAYOUT_check: what kernels rely on when they index, in parallel at memory speed.
 * LAYOUT_check_content: the other rules, for quern-verify, after LAYOUT_check.
 * LAYOUT_describe, LAYOUT_restore: the operations of quern/layouts.h. */
#define QN_DECLARE_LAYOUT(layout)                                                                  \
  enum qn_status qn_##layout##_map(const char *path, struct qn_##layout *view,                     \
                                   struct qn_error *error);                                        \
  void qn_##layout##_unmap(struct qn_##layout *view);                                              \
  enum qn_status qn_##layout##_view(const struct qn_container *container,                          \
                                    struct qn_##layout *view, struct qn_error *error);             \
  enum qn_status qn_##layout##_check(const struct qn_container *container,                         \
                                     const struct qn_##layout *view, struct qn_error *error);      \
  enum qn_status qn_##layout##_check_content(const struct qn_container *container,                 \
                                             const struct qn_##layout *view,                       \
                                             struct qn_error *error);                              \
  enum qn_status qn_##layout##_describe(const struct qn_container *container, json_t *object,      \
                                        struct qn_error *error);                                   \
  enum qn_status qn_##layout##_restore(const struct qn_container *container,                       \
                                       struct qn_graph *graph, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
