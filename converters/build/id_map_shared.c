/* Maps of ids that several ranks have edges of. */
#include "converters/build/id_map_state.h"
#include "support/memory.h"

/* Marks are kept for all ids by every rank: a quarter of a byte for each number up to the largest.
 */
#define ALWAYS_CLOSE ((uint64_t)1 << 24)

void qn_id_facts_of(const struct qn_edge_list *list, const struct qn_build *build,
                    struct qn_id_facts *facts) {
  facts->num_ids = 2 * list->num_edges + build->num_extra_ids;
  facts->largest = qn_id_map_largest(list, build);
}

enum qn_status qn_id_map_create_shared(struct qn_edge_list *list, const struct qn_build *build,
                                       const struct qn_id_facts *facts, struct qn_id_map **out,
                                       struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "the map of ids", error);
  if (status)
    return status;
  bool any = facts->num_ids > 0;
  bool close =
      facts->largest / 4 / 16 <= facts->num_ids / facts->num_ranks || facts->largest < ALWAYS_CLOSE;
  if (qn_id_map_keeps(build, any, facts->largest))
    status = qn_id_map_keep(*out, build, any, facts->largest, error);
  else
    status = qn_id_map_collect(*out, list, build, close, facts->largest, error);
  if (status) {
    qn_id_map_destroy(*out);
    *out = NULL;
  }
  return status;
}

/* Ranks of marks are made when all words are known. */
uint64_t *qn_id_map_words(struct qn_id_map *map, uint64_t *num_words) {
  *num_words = map->num_marks * sizeof *map->marks / sizeof(uint64_t);
  return (uint64_t *)map->marks;
}

const uint64_t *qn_id_map_far(const struct qn_id_map *map, uint64_t *num_far) {
  *num_far = map->num_sorted;
  return map->sorted;
}

enum qn_status qn_id_map_share(struct qn_id_map *map, uint32_t *vertices, uint64_t num_far_of_all,
                               uint64_t largest, uint64_t *num_marked, struct qn_error *error) {
  *num_marked = map->num_marked = qn_rank_marks(map->marks, map->num_marks);
  map->num_vertices = map->num_marked + num_far_of_all;
  if (map->num_vertices > UINT32_MAX)
    return qn_fail(error, QN_INVALID, "%llu different vertex ids, but at most 2^32-1 are possible",
                   (unsigned long long)map->num_vertices);
  for (uint64_t i = 0; i < map->num_sorted; i++)
    vertices[i] += (uint32_t)map->num_marked;
  map->given = vertices;
  map->kind = map->num_vertices == largest + 1 ? MAP_IDENTITY : MAP_SHARED;
  return QN_OK;
}

enum qn_status qn_id_map_create_given(const uint32_t *vertices, uint64_t num_vertices,
                                      struct qn_id_map **out, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "the map of ids", error);
  if (!status)
    **out = (struct qn_id_map){.kind = MAP_GIVEN, .given = vertices, .num_vertices = num_vertices};
  return status;
}
