#include "kernels/cpu/triangles/orientation.h"

#include <omp.h>
#include <string.h>

#include "kernels/cpu/loop/levels.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

/* Degrees are told apart up to this; beyond, all are hubs whose order matters little. */
#define DEGREE_CLASSES ((uint32_t)1 << 16)

struct work {
  struct qn_orientation *made;
  const struct qn_oriented_source *source;
  struct qn_oriented_rows rows; /* at hand */
  uint32_t *degrees;            /* [V] by old number: edges of both directions, or UINT32_MAX */
  uint32_t *new_vertex;         /* [V] by old number */
  uint64_t *bits; /* [threads][2][words] neighbours of one vertex by out- and by in-edges;
                     zero between uses */
  uint64_t words;
  bool is_one_way; /* rows have the edges of a directed graph in one direction alone: */
  uint64_t *ends;  /* [V] edges at a vertex, by old number; then, by new number, before which place
                      the next one goes that is no edge of its row */
};

/* What is done with a neighbour in a row of the vertex `v`. */
typedef void visit_neighbour(const struct work *work, uint32_t v, uint32_t neighbour, void *hand);

static inline __attribute__((always_inline)) void visit_row(const struct work *work,
                                                            const struct qn_row_parts *rows,
                                                            uint64_t row, visit_neighbour *visit,
                                                            void *hand) {
  const uint32_t v = (uint32_t)(work->rows.begin + row);
  for (uint64_t k = 0; k < rows->width; k++) {
    const uint32_t neighbour = rows->ell[k * rows->pitch + row];
    if (neighbour == UINT32_MAX)
      break;
    visit(work, v, neighbour, hand);
  }
  for (uint64_t edge = rows->offsets[row]; edge < rows->offsets[row + 1]; edge++)
    visit(work, v, rows->columns[edge], hand);
}

/* ---- Vertices by degree ------------------------------------------------------------------------
 */

static uint64_t length_of(const struct qn_row_parts *rows, uint64_t v) {
  uint64_t length = 0;
  while (length < rows->width && rows->ell[length * rows->pitch + v] != UINT32_MAX)
    length++;
  return length + rows->offsets[v + 1] - rows->offsets[v];
}

static void set_degree(const struct work *work, uint64_t v, uint64_t degree) {
  work->degrees[v] = degree < UINT32_MAX ? (uint32_t)degree : UINT32_MAX;
}

static void count_degrees(const struct work *work) {
  const struct qn_oriented_rows *rows = &work->rows;
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row < rows->end - rows->begin; row++)
    set_degree(work, rows->begin + row,
               length_of(&rows->out, row) + (rows->has_in ? length_of(&rows->in, row) : 0));
}

static inline void count_neighbour(const struct work *work, uint32_t v, uint32_t neighbour,
                                   void *hand) {
  (void)v, (void)hand;
  __atomic_fetch_add(&work->ends[neighbour], 1, __ATOMIC_RELAXED);
}

static void count_ends(const struct work *work) {
  const struct qn_oriented_rows *rows = &work->rows;
#pragma omp parallel for schedule(dynamic, 256)
  for (uint64_t row = 0; row < rows->end - rows->begin; row++) {
    __atomic_fetch_add(&work->ends[rows->begin + row], length_of(&rows->out, row),
                       __ATOMIC_RELAXED);
    visit_row(work, &rows->out, row, count_neighbour, NULL);
  }
}

static void add_ends(const struct work *work) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < work->made->num_vertices; v++)
    set_degree(work, v, work->ends[v]);
}

/* The class of a vertex's degree, the largest degrees first. */
static uint32_t degree_class(const struct work *work, uint64_t v) {
  uint32_t degree = work->degrees[v];
  return DEGREE_CLASSES - 1 - (degree < DEGREE_CLASSES ? degree : DEGREE_CLASSES - 1);
}

/* The largest degrees first, equal ones by old number. */
static enum qn_status renumber(struct work *work, struct qn_error *error) {
  struct qn_orientation *made = work->made;
  struct qn_levels classes;
  enum qn_status status = qn_levels_create(&classes, made->num_vertices, error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < made->num_vertices; v++)
    work->new_vertex[v] = degree_class(work, v);
  status = qn_levels_sort(&classes, work->new_vertex, error);
  if (!status) {
    made->old_vertex = classes.vertices;
    classes.vertices = NULL;
  }
  qn_levels_destroy(&classes);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t c = 0; c < made->num_vertices; c++)
    work->new_vertex[made->old_vertex[c]] = (uint32_t)c;
  return QN_OK;
}

static bool has_bit(const uint64_t *bits, uint32_t vertex) {
  return bits[vertex / 64] >> (vertex % 64) & 1;
}

/* What is gathered of one vertex. */
struct list {
  uint32_t *earlier;
  uint64_t count, room;
  uint64_t end;  /* of all lists */
  uint64_t last; /* neighbour in the row: parallel edges lie together there */
};

/* Mark an earlier vertex in `bits`, and append it to the list if it is in neither of both. */
static inline void add_earlier(uint32_t b, uint64_t *bits, const uint64_t *others,
                               struct list *list) {
  if (has_bit(bits, b))
    return;
  bits[b / 64] |= (uint64_t)1 << (b % 64);
  if (!has_bit(others, b) && list->count < list->room) /* of a file as it was counted */
    list->earlier[list->count++] = b;
}

/* Where neighbours of `c` go that are found in one direction. */
struct adding {
  uint32_t c;
  uint64_t *bits;
  const uint64_t *others;
  struct list *list;
};

static inline void add_neighbour(const struct work *work, uint32_t v, uint32_t neighbour,
                                 void *hand) {
  const struct adding *to = hand;
  const uint32_t b = work->new_vertex[neighbour];
  (void)v;
  if (b < to->c)
    add_earlier(b, to->bits, to->others, to->list);
}

static void end_list(const struct work *work, uint64_t c, const struct list *list, uint64_t *by_out,
                     uint64_t *by_in) {
  struct qn_orientation *made = work->made;
  const uint32_t *earlier = list->earlier;
  for (uint64_t i = 0; made->ways && i < list->count; i++)
    made->ways[made->offsets[c] + i] =
        (uint8_t)(has_bit(by_out, earlier[i]) + has_bit(by_in, earlier[i]));
  for (uint64_t i = 0; i < list->count; i++)
    by_out[earlier[i] / 64] = by_in[earlier[i] / 64] = 0;
  made->counts[c] = list->count;
}

static struct list list_of(const struct work *work, uint64_t c) {
  const struct qn_orientation *made = work->made;
  return (struct list){.earlier = made->earlier + made->offsets[c],
                       .room = made->offsets[c + 1] - made->offsets[c]};
}

static uint64_t *bits_of_thread(const struct work *work) {
  return work->bits + (uint64_t)omp_get_thread_num() * 2 * work->words;
}

static void make_list(const struct work *work, uint64_t row) {
  const uint32_t c = work->new_vertex[work->rows.begin + row];
  uint64_t *by_out = bits_of_thread(work), *by_in = by_out + work->words;
  struct list list = list_of(work, c);
  struct adding out = {c, by_out, by_in, &list}, in = {c, by_in, by_out, &list};
  visit_row(work, &work->rows.out, row, add_neighbour, &out);
  if (work->rows.has_in)
    visit_row(work, &work->rows.in, row, add_neighbour, &in);
  end_list(work, c, &list, by_out, by_in);
}

/* Lists have room for all edges of their vertex, as offsets[c] must be known before: an upper bound
 * that costs address space alone. */
static enum qn_status place_lists(struct work *work, struct qn_error *error) {
  struct qn_orientation *made = work->made;
  uint64_t sum = 0;
  for (uint64_t c = 0; c < made->num_vertices; c++) {
    const uint64_t v = made->old_vertex[c], most = work->is_one_way ? 2 * c : c;
    const uint64_t degree = work->is_one_way ? work->ends[v] : work->degrees[v];
    made->offsets[c] = sum;
    sum += degree < most ? degree : most;
  }
  made->offsets[made->num_vertices] = made->room = sum;
  enum qn_status status =
      qn_bulk_alloc(&made->earlier, sum, sizeof *made->earlier, "oriented edges", error);
  if (!status && work->source->wants_ways)
    status = qn_bulk_alloc(&made->ways, sum, sizeof *made->ways, "ways of edges", error);
  return status;
}

static void make_lists(const struct work *work) {
#pragma omp parallel for schedule(dynamic, 256)
  for (uint64_t row = 0; row < work->rows.end - work->rows.begin; row++)
    make_list(work, row);
}

/* ---- Of rows in one direction -------------------------------------------------------------------
 *
 * An edge goes to the list of its later end: to the front if that is its row, else, from the back
 * on, in any order. Then lists become what they are of rows in both directions. */

/* Where a file is no more as it was counted places may be any, but within the lists. */
static inline void give_edge(const struct work *work, uint32_t v, uint32_t neighbour, void *hand) {
  const struct qn_orientation *made = work->made;
  struct list *own = hand;
  if (neighbour == own->last)
    return;
  own->last = neighbour;
  const uint32_t c = work->new_vertex[v], b = work->new_vertex[neighbour];
  if (b < c && own->count < own->room)
    own->earlier[own->count++] = b;
  if (b <= c)
    return;
  const uint64_t place = __atomic_fetch_sub(&work->ends[b], 1, __ATOMIC_RELAXED) - 1;
  if (place < own->end)
    made->earlier[place] = c;
}

static void give_edges(const struct work *work) {
  const struct qn_orientation *made = work->made;
#pragma omp parallel for schedule(dynamic, 256)
  for (uint64_t row = 0; row < work->rows.end - work->rows.begin; row++) {
    const uint32_t c = work->new_vertex[work->rows.begin + row];
    struct list own = list_of(work, c);
    own.end = made->offsets[made->num_vertices];
    own.last = UINT64_MAX;
    visit_row(work, &work->rows.out, row, give_edge, &own);
    made->counts[c] = own.count;
  }
}

static void begin_ends(const struct work *work) {
#pragma omp parallel for schedule(static)
  for (uint64_t c = 0; c < work->made->num_vertices; c++)
    work->ends[c] = work->made->offsets[c + 1];
}

static void join_ends(const struct work *work) {
  const struct qn_orientation *made = work->made;
#pragma omp parallel for schedule(dynamic, 256)
  for (uint64_t c = 0; c < made->num_vertices; c++) {
    uint64_t *by_out = bits_of_thread(work), *by_in = by_out + work->words;
    struct list list = list_of(work, c);
    const uint64_t num_own = made->counts[c], others = work->ends[c] - made->offsets[c];
    for (uint64_t i = 0; i < num_own; i++)
      add_earlier(list.earlier[i], by_out, by_in, &list);
    for (uint64_t i = others < num_own ? num_own : others; i < list.room; i++)
      add_earlier(list.earlier[i], by_in, by_out, &list);
    end_list(work, c, &list, by_out, by_in);
  }
}

/* ---- All ---------------------------------------------------------------------------------------
 */

/* `walk` with the rows of each band at hand. */
static enum qn_status walk_bands(struct work *work, void (*walk)(const struct work *work),
                                 struct qn_error *error) {
  const struct qn_oriented_source *source = work->source;
  enum qn_status status = QN_OK;
  for (uint64_t band = 0; !status && band < source->num_bands; band++) {
    status = source->take(source->context, band, &work->rows, error);
    if (!status)
      walk(work);
  }
  return status;
}

static enum qn_status create_arrays(struct work *work, struct qn_error *error) {
  struct qn_orientation *made = work->made;
  const uint64_t num_vertices = made->num_vertices;
  work->words = (num_vertices + 63) / 64;
  enum qn_status status = qn_pages_alloc(&work->new_vertex, num_vertices, sizeof *work->new_vertex,
                                         "vertices by degree", error);
  if (!status)
    status = qn_pages_alloc(&work->degrees, num_vertices, sizeof *work->degrees, "degrees", error);
  if (!status)
    status = qn_pages_alloc(&made->offsets, num_vertices + 1, sizeof *made->offsets,
                            "oriented rows", error);
  if (!status)
    status =
        qn_pages_alloc(&made->counts, num_vertices, sizeof *made->counts, "list lengths", error);
  if (!status)
    status = qn_pages_alloc(&work->bits, qn_threads() * 2 * work->words, sizeof *work->bits,
                            "bitmaps of vertices", error);
  if (!status && work->is_one_way)
    status = qn_pages_alloc(&work->ends, num_vertices, sizeof *work->ends, "degrees", error);
  return status;
}

enum qn_status qn_orientation_of_bands(const struct qn_oriented_source *source,
                                       struct qn_orientation *orientation, struct qn_error *error) {
  const uint64_t num_vertices = source->num_vertices;
  struct work work = {.made = orientation, .source = source, .is_one_way = source->is_one_way};
  *orientation = (struct qn_orientation){.num_vertices = num_vertices};
  enum qn_status status = create_arrays(&work, error);
  if (!status)
    status = walk_bands(&work, work.is_one_way ? count_ends : count_degrees, error);
  if (!status && work.is_one_way)
    add_ends(&work);
  if (!status)
    status = renumber(&work, error);
  if (!status)
    status = place_lists(&work, error);
  if (!status && work.is_one_way)
    begin_ends(&work);
  if (!status)
    status = walk_bands(&work, work.is_one_way ? give_edges : make_lists, error);
  if (!status && work.is_one_way)
    join_ends(&work);
  qn_pages_free(work.ends, num_vertices, sizeof *work.ends);
  qn_pages_free(work.degrees, num_vertices, sizeof *work.degrees);
  qn_pages_free(work.new_vertex, num_vertices, sizeof *work.new_vertex);
  qn_pages_free(work.bits, qn_threads() * 2 * work.words, sizeof *work.bits);
  if (status)
    qn_orientation_destroy(orientation);
  return status;
}

static enum qn_status take_all(void *context, uint64_t band, struct qn_oriented_rows *rows,
                               struct qn_error *error) {
  (void)band, (void)error;
  *rows = *(const struct qn_oriented_rows *)context;
  return QN_OK;
}

enum qn_status qn_orientation_of_rows(uint64_t num_vertices, const struct qn_row_parts *out,
                                      const struct qn_row_parts *in, bool is_directed,
                                      bool wants_ways, struct qn_orientation *orientation,
                                      struct qn_error *error) {
  struct qn_oriented_rows rows = {.end = num_vertices, .out = *out};
  if (is_directed && in) {
    rows.in = *in;
    rows.has_in = true;
  }
  const struct qn_oriented_source source = {.num_vertices = num_vertices,
                                            .num_bands = 1,
                                            .take = take_all,
                                            .context = &rows,
                                            .is_one_way = is_directed && !in,
                                            .wants_ways = wants_ways && is_directed};
  return qn_orientation_of_bands(&source, orientation, error);
}

static struct qn_row_parts parts_of(const struct qn_csr *csr) {
  return (struct qn_row_parts){.offsets = csr->row_offsets, .columns = csr->column_indices};
}

enum qn_status qn_orientation_create(const struct qn_graph *graph, bool wants_ways,
                                     struct qn_orientation *orientation, struct qn_error *error) {
  const struct qn_row_parts out = parts_of(&graph->out), in = parts_of(&graph->in);
  return qn_orientation_of_rows(graph->out.num_vertices, &out, graph->has_transpose ? &in : NULL,
                                graph->directedness != QN_UNDIRECTED, wants_ways, orientation,
                                error);
}

void qn_orientation_close_gaps(struct qn_orientation *orientation) {
  uint64_t end = 0;
  for (uint64_t c = 0; c < orientation->num_vertices; c++) {
    const uint64_t begin = orientation->offsets[c], count = orientation->counts[c];
    memmove(orientation->earlier + end, orientation->earlier + begin,
            count * sizeof *orientation->earlier);
    if (orientation->ways)
      memmove(orientation->ways + end, orientation->ways + begin, count);
    orientation->offsets[c] = end;
    end += count;
  }
  orientation->offsets[orientation->num_vertices] = end;
}

void qn_orientation_destroy(struct qn_orientation *orientation) {
  const uint64_t num_vertices = orientation->num_vertices, room = orientation->room;
  qn_pages_free(orientation->ways, room, sizeof *orientation->ways);
  qn_pages_free(orientation->earlier, room, sizeof *orientation->earlier);
  qn_pages_free(orientation->counts, num_vertices, sizeof *orientation->counts);
  qn_pages_free(orientation->offsets, num_vertices + 1, sizeof *orientation->offsets);
  qn_pages_free(orientation->old_vertex, num_vertices, sizeof *orientation->old_vertex);
  *orientation = (struct qn_orientation){0};
}
