/* Every rule of a set, for quern-verify: each part, and that the parts fit together. */
#include "formats/set/set.h"

#include <inttypes.h>

#include "formats/set/blocks.h"
#include "formats/set/changed.h"
#include "formats/set/columns.h"
#include "formats/set/generations.h"
#include "formats/set/types.h"
#include "formats/set/vertices.h"
#include "support/memory.h"
#include <quern/layouts.h>

/* What the parts are together. */
struct sums {
  uint64_t fingerprint, reversed;
  uint64_t *degrees;  /* [V] out-degrees */
  uint64_t *of_types; /* [edge types] fingerprints; NULL: there are none */
  struct qn_set_directions directions;
};

static void count_rows(const struct qn_set_part *part, const struct qn_csr *csr,
                       uint64_t *degrees) {
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row < csr->num_vertices; row++) {
    const uint64_t count = csr->row_offsets[row + 1] - csr->row_offsets[row];
    if (count) /* pages of rows without edges take no memory */
      degrees[part->begin + row] += count;
  }
}

static void count_columns(const struct qn_csr *csr, uint64_t *degrees) {
#pragma omp parallel for schedule(static)
  for (uint64_t edge = 0; edge < csr->num_edges; edge++)
#pragma omp atomic
    degrees[csr->column_indices[edge]]++;
}

/* The container's rules, P-6 to P-9 among them, have been checked. */
static enum qn_status add_values(const struct qn_set *set, const struct qn_set_part *block,
                                 const struct qn_set_open_part *part, struct sums *sums,
                                 struct qn_error *error) {
  struct qn_properties properties;
  if (set->directedness != QN_UNDIRECTED)
    return QN_OK;
  enum qn_status status = qn_properties_view(part->container, &properties, error);
  if (!status && properties.of_edges.count)
    qn_set_directions_add(&part->rows, block->begin, block->columns_begin, &properties.of_edges,
                          NULL, &sums->directions);
  qn_properties_release(&properties);
  return status;
}

/* One after another, so that no more than one part is in memory. */
static enum qn_status add_part(const struct qn_set *set, uint64_t index, struct sums *sums,
                               struct qn_error *error) {
  struct qn_set_open_part part;
  bool swapped = set->rows == QN_SET_ROWS_IN;
  enum qn_status status = qn_set_part_open(set, index, QN_SET_CHECK_ALL, &part, error);
  if (!status)
    status = qn_container_check(part.container, error); /* padding and metadata, too */
  if (!status) {
    const struct qn_set_part *block = &set->parts[index];
    const uint64_t fingerprint = qn_set_block_fingerprint(block, &part.rows, swapped);
    sums->fingerprint += fingerprint;
    if (sums->of_types)
      sums->of_types[block->edge_type] += fingerprint;
    sums->reversed += qn_set_block_fingerprint(block, &part.rows, !swapped);
    if (swapped)
      count_columns(&part.rows, sums->degrees + block->columns_begin);
    else
      count_rows(block, &part.rows, sums->degrees);
    status = add_values(set, block, &part, sums, error);
  }
  if (!status)
    status = qn_container_unchanged(part.container, error);
  qn_set_part_close(&part);
  return status;
}

static enum qn_status check_sums(const struct qn_set *set, const struct sums *sums,
                                 struct qn_error *error) {
  if (sums->fingerprint != set->fingerprint)
    return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-12",
                            "the parts do not hold the edges of the graph: their fingerprint is "
                            "%016" PRIx64 ", and that in the manifest %016" PRIx64,
                            sums->fingerprint, set->fingerprint);
  for (uint64_t t = 0; t < set->num_edge_types; t++)
    if (sums->of_types[t] != set->edge_types[t].fingerprint)
      return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-12",
                              "the parts do not hold the edges of the type %s",
                              set->edge_types[t].name);
  if (set->directedness == QN_UNDIRECTED && sums->reversed != sums->fingerprint)
    return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-13",
                            "the graph is undirected, but some edge has no reverse");
  for (uint64_t i = 0; i < set->num_ranges; i++)
    for (uint64_t v = set->ranges[i].begin; v < set->ranges[i].end; v++) {
      const uint64_t said = qn_degree_of(&set->ranges[i].out_degrees, v - set->ranges[i].begin);
      if (sums->degrees[v] != said)
        return qn_set_violation(set, set->ranges[i].file.name, error, "SET-14",
                                "vertex %" PRIu64 " has the out-degree %" PRIu64 ", not %" PRIu64,
                                v, sums->degrees[v], said);
    }
  return qn_set_directions_check(set, &sums->directions, error);
}

/* Each file of vertices, and SET-16. */
static enum qn_status check_vertices(const struct qn_set *set, struct qn_error *error) {
  struct qn_all_vertices all = {0};
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = qn_container_check(set->ranges[i].container, error);
  if (qn_set_is_typed(set)) /* ids of one type alone are unique */
    return status;
  if (!status)
    status = qn_set_all_ids(set, &all, error);
  if (!status)
    status = qn_set_check_names(set, &all, error);
  qn_set_all_release(&all);
  return status;
}

/* The base, and what each generation made of it. */
static enum qn_status check_changed(const struct qn_set *set, struct qn_error *error) {
  struct qn_changed changed;
  enum qn_status status = qn_changed_open(set, QN_CHANGED_ALL, &changed, error);
  for (uint64_t i = 0; !status && i < set->num_generations; i++)
    status = qn_container_check(changed.blocks[i].container, error);
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = qn_container_check(set->ranges[i].container, error);
  if (!status)
    status = qn_container_check(changed.base, error);
  if (!status)
    status = qn_changed_check_sums(&changed, error);
  qn_changed_close(&changed);
  return status;
}

enum qn_status qn_set_check(const char *path, struct qn_error *error) {
  struct qn_set *set;
  struct sums sums = {0};
  enum qn_status status = qn_set_open(path, &set, error);
  if (status)
    return status;
  if (qn_set_is_changed(set)) {
    status = check_changed(set, error);
    qn_set_close(set);
    return status;
  }
  status = check_vertices(set, error);
  if (!status)
    status = qn_pages_alloc(&sums.degrees, set->num_vertices, sizeof *sums.degrees, "out-degrees",
                            error);
  if (!status && qn_set_is_typed(set))
    status = qn_alloc_zeroed(&sums.of_types, set->num_edge_types, sizeof *sums.of_types,
                             "sums of types", error);
  for (uint64_t i = 0; !status && i < set->num_parts; i++)
    status = add_part(set, i, &sums, error);
  if (!status)
    status = check_sums(set, &sums, error);
  qn_free(sums.of_types);
  qn_pages_free(sums.degrees, set->num_vertices, sizeof *sums.degrees);
  qn_set_close(set);
  return status;
}

enum qn_status qn_set_check_files(const struct qn_set *set, struct qn_error *error) {
  struct qn_changed changed;
  enum qn_status status = qn_changed_open(set, QN_CHANGED_FILES, &changed, error);
  qn_changed_close(&changed);
  return status;
}
