#include "formats/archive_upper.h"

#include "support/memory.h"
#include "support/threads.h"

/* ---- Taking the triangle -------------------------------------------------- */

/* Rows are visited in ascending order. When row u is reached, every edge v -> u with v < u has been
 * seen in a row before it, in ascending order of v: these are the lower part of row u, and what its
 * length leaves is the upper part. */

/* The first edge of row v that leads to v or beyond. */
static uint64_t upper_begin(const struct qn_csr *csr, uint64_t v) {
  uint64_t low = csr->row_offsets[v], high = csr->row_offsets[v + 1];
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (csr->column_indices[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static enum qn_status create_cursors(uint64_t num_vertices, uint32_t **cursors,
                                     struct qn_error *error) {
  return qn_pages_alloc(cursors, num_vertices, sizeof **cursors, "row cursors", error);
}

/* Row `u`'s upper edges must be mirrored, one for one, at the cursors of their destinations. */
static bool mirrors_row(const struct qn_csr *csr, const uint32_t *weights, uint32_t *cursors,
                        uint64_t u) {
  const uint64_t *rows = csr->row_offsets;
  uint64_t begin = rows[u] + cursors[u];
  if (begin != upper_begin(csr, u))
    return false;
  for (uint64_t e = begin; e < rows[u + 1]; e++) {
    uint32_t v = csr->column_indices[e];
    if (v == u)
      continue;
    uint64_t mirror = rows[v] + cursors[v];
    if (mirror >= rows[v + 1] || csr->column_indices[mirror] != u ||
        (weights && weights[mirror] != weights[e]))
      return false;
    cursors[v]++;
  }
  return true;
}

static const uint32_t *weight_bits(const struct qn_csr *csr) {
  return csr->weights.u32 ? csr->weights.u32 : (const uint32_t *)csr->weights.f32;
}

static bool degrees_fit_cursors(const uint64_t *row_offsets, uint64_t num_vertices) {
  for (uint64_t v = 0; v < num_vertices; v++)
    if (row_offsets[v + 1] - row_offsets[v] > UINT32_MAX)
      return false;
  return true;
}

enum qn_status qn_upper_applies(const struct qn_csr *csr, bool *applies, struct qn_error *error) {
  uint32_t *cursors;
  *applies = degrees_fit_cursors(csr->row_offsets, csr->num_vertices);
  enum qn_status status = create_cursors(csr->num_vertices, &cursors, error);
  if (status)
    return status;
  for (uint64_t u = 0; *applies && u < csr->num_vertices; u++)
    *applies = mirrors_row(csr, weight_bits(csr), cursors, u);
  qn_pages_free(cursors, csr->num_vertices, sizeof *cursors);
  return QN_OK;
}

uint64_t qn_upper_count(const struct qn_csr *csr) {
  uint64_t count = 0;
#pragma omp parallel for reduction(+ : count)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    count += csr->row_offsets[v + 1] - upper_begin(csr, v);
  return count;
}

void qn_upper_gather(const struct qn_csr *csr, const uint32_t *values, uint32_t *upper) {
  uint64_t next = 0;
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = upper_begin(csr, v); e < csr->row_offsets[v + 1]; e++)
      upper[next++] = values[e];
}

/* ---- Putting the triangle back -------------------------------------------- */

/* The triangle is cut into shares of equal length, one a thread. A share puts its mirrored edges
 * behind those of the shares before it, whose numbers are counted first: the result does not depend
 * on the number of shares. */
enum { MAX_SHARES = 8 };

/* How far ahead of their use places are fetched, and counts before that. */
enum { PLACES_AHEAD = 12, COUNTS_AHEAD = 32 };

struct share {
  uint64_t begin, end;  /* in the triangle */
  uint64_t row, offset; /* where `begin` lies: in the upper part of this row */
  uint64_t *places; /* [V] of each vertex, the number of its edges; then where the next belongs */
};

struct scattering {
  uint64_t num_vertices, num_edges;
  const uint64_t *rows;
  const uint32_t *columns; /* of the triangle */
  uint64_t count;
  const uint32_t *upper_values;
  uint32_t *values;
  uint32_t *lower; /* [V] the number of mirrored edges */
  unsigned num_shares;
  struct share shares[MAX_SHARES];
};

static bool offsets_are_sound(uint64_t num_vertices, uint64_t num_edges,
                              const uint64_t *row_offsets) {
  if (row_offsets[0] != 0 || row_offsets[num_vertices] != num_edges)
    return false;
  uint64_t faults = 0;
#pragma omp parallel for schedule(static) reduction(+ : faults)
  for (uint64_t v = 0; v < num_vertices; v++)
    faults +=
        row_offsets[v] > row_offsets[v + 1] || row_offsets[v + 1] - row_offsets[v] > UINT32_MAX;
  return faults == 0;
}

/* Count the edges that lead to each vertex; false if one leads nowhere. */
static bool count_share(const struct scattering *scattering, struct share *share) {
  for (uint64_t i = share->begin; i < share->end; i++) {
    uint32_t v = scattering->columns[i];
    if (v >= scattering->num_vertices)
      return false;
    share->places[v]++;
  }
  return true;
}

/* A row's loops come first in its upper part; all other edges that lead to it are mirrored there.
 * What these leave of its length is the upper part. Turns counts into places. */
static bool place_rows(struct scattering *scattering) {
  const uint64_t *rows = scattering->rows;
  uint64_t next = 0;
  unsigned begun = 0;
  for (uint64_t u = 0; u < scattering->num_vertices; u++) {
    uint64_t degree = rows[u + 1] - rows[u], leading = 0, loops = 0;
    for (unsigned s = 0; s < scattering->num_shares; s++) {
      uint64_t count = scattering->shares[s].places[u];
      scattering->shares[s].places[u] = rows[u] + leading;
      leading += count;
    }
    while (next + loops < scattering->count && scattering->columns[next + loops] == u)
      loops++;
    uint64_t lower = leading - loops, upper = degree - lower;
    if (loops > leading || lower > degree || upper < loops || upper > scattering->count - next)
      return false;
    scattering->lower[u] = (uint32_t)lower;
    for (; begun < scattering->num_shares && scattering->shares[begun].begin < next + upper;
         begun++) {
      scattering->shares[begun].row = u;
      scattering->shares[begun].offset = scattering->shares[begun].begin - next;
    }
    next += upper;
  }
  return next == scattering->count;
}

/* Both places of every edge of a share; false if one leads back. */
static bool scatter_share(const struct scattering *scattering, struct share *share) {
  const uint32_t *columns = scattering->columns, *upper = scattering->upper_values;
  const uint64_t *rows = scattering->rows;
  uint32_t *values = scattering->values;
  uint64_t u = share->row, e = rows[u] + scattering->lower[u] + share->offset;
  for (uint64_t i = share->begin; i < share->end; i++, e++) {
    for (; e == rows[u + 1]; e = rows[u] + scattering->lower[u])
      u++;
    uint32_t v = columns[i];
    if (i + COUNTS_AHEAD < share->end) {
      __builtin_prefetch(&share->places[columns[i + COUNTS_AHEAD]], 1);
      __builtin_prefetch(&values[share->places[columns[i + PLACES_AHEAD]]], 1);
    }
    values[e] = upper ? upper[i] : v;
    if (v < u)
      return false;
    if (v > u)
      values[share->places[v]++] = upper ? upper[i] : (uint32_t)u;
  }
  return true;
}

static bool scatter(struct scattering *scattering) {
  unsigned faults = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : faults)
  for (unsigned s = 0; s < scattering->num_shares; s++)
    faults += !count_share(scattering, &scattering->shares[s]);
  if (faults || !place_rows(scattering))
    return false;
#pragma omp parallel for schedule(static, 1) reduction(+ : faults)
  for (unsigned s = 0; s < scattering->num_shares; s++)
    if (scattering->shares[s].begin < scattering->shares[s].end)
      faults += !scatter_share(scattering, &scattering->shares[s]);
  return faults == 0;
}

static enum qn_status create_shares(struct scattering *scattering, struct qn_error *error) {
  unsigned threads = qn_threads();
  enum qn_status status = create_cursors(scattering->num_vertices, &scattering->lower, error);
  scattering->num_shares = threads < MAX_SHARES ? threads : MAX_SHARES;
  for (unsigned s = 0; s < scattering->num_shares && !status; s++) {
    struct share *share = &scattering->shares[s];
    share->begin = scattering->count / scattering->num_shares * s;
    share->end = s + 1 == scattering->num_shares
                     ? scattering->count
                     : scattering->count / scattering->num_shares * (s + 1);
    status = qn_pages_alloc(&share->places, scattering->num_vertices, sizeof *share->places,
                            "places of edges", error);
  }
  return status;
}

enum qn_status qn_upper_scatter(uint64_t num_vertices, uint64_t num_edges,
                                const uint64_t *row_offsets, const uint32_t *upper_columns,
                                uint64_t upper_count, const uint32_t *upper_values,
                                uint32_t *values, bool *fits, struct qn_error *error) {
  struct scattering scattering = {.num_vertices = num_vertices,
                                  .num_edges = num_edges,
                                  .rows = row_offsets,
                                  .columns = upper_columns,
                                  .count = upper_count,
                                  .upper_values = upper_values,
                                  .values = values};
  enum qn_status status = create_shares(&scattering, error);
  if (!status)
    *fits = offsets_are_sound(num_vertices, num_edges, row_offsets) && scatter(&scattering);
  for (unsigned s = 0; s < MAX_SHARES; s++)
    qn_pages_free(scattering.shares[s].places, num_vertices, sizeof(uint64_t));
  qn_pages_free(scattering.lower, num_vertices, sizeof *scattering.lower);
  return status;
}
