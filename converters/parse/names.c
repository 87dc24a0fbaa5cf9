#include "converters/parse/names.h"

#include <stdlib.h>

#include "converters/edges/edge_map.h"
#include "converters/parse/waiting_edges.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/memory.h"
#include "support/temp_file.h"

enum qn_status qn_names_begin(struct qn_read_result *result, struct qn_error *error) {
  if (result->names_map)
    return QN_OK;
  return result->names_in_runs
             ? qn_string_map_create_in_runs(result->names_of_run, &result->names_map, error)
             : qn_string_map_create(&result->names_map, error);
}

/* What result->names_memory is. */
struct named {
  struct qn_sorted_names sorted;
  uint64_t *numbers; /* ascending, if names are numbers; else NULL */
};

void qn_names_release(struct qn_read_result *result) {
  struct named *named = result->names_memory;
  qn_string_map_destroy(result->names_map);
  result->names_map = NULL;
  if (!named)
    return;
  qn_sorted_names_destroy(&named->sorted);
  qn_free(named->numbers);
  qn_free(named);
  result->names_memory = NULL;
}

enum qn_status qn_names_fail(enum qn_interned why, const char *name, uint64_t length,
                             struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  switch (why) {
  case QN_INTERN_NO_NAME:
    return qn_fail(error, QN_INVALID,
                   "expected the id of a vertex, 1 to %d bytes without tab or line end; found %s",
                   QN_MAX_NAME_BYTES, length ? qn_text_quote(name, name + length, quoted) : "none");
  case QN_INTERN_TOO_MANY:
    return qn_fail(error, QN_INVALID, "the input has more than 2^32-1 vertices");
  default:
    return qn_memory_limit()
               ? qn_fail(error, QN_SYSTEM,
                         "the names of vertices, which stay in memory, do not fit into what "
                         "--memory allows; a set of blocks (--block-vertices) of a list of edges "
                         "has them on disk")
               : qn_fail_memory(error, "a map of names", 0);
  }
}

enum qn_status qn_names_number(struct qn_string_map *names, const char *name, uint64_t length,
                               uint32_t *number, struct qn_error *error) {
  enum qn_interned result = qn_string_map_intern(names, name, length, number);
  return result == QN_INTERNED ? QN_OK : qn_names_fail(result, name, length, error);
}

/* ---- Names that are numbers ------------------------------------------------ */

struct numbered {
  uint64_t number;
  uint32_t vertex; /* in the order of the names */
};

static int compare_numbered(const void *a, const void *b) {
  uint64_t x = ((const struct numbered *)a)->number, y = ((const struct numbered *)b)->number;
  return (x > y) - (x < y);
}

bool qn_names_parse(const struct qn_ids *names, uint64_t vertex, uint64_t *number) {
  const char *name = names->string_bytes + names->string_offsets[vertex];
  const char *end = names->string_bytes + names->string_offsets[vertex + 1];
  return (*name != '0' || end == name + 1) && qn_parse_whole(name, end, number) == QN_NUMBER_FINE;
}

/* False if a name is no whole number. */
static bool parse_names(const struct qn_ids *ids, struct numbered *out) {
  for (uint64_t v = 0; v < ids->num_vertices; v++) {
    out[v].vertex = (uint32_t)v;
    if (!qn_names_parse(ids, v, &out[v].number))
      return false;
  }
  return true;
}

/* Order vertices by their numbers instead of by their names, if all are such. Numbers without gaps
 * from 0 on are the vertices themselves. */
static enum qn_status order_by_number(struct named *named, struct qn_ids *names,
                                      struct qn_error *error) {
  uint64_t count = names->num_vertices;
  struct numbered *numbered = NULL;
  uint32_t *places = NULL;
  enum qn_status status = qn_alloc(&numbered, count, sizeof *numbered, "ids of vertices", error);
  if (!status && parse_names(names, numbered)) {
    status = qn_alloc(&named->numbers, count, sizeof *named->numbers, "ids of vertices", error);
    if (!status)
      status = qn_alloc(&places, count, sizeof *places, "ids of vertices", error);
  }
  if (!status && places) {
    qsort(numbered, count, sizeof *numbered, compare_numbered);
    for (uint64_t i = 0; i < count; i++) {
      named->numbers[i] = numbered[i].number;
      places[numbered[i].vertex] = (uint32_t)i;
    }
    for (uint64_t i = 0; i < count; i++)
      named->sorted.new_of_old[i] = places[named->sorted.new_of_old[i]];
    bool dense = count == 0 || named->numbers[count - 1] == count - 1;
    *names = (struct qn_ids){.kind = dense ? QN_IDS_DENSE : QN_IDS_NUMBERS,
                             .num_vertices = count,
                             .numbers = dense ? NULL : named->numbers,
                             .ascending = true};
  }
  qn_free(numbered);
  qn_free(places);
  return status;
}

enum qn_status qn_names_finish(struct qn_read_result *result, struct qn_edge_list *list,
                               struct qn_error *error) {
  struct named *named;
  if (!result->names_map)
    return QN_OK;
  enum qn_status status = qn_alloc_zeroed(&named, 1, sizeof *named, "names", error);
  if (status)
    return status;
  result->names_memory = named;
  status = qn_string_map_sort(result->names_map, &named->sorted, error);
  result->names = named->sorted.ids;
  if (!status && result->number_names && !result->string_names)
    status = order_by_number(named, &result->names, error);
  if (!status)
    status = qn_edge_list_renumber(list, named->sorted.new_of_old, error);
  if (status)
    return status;
  qn_string_map_destroy(result->names_map);
  result->names_map = NULL;
  result->num_vertices = result->names.num_vertices;
  return QN_OK;
}

enum qn_status qn_names_renumber(const struct qn_read_result *result, struct qn_edge_list *list,
                                 struct qn_error *error) {
  const struct named *named = result->names_memory;
  return named ? qn_edge_list_renumber(list, named->sorted.new_of_old, error) : QN_OK;
}
