#include "kernels/cpu/loop/levels.h"

#include "support/memory.h"
#include "support/threads.h"

enum qn_status qn_levels_create(struct qn_levels *levels, uint64_t num_vertices,
                                struct qn_error *error) {
  *levels = (struct qn_levels){.num_vertices = num_vertices};
  return qn_pages_alloc(&levels->vertices, num_vertices, sizeof *levels->vertices,
                        "vertices by level", error);
}

void qn_levels_destroy(struct qn_levels *levels) {
  qn_free(levels->offsets);
  qn_pages_free(levels->vertices, levels->num_vertices, sizeof *levels->vertices);
  *levels = (struct qn_levels){0};
}

/* A counting sort over the parts of the threads, stable. */
enum qn_status qn_levels_sort(struct qn_levels *levels, const uint32_t *of,
                              struct qn_error *error) {
  uint64_t num_vertices = levels->num_vertices;
  uint32_t deepest = 0;
#pragma omp parallel for schedule(static) reduction(max : deepest)
  for (uint64_t v = 0; v < num_vertices; v++)
    if (of[v] != UINT32_MAX && of[v] > deepest)
      deepest = of[v];
  levels->num_levels = (uint64_t)deepest + 1;
  /* Of thin levels the histograms would be more than the vertices: then one part will do. */
  unsigned parts = levels->num_levels > num_vertices / qn_threads() ? 1 : qn_threads();
  uint64_t *places = NULL;
  enum qn_status status = qn_alloc_zeroed(&places, parts * levels->num_levels, sizeof *places,
                                          "histogram of levels", error);
  if (!status)
    status = qn_realloc(&levels->offsets, levels->num_levels + 1, sizeof *levels->offsets, "levels",
                        error);
  if (status)
    goto cleanup;
#pragma omp parallel for schedule(static, 1)
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(num_vertices, parts, part, &begin, &end);
    for (uint64_t v = begin; v < end; v++)
      if (of[v] != UINT32_MAX)
        places[part * levels->num_levels + of[v]]++;
  }
  uint64_t sum = 0;
  for (uint64_t level = 0; level < levels->num_levels; level++) {
    levels->offsets[level] = sum;
    for (unsigned part = 0; part < parts; part++) {
      uint64_t count = places[part * levels->num_levels + level];
      places[part * levels->num_levels + level] = sum;
      sum += count;
    }
  }
  levels->offsets[levels->num_levels] = sum;
#pragma omp parallel for schedule(static, 1)
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(num_vertices, parts, part, &begin, &end);
    for (uint64_t v = begin; v < end; v++)
      if (of[v] != UINT32_MAX)
        levels->vertices[places[part * levels->num_levels + of[v]]++] = (uint32_t)v;
  }
cleanup:
  qn_free(places);
  return status;
}
