/* New vertices: those that are read and are not there, behind the others. */
#include <inttypes.h>
#include <string.h>

#include "converters/changes/generation.h"
#include "support/memory.h"

static enum qn_status fail_named(const struct qn_ids *ids, uint64_t v, struct qn_error *error,
                                 const char *what) {
  char buffer[24];
  uint64_t length;
  const char *text = qn_ids_text(ids, v, buffer, &length);
  return qn_fail(error, QN_INVALID, "%.*s %s", (int)(length < 200 ? length : 200), text, what);
}

static uint64_t number_of(const struct qn_ids *ids, uint64_t v) {
  return ids->kind == QN_IDS_NUMBERS ? ids->numbers[v] : v;
}

/* Every number below the greatest is a vertex. */
static enum qn_status map_kept(const struct qn_ids *read, struct qn_new_vertices *added,
                               struct qn_error *error) {
  uint64_t end = added->begin;
  for (uint64_t d = 0; d < read->num_vertices; d++) {
    const uint64_t number = number_of(read, d);
    if (number >= UINT32_MAX)
      return fail_named(read, d, error, "is too large for --ids=keep, by which the graph was made");
    added->map[d] = (uint32_t)number;
    end = number >= end ? number + 1 : end;
  }
  added->count = end - added->begin;
  enum qn_status status =
      qn_alloc(&added->reads, added->count, sizeof *added->reads, "new vertices", error);
  for (uint64_t i = 0; !status && i < added->count; i++)
    added->reads[i] = QN_NO_RECORD;
  for (uint64_t d = 0; !status && d < read->num_vertices; d++)
    if (added->map[d] >= added->begin)
      added->reads[added->map[d] - added->begin] = d;
  added->ids = (struct qn_ids){.num_vertices = added->count, .ascending = true};
  return status;
}

static enum qn_status map_named(const struct qn_known_vertices *known, const struct qn_ids *read,
                                struct qn_new_vertices *added, struct qn_error *error) {
  enum qn_status status =
      qn_alloc(&added->reads, read->num_vertices, sizeof *added->reads, "new vertices", error);
  if (!status)
    qn_known_vertices_find_all(known, read, added->map);
  for (uint64_t d = 0; !status && d < read->num_vertices; d++) {
    if (added->map[d] != QN_NO_VERTEX)
      continue;
    if (added->begin + added->count >= UINT32_MAX)
      return qn_fail(error, QN_INVALID, "the graph would have more than 2^32 - 1 vertices");
    added->map[d] = (uint32_t)(added->begin + added->count);
    added->reads[added->count++] = d;
  }
  return status;
}

/* Are all vertices called by their numbers? */
static bool are_dense(const struct qn_changed *changed, const struct qn_ids *read,
                      const struct qn_new_vertices *added) {
  bool dense = changed->graph.ids.kind == QN_IDS_DENSE;
  for (uint64_t i = 0; i < changed->num_blocks; i++)
    dense = dense && changed->set->ranges[i].ids.kind == QN_IDS_DENSE;
  for (uint64_t i = 0; i < added->count; i++)
    dense = dense && number_of(read, added->reads[i]) == added->begin + i;
  return dense;
}

static enum qn_status take_numbers(const struct qn_ids *read, struct qn_new_vertices *added,
                                   struct qn_error *error) {
  enum qn_status status =
      qn_alloc(&added->numbers, added->count, sizeof *added->numbers, "names", error);
  for (uint64_t i = 0; !status && i < added->count; i++)
    added->numbers[i] = number_of(read, added->reads[i]);
  added->ids.kind = QN_IDS_NUMBERS;
  added->ids.numbers = added->numbers;
  for (uint64_t i = 1; !status && i < added->count; i++)
    added->ids.ascending &= added->numbers[i - 1] < added->numbers[i];
  return status;
}

static enum qn_status take_texts(const struct qn_ids *read, struct qn_new_vertices *added,
                                 struct qn_error *error) {
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < added->count; i++)
    bytes += read->string_offsets[added->reads[i] + 1] - read->string_offsets[added->reads[i]];
  enum qn_status status =
      qn_alloc(&added->offsets, added->count + 1, sizeof *added->offsets, "names", error);
  if (!status)
    status = qn_alloc(&added->texts, bytes, 1, "names", error);
  if (status)
    return status;
  added->offsets[0] = 0;
  for (uint64_t i = 0; i < added->count; i++) {
    const uint64_t begin = read->string_offsets[added->reads[i]];
    const uint64_t length = read->string_offsets[added->reads[i] + 1] - begin;
    memcpy(added->texts + added->offsets[i], read->string_bytes + begin, length);
    added->offsets[i + 1] = added->offsets[i] + length;
  }
  added->ids.kind = QN_IDS_STRINGS;
  added->ids.string_offsets = added->offsets;
  added->ids.string_bytes = added->texts;
  added->ids.ascending = read->ascending;
  return QN_OK;
}

static enum qn_status take_names(const struct qn_known_vertices *known, const struct qn_ids *read,
                                 struct qn_new_vertices *added, struct qn_error *error) {
  added->ids = (struct qn_ids){.num_vertices = added->count, .ascending = true};
  if (added->count == 0)
    return QN_OK;
  if (read->kind == QN_IDS_STRINGS)
    return take_texts(read, added, error);
  return are_dense(known->changed, read, added) ? QN_OK : take_numbers(read, added, error);
}

enum qn_status qn_new_vertices_make(const struct qn_known_vertices *known,
                                    const struct qn_change_policy *policy,
                                    const struct qn_ids *read, struct qn_new_vertices *added,
                                    struct qn_error *error) {
  const bool texts = known->changed->graph.ids.kind == QN_IDS_STRINGS;
  *added = (struct qn_new_vertices){.begin = qn_known_vertices_count(known), .ids.ascending = true};
  if (!read || read->num_vertices == 0)
    return QN_OK;
  if ((read->kind == QN_IDS_STRINGS) != texts)
    return qn_fail(error, QN_INVALID,
                   "vertices are called by %s here, and by %s in the graph: import all again",
                   texts ? "numbers" : "names", texts ? "names" : "numbers");
  enum qn_status status =
      qn_alloc(&added->map, read->num_vertices, sizeof *added->map, "numbers of vertices", error);
  if (!status && policy->keeps_ids && known->changed->graph.ids.kind == QN_IDS_DENSE)
    return map_kept(read, added, error);
  if (!status)
    status = map_named(known, read, added, error);
  if (!status && policy->num_vertices && added->count)
    return fail_named(read, added->reads[0], error,
                      "is not one of the vertices that --vertices has declared for the graph");
  return status ? status : take_names(known, read, added, error);
}

void qn_new_vertices_release(struct qn_new_vertices *added) {
  qn_free(added->map);
  qn_free(added->reads);
  qn_free(added->numbers);
  qn_free(added->offsets);
  qn_free(added->texts);
  *added = (struct qn_new_vertices){0};
}
