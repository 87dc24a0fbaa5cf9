/* Edges go through the builder (build.h), which removes, adds and sorts; here they are
 * turned, weighted and renumbered on the way to it. */
#include "converters/graph/transform.h"

#include <string.h>

#include "converters/build/build.h"
#include "converters/graph/order.h"
#include "converters/graph/relabel.h"
#include "formats/graph/csr_shares.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/random.h"
#include "support/temp_file.h"
#include <quern/transpose.h>

#define PART_EDGES ((uint64_t)1 << 16)

struct job {
  const struct qn_graph *graph;
  const struct qn_transform *transform;
  bool undirected; /* the result is */
  struct qn_relabeling relabeling;
  struct qn_edge_list *list;
  uint64_t weight_key;
};

/* ---- Degrees of the result ------------------------------------------------ */

/* A row while it is merged with another. */
struct row {
  const uint32_t *next, *end;
};

static struct row row_of(const struct qn_csr *csr, uint64_t vertex) {
  return (struct row){csr->column_indices + csr->row_offsets[vertex],
                      csr->column_indices + csr->row_offsets[vertex + 1]};
}

/* Entries of a row that stay. */
static uint64_t count_row(const struct qn_transform *transform, struct row row, uint64_t vertex) {
  uint64_t count = 0, last = UINT64_MAX;
  for (; row.next < row.end; row.next++) {
    bool removed = (transform->remove_self_loops && *row.next == vertex) ||
                   (transform->remove_duplicates && *row.next == last);
    count += !removed;
    last = *row.next;
  }
  return count;
}

/* Entries that stay of a vertex's out- and in-edges together, in which a loop occurs twice but
 * counts once. */
static uint64_t count_union(const struct qn_transform *transform, struct row out, struct row in,
                            uint64_t vertex) {
  if (!transform->remove_duplicates) {
    struct row loops = out;
    uint64_t num_loops = 0;
    for (; loops.next < loops.end; loops.next++)
      num_loops += *loops.next == vertex;
    uint64_t both = count_row(transform, out, vertex) + count_row(transform, in, vertex);
    return transform->remove_self_loops ? both : both - num_loops;
  }
  uint64_t count = 0, last = UINT64_MAX;
  while (out.next < out.end || in.next < in.end) {
    bool from_out = in.next == in.end || (out.next < out.end && *out.next <= *in.next);
    uint64_t column = from_out ? *out.next++ : *in.next++;
    count += column != last && !(transform->remove_self_loops && column == vertex);
    last = column;
  }
  return count;
}

static enum qn_status compute_degrees(const struct job *job, uint64_t *degrees,
                                      struct qn_error *error) {
  const struct qn_graph *graph = job->graph;
  const struct qn_transform *transform = job->transform;
  struct qn_graph transposed = {0};
  const struct qn_csr *in = &graph->in;
  bool one_sided = graph->directedness == QN_UNDIRECTED;
  if (!one_sided && !graph->has_transpose) {
    enum qn_status status = qn_graph_create_transpose(&graph->out, &transposed, error);
    if (status)
      return status;
    in = &transposed.out;
  }
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < graph->out.num_vertices; v++) {
    struct row out_row = row_of(&graph->out, v);
    if (one_sided)
      degrees[v] = count_row(transform, out_row, v);
    else if (job->undirected)
      degrees[v] = count_union(transform, out_row, row_of(in, v), v);
    else
      degrees[v] = count_row(transform, out_row, v) + count_row(transform, row_of(in, v), v);
  }
  qn_graph_unmap(&transposed);
  return QN_OK;
}

static enum qn_status order_by_groups(const struct job *job, uint32_t *order,
                                      struct qn_error *error) {
  struct qn_vertex_groups groups;
  if (job->transform->groups)
    return qn_order_groups(job->transform->groups, order, error);
  enum qn_status status = qn_vertex_file_read(job->transform->relabel_file, &job->graph->ids, true,
                                              &groups, NULL, NULL, error);
  if (!status)
    status = qn_order_groups(&groups, order, error);
  qn_vertex_groups_destroy(&groups);
  return status;
}

static enum qn_status relabel_in_order(struct job *job, struct qn_error *error) {
  const uint64_t num_vertices = job->graph->out.num_vertices;
  uint32_t *order;
  enum qn_status status =
      qn_pages_alloc(&order, num_vertices, sizeof *order, "the new order of vertices", error);
  if (status)
    return status;
  if (job->transform->relabel == QN_RELABEL_RCM)
    status = qn_order_rcm(job->graph, order, error);
  else if (job->transform->relabel == QN_RELABEL_LLP)
    status = qn_order_llp(job->graph, job->transform->relabel_seed, order, error);
  else if (job->transform->relabel == QN_RELABEL_GORDER)
    status = qn_order_gorder(job->graph, order, error);
  else if (job->transform->relabel == QN_RELABEL_METIS)
    status = qn_order_metis(job->graph, order, error);
  else
    status = order_by_groups(job, order, error);
  if (!status)
    return qn_relabel_in_order(&job->graph->ids, order, &job->relabeling, error);
  qn_pages_free(order, num_vertices, sizeof *order);
  return status;
}

static enum qn_status relabel_by_degree(struct job *job, struct qn_error *error) {
  const struct qn_ids *ids = &job->graph->ids;
  uint64_t num_vertices = job->graph->out.num_vertices;
  uint64_t *degrees;
  enum qn_status status = qn_pages_alloc(&degrees, num_vertices, sizeof *degrees, "degrees", error);
  if (!status)
    status = compute_degrees(job, degrees, error);
  if (!status)
    status = qn_relabel_descending(ids, degrees, &job->relabeling, error);
  qn_pages_free(degrees, num_vertices, sizeof *degrees);
  return status;
}

static enum qn_status relabel(struct job *job, struct qn_error *error) {
  switch (job->transform->relabel) {
  case QN_RELABEL_DEGREE:
    return relabel_by_degree(job, error);
  case QN_RELABEL_RANDOM:
    return qn_relabel_randomly(&job->graph->ids, job->transform->relabel_seed, &job->relabeling,
                               error);
  case QN_RELABEL_RCM:
  case QN_RELABEL_LLP:
  case QN_RELABEL_GORDER:
  case QN_RELABEL_METIS:
  case QN_RELABEL_GROUPS:
    return relabel_in_order(job, error);
  case QN_RELABEL_NONE:
    break;
  }
  return QN_OK;
}

/* ---- Edges ---------------------------------------------------------------- */

/* The random weight of the edge that is the `place`-th of its duplicates. */
static uint32_t draw_weight(const struct job *job, uint64_t source, uint64_t destination,
                            uint64_t place) {
  if (job->undirected && source > destination) {
    uint64_t swapped = source;
    source = destination;
    destination = swapped;
  }
  uint64_t pair = qn_random_at(job->weight_key, source << 32 | destination);
  return qn_random_weight(&job->transform->weights, qn_random_at(pair, place));
}

static void push_edge(const struct job *job, struct qn_edge_stream *stream, uint64_t row,
                      uint64_t edge, uint64_t place) {
  const struct qn_csr *csr = &job->graph->out;
  uint64_t column = csr->column_indices[edge];
  if (column >= csr->num_vertices) /* the file is being overwritten (used_files.h) */
    return;
  uint64_t source = job->transform->transpose ? column : row;
  uint64_t destination = job->transform->transpose ? row : column;
  enum qn_weight_type type = csr->weights.type;
  unsigned weight_bytes = qn_weight_bytes(type);
  uint64_t bits = weight_bytes ? qn_weight_load(csr->weights.data, weight_bytes, edge) : 0;
  if (job->transform->weights.type != QN_WEIGHT_NONE) {
    type = job->transform->weights.type;
    bits = draw_weight(job, source, destination, place);
  }
  if (job->relabeling.new_of_old) {
    source = job->relabeling.new_of_old[source];
    destination = job->relabeling.new_of_old[destination];
  }
  if (type == QN_WEIGHT_NONE)
    qn_edge_push(stream, source, destination);
  else
    qn_edge_push_weighted(stream, source, destination, type, bits);
}

static enum qn_status push_part(const struct job *job, uint64_t part, struct qn_error *error) {
  const struct qn_csr *csr = &job->graph->out;
  struct qn_edge_stream stream;
  uint64_t edge = part * PART_EDGES;
  uint64_t last = edge + PART_EDGES < csr->num_edges ? edge + PART_EDGES : csr->num_edges;
  qn_edge_stream_open(&stream, job->list, part);
  uint64_t row = qn_row_of_edge(csr, edge), place = 0;
  /* The first edge may have duplicates in the part before. */
  while (place < edge && edge - place > csr->row_offsets[row] &&
         csr->column_indices[edge - place - 1] == csr->column_indices[edge])
    place++;
  for (; edge < last; edge++) {
    while (row + 1 < csr->num_vertices && csr->row_offsets[row + 1] <= edge)
      row++;
    push_edge(job, &stream, row, edge, place);
    bool repeated = edge + 1 < csr->row_offsets[row + 1] &&
                    csr->column_indices[edge + 1] == csr->column_indices[edge];
    place = repeated ? place + 1 : 0;
  }
  qn_progress_add(PART_EDGES);
  return qn_edge_stream_close(&stream, error);
}

static enum qn_status push_edges(const struct job *job, struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t num_edges = job->graph->out.num_edges;
  qn_progress_begin("transforming", "edges", num_edges);
#pragma omp parallel for schedule(dynamic)
  for (uint64_t part = 0; part < (num_edges + PART_EDGES - 1) / PART_EDGES; part++) {
    enum qn_status before;
    struct qn_error failure;
#pragma omp atomic read
    before = status;
    enum qn_status after = before ? before : push_part(job, part, &failure);
    if (!before && after) {
#pragma omp critical
      {
        if (error)
          *error = failure;
        status = after;
      }
    }
  }
  qn_progress_end();
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_weight_choice kept_weights(const struct job *job) {
  static const enum qn_weight_choice choices[] = {[QN_WEIGHT_NONE] = QN_WEIGHTS_NONE,
                                                  [QN_WEIGHT_U32] = QN_WEIGHTS_U32,
                                                  [QN_WEIGHT_F32] = QN_WEIGHTS_F32,
                                                  [QN_WEIGHT_I64] = QN_WEIGHTS_I64,
                                                  [QN_WEIGHT_F64] = QN_WEIGHTS_F64};
  enum qn_weight_type drawn = job->transform->weights.type;
  enum qn_weight_type type = drawn != QN_WEIGHT_NONE ? drawn : job->graph->out.weights.type;
  bool narrowed = job->transform->narrow_weights && qn_weight_bytes(type) == 8;
  return narrowed ? QN_WEIGHTS_F32 : choices[type];
}

static enum qn_status build(const struct job *job, struct qn_writer *writer,
                            struct qn_ledger *ledger, struct qn_error *error) {
  const struct qn_transform *transform = job->transform;
  const struct qn_graph *graph = job->graph;
  bool was_undirected = graph->directedness == QN_UNDIRECTED;
  struct qn_build build = {
      .num_vertices = graph->out.num_vertices,
      .undirected = transform->symmetrize && !was_undirected,
      .already_symmetric = was_undirected,
      .transpose = transform->store_in_edges,
      .ids = QN_ID_KEEP,
      .weights = kept_weights(job), /* also where no edge is left to tell */
      .narrow_weights = transform->narrow_weights,
      .self_loops = transform->remove_self_loops ? QN_SELF_LOOPS_REMOVE : QN_SELF_LOOPS_KEEP,
      .duplicates = transform->remove_duplicates ? QN_DUPLICATES_REMOVE : QN_DUPLICATES_KEEP,
  };
  if (job->relabeling.new_of_old)
    build.names = &job->relabeling.ids;
  else if (graph->ids.kind != QN_IDS_DENSE)
    build.names = &graph->ids;
  ledger->records = graph->out.num_edges + ledger->edges_left_out;
  enum qn_status status = qn_build_graph(job->list, &build, writer, ledger, error);
  return status ? status : qn_ledger_check(ledger, error);
}

static enum qn_status create_list(struct job *job, struct qn_error *error) {
  bool was_undirected = job->graph->directedness == QN_UNDIRECTED;
  struct qn_spill_options spill = {.undirected = job->transform->symmetrize && !was_undirected,
                                   .ids = QN_SPILL_IDS_IGNORE};
  return qn_memory_limit() ? qn_edge_list_create_on_disk(&spill, &job->list, error)
                           : qn_edge_list_create(&job->list, error);
}

enum qn_status qn_transform_graph(const struct qn_graph *graph,
                                  const struct qn_transform *transform, struct qn_writer *writer,
                                  struct qn_ledger *ledger, struct qn_error *error) {
  enum { STREAM_WEIGHTS = 18 };
  struct job job = {.graph = graph,
                    .transform = transform,
                    .undirected = graph->directedness == QN_UNDIRECTED || transform->symmetrize,
                    .weight_key = qn_random_key(transform->weights.seed, STREAM_WEIGHTS)};
  enum qn_status status = QN_OK;
  status = relabel(&job, error);
  if (!status)
    status = create_list(&job, error);
  if (!status) {
    qn_edge_list_weights_are_binary(job.list, job.graph->out.weights.type);
    status = push_edges(&job, error);
  }
  if (!status)
    status = build(&job, writer, ledger, error);
  qn_edge_list_destroy(job.list);
  qn_relabeling_destroy(&job.relabeling);
  return status;
}
