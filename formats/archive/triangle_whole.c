/* The triangle's columns are counted: what leads to a vertex is mirrored in the lower part of its
 * row, and what that leaves of the row is its upper part. */
#include "formats/archive/triangle_whole.h"

#include "support/memory.h"
#include "support/threads.h"

/* ---- Counting ----------------------------------------------------------------- */

enum { MAX_PARTS = 8 };

/* How many edges of a part lead to each vertex. Nearly all counts fit into a byte, and so nearly
 * all counting stays in the cache; what does not fit is carried. */
struct counts {
  uint8_t *low;      /* [V] modulo 256 */
  uint32_t *carries; /* [V] */
};

struct counting {
  unsigned num_parts;
  struct counts parts[MAX_PARTS];
};

static enum qn_status create_counting(const struct qn_whole_triangle *triangle,
                                      struct counting *counting, struct qn_error *error) {
  enum qn_status status = QN_OK;
  *counting = (struct counting){.num_parts = qn_threads()};
  if (counting->num_parts > MAX_PARTS)
    counting->num_parts = MAX_PARTS;
  for (unsigned i = 0; i < counting->num_parts && !status; i++) {
    struct counts *counts = &counting->parts[i];
    status = qn_pages_alloc(&counts->low, triangle->num_vertices, sizeof *counts->low,
                            "counts of edges", error);
    if (!status)
      status = qn_pages_alloc(&counts->carries, triangle->num_vertices, sizeof *counts->carries,
                              "counts of edges", error);
  }
  return status;
}

static void destroy_counting(const struct qn_whole_triangle *triangle, struct counting *counting) {
  for (unsigned i = 0; i < counting->num_parts; i++) {
    struct counts *counts = &counting->parts[i];
    qn_pages_free(counts->low, triangle->num_vertices, sizeof *counts->low);
    qn_pages_free(counts->carries, triangle->num_vertices, sizeof *counts->carries);
  }
}

/* False if an edge leads nowhere. */
static bool count_part(const struct qn_whole_triangle *triangle, const struct counts *counts,
                       uint64_t begin, uint64_t end) {
  uint8_t *low = counts->low;
  uint32_t *carries = counts->carries;
  const uint32_t *columns = triangle->columns;
  uint64_t num_vertices = triangle->num_vertices;
  for (uint64_t i = begin; i < end; i++) {
    uint32_t v = columns[i];
    if (v >= num_vertices)
      return false;
    if (__builtin_expect(++low[v] == 0, 0))
      carries[v]++;
  }
  return true;
}

/* `leading[v]`: the edges of the triangle that lead to v. */
static bool count_leading(const struct qn_whole_triangle *triangle, const struct counting *counting,
                          uint64_t *leading) {
  unsigned faults = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : faults)
  for (unsigned part = 0; part < counting->num_parts; part++) {
    uint64_t begin, end;
    qn_part_of(triangle->count, counting->num_parts, part, &begin, &end);
    faults += !count_part(triangle, &counting->parts[part], begin, end);
  }
  if (faults)
    return false;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < triangle->num_vertices; v++) {
    leading[v] = 0;
    for (unsigned part = 0; part < counting->num_parts; part++)
      leading[v] += counting->parts[part].low[v] + 256 * (uint64_t)counting->parts[part].carries[v];
  }
  return true;
}

/* ---- Rows --------------------------------------------------------------------- */

static bool offsets_are_sound(const struct qn_whole_triangle *triangle) {
  const uint64_t *rows = triangle->row_offsets;
  return rows[0] == 0 && rows[triangle->num_vertices] == triangle->num_edges;
}

/* A row's loops come first in its upper part. Turns `rows` from the edges
 * that lead to each vertex into where its upper part begins in the triangle. */
static bool place_rows(const struct qn_whole_triangle *triangle, uint64_t *rows) {
  uint64_t next = 0;
  for (uint64_t u = 0; u < triangle->num_vertices; u++) {
    if (triangle->row_offsets[u] > triangle->row_offsets[u + 1])
      return false;
    uint64_t degree = triangle->row_offsets[u + 1] - triangle->row_offsets[u], leading = rows[u];
    uint64_t loops = 0;
    while (next + loops < triangle->count && triangle->columns[next + loops] == u)
      loops++;
    uint64_t lower = leading - loops, upper = degree - lower;
    if (loops > leading || lower > degree || upper < loops || upper > triangle->count - next)
      return false;
    rows[u] = next;
    next += upper;
  }
  rows[triangle->num_vertices] = next;
  return next == triangle->count;
}

static bool edges_lead_on(const struct qn_whole_triangle *triangle, const uint64_t *rows) {
  uint64_t back = 0;
#pragma omp parallel for schedule(static) reduction(+ : back)
  for (uint64_t u = 0; u < triangle->num_vertices; u++)
    for (uint64_t i = rows[u]; i < rows[u + 1]; i++)
      back += triangle->columns[i] < u;
  return back == 0;
}

enum qn_status qn_whole_triangle_rows(const struct qn_whole_triangle *triangle, uint64_t *rows,
                                      bool *fits, struct qn_error *error) {
  struct counting counting;
  enum qn_status status = create_counting(triangle, &counting, error);
  *fits = !status && offsets_are_sound(triangle) && count_leading(triangle, &counting, rows) &&
          place_rows(triangle, rows) && edges_lead_on(triangle, rows);
  destroy_counting(triangle, &counting);
  return status;
}
