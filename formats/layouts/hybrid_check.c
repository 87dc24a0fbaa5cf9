/* The invariants of the hybrid layout (specs/hybrid.md), checked in parallel by ranges of 1024
 * rows; the first range at fault is reported. */
#include <inttypes.h>
#include <stdio.h>

#include <quern/fingerprint.h>
#include <quern/hybrid.h>

/* What is wrong in a range: a rule, and where. */
struct fault {
  const char *rule; /* NULL: nothing */
  const char *what;
  uint64_t row;
  uint64_t place; /* k in the ELL part, or the entry of the COO part */
};

static uint64_t range_end(const struct qn_hybrid_matrix *matrix, uint64_t range) {
  uint64_t end = (range + 1) * QN_HYBRID_RANGE;
  return end < matrix->num_vertices ? end : matrix->num_vertices;
}

static struct fault fault_of(const char *rule, const char *what, uint64_t row, uint64_t place) {
  return (struct fault){rule, what, row, place};
}

/* ---- The ELL part ------------------------------------------------------------ */

/* Column by column, as the entries lie in memory: each against the one before it in its row. */
static struct fault check_ell(const struct qn_hybrid_matrix *matrix, uint64_t range) {
  uint64_t first = range * QN_HYBRID_RANGE, last = range_end(matrix, range);
  for (uint64_t k = 0; k < matrix->width; k++) {
    const uint32_t *columns = matrix->ell_columns + k * matrix->pitch;
    const uint32_t *before = k ? columns - matrix->pitch : columns;
    uint64_t strays = 0, gaps = 0, descents = 0;
    for (uint64_t row = first; row < last; row++) {
      bool padding = columns[row] == QN_HYBRID_PADDING;
      strays += !padding & (columns[row] >= matrix->num_vertices);
      gaps += !padding & (before[row] == QN_HYBRID_PADDING);
      descents += columns[row] < before[row];
    }
    if (strays + gaps + descents == 0)
      continue;
    for (uint64_t row = first; row < last; row++) {
      if (columns[row] != QN_HYBRID_PADDING && columns[row] >= matrix->num_vertices)
        return fault_of("HY-3", "leads to a vertex that is not there", row, k);
      if (columns[row] != QN_HYBRID_PADDING && before[row] == QN_HYBRID_PADDING)
        return fault_of("HY-3", "follows padding", row, k);
      if (columns[row] < before[row])
        return fault_of("HY-4", "is less than the one before", row, k);
    }
  }
  return (struct fault){0};
}

/* Rows that only fill the pitch up, and weights of padding. */
static struct fault check_fill(const struct qn_hybrid_matrix *matrix) {
  for (uint64_t k = 0; k < matrix->width; k++)
    for (uint64_t row = matrix->num_vertices; row < matrix->pitch; row++)
      if (matrix->ell_columns[k * matrix->pitch + row] != QN_HYBRID_PADDING)
        return fault_of("HY-3", "belongs to no vertex", row, k);
  return (struct fault){0};
}

/* ---- The COO part ------------------------------------------------------------ */

static struct fault check_coo(const struct qn_hybrid_matrix *matrix, uint64_t range) {
  uint64_t first = range * QN_HYBRID_RANGE, last = range_end(matrix, range);
  uint64_t begin = matrix->coo_starts[range], end = matrix->coo_starts[range + 1];
  for (uint64_t i = begin; i < end; i++) {
    uint32_t row = matrix->coo_rows[i], column = matrix->coo_columns[i];
    if (row < first || row >= last)
      return fault_of("HY-2", "has a row of another range", row, i);
    if (column >= matrix->num_vertices)
      return fault_of("HY-6", "leads to a vertex that is not there", row, i);
    if (i > begin && row == matrix->coo_rows[i - 1]) {
      if (column < matrix->coo_columns[i - 1])
        return fault_of("HY-6", "is less than the one before", row, i);
      continue;
    }
    if (i > begin && row < matrix->coo_rows[i - 1])
      return fault_of("HY-5", "has a smaller row than the one before", row, i);
    if (matrix->width == 0)
      continue;
    uint32_t before = matrix->ell_columns[(matrix->width - 1) * matrix->pitch + row];
    if (before == QN_HYBRID_PADDING || before > column)
      return fault_of("HY-7", "does not follow a full ELL row that ends before it", row, i);
  }
  return (struct fault){0};
}

static enum qn_status check_starts(const struct qn_container *container, const char *name,
                                   const struct qn_hybrid_matrix *matrix, struct qn_error *error) {
  for (uint64_t range = 0; range < matrix->num_ranges; range++)
    if (matrix->coo_starts[range] > matrix->coo_starts[range + 1])
      return qn_container_violation(container, error, "HY-2",
                                    "%s: coo_starts descends after range %" PRIu64, name, range);
  return QN_OK;
}

static struct fault check_range(const struct qn_hybrid_matrix *matrix, uint64_t range,
                                bool *in_ell) {
  struct fault fault = check_ell(matrix, range);
  *in_ell = fault.rule != NULL;
  return fault.rule ? fault : check_coo(matrix, range);
}

static enum qn_status check_matrix(const struct qn_container *container, const char *name,
                                   const struct qn_hybrid_matrix *matrix, struct qn_error *error) {
  uint64_t bad = UINT64_MAX;
  bool in_ell = true;
  enum qn_status status = check_starts(container, name, matrix, error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 4) reduction(min : bad)
  for (uint64_t range = 0; range < matrix->num_ranges; range++) {
    bool ignored;
    if (range < bad && check_range(matrix, range, &ignored).rule)
      bad = range;
  }
  struct fault fault = bad == UINT64_MAX ? check_fill(matrix) : check_range(matrix, bad, &in_ell);
  if (!fault.rule)
    return QN_OK;
  return qn_container_violation(container, error, fault.rule,
                                "%s: entry %" PRIu64 " of the %s part, in row %" PRIu64 ", %s",
                                name, fault.place, in_ell ? "ELL" : "COO", fault.row, fault.what);
}

/* The matrices that are stored: an undirected graph's is in the view under both names. */
static const struct qn_hybrid_matrix *stored_in(const struct qn_container *container,
                                                const struct qn_hybrid *hybrid) {
  return qn_container_section(container, "in_coo_starts") ? &hybrid->in : NULL;
}

static const struct qn_hybrid_matrix *stored_out(const struct qn_container *container,
                                                 const struct qn_hybrid *hybrid) {
  return qn_container_section(container, "out_coo_starts") ? &hybrid->out : NULL;
}

enum qn_status qn_hybrid_check(const struct qn_container *container, const struct qn_hybrid *hybrid,
                               struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (stored_in(container, hybrid))
    status = check_matrix(container, "in-edges", stored_in(container, hybrid), error);
  if (!status && stored_out(container, hybrid))
    status = check_matrix(container, "out-edges", stored_out(container, hybrid), error);
  if (!status)
    status = qn_ids_check(container, &hybrid->ids, error);
  return status;
}

/* ---- Content ----------------------------------------------------------------- */

static inline uint64_t mix_edge(uint64_t row, uint32_t column, bool row_is_source,
                                const struct qn_weights *weights, uint64_t at) {
  uint64_t mixed = row_is_source ? qn_mix_source((uint32_t)row) * qn_mix_destination(column)
                                 : qn_mix_source(column) * qn_mix_destination((uint32_t)row);
  return mixed * qn_mix_weight_at(weights->data, qn_weight_bytes(weights->type), at);
}

/* What the edges of a range add to the sums over a matrix. */
struct sums {
  uint64_t edges;       /* number of entries that are no padding */
  uint64_t fingerprint; /* of the edges source -> destination */
  uint64_t reverse;     /* of the reversed edges */
  uint64_t sources;     /* qn_mix_source of every source */
  uint64_t bad_padding; /* weights of padding that are not zero */
};

static inline void add_edge(struct sums *sums, uint64_t row, uint32_t column, bool row_is_source,
                            const struct qn_weights *weights, uint64_t at) {
  sums->edges++;
  sums->fingerprint += mix_edge(row, column, row_is_source, weights, at);
  sums->reverse += mix_edge(row, column, !row_is_source, weights, at);
  sums->sources += qn_mix_source(row_is_source ? (uint32_t)row : column);
}

/* An entry of padding. */
static bool has_weight(const struct qn_weights *weights, uint64_t at) {
  unsigned bytes = qn_weight_bytes(weights->type);
  return bytes && qn_weight_load(weights->data, bytes, at) != 0;
}

static void add_range(const struct qn_hybrid_matrix *matrix, uint64_t range, bool row_is_source,
                      struct sums *sums) {
  for (uint64_t k = 0; k < matrix->width; k++)
    for (uint64_t row = range * QN_HYBRID_RANGE; row < range_end(matrix, range); row++) {
      uint64_t at = k * matrix->pitch + row;
      if (matrix->ell_columns[at] != QN_HYBRID_PADDING)
        add_edge(sums, row, matrix->ell_columns[at], row_is_source, &matrix->ell_weights, at);
      else
        sums->bad_padding += has_weight(&matrix->ell_weights, at);
    }
  for (uint64_t i = matrix->coo_starts[range]; i < matrix->coo_starts[range + 1]; i++)
    add_edge(sums, matrix->coo_rows[i], matrix->coo_columns[i], row_is_source, &matrix->coo_weights,
             i);
}

static struct sums sum_matrix(const struct qn_hybrid_matrix *matrix, bool row_is_source) {
  uint64_t edges = 0, fingerprint = 0, reverse = 0, sources = 0, bad_padding = 0;
#pragma omp parallel for schedule(dynamic, 4)                                                      \
    reduction(+ : edges, fingerprint, reverse, sources, bad_padding)
  for (uint64_t range = 0; range < matrix->num_ranges; range++) {
    struct sums sums = {0};
    add_range(matrix, range, row_is_source, &sums);
    edges += sums.edges;
    fingerprint += sums.fingerprint;
    reverse += sums.reverse;
    sources += sums.sources;
    bad_padding += sums.bad_padding;
  }
  for (uint64_t k = 0; k < matrix->width; k++)
    for (uint64_t row = matrix->num_vertices; row < matrix->pitch; row++)
      bad_padding += has_weight(&matrix->ell_weights, k * matrix->pitch + row);
  return (struct sums){edges, fingerprint, reverse, sources, bad_padding};
}

static enum qn_status check_sums(const struct qn_container *container,
                                 const struct qn_hybrid *hybrid, const struct sums *sums,
                                 const char *name, struct qn_error *error) {
  if (sums->edges != hybrid->num_edges)
    return qn_container_violation(container, error, "HY-8",
                                  "%s: %" PRIu64 " entries, but %" PRIu64 " edges", name,
                                  sums->edges, hybrid->num_edges);
  if (sums->bad_padding)
    return qn_container_violation(container, error, "HY-9",
                                  "%s: %" PRIu64 " entries of padding have weights that are not 0",
                                  name, sums->bad_padding);
  uint64_t expected = 0;
#pragma omp parallel for schedule(static) reduction(+ : expected)
  for (uint64_t v = 0; v < hybrid->num_vertices; v++)
    expected += hybrid->out_degrees[v] * qn_mix_source((uint32_t)v);
  if (expected != sums->sources)
    return qn_container_violation(container, error, "HY-10",
                                  "%s: out_degrees are not those of the edges", name);
  return QN_OK;
}

static enum qn_status check_weights(const struct qn_container *container,
                                    const struct qn_hybrid_matrix *matrix, const char *name,
                                    struct qn_error *error) {
  enum qn_status status = qn_weights_check(container, "HY-9", name, &matrix->ell_weights,
                                           matrix->width * matrix->pitch, error);
  return status ? status
                : qn_weights_check(container, "HY-9", name, &matrix->coo_weights, matrix->num_coo,
                                   error);
}

enum qn_status qn_hybrid_check_content(const struct qn_container *container,
                                       const struct qn_hybrid *hybrid, struct qn_error *error) {
  const struct qn_hybrid_matrix *in = stored_in(container, hybrid),
                                *out = stored_out(container, hybrid);
  struct sums in_sums = {0}, out_sums = {0};
  enum qn_status status = QN_OK;
  if (in && !(status = check_weights(container, in, "in-edges", error))) {
    in_sums = sum_matrix(in, false);
    status = check_sums(container, hybrid, &in_sums, "in-edges", error);
  }
  if (!status && out && !(status = check_weights(container, out, "out-edges", error))) {
    out_sums = sum_matrix(out, true);
    status = check_sums(container, hybrid, &out_sums, "out-edges", error);
  }
  if (status)
    return status;
  if (in && out && in_sums.fingerprint != out_sums.fingerprint)
    return qn_container_violation(container, error, "HY-11",
                                  "in-edges and out-edges are not the same edges");
  const struct sums *any = in ? &in_sums : &out_sums;
  if (hybrid->directedness == QN_UNDIRECTED && any->fingerprint != any->reverse)
    return qn_container_violation(container, error, "HY-12",
                                  "the header says undirected, but some edge lacks its reverse");
  return QN_OK;
}
