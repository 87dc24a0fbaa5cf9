#include "formats/set/project.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/properties/gather.h"
#include "formats/set/paths.h"
#include "formats/set/project_vertices.h"
#include "formats/set/types.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/tool.h"
#include "support/used_files.h"
#include <quern/metadata.h>

/* A block of a chosen type, open. */
struct block {
  struct qn_set_open_part part;
  struct qn_properties properties;
  uint32_t type;
};

struct projecting {
  const struct qn_set *set;
  const struct qn_set_selection *selection;
  uint64_t only; /* the edge type that is chosen by its number; UINT64_MAX: the selection chooses */
  struct qn_writer *writer;
  struct qn_set_chosen chosen;
  struct qn_set_path *path; /* edges are the pairs that it joins; NULL: those of chosen types */
  int64_t *shifts;          /* [num_ranges] from numbers in the set to those in the graph */
  uint64_t num_vertices, num_edges;
  struct block *blocks; /* [num_blocks], in the order of the set's */
  uint32_t num_blocks;
  enum qn_weight_type weights;
  uint64_t *picks; /* [num_edges] blocks and edges in them */
};

/* ---- What is chosen --------------------------------------------------------------- */

static enum qn_status number_vertices(struct projecting *projecting, struct qn_error *error) {
  const struct qn_set *set = projecting->set;
  enum qn_status status = qn_alloc_zeroed(&projecting->shifts, set->num_ranges,
                                          sizeof *projecting->shifts, "types of vertices", error);
  for (uint64_t r = 0; !status && r < set->num_ranges; r++)
    if (projecting->chosen.vertices[r]) {
      projecting->shifts[r] = (int64_t)projecting->num_vertices - (int64_t)set->ranges[r].begin;
      projecting->num_vertices += set->ranges[r].end - set->ranges[r].begin;
    }
  return status;
}

static enum qn_status open_blocks(struct projecting *projecting, struct qn_error *error) {
  const struct qn_set *set = projecting->set;
  enum qn_status status = qn_alloc_zeroed(&projecting->blocks, set->num_parts,
                                          sizeof *projecting->blocks, "parts of a set", error);
  for (uint64_t i = 0; !status && i < set->num_parts; i++) {
    struct block *block = &projecting->blocks[projecting->num_blocks];
    if (!projecting->chosen.edges[set->parts[i].edge_type])
      continue;
    block->type = set->parts[i].edge_type;
    status = qn_set_part_open(set, i, QN_SET_CHECK_ALL, &block->part, error);
    if (status)
      break;
    projecting->num_blocks++;
    projecting->num_edges += set->parts[i].num_edges;
    if (projecting->selection->properties)
      status = qn_properties_view(block->part.container, &block->properties, error);
    if (!status && projecting->selection->properties)
      status = qn_properties_check(block->part.container, &block->properties, error);
  }
  return status;
}

/* SET-12 of the chosen types. */
static enum qn_status check_fingerprints(const struct projecting *projecting,
                                         struct qn_error *error) {
  const struct qn_set *set = projecting->set;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < projecting->num_blocks; i++) {
    const struct block *block = &projecting->blocks[i];
    const struct qn_set_edge_type *type = &set->edge_types[block->type];
    const bool ends =
        i + 1 == projecting->num_blocks || projecting->blocks[i + 1].type != block->type;
    sum += qn_rows_fingerprint(&block->part.rows,
                               qn_container_info(block->part.container)->first_row, false);
    if (ends && sum != type->fingerprint)
      return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-12",
                              "the parts do not hold the edges of the type %s", type->name);
    sum = ends ? 0 : sum;
  }
  return QN_OK;
}

/* ---- Rows --------------------------------------------------------------------------- */

struct edge {
  uint32_t column;
  uint64_t pick;
};

static int by_column(const void *a, const void *b) {
  const struct edge *first = a, *second = b;
  if (first->column != second->column)
    return first->column < second->column ? -1 : 1;
  return (first->pick > second->pick) - (first->pick < second->pick);
}

/* Of a file that is written over rows may be any: what has no room is not taken. */
static void count_rows(const struct projecting *projecting, const struct block *block,
                       uint64_t begin, uint64_t *offsets) {
  const struct qn_set *set = projecting->set;
  const uint64_t first = begin + (uint64_t)projecting->shifts[set->edge_types[block->type].source];
  for (uint64_t row = 0; row < block->part.rows.num_vertices; row++)
    offsets[first + row + 1] +=
        block->part.rows.row_offsets[row + 1] - block->part.rows.row_offsets[row];
}

static uint64_t begin_of(const struct projecting *projecting, uint32_t index) {
  return qn_container_info(projecting->blocks[index].part.container)->first_row;
}

static enum qn_status place_rows(const struct projecting *projecting, uint32_t index,
                                 uint64_t *next, struct edge *edges, struct qn_error *error) {
  const struct block *block = &projecting->blocks[index];
  const struct qn_csr *rows = &block->part.rows;
  const struct qn_set_edge_type *type = &projecting->set->edge_types[block->type];
  const uint64_t first = begin_of(projecting, index) + (uint64_t)projecting->shifts[type->source];
  const int64_t shift = projecting->shifts[type->target];
  for (uint64_t row = 0; row < rows->num_vertices; row++)
    for (uint64_t e = rows->row_offsets[row]; e < rows->row_offsets[row + 1]; e++) {
      const uint64_t at = next[first + row]++;
      const int64_t column = (int64_t)rows->column_indices[e] + shift;
      if (e >= rows->num_edges || at >= projecting->num_edges || column < 0 ||
          (uint64_t)column >= projecting->num_vertices)
        return qn_input_changed(error);
      edges[at] = (struct edge){.column = (uint32_t)column, .pick = qn_pick(index, e)};
    }
  return QN_OK;
}

static enum qn_status put_weight(const struct projecting *projecting, uint64_t pick, uint64_t at,
                                 void *weights, struct qn_error *error) {
  const struct qn_weights *from = &projecting->blocks[qn_pick_source(pick)].part.rows.weights;
  const uint64_t e = qn_pick_record(pick);
  const unsigned bytes = qn_weight_bytes(projecting->weights);
  if (from->type == projecting->weights) {
    memcpy((char *)weights + at * bytes, (const char *)from->data + e * bytes, bytes);
  } else if (projecting->weights == QN_WEIGHT_I64) {
    ((int64_t *)weights)[at] = from->u32[e];
  } else if (from->type == QN_WEIGHT_I64) {
    const int64_t whole = from->i64[e];
    const double real = (double)whole;
    if (real >= 9223372036854775808.0 || (int64_t)real != whole)
      return qn_fail(error, QN_UNSUPPORTED,
                     "edges of some types have real weights, and one of another has the weight "
                     "%" PRId64
                     ", which no real number is: choose types (--edge-types) of one kind",
                     whole);
    ((double *)weights)[at] = real;
  } else {
    ((double *)weights)[at] = from->type == QN_WEIGHT_U32 ? from->u32[e] : (double)from->f32[e];
  }
  return QN_OK;
}

static enum qn_status fill_rows(struct projecting *projecting, struct edge *edges,
                                const struct qn_graph_arrays *to, struct qn_error *error) {
  uint64_t *offsets = to->row_offsets;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < projecting->num_blocks; i++)
    count_rows(projecting, &projecting->blocks[i], begin_of(projecting, i), offsets);
  for (uint64_t v = 0; v < projecting->num_vertices; v++)
    offsets[v + 1] += offsets[v];
  for (uint32_t i = 0; !status && i < projecting->num_blocks; i++)
    status = place_rows(projecting, i, offsets, edges, error);
  if (status)
    return status;
  memmove(offsets + 1, offsets, projecting->num_vertices * sizeof *offsets); /* ends to begins */
  offsets[0] = 0;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < projecting->num_vertices; v++)
    if (offsets[v + 1] - offsets[v] > 1)
      qsort(edges + offsets[v], offsets[v + 1] - offsets[v], sizeof *edges, by_column);
  for (uint64_t e = 0; !status && e < projecting->num_edges; e++) {
    to->column_indices[e] = edges[e].column;
    projecting->picks[e] = edges[e].pick;
    if (projecting->weights != QN_WEIGHT_NONE)
      status = put_weight(projecting, edges[e].pick, e, to->weights, error);
  }
  return status;
}

static enum qn_status write_rows(struct projecting *projecting, struct qn_error *error) {
  struct qn_writer *writer = projecting->writer;
  struct qn_graph_arrays to;
  struct edge *edges = NULL;
  enum qn_status status =
      qn_graph_write_rows(writer, projecting->num_vertices, &to.row_offsets, error);
  if (!status)
    status = qn_graph_write_columns(writer, projecting->num_edges, &to.column_indices, error);
  if (!status)
    status = qn_graph_write_weights(writer, projecting->num_edges, &to.weights, error);
  if (!status)
    status = qn_bulk_alloc(&projecting->picks, projecting->num_edges, sizeof *projecting->picks,
                           "places of edges", error);
  if (!status)
    status = qn_bulk_alloc(&edges, projecting->num_edges, sizeof *edges, "edges", error);
  if (!status)
    status = fill_rows(projecting, edges, &to, error);
  qn_pages_free(edges, projecting->num_edges, sizeof *edges);
  return status;
}

/* ---- Paths -------------------------------------------------------------------------- */

/* Rows of the pairs that the path joins, with the number of paths between them as weights. */
static enum qn_status write_paths(struct projecting *projecting, struct qn_error *error) {
  const struct qn_set *set = projecting->set;
  const struct qn_vertex_range *sources = &set->ranges[qn_set_path_source(projecting->path)];
  const uint32_t target = qn_set_path_target(projecting->path);
  const uint64_t first =
      sources->begin + (uint64_t)projecting->shifts[qn_set_path_source(projecting->path)];
  const uint32_t shift =
      (uint32_t)((int64_t)set->ranges[target].begin + projecting->shifts[target]);
  struct qn_container_info *info = qn_writer_info(projecting->writer);
  struct qn_graph_arrays to = {0};
  enum qn_status status =
      qn_graph_write_rows(projecting->writer, projecting->num_vertices, &to.row_offsets, error);
  if (!status)
    status = qn_set_path_count(projecting->path, to.row_offsets + first + 1, &projecting->weights,
                               error);
  if (status)
    return status;
  for (uint64_t v = 0; v < projecting->num_vertices; v++)
    to.row_offsets[v + 1] += to.row_offsets[v];
  info->num_edges = projecting->num_edges = to.row_offsets[projecting->num_vertices];
  info->weight_type = projecting->weights;
  status =
      qn_graph_write_columns(projecting->writer, projecting->num_edges, &to.column_indices, error);
  if (!status)
    status = qn_graph_write_weights(projecting->writer, projecting->num_edges, &to.weights, error);
  if (!status)
    status = qn_set_path_fill(projecting->path, to.row_offsets + first, to.column_indices,
                              projecting->weights, to.weights, error);
  for (uint64_t e = 0; !status && shift && e < projecting->num_edges; e++)
    to.column_indices[e] += shift;
  return status;
}

/* ---- Properties ------------------------------------------------------------------- */

static enum qn_status project_vertices(const struct projecting *projecting,
                                       struct qn_property_table *out, struct qn_error *error) {
  const struct qn_set *set = projecting->set;
  struct qn_projected_source *sources = NULL;
  uint64_t *picks = NULL, at = 0;
  uint32_t count = 0;
  enum qn_status status =
      qn_alloc_zeroed(&sources, set->num_ranges, sizeof *sources, "properties", error);
  if (!status)
    status = qn_bulk_alloc(&picks, projecting->num_vertices, sizeof *picks, "vertices", error);
  for (uint64_t r = 0; !status && r < set->num_ranges; r++) {
    const struct qn_vertex_range *range = &set->ranges[r];
    if (!projecting->chosen.vertices[r])
      continue;
    for (uint64_t v = 0; v < range->end - range->begin; v++)
      picks[at++] = qn_pick(count, v);
    sources[count++] =
        (struct qn_projected_source){range->type, range->type, &range->properties.of_vertices};
    status = qn_properties_check(range->container, &range->properties, error);
  }
  if (!status)
    status = qn_set_project_columns(sources, count, picks, projecting->num_vertices,
                                    projecting->selection->project ? NULL : "LABEL", out, error);
  qn_pages_free(picks, projecting->num_vertices, sizeof *picks);
  qn_free(sources);
  return status;
}

static enum qn_status project_edges(const struct projecting *projecting,
                                    struct qn_property_table *out, struct qn_error *error) {
  struct qn_projected_source *sources;
  enum qn_status status =
      qn_alloc_zeroed(&sources, projecting->num_blocks, sizeof *sources, "properties", error);
  for (uint32_t i = 0; !status && i < projecting->num_blocks; i++) {
    const struct block *block = &projecting->blocks[i];
    const struct qn_set_edge_type *type = &projecting->set->edge_types[block->type];
    sources[i] = (struct qn_projected_source){type->name, qn_set_type_name(projecting->set, type),
                                              &block->properties.of_edges};
    if (!sources[i].prefix)
      status = qn_fail_memory(error, "the names of types", 0);
  }
  if (!status)
    status = qn_set_project_columns(sources, projecting->num_blocks, projecting->picks,
                                    projecting->num_edges,
                                    projecting->selection->project ? NULL : "TYPE", out, error);
  for (uint32_t i = 0; sources && i < projecting->num_blocks; i++)
    free((char *)sources[i].prefix);
  qn_free(sources);
  return status;
}

static enum qn_status write_properties(const struct projecting *projecting,
                                       struct qn_error *error) {
  struct qn_properties properties = {0};
  if (!projecting->selection->properties)
    return QN_OK;
  enum qn_status status = projecting->only != UINT64_MAX
                              ? QN_OK
                              : project_vertices(projecting, &properties.of_vertices, error);
  if (!status && !projecting->path)
    status = project_edges(projecting, &properties.of_edges, error);
  if (projecting->weights != QN_WEIGHT_NONE && projecting->num_blocks)
    memcpy(properties.weight, projecting->blocks[0].properties.weight, sizeof properties.weight);
  if (!status)
    status = qn_properties_write(projecting->writer, &properties, NULL, NULL, error);
  qn_gathered_release(&properties.of_vertices);
  qn_gathered_release(&properties.of_edges);
  return status;
}

/* ---- The whole ---------------------------------------------------------------------- */

static json_t *selection_json(const struct qn_set_selection *selection) {
  json_t *json = json_object();
  if (selection->project)
    json_object_set_new(json, "project", json_string(selection->project));
  if (selection->edge_types)
    json_object_set_new(json, "edge_types", json_string(selection->edge_types));
  if (selection->vertex_types)
    json_object_set_new(json, "vertex_types", json_string(selection->vertex_types));
  return json;
}

static enum qn_status write_metadata(const struct projecting *projecting, struct qn_error *error) {
  json_t *of_set = NULL;
  enum qn_status status =
      qn_container_metadata(projecting->set->ranges[0].container, &of_set, error);
  if (status)
    return status;
  json_t *metadata =
      json_pack("{s:s, s:s, s:o, s:{s:o, s:o*}}", "tool", "quern-transform", "version", QN_VERSION,
                "options", selection_json(projecting->selection), "source", "identity",
                json_sprintf("%016" PRIx64, projecting->set->identity), "metadata", of_set);
  status = metadata ? qn_writer_metadata(projecting->writer, metadata, error)
                    : qn_fail_memory(error, "the metadata", 0);
  json_decref(metadata);
  return status;
}

static enum qn_status write_ids(const struct projecting *projecting, struct qn_error *error) {
  struct qn_projected_ids projected;
  enum qn_status status = qn_set_project_ids(projecting->set, &projecting->chosen,
                                             projecting->only != UINT64_MAX, &projected, error);
  if (!status)
    status = qn_ids_write(projecting->writer, &projected.ids, error);
  qn_projected_ids_release(&projected);
  return status;
}

static enum qn_status begin_path(struct projecting *projecting, struct qn_error *error) {
  const struct qn_set *set = projecting->set;
  uint64_t bound;
  enum qn_status status =
      qn_set_path_open(set, projecting->selection->project, &projecting->path, error);
  if (!status)
    status =
        qn_set_choose_vertices(set, qn_set_path_source(projecting->path),
                               qn_set_path_target(projecting->path), &projecting->chosen, error);
  if (!status)
    status = qn_set_path_bound(projecting->path, &bound, error);
  if (!status)
    qn_note(QN_NOTE_PATHS, "following %s%" PRIu64 " paths; there are no more edges than that",
            bound == UINT64_MAX ? "at least " : "", bound);
  return status;
}

static enum qn_status choose(struct projecting *projecting, struct qn_error *error) {
  const struct qn_set *set = projecting->set;
  const char *project = projecting->selection->project;
  if (projecting->only != UINT64_MAX)
    return qn_set_choose_number(set, projecting->only, &projecting->chosen, error);
  return project && qn_set_is_typed(set) && qn_set_path_is(set, project)
             ? begin_path(projecting, error)
             : qn_set_choose(set, projecting->selection, &projecting->chosen, error);
}

static enum qn_status begin(struct projecting *projecting, struct qn_error *error) {
  const char *without;
  enum qn_status status = choose(projecting, error);
  for (uint64_t r = 0; !status && r < projecting->set->num_ranges; r++)
    if (projecting->chosen.vertices[r])
      status = qn_container_verify(projecting->set->ranges[r].container, error);
  if (!status)
    status = number_vertices(projecting, error);
  if (!status)
    status = open_blocks(projecting, error);
  if (!status)
    status = check_fingerprints(projecting, error);
  if (status)
    return status;
  qn_set_chosen_weights(projecting->set, &projecting->chosen, &projecting->weights, &without);
  qn_set_note_weights(without);
  struct qn_container_info *info = qn_writer_info(projecting->writer);
  info->layout = QN_LAYOUT_GRAPH;
  info->weight_type = projecting->weights;
  info->directedness = QN_DIRECTED;
  info->num_vertices = projecting->num_vertices;
  info->num_edges = projecting->num_edges;
  return QN_OK;
}

static enum qn_status check_unchanged(const struct projecting *projecting, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < projecting->num_blocks; i++)
    status = qn_container_unchanged(projecting->blocks[i].part.container, error);
  for (uint64_t r = 0; !status && r < projecting->set->num_ranges; r++)
    status = qn_container_unchanged(projecting->set->ranges[r].container, error);
  return status;
}

static enum qn_status write_projection(const struct qn_set *set,
                                       const struct qn_set_selection *selection, uint64_t only,
                                       struct qn_writer *writer, struct qn_error *error) {
  struct projecting projecting = {
      .set = set, .selection = selection, .only = only, .writer = writer};
  enum qn_status status = begin(&projecting, error);
  if (!status)
    status = projecting.path ? write_paths(&projecting, error) : write_rows(&projecting, error);
  if (!status)
    status = write_ids(&projecting, error);
  if (!status)
    status = write_properties(&projecting, error);
  if (!status)
    status = write_metadata(&projecting, error);
  if (!status)
    status = check_unchanged(&projecting, error);
  for (uint32_t i = 0; i < projecting.num_blocks; i++) {
    qn_properties_release(&projecting.blocks[i].properties);
    qn_set_part_close(&projecting.blocks[i].part);
  }
  qn_pages_free(projecting.picks, projecting.num_edges, sizeof *projecting.picks);
  qn_free(projecting.blocks);
  qn_free(projecting.shifts);
  qn_set_chosen_release(&projecting.chosen);
  qn_set_path_close(projecting.path);
  return status;
}

enum qn_status qn_set_write_projection(const struct qn_set *set,
                                       const struct qn_set_selection *selection,
                                       struct qn_writer *writer, struct qn_error *error) {
  return write_projection(set, selection, UINT64_MAX, writer, error);
}

enum qn_status qn_set_project_type(const struct qn_set *set, uint64_t edge_type,
                                   struct qn_container **out, struct qn_error *error) {
  const struct qn_set_selection selection = {.project = set->edge_types[edge_type].name,
                                             .properties = true};
  struct qn_writer *writer;
  *out = NULL;
  enum qn_status status = qn_writer_create(NULL, false, &writer, error);
  if (status)
    return status;
  status = write_projection(set, &selection, edge_type, writer, error);
  if (!status)
    return qn_writer_commit_nameless(writer, "(edges of a type)", out, error);
  qn_writer_abort(writer);
  return status;
}

/* `*writer` is NULL on failure. */
static enum qn_status project(const char *set_path, const struct qn_set_selection *selection,
                              const char *path, bool force, struct qn_writer **writer,
                              struct qn_error *error) {
  struct qn_set *set;
  *writer = NULL;
  enum qn_status status = qn_set_open(set_path, &set, error);
  if (!status)
    status = qn_writer_create(path, force, writer, error);
  if (!status)
    status = qn_set_write_projection(set, selection, *writer, error);
  if (status) {
    qn_writer_abort(*writer);
    *writer = NULL;
  }
  qn_set_close(set);
  return status;
}

enum qn_status qn_set_project(const char *set_path, const struct qn_set_selection *selection,
                              const char *path, bool force, struct qn_container **out,
                              struct qn_error *error) {
  struct qn_writer *writer;
  enum qn_status status = project(set_path, selection, path, force, &writer, error);
  return status ? status : qn_writer_finish(writer, path, out, error);
}

enum qn_status qn_set_project_nameless(const char *set_path,
                                       const struct qn_set_selection *selection, const char *name,
                                       struct qn_container **out, struct qn_error *error) {
  const char *folder = getenv("TMPDIR");
  struct qn_writer *writer;
  char path[4096];
  snprintf(path, sizeof path, "%s/quern-projected-%ld", folder && *folder ? folder : "/tmp",
           (long)getpid());
  enum qn_status status = project(set_path, selection, path, false, &writer, error);
  return status ? status : qn_writer_commit_nameless(writer, name, out, error);
}
