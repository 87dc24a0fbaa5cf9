/* The rows of several parts as units of one stream (rows/row_units.cuh). Part of engine.cuh. */
#pragma once

#include "kernels/cuda/edges/combine.cuh"
#include "kernels/cuda/rows/row_units.cuh"
#include "kernels/set_view.h"

namespace {

/* Zero it before use. */
struct set_units {
  const struct qn_set_view *view;
  struct row_units *cuts; /* [num_parts] each part's */
  uint64_t *bounds;       /* [num_parts][4] */
  struct row_units all;   /* theirs, one behind the other; the block of a unit is its part */
};

inline struct row_matrix part_matrix(const struct qn_part_rows *part, uint64_t num_vertices,
                                     uint64_t *bounds) {
  struct row_matrix matrix = row_matrix_of_csr(part->csr, PROGRAM_USES_WEIGHTS, bounds);
  bounds[0] = part->begin;
  bounds[1] = part->end;
  matrix.wide_offsets -= part->begin; /* rows have the numbers of their vertices */
  matrix.num_vertices = num_vertices;
  matrix.column_vertices = num_vertices; /* any of them may send */
  return matrix;
}

inline void add_part(struct set_units *units, uint64_t part) {
  const struct row_units *cut = &units->cuts[part];
  struct row_units *all = &units->all;
  for (uint64_t i = 0; i < cut->num_units; i++) {
    struct row_unit *unit = &all->units[all->num_units + i];
    *unit = cut->units[i];
    unit->block = (uint32_t)part;
    if (unit->part != NO_PART)
      unit->part += (uint32_t)all->num_parts;
  }
  for (uint64_t i = 0; i < cut->num_hubs; i++) {
    struct row_hub *hub = &all->hubs[all->num_hubs + i];
    *hub = cut->hubs[i];
    hub->first_part += (uint32_t)all->num_parts;
  }
  all->num_units += cut->num_units;
  all->num_hubs += cut->num_hubs;
  all->num_parts += cut->num_parts;
}

inline enum qn_status join_cuts(struct set_units *units, struct qn_error *error) {
  struct row_units *all = &units->all;
  uint64_t num_units = 0, num_hubs = 0;
  for (uint64_t part = 0; part < units->view->num_parts; part++) {
    num_units += units->cuts[part].num_units;
    num_hubs += units->cuts[part].num_hubs;
  }
  if (num_units > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the parts have too many edges for one device");
  enum qn_status status =
      qn_pages_alloc(&all->units, num_units, sizeof *all->units, "units of rows", error);
  if (!status)
    status = qn_pages_alloc(&all->hubs, num_hubs, sizeof *all->hubs, "units of rows", error);
  for (uint64_t part = 0; !status && part < units->view->num_parts; part++)
    add_part(units, part);
  return status;
}

/* Owned until set_units_destroy, also after a failure. */
inline enum qn_status set_units_create(struct set_units *units, const struct qn_set_view *view,
                                       uint64_t most, struct qn_error *error) {
  memset(units, 0, sizeof *units);
  units->view = view;
  enum qn_status status =
      qn_alloc_zeroed(&units->cuts, view->num_parts, sizeof *units->cuts, "units of parts", error);
  if (!status)
    status = qn_alloc(&units->bounds, view->num_parts, 4 * sizeof *units->bounds, "units of parts",
                      error);
  for (uint64_t part = 0; !status && part < view->num_parts; part++) {
    const struct row_matrix matrix =
        part_matrix(&view->parts[part], view->num_vertices, units->bounds + 4 * part);
    status = row_units_create(&units->cuts[part], &matrix, most, error);
  }
  if (status)
    return status;
  if (view->num_parts > 0)
    units->all.matrix = units->cuts[0].matrix; /* as for offsets and weights: all are alike */
  return join_cuts(units, error);
}

inline void set_units_destroy(struct set_units *units) {
  for (uint64_t part = 0; units->cuts && part < units->view->num_parts; part++)
    row_units_destroy(&units->cuts[part]);
  row_units_destroy(&units->all);
  qn_free(units->cuts);
  qn_free(units->bounds);
}

/* A struct qn_unit_source's describe; its user is a struct set_units. */
inline void set_unit_describe(const void *user, uint64_t number, struct qn_unit *out) {
  const struct set_units *units = (const struct set_units *)user;
  struct row_unit unit = units->all.units[number];
  struct row_units cut = units->cuts[unit.block];
  unit.block = 0;
  cut.units = &unit;
  row_unit_describe(&cut, 0, out);
}

inline struct qn_unit_source set_source(const struct set_units *units) {
  struct qn_unit_source source;
  memset(&source, 0, sizeof source);
  for (uint64_t part = 0; part < units->view->num_parts; part++)
    row_units_count(&units->cuts[part], &source);
  source.user = units;
  source.describe = set_unit_describe;
  source.resident_bytes = UINT64_MAX;
  return source;
}

} /* namespace */
