/* Names that were written in runs become vertices: all names in their order, each once. A name has
 * a number of each run that it is in. */
#include <stdlib.h>
#include <string.h>

#include "converters/blocks/numbering.h"
#include "converters/parse/names.h"
#include "formats/text/string_runs.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/threads.h"

enum { CHECKED_AT = 1 << 20 };

/* All names; the vertex of each is noted at its place in its run. */
static enum qn_status merge_runs(const struct qn_string_runs *runs, struct qn_numbering *numbering,
                                 struct qn_error *error) {
  struct qn_string_merge *merge;
  struct qn_merged_name name;
  uint64_t *offsets = numbering->name_offsets, count = 0;
  enum qn_status status = qn_string_merge_open(runs, &merge, error);
  offsets[0] = 0;
  for (uint64_t i = 0; !status && i < numbering->num_numbers; i++) {
    status = qn_string_merge_next(merge, &name, error);
    if (!status && !name.repeated) {
      memcpy(numbering->name_bytes + offsets[count], name.bytes, name.length);
      offsets[count + 1] = offsets[count] + name.length;
      count++;
    }
    if (!status)
      numbering->vertices[name.place] = count - 1;
    if (!status && i % CHECKED_AT == 0)
      status = qn_context_check(error);
  }
  qn_string_merge_close(merge);
  numbering->num_vertices = count;
  return status;
}

/* Of one run: vertices by the places of its names become those by their numbers. */
static enum qn_status order_run(const struct qn_string_runs *runs, uint64_t index,
                                struct qn_numbering *numbering, struct qn_error *error) {
  const uint64_t first = qn_string_run_first(runs, index),
                 count = qn_string_run_first(runs, index + 1) - first;
  uint64_t *vertices = numbering->vertices + first, *by_place = NULL;
  uint32_t *places;
  enum qn_status status = qn_pages_alloc(&places, count, sizeof *places, "names of a run", error);
  if (!status)
    status = qn_pages_alloc(&by_place, count, sizeof *by_place, "names of a run", error);
  if (!status)
    status = qn_string_run_places(runs, index, places, error);
  if (!status) {
    memcpy(by_place, vertices, count * sizeof *by_place);
#pragma omp parallel for schedule(static) if (count > QN_TEAM_LEAST)
    for (uint64_t i = 0; i < count; i++)
      vertices[i] = by_place[places[i]];
  }
  qn_pages_free(by_place, count, sizeof *by_place);
  qn_pages_free(places, count, sizeof *places);
  return status ? status : qn_context_check(error);
}

/* ---- Names that are numbers ------------------------------------------------------ */

struct numbered {
  uint64_t number, vertex; /* the latter in the order of the names */
};

static int compare_numbered(const void *a, const void *b) {
  const uint64_t x = ((const struct numbered *)a)->number, y = ((const struct numbered *)b)->number;
  return (x > y) - (x < y);
}

static bool parse_all(const struct qn_ids *names, struct numbered *numbered) {
  for (uint64_t v = 0; v < names->num_vertices; v++) {
    numbered[v].vertex = v;
    if (!qn_names_parse(names, v, &numbered[v].number))
      return false;
  }
  return true;
}

/* Vertices in the order of their numbers, if all names are such. */
static enum qn_status order_by_number(struct qn_numbering *numbering, struct qn_error *error) {
  const struct qn_ids names = qn_numbering_ids(numbering);
  const uint64_t count = names.num_vertices;
  struct numbered *numbered;
  uint64_t *vertices = NULL;
  enum qn_status status =
      qn_bulk_alloc(&numbered, count, sizeof *numbered, "ids of vertices", error);
  if (!status && parse_all(&names, numbered)) {
    status = qn_bulk_alloc(&numbering->ids, count, sizeof *numbering->ids, "ids", error);
    numbering->room = status ? 0 : count;
    if (!status)
      status = qn_bulk_alloc(&vertices, count, sizeof *vertices, "ids of vertices", error);
  }
  if (!status && vertices) {
    qsort(numbered, count, sizeof *numbered, compare_numbered);
    for (uint64_t i = 0; i < count; i++) {
      numbering->ids[i] = numbered[i].number;
      vertices[numbered[i].vertex] = i;
    }
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < numbering->num_numbers; i++)
      numbering->vertices[i] = vertices[numbering->vertices[i]];
    numbering->has_names = false;
    if (count == 0 || numbering->ids[count - 1] == count - 1) { /* every id is its vertex */
      qn_pages_free(numbering->ids, count, sizeof *numbering->ids);
      numbering->ids = NULL;
    }
  }
  qn_pages_free(vertices, count, sizeof *vertices);
  qn_pages_free(numbered, count, sizeof *numbered);
  return status;
}

/* ---- The whole ------------------------------------------------------------------- */

enum qn_status qn_numbering_create_names(struct qn_string_map *map, bool may_be_numbers,
                                         struct qn_numbering *numbering, struct qn_error *error) {
  const struct qn_string_runs *runs;
  *numbering = (struct qn_numbering){.has_names = true};
  enum qn_status status = qn_string_map_end_runs(map, &runs, error);
  if (status)
    return status;
  numbering->num_numbers = qn_string_runs_count(runs);
  numbering->bytes_room = qn_string_runs_bytes(runs);
  qn_progress_begin("numbering", "names", 0);
  status = qn_bulk_alloc(&numbering->vertices, numbering->num_numbers, sizeof *numbering->vertices,
                         "numbers of names", error);
  if (!status)
    status = qn_bulk_alloc(&numbering->name_offsets, numbering->num_numbers + 1,
                           sizeof *numbering->name_offsets, "names of vertices", error);
  if (!status)
    status =
        qn_bulk_alloc(&numbering->name_bytes, numbering->bytes_room, 1, "names of vertices", error);
  if (!status)
    status = merge_runs(runs, numbering, error);
  for (uint64_t i = 0; !status && i < qn_string_runs_num(runs); i++)
    status = order_run(runs, i, numbering, error);
  if (!status && may_be_numbers)
    status = order_by_number(numbering, error);
  qn_progress_end();
  return status;
}
