/* Values of edges, from the ranks that have read them: each rank asks the others for the records of
 * the edges that it writes, and they answer column by column. */
#include <string.h>

#include "converters/distributed/state.h"
#include "support/checked.h"
#include "support/memory.h"
#include "support/ranks/exchange.h"
#include "support/temp_file.h"

#define RECORD_MASK (((uint64_t)1 << QN_DISTRIBUTED_RECORD_BITS) - 1)

/* What came of a column, in the order in which it was asked for: by rank. */
struct qn_fetched_column {
  struct qn_received values, lengths, nulls;
  uint64_t *offsets; /* [count + 1] of strings */
  uint8_t *valid;
};

struct fetching {
  const struct qn_distributed *distributed;
  struct qn_distributed_values *to;
  struct qn_received asked; /* by others: records of this rank */
  uint64_t *sizes;          /* [P] */
};

/* ---- Questions ---------------------------------------------------------------------- */

static enum qn_status ask(struct fetching *fetching, const uint64_t *records,
                          struct qn_error *error) {
  const struct qn_collective *ranks = fetching->distributed->ranks;
  uint64_t *questions, *next = NULL, count = fetching->to->count;
  enum qn_status status =
      qn_bulk_alloc(&questions, count, sizeof *questions, "numbers of edges", error);
  if (!status)
    status =
        qn_alloc_zeroed(&next, (uint64_t)ranks->num_ranks + 1, sizeof *next, "questions", error);
  for (uint64_t e = 0; e < count && !status; e++)
    next[(records[e] >> QN_DISTRIBUTED_RECORD_BITS) + 1]++;
  for (unsigned r = 0; r < ranks->num_ranks && !status; r++) {
    fetching->sizes[r] = next[r + 1] * sizeof *questions;
    next[r + 1] += next[r];
  }
  for (uint64_t e = 0; e < count && !status; e++) {
    uint64_t place = next[records[e] >> QN_DISTRIBUTED_RECORD_BITS]++;
    fetching->to->places[e] = place;
    questions[place] = records[e] & RECORD_MASK;
  }
  if (!status)
    status = qn_all_to_all(ranks, questions, fetching->sizes, &fetching->asked, error);
  qn_free(next);
  qn_pages_free(questions, count, sizeof *questions);
  return status;
}

/* ---- Answers ------------------------------------------------------------------------ */

static const uint64_t *questions_of(const struct fetching *fetching, uint64_t *count) {
  *count = fetching->asked.bytes / sizeof(uint64_t);
  return (const uint64_t *)fetching->asked.data;
}

/* Answers of `width` bytes each. */
static enum qn_status answer_all(struct fetching *fetching, const void *answers, uint64_t width,
                                 struct qn_received *received, struct qn_error *error) {
  for (unsigned r = 0; r < fetching->distributed->ranks->num_ranks; r++)
    fetching->sizes[r] = fetching->asked.bytes_of[r] / sizeof(uint64_t) * width;
  return qn_all_to_all(fetching->distributed->ranks, answers, fetching->sizes, received, error);
}

static enum qn_status answer_fixed(struct fetching *fetching, const struct qn_property *column,
                                   struct qn_received *received, struct qn_error *error) {
  const uint64_t width = qn_property_value_bytes(column->type);
  uint64_t count;
  const uint64_t *questions = questions_of(fetching, &count);
  char *answers;
  enum qn_status status = qn_bulk_alloc(&answers, count, width, "values of properties", error);
  for (uint64_t i = 0; i < count && !status; i++)
    memcpy(answers + i * width, (const char *)column->values + questions[i] * width, width);
  if (!status)
    status = answer_all(fetching, answers, width, received, error);
  qn_pages_free(answers, count, width);
  return status;
}

static enum qn_status answer_nulls(struct fetching *fetching, const struct qn_property *column,
                                   struct qn_received *received, struct qn_error *error) {
  uint64_t count;
  const uint64_t *questions = questions_of(fetching, &count);
  uint8_t *answers;
  enum qn_status status = qn_bulk_alloc(&answers, count, 1, "nulls of properties", error);
  for (uint64_t i = 0; i < count && !status; i++)
    answers[i] = qn_property_is_null(column, questions[i]);
  if (!status)
    status = answer_all(fetching, answers, 1, received, error);
  qn_pages_free(answers, count, 1);
  return status;
}

static uint64_t length_of(const struct qn_property *column, uint64_t record) {
  return column->offsets[record + 1] - column->offsets[record];
}

static enum qn_status answer_lengths(struct fetching *fetching, const struct qn_property *column,
                                     struct qn_received *received, struct qn_error *error) {
  uint64_t count, *answers;
  const uint64_t *questions = questions_of(fetching, &count);
  enum qn_status status =
      qn_bulk_alloc(&answers, count, sizeof *answers, "lengths of strings", error);
  for (uint64_t i = 0; i < count && !status; i++)
    answers[i] = length_of(column, questions[i]);
  if (!status)
    status = answer_all(fetching, answers, sizeof *answers, received, error);
  qn_pages_free(answers, count, sizeof *answers);
  return status;
}

static enum qn_status answer_strings(struct fetching *fetching, const struct qn_property *column,
                                     struct qn_received *received, struct qn_error *error) {
  const unsigned num_ranks = fetching->distributed->ranks->num_ranks;
  uint64_t count, total = 0, i = 0, at = 0;
  const uint64_t *questions = questions_of(fetching, &count);
  bool fits = true;
  char *answers;
  for (unsigned r = 0; r < num_ranks; r++) {
    fetching->sizes[r] = 0;
    for (uint64_t k = fetching->asked.bytes_of[r] / sizeof *questions; k > 0; k--)
      fits &=
          qn_add_u64(fetching->sizes[r], length_of(column, questions[i++]), &fetching->sizes[r]);
    fits &= qn_add_u64(total, fetching->sizes[r], &total);
  }
  if (!fits)
    return qn_fail_memory(error, "strings of properties", UINT64_MAX);
  enum qn_status status = qn_bulk_alloc(&answers, total, 1, "strings of properties", error);
  for (i = 0; i < count && !status; i++) {
    uint64_t length = length_of(column, questions[i]);
    if (length)
      memcpy(answers + at, (const char *)column->values + column->offsets[questions[i]], length);
    at += length;
  }
  if (!status)
    status = qn_all_to_all(fetching->distributed->ranks, answers, fetching->sizes, received, error);
  qn_pages_free(answers, total, 1);
  return status;
}

/* ---- Columns ------------------------------------------------------------------------ */

static enum qn_status take_strings(uint64_t count, const struct qn_fetched_column *from,
                                   struct qn_property *to, struct qn_error *error) {
  const uint64_t *lengths = (const uint64_t *)from->lengths.data;
  uint64_t *offsets = from->offsets;
  for (uint64_t i = 0; i < count; i++)
    offsets[i + 1] = offsets[i] + lengths[i];
  if (offsets[count] != from->values.bytes)
    return qn_fail(error, QN_SYSTEM, "the input changed while it was read");
  to->offsets = offsets;
  to->bytes = from->values.bytes;
  return QN_OK;
}

static void take_nulls(uint64_t count, const struct qn_fetched_column *from,
                       struct qn_property *to) {
  for (uint64_t i = 0; i < count; i++) {
    to->nulls += from->nulls.data[i] != 0;
    from->valid[i / 8] |= (uint8_t)((from->nulls.data[i] == 0) << (i % 8));
  }
  to->valid = from->valid;
}

static enum qn_status fetch_column(struct fetching *fetching, uint32_t index,
                                   struct qn_error *error) {
  struct qn_distributed_values *values = fetching->to;
  const struct qn_property *own =
      &fetching->distributed->properties.columns.of_edges.columns[index];
  struct qn_property *column = &values->columns.of_edges.columns[index];
  struct qn_fetched_column *fetched = &values->fetched[index];
  const bool strings = own->type == QN_PROPERTY_STRING;
  uint64_t nulls = own->nulls;
  *column = (struct qn_property){.type = own->type, .count = values->count};
  memcpy(column->name, own->name, sizeof column->name);
  enum qn_status status = fetching->distributed->ranks->combine(&nulls, 1, QN_COMBINE_MOST, error);
  if (!status && nulls)
    status = answer_nulls(fetching, own, &fetched->nulls, error);
  if (!status && nulls)
    status = qn_bulk_alloc(&fetched->valid, values->count / 8 + 1, 1, "nulls", error);
  if (!status && nulls)
    take_nulls(values->count, fetched, column);
  if (!status && strings)
    status = qn_bulk_alloc(&fetched->offsets, values->count + 1, sizeof *fetched->offsets,
                           "offsets of strings", error);
  if (!status && strings)
    status = answer_lengths(fetching, own, &fetched->lengths, error);
  if (!status)
    status = strings ? answer_strings(fetching, own, &fetched->values, error)
                     : answer_fixed(fetching, own, &fetched->values, error);
  if (!status && strings)
    status = take_strings(values->count, fetched, column, error);
  column->values = fetched->values.data;
  return status;
}

static enum qn_status fetch(struct fetching *fetching, const uint64_t *records,
                            struct qn_error *error) {
  struct qn_distributed_values *values = fetching->to;
  const struct qn_properties *own = &fetching->distributed->properties.columns;
  struct qn_property_table *table = &values->columns.of_edges;
  enum qn_status status = qn_alloc_zeroed(&table->columns, own->of_edges.count,
                                          sizeof *table->columns, "properties", error);
  if (!status)
    status = qn_alloc_zeroed(&values->fetched, own->of_edges.count, sizeof *values->fetched,
                             "properties", error);
  if (!status)
    status = qn_alloc_zeroed(&fetching->sizes, fetching->distributed->ranks->num_ranks,
                             sizeof *fetching->sizes, "sizes", error);
  if (!status)
    status = ask(fetching, records, error);
  for (uint32_t i = 0; i < own->of_edges.count && !status; i++) {
    table->count++;
    status = fetch_column(fetching, i, error);
  }
  memcpy(values->columns.weight, own->weight, sizeof own->weight);
  qn_received_free(&fetching->asked);
  qn_free(fetching->sizes);
  return status;
}

enum qn_status qn_distributed_values_fetch(const struct qn_distributed *distributed,
                                           const uint64_t *records, uint64_t count,
                                           struct qn_distributed_values *values,
                                           struct qn_error *error) {
  struct fetching fetching = {.distributed = distributed, .to = values};
  *values = (struct qn_distributed_values){.count = count};
  if (distributed->ranks->num_ranks == 1) { /* all of them are here */
    values->values = (struct qn_set_edge_values){&distributed->properties.columns, records};
    return QN_OK;
  }
  enum qn_status status =
      qn_bulk_alloc(&values->places, count, sizeof *values->places, "numbers of edges", error);
  if (!status)
    status = fetch(&fetching, records, error);
  values->values = (struct qn_set_edge_values){&values->columns, values->places};
  return status;
}

void qn_distributed_values_free(struct qn_distributed_values *values) {
  for (uint32_t i = 0; i < values->columns.of_edges.count; i++) {
    struct qn_fetched_column *fetched = &values->fetched[i];
    qn_received_free(&fetched->values);
    qn_received_free(&fetched->lengths);
    qn_received_free(&fetched->nulls);
    qn_pages_free(fetched->offsets, values->count + 1, sizeof *fetched->offsets);
    qn_pages_free(fetched->valid, values->count / 8 + 1, 1);
  }
  qn_free(values->fetched);
  qn_free(values->columns.of_edges.columns);
  qn_pages_free(values->places, values->count, sizeof *values->places);
  *values = (struct qn_distributed_values){0};
}
