/* A set's graph in one container again. */
#include "formats/set/set.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/set/blocks.h"
#include "formats/set/changed.h"
#include "formats/set/columns.h"
#include "formats/set/generations.h"
#include "formats/set/project.h"
#include "formats/set/types.h"
#include "formats/set/vertices.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/temp_file.h"
#include "support/used_files.h"
#include <quern/transpose.h>

/* The sections of both directions; those of in-edges are NULL where none are stored. */
struct sections {
  struct qn_graph_arrays out, in;
};

struct uniting {
  struct qn_set *set;
  struct qn_writer *writer;
  struct sections sections;
  struct qn_graph rows; /* what the parts hold, where the container has no place for it */
  struct qn_csr held;   /* what they hold, wherever that is */
  struct qn_stack columns;
  uint64_t *records; /* [E] which of the columns' values an edge of `held` has; NULL: its own */
  struct qn_all_vertices vertices;
};

static enum qn_status add_sections(struct uniting *uniting, struct qn_error *error) {
  const struct qn_set *set = uniting->set;
  struct qn_writer *writer = uniting->writer;
  struct sections *to = &uniting->sections;
  enum qn_status status =
      qn_graph_write_rows(writer, set->num_vertices, &to->out.row_offsets, error);
  if (!status)
    status = qn_graph_write_columns(writer, set->num_edges, &to->out.column_indices, error);
  if (!status)
    status = qn_graph_write_weights(writer, set->num_edges, &to->out.weights, error);
  if (status || !set->in_edges)
    return status;
  status = qn_graph_write_in_rows(writer, set->num_vertices, &to->in.row_offsets, error);
  if (!status)
    status = qn_graph_write_in_columns(writer, set->num_edges, &to->in.column_indices, error);
  if (!status)
    status = qn_graph_write_in_weights(writer, set->num_edges, &to->in.weights, error);
  return status;
}

/* ---- Rows ---------------------------------------------------------------------- */

/* A part's whole rows behind those of the parts before it, which have `before` edges. */
static void copy_rows(const struct qn_set_part *part, const struct qn_csr *from, uint64_t before,
                      const struct qn_graph_arrays *to) {
  unsigned weight_bytes = qn_weight_bytes(from->weights.type);
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row < from->num_vertices; row++)
    to->row_offsets[part->begin + row + 1] = before + from->row_offsets[row + 1];
  if (part->num_edges == 0)
    return;
  memcpy(to->column_indices + before, from->column_indices,
         part->num_edges * sizeof *to->column_indices);
  if (weight_bytes)
    memcpy((char *)to->weights + before * weight_bytes, from->weights.data,
           part->num_edges * weight_bytes);
}

static enum qn_status copy_part(struct uniting *uniting, uint64_t index, uint64_t before,
                                const struct qn_graph_arrays *to, struct qn_error *error) {
  const struct qn_set *set = uniting->set;
  struct qn_set_open_part part;
  enum qn_status status = qn_set_part_open(set, index, QN_SET_CHECK_ALL, &part, error);
  if (!status)
    copy_rows(&set->parts[index], &part.rows, before, to);
  if (!status)
    status = qn_set_columns_add(set, &uniting->columns, index, part.container, error);
  if (!status)
    status = qn_container_unchanged(part.container, error);
  qn_set_part_close(&part);
  return status;
}

/* ---- Rows that are cut --------------------------------------------------------- */

/* Where the rows' edges end, behind `before` others. A file may have been written over since it was
 * checked. */
static void find_offsets(const struct qn_set_part *blocks, const struct qn_set_open_part *parts,
                         uint64_t count, uint64_t before, const struct qn_graph_arrays *to) {
  const uint64_t rows = blocks->end - blocks->begin;
  uint64_t *ends = to->row_offsets + blocks->begin + 1;
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row < rows; row++) {
    ends[row] = before;
    for (uint64_t b = 0; b < count; b++) {
      const uint64_t end = parts[b].rows.row_offsets[row + 1];
      ends[row] += end < blocks[b].num_edges ? end : blocks[b].num_edges;
    }
  }
}

/* The edges that a row has in a block go to place `at`; returns that behind them. */
static uint64_t copy_cut_row(struct uniting *uniting, const struct qn_set_part *block,
                             const struct qn_csr *from, uint64_t row, uint64_t first_record,
                             uint64_t at, uint64_t room, const struct qn_graph_arrays *to) {
  const unsigned weight_bytes = qn_weight_bytes(from->weights.type);
  const uint64_t begin = from->row_offsets[row], last = from->row_offsets[row + 1];
  const uint64_t end = last < block->num_edges ? last : block->num_edges;
  for (uint64_t e = begin; e < end && at < room; e++, at++) {
    to->column_indices[at] = (uint32_t)(block->columns_begin + from->column_indices[e]);
    if (weight_bytes)
      memcpy((char *)to->weights + at * weight_bytes,
             (const char *)from->weights.data + e * weight_bytes, weight_bytes);
    if (uniting->records)
      uniting->records[at] = first_record + e;
  }
  return at;
}

/* The rows of `count` blocks from `first` on, all open, behind `before` edges. */
static void copy_cut_rows(struct uniting *uniting, uint64_t first,
                          const struct qn_set_open_part *parts, uint64_t count, uint64_t before,
                          const struct qn_graph_arrays *to) {
  const struct qn_set_part *blocks = &uniting->set->parts[first];
  find_offsets(blocks, parts, count, before, to);
#pragma omp parallel for schedule(dynamic, 256)
  for (uint64_t row = 0; row < blocks->end - blocks->begin; row++) {
    const uint64_t v = blocks->begin + row;
    uint64_t at = to->row_offsets[v], first_record = before;
    for (uint64_t b = 0; b < count; b++) {
      at = copy_cut_row(uniting, &blocks[b], &parts[b].rows, row, first_record, at,
                        to->row_offsets[v + 1], to);
      first_record += blocks[b].num_edges;
    }
  }
}

/* A row of blocks behind `before` edges. */
static enum qn_status copy_row_of_blocks(struct uniting *uniting, uint64_t first, uint64_t end,
                                         uint64_t before, const struct qn_graph_arrays *to,
                                         struct qn_error *error) {
  const struct qn_set *set = uniting->set;
  const uint64_t count = end - first;
  struct qn_set_open_part *parts;
  enum qn_status status = qn_alloc_zeroed(&parts, count, sizeof *parts, "blocks of rows", error);
  if (status)
    return status;
  for (uint64_t b = 0; !status && b < count; b++)
    status = qn_set_part_open(set, first + b, QN_SET_CHECK_ALL, &parts[b], error);
  if (!status)
    copy_cut_rows(uniting, first, parts, count, before, to);
  for (uint64_t b = 0; !status && b < count; b++) {
    status = qn_set_columns_add(set, &uniting->columns, first + b, parts[b].container, error);
    if (!status)
      status = qn_container_unchanged(parts[b].container, error);
  }
  for (uint64_t b = 0; b < count; b++)
    qn_set_part_close(&parts[b]);
  qn_free(parts);
  return status;
}

static enum qn_status copy_parts(struct uniting *uniting, const struct qn_graph_arrays *to,
                                 struct qn_error *error) {
  const struct qn_set *set = uniting->set;
  uint64_t before = 0;
  enum qn_status status = QN_OK;
  to->row_offsets[0] = 0;
  qn_progress_begin("putting a set together", "edges", set->num_edges);
  for (uint64_t first = 0, end; !status && first < set->num_parts; first = end) {
    uint64_t edges = 0;
    end = qn_set_row_end(set, first);
    for (uint64_t i = first; i < end; i++)
      edges += set->parts[i].num_edges;
    status = end == first + 1 ? copy_part(uniting, first, before, to, error)
                              : copy_row_of_blocks(uniting, first, end, before, to, error);
    before += edges;
    qn_progress_add(edges);
  }
  qn_progress_end();
  return status;
}

static struct qn_csr csr_of(const struct qn_set *set, const struct qn_graph_arrays *arrays) {
  return (struct qn_csr){.num_vertices = set->num_vertices,
                         .num_edges = set->num_edges,
                         .row_offsets = arrays->row_offsets,
                         .column_indices = arrays->column_indices,
                         .weights = {.type = set->weight_type, .data = arrays->weights}};
}

/* SET-12 and SET-13, of what was copied: a part may have been overwritten meanwhile. */
static enum qn_status check_rows(const struct qn_set *set, const struct qn_csr *csr,
                                 struct qn_error *error) {
  enum qn_status status = qn_csr_check(NULL, csr, "G", "graph", error);
  if (status)
    return qn_error_in_file(error, set->path);
  if (qn_csr_fingerprint(csr, set->rows == QN_SET_ROWS_IN) != set->fingerprint)
    return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-12",
                            "the parts do not hold the edges of the graph");
  if (set->directedness == QN_UNDIRECTED && !qn_csr_is_symmetric(csr))
    return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-13",
                            "the graph is undirected, but some edge has no reverse");
  return QN_OK;
}

/* The direction that the parts hold, then the other one. */
static enum qn_status write_edges(struct uniting *uniting, struct qn_error *error) {
  const struct qn_set *set = uniting->set;
  struct sections *sections = &uniting->sections;
  const bool by_in = set->rows == QN_SET_ROWS_IN;
  struct qn_graph_arrays held = by_in ? sections->in : sections->out;
  const struct qn_graph_arrays *other = by_in           ? &sections->out
                                        : set->in_edges ? &sections->in
                                                        : NULL;
  enum qn_status status = QN_OK;
  if (by_in && !set->in_edges)
    status = qn_graph_create(set->num_vertices, set->num_edges, set->weight_type, &uniting->rows,
                             &held, error);
  if (!status)
    status = qn_set_columns_create(set, &uniting->columns, error);
  if (!status && uniting->columns.table.count && set->features & QN_SET_COLUMN_RANGES)
    status = qn_bulk_alloc(&uniting->records, set->num_edges, sizeof *uniting->records,
                           "numbers of edges", error);
  if (!status)
    status = copy_parts(uniting, &held, error);
  uniting->held = csr_of(set, &held);
  if (!status)
    status = check_rows(set, &uniting->held, error);
  if (!status && other)
    status = qn_csr_transpose(&uniting->held, other, error);
  return status;
}

static enum qn_status write_names(struct uniting *uniting, struct qn_error *error) {
  struct qn_all_vertices *all = &uniting->vertices;
  enum qn_status status = qn_set_all_ids(uniting->set, all, error);
  if (!status)
    status = qn_set_check_names(uniting->set, all, error);
  return status ? status : qn_ids_write(uniting->writer, &all->ids, error);
}

/* ---- Properties ------------------------------------------------------------------ */

/* Both directions of an undirected graph's edges have the same values, as check_rows says of the
 * edges themselves. */
static enum qn_status check_values(const struct uniting *uniting, struct qn_error *error) {
  const struct qn_property_table *table = &uniting->columns.table;
  struct qn_set_directions sums = {0};
  if (uniting->set->directedness != QN_UNDIRECTED || !table->count)
    return QN_OK;
  qn_set_directions_add(&uniting->held, 0, 0, table, uniting->records, &sums);
  return qn_set_directions_check(uniting->set, &sums, error);
}

/* Each number becomes the one that `to` has there. */
static void follow(const uint64_t *to, uint64_t *numbers, uint64_t count) {
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i++)
    numbers[i] = to[numbers[i]];
}

/* Values of edges lie in the order of the rows of the parts; in the container they are in that of
 * rows of out-edges. */
static enum qn_status write_properties(struct uniting *uniting, struct qn_error *error) {
  const struct qn_set *set = uniting->set;
  struct qn_properties all = set->ranges[0].properties;
  struct qn_graph numbered = {0};
  enum qn_status status = qn_set_all_columns(set, &uniting->vertices, error);
  all.of_vertices = uniting->vertices.columns.table;
  all.of_edges = uniting->columns.table;
  if (!status)
    status = check_values(uniting, error);
  if (!status && all.of_edges.count && set->rows == QN_SET_ROWS_IN)
    status = qn_set_number_transpose(&uniting->held, &numbered, error);
  uint64_t *records =
      numbered.out.weights.data ? (uint64_t *)numbered.out.weights.data : uniting->records;
  if (!status && numbered.out.weights.data && uniting->records)
    follow(uniting->records, records, set->num_edges);
  if (!status)
    status = qn_properties_write(uniting->writer, &all, NULL, records, error);
  qn_graph_unmap(&numbered);
  return status;
}

/* ---- The container --------------------------------------------------------------- */

static enum qn_status write_metadata(const struct qn_set *set, struct qn_writer *writer,
                                     struct qn_error *error) {
  const struct qn_section *section = qn_container_section(set->ranges[0].container, "metadata");
  if (!section)
    return QN_OK;
  const struct qn_section_spec spec = {.name = section->name,
                                       .element_type = section->element_type,
                                       .element_bytes = section->element_bytes,
                                       .count = section->count,
                                       .ancillary = true};
  return qn_writer_section_from(writer, &spec, section->data, error);
}

void qn_set_fill_header(const struct qn_set *set, struct qn_writer *writer) {
  struct qn_container_info *info = qn_writer_info(writer);
  info->layout = QN_LAYOUT_GRAPH;
  info->weight_type = set->weight_type;
  info->directedness = set->directedness;
  info->num_vertices = set->num_vertices;
  info->num_edges = set->num_edges;
}

static enum qn_status write_graph(struct qn_set *set, struct qn_writer *writer,
                                  struct qn_error *error) {
  if (set->num_vertices > UINT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s: the set has %" PRIu64 " vertices, and one container at most 2^32 - 1",
                   set->path, set->num_vertices);
  struct uniting uniting = {.set = set, .writer = writer};
  qn_set_fill_header(set, writer);
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = qn_container_verify(set->ranges[i].container, error);
  if (!status)
    status = add_sections(&uniting, error);
  if (!status)
    status = write_edges(&uniting, error);
  if (!status)
    status = write_names(&uniting, error);
  if (!status)
    status = write_properties(&uniting, error);
  qn_graph_unmap(&uniting.rows);
  qn_pages_free(uniting.records, set->num_edges, sizeof *uniting.records);
  qn_stack_destroy(&uniting.columns);
  qn_set_all_release(&uniting.vertices);
  return status ? status : write_metadata(set, writer, error);
}

/* Types become properties. */
static const struct qn_set_selection all_types = {.properties = true};

/* What is put together has its edges' sum, and its own in-edges: those of the base need no check.
 */
static enum qn_status write_changed(const struct qn_set *set, struct qn_writer *writer,
                                    struct qn_error *error) {
  struct qn_changed changed;
  enum qn_status status = qn_changed_open(set, QN_CHANGED_EDGES, &changed, error);
  if (!status)
    status = qn_changed_write(&changed, writer, error);
  qn_changed_close(&changed);
  return status;
}

/* The base is not to be written over. */
static enum qn_status keep_base(const struct qn_set *set, const char *path,
                                struct qn_error *error) {
  char base[PATH_MAX];
  enum qn_status status = qn_set_base_path(set, base, error);
  return status ? status : qn_input_kept(path, base, error);
}

/* Everything but the commit; `*writer` is NULL on failure. */
static enum qn_status begin(struct qn_set *set, const char *path, bool force,
                            struct qn_writer **writer, struct qn_error *error) {
  *writer = NULL;
  enum qn_status status = qn_writer_create(path, force, writer, error);
  if (!status)
    status = qn_set_is_changed(set) ? write_changed(set, *writer, error)
             : qn_set_is_typed(set) ? qn_set_write_projection(set, &all_types, *writer, error)
                                    : write_graph(set, *writer, error);
  if (status) {
    qn_writer_abort(*writer);
    *writer = NULL;
  }
  return status;
}

static void compare_origin(const struct qn_set *set, const struct qn_container *made) {
  if (set->has_origin && qn_container_info(made)->header_checksum != set->origin)
    qn_note(QN_NOTE_NOT_IDENTICAL,
            "the graph is whole, but its container is not byte for byte the one that the "
            "set %s was made of, which another version of Quern wrote",
            set->path);
}

enum qn_status qn_set_unite(const char *set_path, const char *path, bool force,
                            struct qn_container **out, struct qn_error *error) {
  struct qn_set *set;
  struct qn_writer *writer;
  enum qn_status status = qn_set_open(set_path, &set, error);
  if (!status && qn_set_is_changed(set))
    status = keep_base(set, path, error);
  if (!status)
    status = begin(set, path, force, &writer, error);
  if (!status)
    status = qn_writer_finish(writer, path, out, error);
  if (!status)
    compare_origin(set, *out);
  qn_set_close(set);
  return status;
}

struct qn_united_size qn_set_united_size(const struct qn_set *set) {
  const uint64_t rows = (set->num_vertices + 1) * sizeof(uint64_t) +
                        set->num_edges * (sizeof(uint32_t) + qn_weight_bytes(set->weight_type));
  struct qn_united_size size = {.container = rows};
  for (uint64_t i = 0; i < set->num_ranges; i++)
    size.container += set->ranges[i].file.bytes;
  if (set->in_edges)
    size.container += rows;
  else if (set->rows == QN_SET_ROWS_IN)
    size.memory = rows;
  return size;
}

static void tell_size(const struct qn_set *set, const char *name) {
  const struct qn_united_size size = qn_set_united_size(set);
  char container[32], memory[32];
  qn_size_text(size.container, container, sizeof container);
  qn_size_text(size.memory, memory, sizeof memory);
  qn_note(QN_NOTE_RESTORED,
          "putting the parts of %s together takes about %s of temporary disk space%s%s; "
          "quern-transform -o FILE would keep the graph",
          name, container, size.memory ? ", and while it is made memory of " : "",
          size.memory ? memory : "");
}

enum qn_status qn_set_unite_nameless(const char *set_path, const char *name,
                                     struct qn_container **out, struct qn_error *error) {
  const char *folder = getenv("TMPDIR");
  char path[4096];
  struct qn_set *set;
  struct qn_writer *writer;
  snprintf(path, sizeof path, "%s/quern-united-%ld", folder && *folder ? folder : "/tmp",
           (long)getpid());
  enum qn_status status = qn_set_open(set_path, &set, error);
  if (!status) {
    tell_size(set, name);
    status = begin(set, path, false, &writer, error);
  }
  if (!status)
    status = qn_writer_commit_nameless(writer, name, out, error);
  qn_set_close(set);
  return status;
}
