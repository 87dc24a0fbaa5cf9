/* This rank's rows, by the builder. */
#include <string.h>

#include "converters/distributed/state.h"
#include "formats/graph/statistics.h"
#include "support/memory.h"
#include "support/ranks/exchange.h"

static enum qn_weight_choice choice_of(enum qn_weight_type type) {
  static const enum qn_weight_choice choices[] = {[QN_WEIGHT_NONE] = QN_WEIGHTS_NONE,
                                                  [QN_WEIGHT_U32] = QN_WEIGHTS_U32,
                                                  [QN_WEIGHT_F32] = QN_WEIGHTS_F32,
                                                  [QN_WEIGHT_I64] = QN_WEIGHTS_I64,
                                                  [QN_WEIGHT_F64] = QN_WEIGHTS_F64};
  return choices[type];
}

/* Names of vertices are not here: edges are called by the numbers of their ends. */
static enum qn_status refuse_repeated(const struct qn_distributed *distributed, uint64_t row,
                                      uint64_t column, struct qn_error *error) {
  const bool turned = distributed->turned;
  return qn_fail(error, QN_INVALID,
                 "the edge from %llu to %llu (counted from 0 in the order of ids) occurs more "
                 "than once, which the format forbids; --duplicates=keep, remove, min or sum "
                 "accepts it",
                 (unsigned long long)(turned ? column : row),
                 (unsigned long long)(turned ? row : column));
}

static enum qn_status refuse_overflow(const struct qn_distributed *distributed, uint64_t row,
                                      uint64_t column, struct qn_error *error) {
  const bool turned = distributed->turned;
  return qn_fail(error, QN_INVALID,
                 "the weights of the edges from %llu to %llu (counted from 0 in the order of ids) "
                 "sum to more than %s can hold%s",
                 (unsigned long long)(turned ? column : row),
                 (unsigned long long)(turned ? row : column),
                 qn_weight_type_name(distributed->sender.weight_type),
                 distributed->sender.weight_type == QN_WEIGHT_U32   ? "; use --weights=i64"
                 : distributed->sender.weight_type == QN_WEIGHT_F64 ? ""
                                                                    : "; use --weights=f64");
}

static enum qn_duplicates duplicates_of(const struct qn_distributed *distributed) {
  const enum qn_duplicates chosen = distributed->build->duplicates;
  return distributed->sender.weight_type == QN_WEIGHT_NONE && chosen ? QN_DUPLICATES_REMOVE
                                                                     : chosen;
}

/* ---- On disk -------------------------------------------------------------------------- */

static enum qn_status build_on_disk(struct qn_distributed *distributed, struct qn_error *error) {
  uint64_t repeated[2] = {UINT64_MAX, UINT64_MAX}, overflowed[2] = {UINT64_MAX, UINT64_MAX};
  const struct qn_build build = {.num_vertices = distributed->num_vertices,
                                 .ids = QN_ID_KEEP,
                                 .weights = choice_of(distributed->sender.weight_type),
                                 .duplicates = duplicates_of(distributed),
                                 .unique = distributed->build->unique,
                                 .repeated = repeated,
                                 .overflowed = overflowed};
  struct qn_ledger ledger = {0};
  struct qn_writer *writer;
  struct qn_graph graph = {0};
  enum qn_status status = qn_writer_create(NULL, false, &writer, error);
  if (status)
    return status;
  status = qn_build_graph(distributed->received, &build, writer, &ledger, error);
  if (status == QN_INVALID && repeated[0] != UINT64_MAX)
    status = refuse_repeated(distributed, repeated[0], repeated[1], error);
  else if (status == QN_INVALID && overflowed[0] != UINT64_MAX)
    status = refuse_overflow(distributed, overflowed[0], overflowed[1], error);
  if (status) {
    qn_writer_abort(writer);
    return status;
  }
  status = qn_writer_commit_nameless(writer, "(the rows)", &distributed->rows.container, error);
  if (!status)
    status = qn_graph_view(distributed->rows.container, &graph, error);
  distributed->rows.csr = graph.out;
  return status;
}

/* ---- In memory ------------------------------------------------------------------------ */

static enum qn_status sort_rows(struct qn_distributed *distributed, struct qn_error *error) {
  const struct qn_sort_options options = {.duplicates = duplicates_of(distributed),
                                          .weight_type = distributed->sender.weight_type};
  struct qn_sort_overflow overflow;
  enum qn_status status =
      qn_edge_buckets_sort(&distributed->sender.buckets, &options, &overflow, error);
  return status || !overflow.found
             ? status
             : refuse_overflow(distributed, overflow.source, overflow.destination, error);
}

static enum qn_status build_in_memory(struct qn_distributed *distributed, struct qn_error *error) {
  const struct qn_edge_buckets *buckets = &distributed->sender.buckets;
  const enum qn_weight_type type = distributed->sender.weight_type;
  const uint64_t num_vertices = distributed->num_vertices;
  uint64_t *offsets = NULL;
  uint32_t *columns = NULL;
  void *weights = NULL;
  enum qn_status status = sort_rows(distributed, error);
  const uint64_t num_edges = status ? 0 : qn_build_count_sorted(buckets);
  if (!status)
    status = qn_pages_alloc(&offsets, num_vertices + 1, sizeof *offsets, "rows", error);
  if (!status)
    status = qn_pages_alloc(&columns, num_edges, sizeof *columns, "edges", error);
  if (!status && type != QN_WEIGHT_NONE)
    status = qn_pages_alloc(&weights, num_edges, qn_weight_bytes(type), "edge weights", error);
  distributed->rows.csr = (struct qn_csr){.num_vertices = num_vertices,
                                          .num_edges = num_edges,
                                          .row_offsets = offsets,
                                          .column_indices = columns,
                                          .weights = {.type = type, .data = weights}};
  if (!status)
    status = qn_edge_buckets_write(buckets, 0, offsets, columns, weights, error);
  if (status || !distributed->build->unique)
    return status;
  uint32_t column = 0;
  const uint64_t row = qn_build_find_repeated(&distributed->rows.csr, &column);
  return row < num_vertices ? refuse_repeated(distributed, row, column, error) : QN_OK;
}

void qn_distributed_rows_free(struct qn_distributed_rows *rows) {
  const struct qn_csr *csr = &rows->csr;
  if (!rows->container && csr->row_offsets) {
    qn_pages_free((void *)csr->row_offsets, csr->num_vertices + 1, sizeof *csr->row_offsets);
    qn_pages_free((void *)csr->column_indices, csr->num_edges, sizeof *csr->column_indices);
    if (csr->weights.data)
      qn_pages_free((void *)csr->weights.data, csr->num_edges, qn_weight_bytes(csr->weights.type));
  }
  qn_container_unmap(rows->container);
  *rows = (struct qn_distributed_rows){.container = NULL};
}

enum qn_status qn_distributed_build_rows(struct qn_distributed *distributed,
                                         struct qn_error *error) {
  enum qn_status status = distributed->received ? build_on_disk(distributed, error)
                                                : build_in_memory(distributed, error);
  qn_edge_list_destroy(distributed->received);
  distributed->received = NULL;
  qn_edge_buckets_destroy(&distributed->sender.buckets);
  return status;
}

/* Sums of what ranks know of the edges that are left. */
static enum qn_status count_edges(struct qn_distributed *distributed, struct qn_error *error) {
  const struct qn_build *build = distributed->build;
  const struct qn_csr *rows = &distributed->rows.csr;
  const bool merged = build->duplicates != QN_DUPLICATES_KEEP;
  const bool directed = qn_distributed_is_directed(distributed);
  uint64_t figures[] = {
      rows->num_edges,
      merged && !directed ? qn_csr_count_loops(rows) : distributed->sender.self_loops,
      build->undirected && !merged && !build->unique ? qn_csr_count_parallel(rows, true) : 0,
      qn_csr_fingerprint(rows, distributed->turned),
      build->check_symmetric ? qn_csr_fingerprint(rows, !distributed->turned) : 0};
  struct qn_ledger *ledger = distributed->ledger;
  enum qn_status status = distributed->ranks->combine(
      (uint64_t *)ledger, sizeof *ledger / sizeof(uint64_t), QN_COMBINE_SUM, error);
  if (!status)
    status = qn_exclusive_sum(distributed->ranks, rows->num_edges, &distributed->edges_before,
                              &figures[0], error);
  if (!status)
    status = distributed->ranks->combine(figures + 1, 4, QN_COMBINE_SUM, error);
  if (status)
    return status;
  if (build->check_symmetric && figures[3] != figures[4])
    return qn_fail(error, QN_INVALID,
                   "the input calls its graph undirected, but some edge lacks its reverse");
  ledger->edges_written = figures[0];
  ledger->duplicates_removed =
      ledger->edges_read + ledger->edges_added - ledger->self_loops_removed - figures[0];
  if (!directed) {
    ledger->undirected_edges = (figures[0] + figures[1]) / 2;
    ledger->parallel_edges = figures[2];
  }
  distributed->set->num_edges = figures[0];
  distributed->set->fingerprint = figures[3];
  return qn_ledger_check(ledger, error);
}

enum qn_status qn_distributed_build(struct qn_distributed *distributed, struct qn_error *error) {
  enum qn_status status = qn_distributed_build_rows(distributed, error);
  return status ? status : count_edges(distributed, error);
}
