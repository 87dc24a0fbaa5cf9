/* This rank's rows, by the builder. */
#include <string.h>

#include "converters/distributed/state.h"
#include "formats/graph/statistics.h"
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
static enum qn_status name_edge(const struct qn_distributed *distributed, const uint64_t *repeated,
                                const uint64_t *overflowed, struct qn_error *error) {
  const uint64_t *row = repeated[0] != UINT64_MAX ? repeated : overflowed;
  unsigned long long source = row[distributed->turned], destination = row[!distributed->turned];
  if (repeated[0] != UINT64_MAX)
    return qn_fail(error, QN_INVALID,
                   "the edge from %llu to %llu (counted from 0 in the order of ids) occurs more "
                   "than once, which the format forbids; --duplicates=keep, remove, min or sum "
                   "accepts it",
                   source, destination);
  return qn_fail(error, QN_INVALID,
                 "the weights of the edges from %llu to %llu (counted from 0 in the order of ids) "
                 "sum to more than %s can hold%s",
                 source, destination, qn_weight_type_name(distributed->sender.weight_type),
                 distributed->sender.weight_type == QN_WEIGHT_U32   ? "; use --weights=i64"
                 : distributed->sender.weight_type == QN_WEIGHT_F64 ? ""
                                                                    : "; use --weights=f64");
}

enum qn_status qn_distributed_build_rows(struct qn_distributed *distributed,
                                         struct qn_error *error) {
  uint64_t repeated[2] = {UINT64_MAX, UINT64_MAX}, overflowed[2] = {UINT64_MAX, UINT64_MAX};
  const struct qn_build build = {.num_vertices = distributed->num_vertices,
                                 .ids = QN_ID_KEEP,
                                 .weights = choice_of(distributed->sender.weight_type),
                                 .duplicates = distributed->sender.weight_type == QN_WEIGHT_NONE &&
                                                       distributed->build->duplicates
                                                   ? QN_DUPLICATES_REMOVE
                                                   : distributed->build->duplicates,
                                 .unique = distributed->build->unique,
                                 .repeated = repeated,
                                 .overflowed = overflowed};
  struct qn_ledger ledger = {0};
  struct qn_writer *writer;
  enum qn_status status = qn_writer_create(NULL, false, &writer, error);
  if (status)
    return status;
  status = qn_build_graph(distributed->received, &build, writer, &ledger, error);
  if (status == QN_INVALID && (repeated[0] != UINT64_MAX || overflowed[0] != UINT64_MAX))
    status = name_edge(distributed, repeated, overflowed, error);
  if (status) {
    qn_writer_abort(writer);
    return status;
  }
  status = qn_writer_commit_nameless(writer, "(the rows)", &distributed->built, error);
  return status ? status : qn_graph_view(distributed->built, &distributed->graph, error);
}

/* Sums of what ranks know of the edges that are left. */
static enum qn_status count_edges(struct qn_distributed *distributed, struct qn_error *error) {
  const struct qn_build *build = distributed->build;
  const struct qn_csr *rows = &distributed->graph.out;
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
  qn_edge_list_destroy(distributed->received);
  distributed->received = NULL;
  return status ? status : count_edges(distributed, error);
}
