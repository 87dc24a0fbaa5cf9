#include "support/ranks/exchange.h"

#include <string.h>

#include "support/memory.h"
#include "support/temp_file.h"

void qn_received_free(struct qn_received *received) {
  qn_pages_free(received->data, received->bytes, 1);
  qn_free(received->bytes_of);
  *received = (struct qn_received){0};
}

static enum qn_status hear_sizes(const struct qn_collective *ranks, const uint64_t *bytes,
                                 uint64_t *eights, struct qn_received *received,
                                 struct qn_error *error) {
  for (unsigned r = 0; r < ranks->num_ranks; r++)
    eights[r] = sizeof *bytes;
  enum qn_status status = ranks->exchange(bytes, eights, received->bytes_of, eights, error);
  for (unsigned r = 0; r < ranks->num_ranks && !status; r++)
    if (__builtin_add_overflow(received->bytes, received->bytes_of[r], &received->bytes))
      status = qn_fail(error, QN_SYSTEM, "ranks have more to say than can be counted");
  return status;
}

enum qn_status qn_all_to_all(const struct qn_collective *ranks, const void *data,
                             const uint64_t *bytes, struct qn_received *received,
                             struct qn_error *error) {
  uint64_t *eights = NULL;
  *received = (struct qn_received){0};
  enum qn_status status =
      qn_alloc(&received->bytes_of, ranks->num_ranks, sizeof *received->bytes_of, "sizes", error);
  if (!status)
    status = qn_alloc(&eights, ranks->num_ranks, sizeof *eights, "sizes", error);
  if (!status)
    status = hear_sizes(ranks, bytes, eights, received, error);
  qn_free(eights);
  uint64_t expected = received->bytes;
  received->bytes = 0;
  if (!status)
    status = qn_bulk_alloc(&received->data, expected, 1, "what other ranks say", error);
  if (status)
    return status;
  received->bytes = expected;
  return ranks->exchange(data, bytes, received->data, received->bytes_of, error);
}

enum qn_status qn_gather_to(const struct qn_collective *ranks, unsigned to, const void *data,
                            uint64_t bytes, struct qn_received *received, struct qn_error *error) {
  uint64_t *sizes;
  *received = (struct qn_received){0};
  enum qn_status status = qn_alloc_zeroed(&sizes, ranks->num_ranks, sizeof *sizes, "sizes", error);
  if (status)
    return status;
  sizes[to] = bytes;
  status = qn_all_to_all(ranks, data, sizes, received, error);
  qn_free(sizes);
  return status;
}

enum qn_status qn_broadcast(const struct qn_collective *ranks, unsigned from, void *data,
                            uint64_t bytes, struct qn_error *error) {
  uint64_t count = (bytes + 7) / 8, *words;
  enum qn_status status = qn_alloc_zeroed(&words, count, sizeof *words, "a message", error);
  if (status)
    return status;
  if (ranks->rank == from)
    memcpy(words, data, bytes);
  status = ranks->combine(words, count, QN_COMBINE_OR, error);
  if (!status)
    memcpy(data, words, bytes);
  qn_free(words);
  return status;
}

enum qn_status qn_exclusive_sum(const struct qn_collective *ranks, uint64_t value, uint64_t *before,
                                uint64_t *all, struct qn_error *error) {
  uint64_t *values;
  *before = *all = 0;
  enum qn_status status =
      qn_alloc_zeroed(&values, ranks->num_ranks, sizeof *values, "a sum", error);
  if (status)
    return status;
  values[ranks->rank] = value;
  status = ranks->combine(values, ranks->num_ranks, QN_COMBINE_SUM, error);
  for (unsigned r = 0; r < ranks->num_ranks; r++) {
    *before += r < ranks->rank ? values[r] : 0;
    *all += values[r];
  }
  qn_free(values);
  return status;
}

enum qn_status qn_broadcast_text(const struct qn_collective *ranks, const char *text, char **told,
                                 struct qn_error *error) {
  uint64_t bytes = ranks->rank == 0 ? strlen(text) + 1 : 0;
  *told = NULL;
  enum qn_status status = ranks->combine(&bytes, 1, QN_COMBINE_MOST, error);
  if (!status)
    status = qn_alloc_zeroed(told, bytes, 1, "a text", error);
  if (status)
    return status;
  if (ranks->rank == 0)
    memcpy(*told, text, bytes);
  status = qn_broadcast(ranks, 0, *told, bytes, error);
  if (!status)
    return QN_OK;
  qn_free(*told);
  *told = NULL;
  return status;
}
