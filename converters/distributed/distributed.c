#include "converters/distributed/distributed.h"

#include <string.h>

#include "converters/distributed/state.h"
#include "support/memory.h"
#include "support/ranks/exchange.h"
#include "support/temp_file.h"

/* ---- What was read ------------------------------------------------------------------ */

enum fact {
  SYMMETRIC,
  LISTED_ONCE,
  ALREADY_SYMMETRIC,
  CHECK_SYMMETRIC,
  ADDS_UP,
  DEFAULT_WEIGHTS,
  UNIQUE,
  NUMBERS,
  STRINGS,
  NUM_FACTS
};

static enum qn_status join_flags(const struct qn_collective *ranks, struct qn_read_result *result,
                                 struct qn_error *error) {
  bool *const flags[] = {[SYMMETRIC] = &result->symmetric,
                         [LISTED_ONCE] = &result->listed_once,
                         [ALREADY_SYMMETRIC] = &result->already_symmetric,
                         [CHECK_SYMMETRIC] = &result->check_symmetric,
                         [ADDS_UP] = &result->adds_up,
                         [DEFAULT_WEIGHTS] = &result->weights_are_defaults,
                         [UNIQUE] = &result->unique,
                         [NUMBERS] = &result->number_names,
                         [STRINGS] = &result->string_names};
  uint64_t values[NUM_FACTS];
  for (int i = 0; i < NUM_FACTS; i++)
    values[i] = *flags[i];
  enum qn_status status = ranks->combine(values, NUM_FACTS, QN_COMBINE_MOST, error);
  for (int i = 0; i < NUM_FACTS && !status; i++)
    *flags[i] = values[i];
  return status;
}

enum qn_status qn_distributed_results(const struct qn_collective *ranks,
                                      struct qn_read_result *result, bool declares,
                                      const char *file, struct qn_error *error) {
  uint64_t before, all;
  uint64_t declared = result->num_vertices == QN_VERTICES_FROM_EDGES ? 0 : result->num_vertices + 1;
  enum qn_status status = join_flags(ranks, result, error);
  if (!status)
    status = qn_exclusive_sum(ranks, declares, &before, &all, error);
  if (!status && declares && before) {
    qn_fail(error, QN_INVALID,
            "only one input that declares its vertices can be imported at a time");
    return qn_error_in_file(error, file);
  }
  if (!status)
    status = ranks->combine(&declared, 1, QN_COMBINE_MOST, error);
  if (status)
    return status;
  result->num_vertices = declared ? declared - 1 : QN_VERTICES_FROM_EDGES;
  return QN_OK;
}

/* ---- Weights -------------------------------------------------------------------------- */

/* What the builder asks of a list, of the lists of all ranks. */
static enum qn_status choose_weights(struct qn_distributed *distributed, struct qn_error *error) {
  struct qn_edge_list *list = distributed->sender.list;
  const uint64_t num_edges = list->num_edges;
  uint64_t counts[QN_WEIGHT_TYPES + 1], flags[] = {list->beyond_f32, list->binary_weights};
  memcpy(counts, list->blocks_of, sizeof list->blocks_of);
  counts[QN_WEIGHT_TYPES] = num_edges;
  enum qn_status status =
      distributed->ranks->combine(counts, QN_WEIGHT_TYPES + 1, QN_COMBINE_SUM, error);
  if (!status)
    status = distributed->ranks->combine(flags, 2, QN_COMBINE_MOST, error);
  if (status)
    return status;
  memcpy(list->blocks_of, counts, sizeof list->blocks_of);
  list->beyond_f32 = flags[0];
  list->binary_weights = flags[1];
  list->num_edges = counts[QN_WEIGHT_TYPES];
  status = qn_build_choose_weight_type(&distributed->sender, error);
  list->num_edges = num_edges;
  return status;
}

struct rounding {
  long double exact, error;
};

/* The rounding that changed most, of all ranks. */
static enum qn_status check_rounding(struct qn_distributed *distributed, struct qn_error *error) {
  struct qn_edge_list *list = distributed->sender.list;
  const unsigned num_ranks = distributed->ranks->num_ranks;
  struct rounding *all;
  enum qn_status status = qn_alloc_zeroed(&all, num_ranks, sizeof *all, "roundings", error);
  if (status)
    return status;
  struct rounding *own = &all[distributed->ranks->rank];
  qn_edge_list_rounded(list, &own->exact, &own->error);
  status = distributed->ranks->combine((uint64_t *)all, num_ranks * sizeof *all / sizeof(uint64_t),
                                       QN_COMBINE_OR, error);
  for (unsigned r = 0; r < num_ranks && !status; r++) {
    bool worse = all[r].error > list->rounding_error ||
                 (all[r].error == list->rounding_error &&
                  (all[r].exact < 0 ? -all[r].exact : all[r].exact) >
                      (list->rounded < 0 ? -list->rounded : list->rounded));
    if (worse) {
      list->rounded = all[r].exact;
      list->rounding_error = all[r].error;
    }
  }
  qn_free(all);
  return status ? status : qn_build_check_rounding(&distributed->sender, error);
}

/* ---- The whole -------------------------------------------------------------------------- */

bool qn_distributed_is_directed(const struct qn_distributed *distributed) {
  return !distributed->build->undirected && !distributed->build->already_symmetric;
}

enum qn_status qn_distributed_give(struct qn_distributed *distributed, struct qn_error *error) {
  uint64_t on_disk = qn_memory_limit() != 0;
  enum qn_status status = distributed->ranks->combine(&on_disk, 1, QN_COMBINE_MOST, error);
  return status    ? status
         : on_disk ? qn_distributed_send(distributed, error)
                   : qn_distributed_trade(distributed, error);
}

static enum qn_status run(struct qn_distributed *distributed, struct qn_error *error) {
  const struct qn_build *build = distributed->build;
  enum qn_status status = qn_build_check(build, error);
  if (!status)
    status = choose_weights(distributed, error);
  if (!status)
    status = qn_distributed_number(distributed, error);
  distributed->turned =
      distributed->job->set->rows == QN_SET_ROWS_IN && qn_distributed_is_directed(distributed);
  if (!status)
    status = qn_distributed_give(distributed, error);
  if (!status)
    status = check_rounding(distributed, error);
  if (!status)
    status = qn_distributed_build(distributed, error);
  if (!status && distributed->job->read_properties)
    status = qn_distributed_records(distributed, error);
  return status ? status : qn_distributed_write(distributed, error);
}

static void release(struct qn_distributed *distributed) {
  const uint64_t count = distributed->num_vertices;
  qn_edge_list_destroy(distributed->received);
  qn_id_map_destroy(distributed->sender.ids);
  qn_pages_free(distributed->given, distributed->num_given, sizeof *distributed->given);
  qn_pages_free(distributed->name_numbers, count, sizeof *distributed->name_numbers);
  if (distributed->name_bytes && distributed->name_offsets)
    qn_pages_free(distributed->name_bytes, distributed->name_offsets[count], 1);
  qn_pages_free(distributed->name_offsets, count + 1, sizeof *distributed->name_offsets);
  qn_free(distributed->first_rows);
  qn_edge_buckets_destroy(&distributed->sender.buckets);
  qn_distributed_rows_free(&distributed->rows);
  qn_distributed_rows_free(&distributed->numbered);
}

/* The first rank lets the folder appear when all have written; then the others let it be. */
static enum qn_status commit(struct qn_distributed *distributed, enum qn_status status,
                             struct qn_error *error) {
  struct qn_set_writer *writer = distributed->writer;
  const bool first = distributed->ranks->rank == 0;
  const enum qn_status own = status;
  status = distributed->ranks->agree(status);
  if (status && !own)
    qn_fail(error, status, "another rank failed");
  if (!status && first) {
    status = qn_set_writer_commit(writer, distributed->set, QN_SET_TOOL, error);
    writer = NULL;
  }
  const enum qn_status committed = distributed->ranks->agree(status);
  if (committed && !status)
    qn_fail(error, committed, "another rank failed");
  status = committed;
  if (status)
    qn_set_writer_abort(writer);
  else
    qn_set_writer_leave(writer);
  return status;
}

enum qn_status qn_distributed(const struct qn_distributed_job *job, struct qn_ledger *ledger,
                              struct qn_set **out, struct qn_error *error) {
  struct qn_distributed distributed = {
      .job = job,
      .ranks = job->ranks,
      .build = job->build,
      .ledger = ledger,
      .sender = {.list = job->list, .build = job->build, .ledger = ledger}};
  *out = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&distributed.set, 1, sizeof *distributed.set, "a set", error);
  if (!status)
    status = run(&distributed, error);
  release(&distributed);
  status = commit(&distributed, status, error);
  if (status)
    qn_set_close(distributed.set);
  else
    *out = distributed.set;
  return status;
}
