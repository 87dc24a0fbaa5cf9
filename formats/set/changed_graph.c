/* The graph of a base and its generations in one container, numbered and sorted as an import of all
 * its edges is. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/properties/gather.h"
#include "formats/set/changed.h"
#include "formats/set/generations.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/used_files.h"
#include <quern/metadata.h>
#include <quern/transpose.h>

/* Vertices at a time; each thread takes the next ones. */
#define CHUNK 65536

struct writing {
  const struct qn_changed *changed;
  struct qn_writer *writer;
  struct qn_changed_ids ids;
  uint32_t *order;    /* [V] the vertices, as they came, in the order of the container; NULL: it is
                         theirs */
  uint32_t *position; /* [V] the other way round */
  struct qn_graph_arrays out, in;
  struct qn_csr made;
  uint64_t fingerprint; /* of the edges, as vertices came, less that of the base's */
  uint64_t *picks; /* [E] whose values an edge has (gather.h); NULL: edges have no properties */
};

static inline uint64_t place_of(const struct writing *writing, uint64_t v) {
  return writing->position ? writing->position[v] : v;
}

/* ---- Numbering ------------------------------------------------------------------- */

static enum qn_status number(struct writing *writing, struct qn_error *error) {
  const struct qn_changed *changed = writing->changed;
  const struct qn_ids *base = &changed->graph.ids;
  const uint64_t num_vertices = changed->set->num_vertices;
  enum qn_status status = qn_changed_ids_make(changed, &writing->ids, error);
  if (!status && (base->ascending || base->kind == QN_IDS_DENSE))
    status = qn_changed_ids_order(changed, &writing->ids.ids, &writing->order, error);
  if (status || !writing->order)
    return status;
  status = qn_pages_alloc(&writing->position, num_vertices, sizeof *writing->position,
                          "places of vertices", error);
  for (uint64_t i = 0; !status && i < num_vertices; i++)
    writing->position[writing->order[i]] = (uint32_t)i;
  return status;
}

/* SET-16. */
static enum qn_status check_names(const struct qn_changed *changed, const struct qn_ids *ids,
                                  struct qn_error *error) {
  struct qn_error found = {0};
  if (ids->kind == QN_IDS_DENSE)
    return QN_OK;
  enum qn_status status = qn_ids_check(NULL, ids, &found);
  if (status != QN_INVALID) {
    if (status)
      *error = found;
    return status;
  }
  return qn_set_violation(changed->set, QN_SET_MANIFEST, error, "SET-16",
                          "vertices of different files have the same name: %s", found.message);
}

static enum qn_status write_numbers(struct writing *writing, struct qn_error *error) {
  const struct qn_ids *ids = &writing->ids.ids;
  const uint64_t count = ids->num_vertices, *from = ids->numbers;
  uint64_t *to;
  if (!writing->order && !ids->ascending)
    return qn_ids_write(writing->writer, ids, error);
  const uint64_t last = writing->order ? from[writing->order[count - 1]] : from[count - 1];
  if (last == count - 1) /* without gaps: vertex v is called v */
    return QN_OK;
  enum qn_status status = qn_ids_write_ascending(writing->writer, count, &to, error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i++)
    to[i] = from[writing->order ? writing->order[i] : i];
  return QN_OK;
}

static enum qn_status write_texts(struct writing *writing, struct qn_error *error) {
  const struct qn_ids *ids = &writing->ids.ids;
  const uint64_t count = ids->num_vertices, *from = ids->string_offsets, length = from[count];
  struct qn_ids sorted = *ids;
  uint64_t *offsets = NULL;
  char *bytes = NULL;
  if (!writing->order)
    return qn_ids_write(writing->writer, ids, error);
  enum qn_status status =
      qn_bulk_alloc(&offsets, count + 1, sizeof *offsets, "the names of vertices", error);
  if (!status)
    status = qn_bulk_alloc(&bytes, length, 1, "the names of vertices", error);
  for (uint64_t i = 0; !status && i < count; i++) {
    const uint64_t v = writing->order[i], own = from[v + 1] - from[v];
    memcpy(bytes + offsets[i], ids->string_bytes + from[v], own);
    offsets[i + 1] = offsets[i] + own;
  }
  sorted.string_offsets = offsets;
  sorted.string_bytes = bytes;
  sorted.ascending = true;
  if (!status)
    status = qn_ids_write(writing->writer, &sorted, error);
  qn_pages_free(bytes, length, 1);
  qn_pages_free(offsets, count + 1, sizeof *offsets);
  return status;
}

static enum qn_status write_ids(struct writing *writing, struct qn_error *error) {
  switch (writing->ids.ids.kind) {
  case QN_IDS_NUMBERS:
    return write_numbers(writing, error);
  case QN_IDS_STRINGS:
    return write_texts(writing, error);
  default:
    return QN_OK;
  }
}

/* ---- Walking all rows -------------------------------------------------------------- */

/* What a thread needs. */
struct lane {
  uint64_t *cursors;           /* [generations] */
  struct qn_row_piece *pieces; /* [generations + 1] */
  uint64_t *keys, *merged;     /* [room] columns and places among a row's edges */
  uint64_t room;
};

static void release_lane(struct lane *lane) {
  qn_free(lane->cursors);
  qn_free(lane->pieces);
  qn_free(lane->keys);
  qn_free(lane->merged);
}

static enum qn_status make_lane(const struct qn_changed *changed, struct lane *lane,
                                struct qn_error *error) {
  *lane = (struct lane){0};
  enum qn_status status =
      qn_alloc(&lane->cursors, changed->num_blocks, sizeof *lane->cursors, "rows", error);
  return status ? status
                : qn_alloc(&lane->pieces, changed->num_blocks + 1, sizeof *lane->pieces, "rows",
                           error);
}

static enum qn_status make_room(struct lane *lane, uint64_t count, struct qn_error *error) {
  if (count <= lane->room)
    return QN_OK;
  qn_free(lane->keys);
  qn_free(lane->merged);
  lane->keys = lane->merged = NULL;
  lane->room = 0;
  enum qn_status status = qn_alloc(&lane->keys, count, sizeof *lane->keys, "a row", error);
  if (!status)
    status = qn_alloc(&lane->merged, count, sizeof *lane->merged, "a row", error);
  if (!status)
    lane->room = count;
  return status;
}

static uint64_t count_edges(const struct qn_row_piece *pieces, uint64_t count) {
  uint64_t edges = 0;
  for (uint64_t i = 0; i < count; i++)
    edges += pieces[i].end - pieces[i].begin;
  return edges;
}

typedef enum qn_status take_row(struct writing *writing, uint64_t v, struct lane *lane,
                                uint64_t count, struct qn_error *error);

/* Vertices [begin, end). */
static enum qn_status walk_chunk(struct writing *writing, uint64_t begin, uint64_t end,
                                 struct lane *lane, take_row *take, struct qn_error *error) {
  enum qn_status status = qn_context_check(error);
  qn_changed_begin(writing->changed, begin, lane->cursors);
  for (uint64_t v = begin; !status && v < end; v++) {
    const uint64_t count = qn_changed_next(writing->changed, v, lane->cursors, lane->pieces);
    status = take(writing, v, lane, count, error);
  }
  return status;
}

/* The first failure is told. */
static enum qn_status walk_rows(struct writing *writing, take_row *take, struct qn_error *error) {
  const uint64_t num_vertices = writing->changed->set->num_vertices;
  const uint64_t chunks = (num_vertices + CHUNK - 1) / CHUNK;
  enum qn_status failed = QN_OK;
#pragma omp parallel
  {
    struct lane lane;
    struct qn_error own;
    enum qn_status status = make_lane(writing->changed, &lane, &own);
#pragma omp for schedule(dynamic, 1)
    for (uint64_t i = 0; i < chunks; i++) {
      const uint64_t begin = i * CHUNK, end = begin + CHUNK;
      if (!status)
        status =
            walk_chunk(writing, begin, end < num_vertices ? end : num_vertices, &lane, take, &own);
    }
#pragma omp critical
    if (status && !failed) {
      failed = status;
      if (error)
        *error = own;
    }
    release_lane(&lane);
  }
  return failed;
}

/* ---- Rows -------------------------------------------------------------------------- */

static enum qn_status count_row(struct writing *writing, uint64_t v, struct lane *lane,
                                uint64_t count, struct qn_error *error) {
  const uint64_t edges = count_edges(lane->pieces, count);
  writing->out.row_offsets[place_of(writing, v) + 1] = edges;
  return edges <= UINT32_MAX ? QN_OK
                             : qn_fail(error, QN_UNSUPPORTED,
                                       "vertex %" PRIu64 " has %" PRIu64
                                       " edges, and rows of generations at most 2^32 - 1",
                                       v, edges);
}

static void put(const struct writing *writing, uint64_t at, uint64_t column,
                const struct qn_row_piece *piece, uint64_t edge) {
  const struct qn_weights *weights = &piece->rows->weights;
  writing->out.column_indices[at] = (uint32_t)column;
  if (writing->out.weights)
    qn_weight_copy(writing->out.weights, at, weights->data, edge, qn_weight_bytes(weights->type));
  if (writing->picks)
    writing->picks[at] = qn_pick(piece->source, edge);
}

/* A row that keeps its order. */
static void copy_row(const struct writing *writing, uint64_t at, const struct qn_row_piece *piece) {
  const struct qn_csr *rows = piece->rows;
  const unsigned width = qn_weight_bytes(rows->weights.type);
  const uint64_t count = piece->end - piece->begin;
  if (writing->position || writing->picks) {
    for (uint64_t e = piece->begin; e < piece->end; e++)
      put(writing, at++, place_of(writing, rows->column_indices[e]), piece, e);
    return;
  }
  memcpy(writing->out.column_indices + at, rows->column_indices + piece->begin,
         count * sizeof *rows->column_indices);
  if (width)
    memcpy((char *)writing->out.weights + at * width,
           (const char *)rows->weights.data + piece->begin * width, count * width);
}

static int compare_keys(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

/* Those of the base ascend already, those behind them are sorted; both are merged. */
static void sort_row(struct lane *lane, uint64_t sorted, uint64_t count) {
  const uint64_t *keys = lane->keys;
  uint64_t a = 0, b = sorted;
  qsort(lane->keys + sorted, count - sorted, sizeof *lane->keys, compare_keys);
  for (uint64_t i = 0; i < count; i++)
    lane->merged[i] = b == count || (a < sorted && keys[a] < keys[b]) ? keys[a++] : keys[b++];
}

/* Parallel edges stay in the order of the pieces. */
static enum qn_status merge_row(const struct writing *writing, uint64_t at, struct lane *lane,
                                uint64_t num_pieces, struct qn_error *error) {
  const struct qn_row_piece *pieces = lane->pieces;
  const uint64_t count = count_edges(pieces, num_pieces);
  const uint64_t sorted = pieces[0].source == 0 ? pieces[0].end - pieces[0].begin : 0;
  enum qn_status status = make_room(lane, count, error);
  if (status)
    return status;
  for (uint64_t i = 0, place = 0; i < num_pieces; i++)
    for (uint64_t e = pieces[i].begin; e < pieces[i].end; e++, place++)
      lane->keys[place] = place_of(writing, pieces[i].rows->column_indices[e]) << 32 | place;
  sort_row(lane, sorted, count);
  for (uint64_t i = 0; i < count; i++) {
    const struct qn_row_piece *piece = pieces;
    uint64_t place = (uint32_t)lane->merged[i];
    while (place >= piece->end - piece->begin)
      place -= piece->end - piece->begin, piece++;
    put(writing, at + i, lane->merged[i] >> 32, piece, piece->begin + place);
  }
  return QN_OK;
}

/* Of a row that is the base's nothing has changed. */
static void add_to_fingerprint(struct writing *writing, uint64_t v, const struct lane *lane,
                               uint64_t count) {
  const struct qn_csr *base = &writing->changed->graph.out;
  if (count == 0 || (count == 1 && lane->pieces[0].source == 0))
    return;
  uint64_t sum = qn_row_fingerprint(v, lane->pieces, count);
  if (v < base->num_vertices) {
    const struct qn_row_piece before = {
        .rows = base, .begin = base->row_offsets[v], .end = base->row_offsets[v + 1]};
    sum -= qn_row_fingerprint(v, &before, 1);
  }
#pragma omp atomic
  writing->fingerprint += sum;
}

static enum qn_status fill_row(struct writing *writing, uint64_t v, struct lane *lane,
                               uint64_t count, struct qn_error *error) {
  const uint64_t place = place_of(writing, v), at = writing->out.row_offsets[place];
  const uint64_t edges = count_edges(lane->pieces, count);
  add_to_fingerprint(writing, v, lane, count);
  if (edges > writing->out.row_offsets[place + 1] - at) /* a file was written over meanwhile */
    return qn_input_changed(error);
  if (edges == 0)
    return QN_OK;
  if (count == 1 && (!writing->position || lane->pieces[0].source == 0)) {
    copy_row(writing, at, &lane->pieces[0]);
    return QN_OK;
  }
  return merge_row(writing, at, lane, count, error);
}

/* ---- Edges ------------------------------------------------------------------------- */

static enum qn_status add_sections(struct writing *writing, struct qn_error *error) {
  const struct qn_set *set = writing->changed->set;
  struct qn_writer *writer = writing->writer;
  struct qn_graph_arrays *out = &writing->out, *in = &writing->in;
  enum qn_status status = qn_graph_write_rows(writer, set->num_vertices, &out->row_offsets, error);
  if (!status)
    status = qn_graph_write_columns(writer, set->num_edges, &out->column_indices, error);
  if (!status)
    status = qn_graph_write_weights(writer, set->num_edges, &out->weights, error);
  if (status || !set->in_edges)
    return status;
  status = qn_graph_write_in_rows(writer, set->num_vertices, &in->row_offsets, error);
  if (!status)
    status = qn_graph_write_in_columns(writer, set->num_edges, &in->column_indices, error);
  return status ? status : qn_graph_write_in_weights(writer, set->num_edges, &in->weights, error);
}

/* Where rows begin. */
static enum qn_status add_offsets(struct writing *writing, struct qn_error *error) {
  const struct qn_set *set = writing->changed->set;
  uint64_t *offsets = writing->out.row_offsets;
  for (uint64_t v = 0; v < set->num_vertices; v++)
    offsets[v + 1] += offsets[v];
  return offsets[set->num_vertices] == set->num_edges
             ? QN_OK
             : qn_set_violation(set, QN_SET_MANIFEST, error, "SET-45",
                                "base and generations have %" PRIu64
                                " edges, and the manifest says %" PRIu64,
                                offsets[set->num_vertices], set->num_edges);
}

/* SET-45 and SET-13. */
static enum qn_status check_rows(const struct writing *writing, struct qn_error *error) {
  const struct qn_set *set = writing->changed->set;
  enum qn_status status = qn_csr_check(NULL, &writing->made, "G", "graph", error);
  if (status)
    return qn_error_in_file(error, set->path), status;
  if (writing->fingerprint != set->fingerprint)
    return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-45",
                            "base and generations do not hold the edges of the graph");
  if (set->directedness == QN_UNDIRECTED && !qn_csr_is_symmetric(&writing->made))
    return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-13",
                            "the graph is undirected, but some edge has no reverse");
  return QN_OK;
}

static enum qn_status write_edges(struct writing *writing, struct qn_error *error) {
  const struct qn_set *set = writing->changed->set;
  enum qn_status status = QN_OK;
  if (writing->changed->properties.of_edges.count)
    status = qn_bulk_alloc(&writing->picks, set->num_edges, sizeof *writing->picks,
                           "numbers of edges", error);
  qn_progress_begin("putting generations together", "edges", set->num_edges);
  if (!status)
    status = walk_rows(writing, count_row, error);
  if (!status)
    status = add_offsets(writing, error);
  if (!status)
    status = walk_rows(writing, fill_row, error);
  qn_progress_end();
  writing->made =
      (struct qn_csr){.num_vertices = set->num_vertices,
                      .num_edges = set->num_edges,
                      .row_offsets = writing->out.row_offsets,
                      .column_indices = writing->out.column_indices,
                      .weights = {.type = set->weight_type, .data = writing->out.weights}};
  if (!status)
    status = check_rows(writing, error);
  return status || !set->in_edges ? status : qn_csr_transpose(&writing->made, &writing->in, error);
}

/* ---- Properties ---------------------------------------------------------------------- */

static const struct qn_property_table *table_of(const struct qn_changed *changed, uint64_t i,
                                                bool edges) {
  if (edges)
    return i ? &changed->blocks[i - 1].properties.of_edges : &changed->properties.of_edges;
  return i ? &changed->set->ranges[i - 1].properties.of_vertices : &changed->properties.of_vertices;
}

static enum qn_status gather(const struct qn_changed *changed, bool edges, const uint64_t *picks,
                             uint64_t count, struct qn_property_table *out,
                             struct qn_error *error) {
  struct qn_gather_table *tables;
  enum qn_status status =
      qn_alloc_zeroed(&tables, changed->num_blocks + 1, sizeof *tables, "tables", error);
  if (status)
    return status;
  for (uint64_t i = 0; i <= changed->num_blocks; i++)
    tables[i] =
        (struct qn_gather_table){.table = table_of(changed, i, edges), .file = changed->set->path};
  status = qn_properties_gather(tables, (uint32_t)changed->num_blocks + 1, picks, count,
                                edges ? "edges" : "vertices", out, error);
  qn_free(tables);
  return status;
}

/* Whose values each vertex has. */
static enum qn_status pick_vertices(const struct writing *writing, uint64_t **picks,
                                    struct qn_error *error) {
  const struct qn_changed *changed = writing->changed;
  enum qn_status status = qn_bulk_alloc(picks, changed->set->num_vertices, sizeof **picks,
                                        "numbers of vertices", error);
  if (status)
    return status;
  for (uint64_t v = 0; v < changed->graph.ids.num_vertices; v++)
    (*picks)[place_of(writing, v)] = qn_pick(0, v);
  for (uint64_t i = 0; i < changed->num_blocks; i++) {
    const struct qn_vertex_range *range = &changed->set->ranges[i];
    for (uint64_t v = range->begin; v < range->end; v++)
      (*picks)[place_of(writing, v)] = qn_pick((uint32_t)i + 1, v - range->begin);
  }
  return QN_OK;
}

static enum qn_status check_values(const struct qn_changed *changed, struct qn_error *error) {
  enum qn_status status = qn_properties_check(changed->base, &changed->properties, error);
  for (uint64_t i = 0; !status && i < changed->num_blocks; i++)
    status = qn_properties_check(changed->set->ranges[i].container,
                                 &changed->set->ranges[i].properties, error);
  return status;
}

static enum qn_status write_properties(struct writing *writing, struct qn_error *error) {
  const struct qn_changed *changed = writing->changed;
  const uint64_t num_vertices = changed->set->num_vertices;
  struct qn_properties all = changed->properties;
  struct qn_property_table of_vertices = {0}, of_edges = {0};
  uint64_t *picks = NULL;
  if (!qn_properties_are_any(&all))
    return QN_OK;
  enum qn_status status = check_values(changed, error);
  if (!status && all.of_vertices.count)
    status = pick_vertices(writing, &picks, error);
  if (!status && all.of_vertices.count)
    status = gather(changed, false, picks, num_vertices, &of_vertices, error);
  if (!status && all.of_edges.count)
    status = gather(changed, true, writing->picks, changed->set->num_edges, &of_edges, error);
  all.of_vertices = of_vertices;
  all.of_edges = of_edges;
  if (!status && changed->set->directedness == QN_UNDIRECTED)
    status = qn_properties_check_directions(NULL, &all, &writing->made, error);
  if (!status)
    status = qn_properties_write(writing->writer, &all, NULL, NULL, error);
  qn_gathered_release(&of_vertices);
  qn_gathered_release(&of_edges);
  qn_pages_free(picks, num_vertices, sizeof *picks);
  return status;
}

/* ---- The container ------------------------------------------------------------------- */

static enum qn_status write_metadata(const struct writing *writing, struct qn_error *error) {
  json_t *metadata;
  enum qn_status status = qn_changed_metadata(writing->changed, &metadata, error);
  if (!status && metadata)
    status = qn_writer_metadata(writing->writer, metadata, error);
  json_decref(metadata);
  return status;
}

enum qn_status qn_changed_write(const struct qn_changed *changed, struct qn_writer *writer,
                                struct qn_error *error) {
  const struct qn_set *set = changed->set;
  struct writing writing = {.changed = changed, .writer = writer};
  qn_set_fill_header(set, writer);
  enum qn_status status = number(&writing, error);
  if (!status)
    status = check_names(changed, &writing.ids.ids, error);
  if (!status)
    status = add_sections(&writing, error);
  if (!status)
    status = write_edges(&writing, error);
  if (!status)
    status = write_ids(&writing, error);
  if (!status)
    status = write_properties(&writing, error);
  if (!status)
    status = write_metadata(&writing, error);
  for (uint64_t i = 0; !status && i < changed->num_blocks; i++)
    status = qn_container_unchanged(changed->blocks[i].container, error);
  if (!status)
    status = qn_container_unchanged(changed->base, error);
  qn_pages_free(writing.picks, set->num_edges, sizeof *writing.picks);
  qn_pages_free(writing.order, set->num_vertices, sizeof *writing.order);
  qn_pages_free(writing.position, set->num_vertices, sizeof *writing.position);
  qn_changed_ids_release(&writing.ids);
  return status;
}

/* ---- Every generation ------------------------------------------------------------------ */

/* What a generation takes from the sum and the number of edges, and what it adds. */
static void apply(const struct qn_changed *changed, uint64_t index, struct qn_row_piece *pieces,
                  uint64_t *sum, uint64_t *edges, uint64_t *lost) {
  const struct qn_changed_block *block = &changed->blocks[index];
  *lost = 0;
  for (uint64_t row = 0; row < block->rows.num_vertices; row++) {
    const uint64_t v = block->vertices[row];
    if (qn_replaces(block, row)) {
      const uint64_t count = qn_changed_row(changed, index, v, pieces);
      const uint64_t before = count_edges(pieces, count);
      *sum -= qn_row_fingerprint(v, pieces, count);
      *edges -= before;
      *lost += before;
    }
    pieces[0] = (struct qn_row_piece){.rows = &block->rows,
                                      .begin = block->rows.row_offsets[row],
                                      .end = block->rows.row_offsets[row + 1]};
    *sum += qn_row_fingerprint(v, pieces, 1);
    *edges += count_edges(pieces, 1);
  }
}

enum qn_status qn_changed_check_sums(const struct qn_changed *changed, struct qn_error *error) {
  const struct qn_set *set = changed->set;
  uint64_t sum = 0, lost, edges = changed->graph.out.num_edges;
  struct qn_row_piece *pieces;
  struct qn_changed_ids ids;
  enum qn_status status = qn_alloc(&pieces, changed->num_blocks + 1, sizeof *pieces, "rows", error);
  for (uint64_t i = 0; !status && i < changed->num_blocks; i++) {
    const struct qn_set_generation *generation = &set->generations[i];
    apply(changed, i, pieces, &sum, &edges, &lost);
    if (sum != generation->fingerprint || edges != generation->num_edges ||
        generation->removed > lost)
      status = qn_set_violation(set, set->parts[i].file.name, error, "SET-45",
                                "the graph after generation %" PRIu64 " has %" PRIu64
                                " edges and the fingerprint of changes %016" PRIx64
                                ", and in the manifest %" PRIu64 " and %016" PRIx64,
                                i + 1, edges, sum, generation->num_edges, generation->fingerprint);
  }
  qn_free(pieces);
  if (status)
    return status;
  status = qn_changed_ids_make(changed, &ids, error);
  if (!status)
    status = check_names(changed, &ids.ids, error);
  qn_changed_ids_release(&ids);
  return status;
}
