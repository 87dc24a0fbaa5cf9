/* Whose properties the edges of this rank's rows have: all edges are sent and built once more, with
 * the numbers of their records for weights. */
#include <string.h>

#include "converters/distributed/state.h"
#include "support/memory.h"
#include "support/ranks/exchange.h"
#include "support/temp_file.h"

/* ---- What vertices are called ----------------------------------------------------- */

/* The first rank knows; the others have copies. */
struct told_ids {
  struct qn_ids ids;
  uint64_t *numbers, *offsets;
  char *bytes;
  uint64_t count, num_bytes;
};

/* `*copy` becomes what the first rank has in `array`. */
static enum qn_status tell_array(const struct qn_distributed *distributed, const void *array,
                                 uint64_t bytes, void *copy, struct qn_error *error) {
  char *to;
  enum qn_status status = qn_bulk_alloc(&to, bytes, 1, "ids of vertices", error);
  if (!status && distributed->ranks->rank == 0 && bytes)
    memcpy(to, array, bytes);
  memcpy(copy, &to, sizeof to);
  return status ? status : qn_broadcast(distributed->ranks, 0, to, bytes, error);
}

static enum qn_status tell_ids(const struct qn_distributed *distributed, struct told_ids *told,
                               struct qn_error *error) {
  const struct qn_ids *names = &distributed->names;
  const uint64_t count = distributed->num_vertices;
  uint64_t facts[] = {names->kind, names->ascending,
                      names->kind == QN_IDS_STRINGS && count ? names->string_offsets[count] : 0};
  enum qn_status status = qn_broadcast(distributed->ranks, 0, facts, sizeof facts, error);
  if (status)
    return status;
  const enum qn_id_kind kind = (enum qn_id_kind)facts[0];
  told->ids = (struct qn_ids){
      .kind = kind, .num_vertices = count, .ascending = kind == QN_IDS_DENSE || facts[1]};
  told->count = count;
  if (kind == QN_IDS_DENSE)
    return QN_OK;
  if (kind == QN_IDS_NUMBERS) {
    status = tell_array(distributed, names->numbers, count * sizeof *told->numbers, &told->numbers,
                        error);
    told->ids.numbers = told->numbers;
    return status;
  }
  told->num_bytes = facts[2];
  status = tell_array(distributed, names->string_offsets, (count + 1) * sizeof *told->offsets,
                      &told->offsets, error);
  if (!status)
    status = tell_array(distributed, names->string_bytes, told->num_bytes, &told->bytes, error);
  told->ids.string_offsets = told->offsets;
  told->ids.string_bytes = told->bytes;
  return status;
}

static void told_ids_free(struct told_ids *told) {
  qn_pages_free(told->numbers, told->count, sizeof *told->numbers);
  qn_pages_free(told->offsets, told->count + 1, sizeof *told->offsets);
  qn_pages_free(told->bytes, told->num_bytes, 1);
}

/* ---- The rows once more ------------------------------------------------------------ */

static bool same_rows(const struct qn_csr *a, const struct qn_csr *b) {
  return a->num_vertices == b->num_vertices && a->num_edges == b->num_edges &&
         memcmp(a->row_offsets, b->row_offsets, (a->num_vertices + 1) * 8) == 0 &&
         (!a->num_edges || memcmp(a->column_indices, b->column_indices, a->num_edges * 4) == 0);
}

static enum qn_status build_again(struct qn_distributed *again, struct qn_error *error) {
  qn_edge_list_weights_are_binary(again->sender.list, QN_WEIGHT_I64);
  again->sender.weight_type = QN_WEIGHT_I64;
  enum qn_status status = qn_distributed_number(again, error);
  if (!status)
    status = qn_distributed_give(again, error);
  if (!status)
    status = qn_distributed_build_rows(again, error);
  qn_edge_list_destroy(again->received);
  qn_edge_buckets_destroy(&again->sender.buckets);
  qn_id_map_destroy(again->sender.ids);
  return status;
}

static enum qn_status number_rows(struct qn_distributed *distributed, struct qn_error *error) {
  const struct qn_build build = {.num_vertices = distributed->num_vertices,
                                 .undirected = !qn_distributed_is_directed(distributed),
                                 .ids = QN_ID_KEEP,
                                 .weights = QN_WEIGHTS_I64,
                                 .self_loops = distributed->build->self_loops,
                                 .duplicates = distributed->build->duplicates};
  const struct qn_distributed_job job = {.ranks = distributed->ranks,
                                         .list = distributed->properties.list,
                                         .build = &build,
                                         .set = distributed->job->set};
  struct qn_ledger ledger = {0};
  struct qn_distributed again = {.job = &job,
                                 .ranks = job.ranks,
                                 .build = &build,
                                 .ledger = &ledger,
                                 .sender = {.list = job.list, .build = &build, .ledger = &ledger},
                                 .turned = distributed->turned,
                                 .first_rows = distributed->first_rows,
                                 .shape = distributed->shape};
  enum qn_status status = build_again(&again, error);
  distributed->numbered = again.rows;
  if (!status && !same_rows(&distributed->rows.csr, &again.rows.csr))
    status = qn_fail(error, QN_SYSTEM, "the input changed while it was read");
  if (!status)
    distributed->records = again.rows.csr.weights.data;
  return status;
}

enum qn_status qn_distributed_records(struct qn_distributed *distributed, struct qn_error *error) {
  const struct qn_distributed_job *job = distributed->job;
  struct told_ids told = {0};
  enum qn_status status = tell_ids(distributed, &told, error);
  const struct qn_graph about = {
      .ids = told.ids,
      .directedness = qn_distributed_is_directed(distributed) ? QN_DIRECTED : QN_UNDIRECTED,
      .out = {.num_vertices = distributed->num_vertices,
              .weights.type = distributed->sender.weight_type}};
  if (!status)
    status = job->read_properties(job->context, &about, &distributed->properties, error);
  told_ids_free(&told);
  distributed->has_records = distributed->properties.list != NULL;
  return status || !distributed->has_records ? status : number_rows(distributed, error);
}
