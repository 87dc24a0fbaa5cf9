/* The files of the set: ranges are cut when all rows are built, so that they do not depend on who
 * has which. Each rank writes some parts; rows of them that others have built it is sent. */
#include <stdlib.h>
#include <string.h>

#include "converters/distributed/state.h"
#include "formats/set/blocks.h"
#include "formats/set/vertices.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/ranks/exchange.h"
#include "support/temp_file.h"
#include "support/threads.h"

/* Blocks of a row; 1: parts have whole rows. */
static uint64_t blocks_of_row(const struct qn_distributed *distributed) {
  const uint64_t width = distributed->job->set->block_vertices;
  return width ? qn_set_num_cuts(distributed->num_vertices, width) : 1;
}

uint64_t qn_distributed_num_parts(const struct qn_distributed *distributed) {
  const uint64_t blocks = blocks_of_row(distributed);
  return distributed->job->set->block_vertices ? blocks * blocks : distributed->job->set->num_parts;
}

/* Blocks of a row are written by one rank. */
uint64_t qn_distributed_first_part(const struct qn_distributed *distributed, uint64_t rank) {
  const uint64_t num_parts = qn_distributed_num_parts(distributed);
  const uint64_t blocks = blocks_of_row(distributed);
  uint64_t begin, end, num_ranks = distributed->ranks->num_ranks;
  if (rank == num_ranks)
    return num_parts;
  qn_part_of(num_parts / blocks, num_ranks, rank, &begin, &end);
  return begin * blocks;
}

/* This rank's rows. */
static uint64_t first_row(const struct qn_distributed *distributed) {
  return distributed->first_rows[distributed->ranks->rank];
}

static uint64_t end_row(const struct qn_distributed *distributed) {
  return distributed->first_rows[distributed->ranks->rank + 1];
}

/* Rows, and the records of their edges; NULL: they have no properties. */
struct piece {
  struct qn_set_piece rows;
  const uint64_t *records;
};

/* Some of this rank's rows. */
static struct piece own_piece(const struct qn_distributed *distributed, uint64_t begin,
                              uint64_t end) {
  const struct qn_csr *rows = &distributed->rows.csr;
  uint64_t first = rows->row_offsets[begin];
  const char *weights = rows->weights.data;
  return (struct piece){
      .rows = {.begin = begin,
               .end = end,
               .row_offsets = rows->row_offsets + begin,
               .columns = rows->column_indices + first,
               .weights = weights ? weights + first * qn_weight_bytes(rows->weights.type) : NULL},
      .records = distributed->has_records ? distributed->records + first : NULL};
}

/* ---- Ranges ---------------------------------------------------------------------- */

static uint64_t cost_before(const struct qn_distributed *distributed, uint64_t vertex) {
  return qn_set_cost(distributed->job->set->balance, vertex,
                     distributed->edges_before + distributed->rows.csr.row_offsets[vertex]);
}

/* The first of this rank's rows before which so much lies; V if that is none of them. */
static uint64_t find_begin(const struct qn_distributed *distributed, uint64_t wanted) {
  uint64_t low = first_row(distributed), high = end_row(distributed), end = high;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (cost_before(distributed, middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low < end ? low : distributed->num_vertices;
}

/* Blocks, and the edges in each. */
static enum qn_status cut_blocks(struct qn_distributed *distributed, struct qn_error *error) {
  struct qn_set *set = distributed->set;
  uint64_t *edges = NULL;
  enum qn_status status = qn_set_cut(set, distributed->job->set->block_vertices, error);
  if (!status)
    status = qn_alloc_zeroed(&edges, set->num_parts, sizeof *edges, "blocks of a set", error);
  for (uint64_t first = 0, last; first < set->num_parts && !status; first = last) {
    const struct qn_set_part *block = &set->parts[first];
    uint64_t begin = block->begin > first_row(distributed) ? block->begin : first_row(distributed);
    uint64_t end = block->end < end_row(distributed) ? block->end : end_row(distributed);
    last = qn_set_row_end(set, first);
    if (begin < end) {
      const struct piece piece = own_piece(distributed, begin, end);
      qn_set_count_edges(set, first, last, &piece.rows, edges);
    }
  }
  if (!status)
    status = distributed->ranks->combine(edges, set->num_parts, QN_COMBINE_SUM, error);
  for (uint64_t i = 0; i < set->num_parts && !status; i++)
    set->parts[i].num_edges = edges[i];
  qn_free(edges);
  return status;
}

/* Ranges, and the edges in each. */
static enum qn_status cut(struct qn_distributed *distributed, struct qn_error *error) {
  struct qn_set *set = distributed->set;
  const uint64_t num_parts = distributed->job->set->num_parts,
                 *offsets = distributed->rows.csr.row_offsets;
  uint64_t cost = qn_set_cost(distributed->job->set->balance, set->num_vertices, set->num_edges);
  uint64_t *begins = NULL, *edges = NULL;
  enum qn_status status = qn_set_one_range(set, error);
  if (!status)
    status = qn_alloc(&begins, num_parts, sizeof *begins, "parts of a set", error);
  if (!status)
    status = qn_alloc_zeroed(&edges, num_parts, sizeof *edges, "parts of a set", error);
  if (!status)
    status = qn_alloc_zeroed(&set->parts, num_parts, sizeof *set->parts, "parts of a set", error);
  if (!status)
    set->num_parts = num_parts;
  for (uint64_t i = 0; i < num_parts && !status; i++)
    begins[i] = i ? find_begin(distributed, qn_set_share(cost, i, num_parts)) : 0;
  if (!status)
    status = distributed->ranks->combine(begins, num_parts, QN_COMBINE_LEAST, error);
  for (uint64_t i = 0; i < num_parts && !status; i++) {
    struct qn_set_part *part = &set->parts[i];
    part->begin = begins[i];
    part->end = i + 1 < num_parts ? begins[i + 1] : set->num_vertices;
    part->columns_end = set->num_vertices;
    uint64_t begin = part->begin > first_row(distributed) ? part->begin : first_row(distributed);
    uint64_t end = part->end < end_row(distributed) ? part->end : end_row(distributed);
    edges[i] = begin < end ? offsets[end] - offsets[begin] : 0;
  }
  if (!status)
    status = distributed->ranks->combine(edges, num_parts, QN_COMBINE_SUM, error);
  for (uint64_t i = 0; i < num_parts && !status; i++)
    set->parts[i].num_edges = edges[i];
  qn_free(begins);
  qn_free(edges);
  return status;
}

/* ---- Rows that change ranks -------------------------------------------------------- */

/* What this rank writes: pieces of rows, in their order, some of which came from others. */
struct moved {
  uint64_t *begins, *ends; /* [P]: this rank's rows that rank r writes */
  uint64_t *sizes;         /* [P] */
  struct qn_received degrees, columns, weights, records;
  struct piece *pieces; /* [P] */
  uint64_t num_pieces;
  uint64_t *offsets; /* of pieces from others */
  uint64_t num_offsets;
};

static void moved_free(struct moved *moved) {
  qn_free(moved->begins);
  qn_free(moved->ends);
  qn_free(moved->sizes);
  qn_free(moved->pieces);
  qn_pages_free(moved->offsets, moved->num_offsets, sizeof *moved->offsets);
  qn_received_free(&moved->degrees);
  qn_received_free(&moved->columns);
  qn_received_free(&moved->weights);
  qn_received_free(&moved->records);
}

/* The rows that rank `rank` writes. */
static void written_rows(const struct qn_distributed *distributed, uint64_t rank, uint64_t *begin,
                         uint64_t *end) {
  const struct qn_set *set = distributed->set;
  uint64_t first = qn_distributed_first_part(distributed, rank),
           last = qn_distributed_first_part(distributed, rank + 1);
  *begin = *end = 0;
  if (first < last) {
    *begin = set->parts[first].begin;
    *end = set->parts[last - 1].end;
  }
}

static void choose_moved(const struct qn_distributed *distributed, struct moved *moved) {
  for (unsigned r = 0; r < distributed->ranks->num_ranks; r++) {
    uint64_t begin, end;
    written_rows(distributed, r, &begin, &end);
    begin = begin > first_row(distributed) ? begin : first_row(distributed);
    end = end < end_row(distributed) ? end : end_row(distributed);
    moved->begins[r] = begin < end ? begin : 0;
    moved->ends[r] = begin < end ? end : 0;
  }
}

/* Rows that stay are not sent. As ranks are in the order of their rows, and of what they write,
 * what is sent lies in that order, too, in two stretches: before what stays, and behind it. */
static enum qn_status send_array(const struct qn_distributed *distributed, struct moved *moved,
                                 const void *array, uint64_t width, bool by_edge,
                                 struct qn_received *received, struct qn_error *error) {
  const uint64_t *offsets = distributed->rows.csr.row_offsets;
  char *side_by_side = NULL;
  uint64_t total = 0, place = 0;
  for (unsigned r = 0; r < distributed->ranks->num_ranks; r++) {
    uint64_t begin = moved->begins[r], end = moved->ends[r];
    uint64_t count = by_edge ? offsets[end] - offsets[begin] : end - begin;
    moved->sizes[r] = r == distributed->ranks->rank ? 0 : count * width;
    total += moved->sizes[r];
  }
  enum qn_status status = qn_bulk_alloc(&side_by_side, total, 1, "rows that are sent", error);
  for (unsigned r = 0; r < distributed->ranks->num_ranks && !status; r++) {
    uint64_t first = by_edge ? offsets[moved->begins[r]] : moved->begins[r];
    if (moved->sizes[r])
      memcpy(side_by_side + place, (const char *)array + first * width, moved->sizes[r]);
    place += moved->sizes[r];
  }
  if (!status)
    status = qn_all_to_all(distributed->ranks, side_by_side, moved->sizes, received, error);
  qn_pages_free(side_by_side, total, 1);
  return status;
}

/* Numbers of edges of rows, side by side with the offsets' width. */
static enum qn_status send_degrees(const struct qn_distributed *distributed, struct moved *moved,
                                   struct qn_error *error) {
  const uint64_t *offsets = distributed->rows.csr.row_offsets;
  uint64_t *degrees, count = 0;
  for (unsigned r = 0; r < distributed->ranks->num_ranks; r++) {
    uint64_t rows = r == distributed->ranks->rank ? 0 : moved->ends[r] - moved->begins[r];
    moved->sizes[r] = rows * sizeof *degrees;
    count += rows;
  }
  enum qn_status status = qn_bulk_alloc(&degrees, count, sizeof *degrees, "rows", error);
  uint64_t *to = degrees;
  for (unsigned r = 0; r < distributed->ranks->num_ranks && !status; r++)
    for (uint64_t v = moved->begins[r]; v < moved->ends[r] && moved->sizes[r]; v++)
      *to++ = offsets[v + 1] - offsets[v];
  if (!status)
    status = qn_all_to_all(distributed->ranks, degrees, moved->sizes, &moved->degrees, error);
  qn_pages_free(degrees, count, sizeof *degrees);
  return status;
}

static enum qn_status send_rows(const struct qn_distributed *distributed, struct moved *moved,
                                struct qn_error *error) {
  const struct qn_csr *rows = &distributed->rows.csr;
  unsigned weight_bytes = qn_weight_bytes(rows->weights.type);
  enum qn_status status = send_degrees(distributed, moved, error);
  if (!status)
    status = send_array(distributed, moved, rows->column_indices, sizeof *rows->column_indices,
                        true, &moved->columns, error);
  if (!status && weight_bytes)
    status = send_array(distributed, moved, rows->weights.data, weight_bytes, true, &moved->weights,
                        error);
  if (!status && distributed->has_records)
    status = send_array(distributed, moved, distributed->records, sizeof *distributed->records,
                        true, &moved->records, error);
  return status;
}

static enum qn_status list_pieces(const struct qn_distributed *distributed, struct moved *moved,
                                  struct qn_error *error) {
  const unsigned num_ranks = distributed->ranks->num_ranks, rank = distributed->ranks->rank;
  const unsigned weight_bytes = qn_weight_bytes(distributed->rows.csr.weights.type);
  const uint64_t *degrees = (const uint64_t *)moved->degrees.data;
  const uint32_t *columns = (const uint32_t *)moved->columns.data;
  const char *weights = moved->weights.data;
  const uint64_t *records = distributed->has_records ? (const uint64_t *)moved->records.data : NULL;
  uint64_t written_begin, written_end, row;
  moved->num_offsets = moved->degrees.bytes / sizeof *degrees + num_ranks;
  enum qn_status status =
      qn_bulk_alloc(&moved->offsets, moved->num_offsets, sizeof *moved->offsets, "rows", error);
  if (status)
    return status;
  written_rows(distributed, rank, &written_begin, &written_end);
  row = written_begin;
  uint64_t *offsets = moved->offsets;
  for (unsigned r = 0; r < num_ranks; r++) {
    if (r == rank && moved->ends[r] > moved->begins[r]) {
      moved->pieces[moved->num_pieces++] = own_piece(distributed, moved->begins[r], moved->ends[r]);
      row = moved->ends[r];
    }
    uint64_t rows = r == rank ? 0 : moved->degrees.bytes_of[r] / sizeof *degrees;
    if (rows == 0)
      continue;
    offsets[0] = 0;
    for (uint64_t v = 0; v < rows; v++)
      offsets[v + 1] = offsets[v] + degrees[v];
    moved->pieces[moved->num_pieces++] =
        (struct piece){.rows = {.begin = row,
                                .end = row + rows,
                                .row_offsets = offsets,
                                .columns = columns,
                                .weights = weight_bytes ? weights : NULL},
                       .records = records};
    columns += offsets[rows];
    records = records ? records + offsets[rows] : NULL;
    weights = weight_bytes ? weights + offsets[rows] * weight_bytes : NULL;
    degrees += rows;
    offsets += rows + 1;
    row += rows;
  }
  return QN_OK;
}

static enum qn_status move_rows(const struct qn_distributed *distributed, struct moved *moved,
                                struct qn_error *error) {
  const unsigned num_ranks = distributed->ranks->num_ranks;
  enum qn_status status = qn_alloc(&moved->begins, num_ranks, sizeof *moved->begins, "rows", error);
  if (!status)
    status = qn_alloc(&moved->ends, num_ranks, sizeof *moved->ends, "rows", error);
  if (!status)
    status = qn_alloc(&moved->sizes, num_ranks, sizeof *moved->sizes, "rows", error);
  if (!status)
    status = qn_alloc(&moved->pieces, num_ranks, sizeof *moved->pieces, "rows", error);
  if (status)
    return status;
  choose_moved(distributed, moved);
  status = send_rows(distributed, moved, error);
  return status ? status : list_pieces(distributed, moved, error);
}

/* ---- Files -------------------------------------------------------------------------- */

/* What the ranks that do not begin the folder have to know of it. */
struct place {
  char path[4096];
};

static enum qn_status list_files(struct qn_distributed *distributed, struct qn_error *error) {
  const char *ignored;
  const struct qn_set *set = distributed->set;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < set->num_ranges && !status; i++)
    status = qn_set_writer_vertices(distributed->writer, i, set->num_ranges, &ignored, error);
  for (uint64_t i = 0; i < set->num_parts && !status; i++)
    status = qn_set_writer_part(distributed->writer, i, &ignored, error);
  return status;
}

/* All ranks know all files, so that whoever is left takes them away. */
static enum qn_status begin_folder(struct qn_distributed *distributed, struct qn_error *error) {
  struct place place = {{0}};
  enum qn_status status = QN_OK;
  if (distributed->ranks->rank == 0) {
    status = qn_set_writer_create(distributed->job->path, distributed->job->replace,
                                  &distributed->writer, error);
    if (!status && strlen(qn_set_writer_place(distributed->writer)) >= sizeof place.path)
      status = qn_fail(error, QN_USAGE, "the name of the set's folder is too long");
    if (!status)
      strcpy(place.path, qn_set_writer_place(distributed->writer));
  }
  if (!status)
    status = qn_broadcast(distributed->ranks, 0, &place, sizeof place, error);
  if (!status && distributed->ranks->rank != 0)
    status = qn_set_writer_join(place.path, &distributed->writer, error);
  return status ? status : list_files(distributed, error);
}

struct vertices {
  const struct qn_distributed *distributed;
  const uint64_t *degrees;
};

static void fill_degrees(const void *context, uint64_t begin, uint64_t end, uint64_t *degrees) {
  const struct vertices *vertices = context;
  if (begin < end)
    memcpy(degrees, vertices->degrees + begin, (end - begin) * sizeof *degrees);
}

static enum qn_status write_metadata(const void *context, struct qn_writer *writer,
                                     struct qn_error *error) {
  const struct qn_distributed_job *job = ((const struct vertices *)context)->distributed->job;
  return job->write_metadata(job->context, writer, error);
}

/* Threads count in tables of bytes, of which a cache holds eight times as many; together these take
 * no more memory than the degrees, to which a byte that is full goes over. */
static enum qn_status count_columns(const struct qn_csr *rows, uint64_t *degrees,
                                    struct qn_error *error) {
  const uint64_t num_vertices = rows->num_vertices;
  const uint64_t most = sizeof *degrees, tables = qn_threads() < most ? qn_threads() : most;
  uint8_t *counts;
  enum qn_status status =
      qn_bulk_alloc(&counts, tables * num_vertices, 1, "the degrees of vertices", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static, 1)
  for (uint64_t t = 0; t < tables; t++) {
    uint8_t *table = counts + t * num_vertices;
    uint64_t begin, end;
    qn_part_of(rows->num_edges, tables, t, &begin, &end);
    for (uint64_t e = begin; e < end; e++)
      if (++table[rows->column_indices[e]] == 0)
        __atomic_fetch_add(&degrees[rows->column_indices[e]], UINT8_MAX + 1, __ATOMIC_RELAXED);
  }
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    for (uint64_t t = 0; t < tables; t++)
      degrees[v] += counts[t * num_vertices + v];
  qn_pages_free(counts, tables * num_vertices, 1);
  return QN_OK;
}

/* Edges out of each vertex, of all ranks. */
static enum qn_status count_degrees(const struct qn_distributed *distributed, uint64_t *degrees,
                                    struct qn_error *error) {
  const struct qn_csr *rows = &distributed->rows.csr;
  enum qn_status status = QN_OK;
  if (distributed->turned) {
    status = count_columns(rows, degrees, error);
  } else {
#pragma omp parallel for schedule(static)
    for (uint64_t v = first_row(distributed); v < end_row(distributed); v++)
      degrees[v] = rows->row_offsets[v + 1] - rows->row_offsets[v];
  }
  return status ? status
                : distributed->ranks->combine(degrees, distributed->num_vertices, QN_COMBINE_SUM,
                                              error);
}

/* The first rank has written the files of the vertices; the others learn what they are. */
static enum qn_status tell_vertices(struct qn_distributed *distributed, struct qn_error *error) {
  struct qn_set *set = distributed->set;
  uint64_t *figures;
  enum qn_status status =
      qn_alloc_zeroed(&figures, 2 * set->num_ranges, sizeof *figures, "files of a set", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    figures[2 * i] = set->ranges[i].file.bytes;
    figures[2 * i + 1] = set->ranges[i].file.identity;
  }
  status =
      qn_broadcast(distributed->ranks, 0, figures, 2 * set->num_ranges * sizeof *figures, error);
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    set->ranges[i].file.bytes = figures[2 * i];
    set->ranges[i].file.identity = figures[2 * i + 1];
  }
  qn_free(figures);
  return status;
}

static enum qn_status write_vertices(struct qn_distributed *distributed, struct qn_error *error) {
  const struct qn_ids dense = {
      .kind = QN_IDS_DENSE, .num_vertices = distributed->num_vertices, .ascending = true};
  struct vertices context = {.distributed = distributed};
  uint64_t *degrees;
  enum qn_status status = qn_bulk_alloc(&degrees, distributed->num_vertices, sizeof *degrees,
                                        "the degrees of vertices", error);
  if (!status)
    status = count_degrees(distributed, degrees, error);
  context.degrees = degrees;
  const struct qn_set_vertices vertices = {
      .ids = distributed->names.kind == QN_IDS_DENSE ? &dense : &distributed->names,
      .properties = &distributed->properties.columns,
      .of_vertex = distributed->properties.of_vertex,
      .fill_degrees = fill_degrees,
      .write_metadata = write_metadata,
      .context = &context};
  if (!status && distributed->ranks->rank == 0)
    status = qn_set_write_all_vertices(distributed->set, &vertices, distributed->writer, error);
  qn_pages_free(degrees, distributed->num_vertices, sizeof *degrees);
  if (!status)
    status = tell_vertices(distributed, error);
  return status ? status : qn_set_identity(distributed->set, &distributed->set->identity, error);
}

/* The part of a piece that is in these rows; without rows if none is. */
static struct piece piece_in(const struct piece *piece, uint64_t begin, uint64_t end,
                             unsigned weight_bytes) {
  struct piece part = *piece;
  struct qn_set_piece *rows = &part.rows;
  rows->begin = begin > rows->begin ? begin : rows->begin;
  rows->end = end < rows->end ? end : rows->end;
  if (rows->begin >= rows->end)
    return (struct piece){0};
  rows->row_offsets += rows->begin - piece->rows.begin;
  uint64_t skipped = rows->row_offsets[0] - piece->rows.row_offsets[0];
  rows->columns += skipped;
  if (weight_bytes)
    rows->weights = (const char *)rows->weights + skipped * weight_bytes;
  if (part.records)
    part.records += skipped;
  return part;
}

/* What a part is written of. */
struct contents {
  struct qn_set_piece *pieces;
  uint64_t num_pieces;
  uint64_t *records; /* of their edges */
  uint64_t num_edges;
  struct qn_set_cut_rows cut; /* of a block of some columns */
  struct qn_distributed_values values;
};

static uint64_t edges_of(const struct qn_set_piece *rows) {
  return rows->begin < rows->end ? rows->row_offsets[rows->end - rows->begin] - rows->row_offsets[0]
                                 : 0;
}

/* The rows of a part, with all of their edges. */
static enum qn_status collect_rows(const struct qn_distributed *distributed,
                                   const struct moved *moved, const struct qn_set_part *part,
                                   struct contents *contents, struct qn_error *error) {
  const unsigned weight_bytes = qn_weight_bytes(distributed->set->weight_type);
  enum qn_status status =
      qn_alloc(&contents->pieces, moved->num_pieces, sizeof *contents->pieces, "rows", error);
  for (uint64_t i = 0; i < moved->num_pieces && !status; i++) {
    struct piece piece = piece_in(&moved->pieces[i], part->begin, part->end, weight_bytes);
    contents->num_edges += edges_of(&piece.rows);
  }
  if (!status && distributed->has_records)
    status = qn_bulk_alloc(&contents->records, contents->num_edges, sizeof *contents->records,
                           "numbers of edges", error);
  for (uint64_t i = 0, at = 0; i < moved->num_pieces && !status; i++) {
    struct piece piece = piece_in(&moved->pieces[i], part->begin, part->end, weight_bytes);
    const uint64_t edges = edges_of(&piece.rows);
    if (piece.rows.begin >= piece.rows.end)
      continue;
    contents->pieces[contents->num_pieces++] = piece.rows;
    if (contents->records && edges)
      memcpy(contents->records + at, piece.records, edges * sizeof *piece.records);
    at += edges;
  }
  return status;
}

static enum qn_status collect(const struct qn_distributed *distributed, const struct moved *moved,
                              uint64_t index, struct contents *contents, struct qn_error *error) {
  const struct qn_set_part *part = &distributed->set->parts[index];
  enum qn_status status = collect_rows(distributed, moved, part, contents, error);
  if (status || qn_set_is_whole(distributed->set, part))
    return status;
  status = qn_set_cut_rows(distributed->set, index, contents->pieces, contents->num_pieces,
                           contents->records, &contents->cut, error);
  if (!status) {
    contents->pieces[0] = contents->cut.piece;
    contents->num_pieces = 1;
  }
  return status;
}

/* Of the edges that are written. */
static const uint64_t *records_of(const struct contents *contents, uint64_t *num_edges) {
  const bool is_cut = contents->cut.piece.row_offsets != NULL;
  *num_edges = is_cut ? contents->cut.num_edges : contents->num_edges;
  return is_cut ? contents->cut.records : contents->records;
}

static void contents_free(struct contents *contents) {
  qn_free(contents->pieces);
  qn_set_cut_rows_release(&contents->cut);
  qn_pages_free(contents->records, contents->num_edges, sizeof *contents->records);
  qn_distributed_values_free(&contents->values);
}

/* One of this rank's parts. All ranks write one at the same time, or are asked for values by those
 * that do: then `index` is none. */
static enum qn_status write_part(struct qn_distributed *distributed, const struct moved *moved,
                                 uint64_t index, struct qn_error *error) {
  const bool writes = index < distributed->set->num_parts;
  struct contents contents = {0};
  const char *path;
  uint64_t num_edges;
  enum qn_status status = QN_OK;
  if (writes)
    status = collect(distributed, moved, index, &contents, error);
  const uint64_t *records = records_of(&contents, &num_edges);
  if (!status && distributed->has_records)
    status = qn_distributed_values_fetch(distributed, records, num_edges, &contents.values, error);
  if (!status && writes)
    status = qn_set_writer_part(distributed->writer, index, &path, error);
  if (!status && writes)
    status = qn_set_write_part(distributed->set, index, contents.pieces, contents.num_pieces,
                               distributed->has_records ? &contents.values.values : NULL,
                               QN_SET_TOOL, path, false, error);
  contents_free(&contents);
  return status;
}

/* The first rank has to know what files the others have written. */
static enum qn_status gather_files(struct qn_distributed *distributed, struct qn_error *error) {
  struct qn_set *set = distributed->set;
  uint64_t *figures;
  enum qn_status status =
      qn_alloc_zeroed(&figures, 2 * set->num_parts, sizeof *figures, "parts of a set", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < set->num_parts; i++) {
    figures[2 * i] = set->parts[i].file.bytes;
    figures[2 * i + 1] = set->parts[i].file.identity;
  }
  status = distributed->ranks->combine(figures, 2 * set->num_parts, QN_COMBINE_OR, error);
  for (uint64_t i = 0; i < set->num_parts && !status; i++) {
    struct qn_set_file *file = &set->parts[i].file;
    char name[32];
    qn_set_part_name(i, name);
    file->bytes = figures[2 * i];
    file->identity = figures[2 * i + 1];
    if (!file->name && !(file->name = strdup(name)))
      status = qn_fail_memory(error, "a file's name", sizeof name);
  }
  qn_free(figures);
  return status;
}

static enum qn_status write_parts(struct qn_distributed *distributed, struct qn_error *error) {
  struct moved moved = {0};
  const uint64_t rank = distributed->ranks->rank,
                 first = qn_distributed_first_part(distributed, rank);
  const uint64_t own = qn_distributed_first_part(distributed, rank + 1) - first;
  uint64_t rounds = own;
  enum qn_status status = move_rows(distributed, &moved, error);
  if (!status && distributed->has_records)
    status = distributed->ranks->combine(&rounds, 1, QN_COMBINE_MOST, error);
  qn_progress_begin("writing parts", "edges", 0);
  for (uint64_t i = 0; i < rounds && !status; i++)
    status = write_part(distributed, &moved, i < own ? first + i : UINT64_MAX, error);
  qn_progress_end();
  moved_free(&moved);
  return status ? status : gather_files(distributed, error);
}

static void describe(struct qn_distributed *distributed) {
  const struct qn_build *build = distributed->build;
  struct qn_set *set = distributed->set;
  const bool directed = qn_distributed_is_directed(distributed);
  set->version = QN_SET_VERSION;
  set->num_vertices = distributed->num_vertices;
  set->weight_type = distributed->sender.weight_type;
  set->directedness = directed ? QN_DIRECTED : QN_UNDIRECTED;
  set->in_edges = directed && build->transpose;
  set->rows = directed ? distributed->job->set->rows : QN_SET_ROWS_OUT;
  set->layout = QN_LAYOUT_GRAPH;
}

enum qn_status qn_distributed_write(struct qn_distributed *distributed, struct qn_error *error) {
  describe(distributed);
  enum qn_status status = distributed->job->set->block_vertices ? cut_blocks(distributed, error)
                                                                : cut(distributed, error);
  if (!status)
    status = begin_folder(distributed, error);
  if (!status)
    status = write_vertices(distributed, error);
  return status ? status : write_parts(distributed, error);
}
