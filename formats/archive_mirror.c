/* The other half of an undirected graph. The triangle's columns are counted, which gives its rows;
 * then it is transposed, bucket by bucket (deal.h), into the lower parts of the graph's rows. */
#include "formats/archive_mirror.h"

#include <string.h>

#include "formats/deal.h"
#include "support/memory.h"
#include "support/threads.h"

struct qn_mirror {
  struct qn_triangle triangle;
  uint64_t *upper_rows; /* [V + 1] where rows begin in the triangle */
  struct qn_dealt_edges dealt;
};

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

static enum qn_status create_counting(const struct qn_triangle *triangle, struct counting *counting,
                                      struct qn_error *error) {
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

static void destroy_counting(const struct qn_triangle *triangle, struct counting *counting) {
  for (unsigned i = 0; i < counting->num_parts; i++) {
    struct counts *counts = &counting->parts[i];
    qn_pages_free(counts->low, triangle->num_vertices, sizeof *counts->low);
    qn_pages_free(counts->carries, triangle->num_vertices, sizeof *counts->carries);
  }
}

/* False if an edge leads nowhere. */
static bool count_part(const struct qn_triangle *triangle, const struct counts *counts,
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
static bool count_leading(const struct qn_triangle *triangle, const struct counting *counting,
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

static bool offsets_are_sound(const struct qn_triangle *triangle) {
  const uint64_t *rows = triangle->row_offsets;
  uint64_t faults = 0;
  if (rows[0] != 0 || rows[triangle->num_vertices] != triangle->num_edges)
    return false;
#pragma omp parallel for schedule(static) reduction(+ : faults)
  for (uint64_t v = 0; v < triangle->num_vertices; v++)
    faults += rows[v] > rows[v + 1];
  return faults == 0;
}

/* A row's loops come first in its upper part; all other edges that lead to it are mirrored in its
 * lower part, and what these leave of its length is the upper part. Turns `rows` from the edges
 * that lead to each vertex into where its upper part begins in the triangle. */
static bool place_rows(const struct qn_triangle *triangle, uint64_t *rows) {
  uint64_t next = 0;
  for (uint64_t u = 0; u < triangle->num_vertices; u++) {
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

static enum qn_status find_rows(struct qn_mirror *mirror, bool *fits, struct qn_error *error) {
  const struct qn_triangle *triangle = &mirror->triangle;
  struct counting counting;
  enum qn_status status = create_counting(triangle, &counting, error);
  *fits = !status && offsets_are_sound(triangle) &&
          count_leading(triangle, &counting, mirror->upper_rows) &&
          place_rows(triangle, mirror->upper_rows);
  destroy_counting(triangle, &counting);
  return status;
}

/* ---- Both parts of rows ---------------------------------------------------------- */

/* A bucket of vertices on its way: the edges [begin, end) of the graph. */
struct bucket {
  const struct qn_mirror *mirror;
  uint64_t number;
  uint64_t first, last; /* vertices */
  uint64_t begin, end;  /* edges of the graph */
  bool weights;         /* their values are weights, not columns */
  uint32_t *values;     /* where value `begin` goes */
};

static struct bucket bucket_of(const struct qn_mirror *mirror, uint64_t number, bool weights) {
  const struct qn_dealt_edges *dealt = &mirror->dealt;
  const uint64_t *rows = mirror->triangle.row_offsets;
  uint64_t first = number << dealt->span_log2, last = (number + 1) << dealt->span_log2;
  last = last < dealt->num_vertices ? last : dealt->num_vertices;
  return (struct bucket){.mirror = mirror,
                         .number = number,
                         .first = first,
                         .last = last,
                         .begin = rows[first],
                         .end = rows[last],
                         .weights = weights};
}

/* Loops are dealt too, and come to lie where the upper part begins, which holds the same. */
static inline void put_lower(const struct bucket *bucket, bool weights) {
  const struct qn_dealt_edges *dealt = &bucket->mirror->dealt;
  const uint64_t *rows = bucket->mirror->triangle.row_offsets + bucket->first;
  const uint32_t *dealt_words = dealt->words, *dealt_weights = dealt->weights;
  uint32_t *values = bucket->values;
  uint64_t places[QN_DEAL_KEYS]; /* those of marks are not used */
  for (uint64_t v = 0; v < bucket->last - bucket->first; v++)
    places[v] = rows[v] - bucket->begin;
  for (uint64_t part = 0; part < dealt->num_parts; part++) {
    struct qn_deal_words words = qn_deal_words(dealt, bucket->number, part);
    uint32_t block = 0;
    for (uint64_t i = words.begin; i < words.end; i++) {
      uint32_t word = dealt_words[i];
      if (word & QN_DEAL_MARK)
        block = word & 0xFFFF0000;
      else
        values[places[word & (QN_DEAL_MARK - 1)]++] =
            weights ? dealt_weights[i] : block | word >> 16;
    }
  }
}

/* The upper parts of the rows, one behind the other in the triangle. True if an edge leads back. */
static inline bool put_upper(const struct bucket *bucket, bool weights) {
  const struct qn_triangle *triangle = &bucket->mirror->triangle;
  const uint64_t *upper_rows = bucket->mirror->upper_rows;
  const uint32_t *from = weights ? triangle->weights : triangle->columns;
  uint64_t back = 0;
  for (uint64_t u = bucket->first; u < bucket->last; u++) {
    uint64_t begin = upper_rows[u], end = upper_rows[u + 1];
    uint32_t *to = bucket->values + (triangle->row_offsets[u + 1] - bucket->begin) - end;
    for (uint64_t i = begin; i < end; i++) {
      back += !weights && from[i] < u;
      to[i] = from[i];
    }
  }
  return back > 0;
}

static bool fill_bucket(const struct bucket *bucket) {
  if (bucket->weights) {
    put_lower(bucket, true);
    return put_upper(bucket, true);
  }
  put_lower(bucket, false);
  return put_upper(bucket, false);
}

/* Larger buckets, of hubs, are filled in place. */
#define BUFFER_VALUES ((uint64_t)4 << 20)

/* Fill the bucket, in `buffer` if it is to be put and fits in there. */
static enum qn_status emit_bucket(struct bucket *bucket, const struct qn_mirror_output *output,
                                  uint32_t *buffer, uint64_t *back, struct qn_error *error) {
  uint64_t count = bucket->end - bucket->begin;
  bool buffered = output->put && count <= BUFFER_VALUES;
  bucket->values = buffered ? buffer : output->values + bucket->begin;
  *back += fill_bucket(bucket);
  if (!buffered || count == 0)
    return QN_OK;
  return output->put(output->context, buffer, count * sizeof *buffer,
                     bucket->begin * sizeof *buffer, error);
}

static enum qn_status emit_all(const struct qn_mirror *mirror, bool weights,
                               const struct qn_mirror_output *output, bool *fits,
                               struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t back = 0;
#pragma omp parallel reduction(+ : back)
  {
    struct qn_error own_error;
    uint32_t *buffer = NULL;
    enum qn_status own = output->put ? qn_pages_alloc(&buffer, BUFFER_VALUES, sizeof *buffer,
                                                      "a bucket of edges", &own_error)
                                     : QN_OK;
#pragma omp for schedule(dynamic, 1)
    for (uint64_t number = 0; number < mirror->dealt.num_buckets; number++) {
      struct bucket bucket = bucket_of(mirror, number, weights);
      if (!own)
        own = emit_bucket(&bucket, output, buffer, &back, &own_error);
    }
    qn_pages_free(buffer, BUFFER_VALUES, sizeof *buffer);
#pragma omp critical(qn_mirror_failure)
    if (own) {
      status = own;
      if (error)
        *error = own_error;
    }
  }
  *fits = back == 0;
  return status;
}

enum qn_status qn_mirror_columns(const struct qn_mirror *mirror,
                                 const struct qn_mirror_output *output, bool *fits,
                                 struct qn_error *error) {
  return emit_all(mirror, false, output, fits, error);
}

enum qn_status qn_mirror_weights(const struct qn_mirror *mirror,
                                 const struct qn_mirror_output *output, struct qn_error *error) {
  bool fits;
  return emit_all(mirror, true, output, &fits, error);
}

/* ---- The whole -------------------------------------------------------------------- */

static enum qn_status deal_triangle(struct qn_mirror *mirror, struct qn_error *error) {
  const struct qn_triangle *triangle = &mirror->triangle;
  struct qn_csr csr = {.num_vertices = triangle->num_vertices,
                       .num_edges = triangle->count,
                       .row_offsets = mirror->upper_rows,
                       .column_indices = triangle->columns};
  if (triangle->weights)
    csr.weights = (struct qn_weights){.type = QN_WEIGHT_U32, .u32 = triangle->weights};
  return qn_deal_edges(&csr, &mirror->dealt, error);
}

enum qn_status qn_mirror_create(const struct qn_triangle *triangle, struct qn_mirror **out,
                                struct qn_error *error) {
  struct qn_mirror *mirror;
  bool fits = false;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&mirror, 1, sizeof *mirror, "a mirror", error);
  if (status)
    return status;
  mirror->triangle = *triangle;
  status = qn_pages_alloc(&mirror->upper_rows, triangle->num_vertices + 1,
                          sizeof *mirror->upper_rows, "rows of the upper triangle", error);
  if (!status)
    status = find_rows(mirror, &fits, error);
  if (!status && fits)
    status = deal_triangle(mirror, error);
  if (status || !fits)
    qn_mirror_destroy(mirror);
  else
    *out = mirror;
  return status;
}

void qn_mirror_destroy(struct qn_mirror *mirror) {
  if (!mirror)
    return;
  qn_dealt_edges_destroy(&mirror->dealt);
  qn_pages_free(mirror->upper_rows, mirror->triangle.num_vertices + 1, sizeof *mirror->upper_rows);
  qn_free(mirror);
}
