#include "converters/changes/generation.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/properties/gather.h"
#include "formats/set/files.h"
#include "formats/set/generations.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/tool.h"
#include <quern/metadata.h>

struct writing {
  const struct qn_new_generation *made;
  const struct qn_change_target *target;
  struct qn_set *set;
  uint64_t index;               /* of the generation, from 0 */
  struct qn_set_writer *writer; /* of a new folder */
  char paths[2][4096];          /* in the folder that is there; "": not written */
};

/* ---- What the set will be ---------------------------------------------------------- */

static enum qn_status copy_file(const struct qn_set_file *from, struct qn_set_file *to,
                                struct qn_error *error) {
  *to = *from;
  to->name = strdup(from->name);
  return to->name ? QN_OK : qn_fail_memory(error, "a file's name", strlen(from->name));
}

/* The generations that there are. */
static enum qn_status copy_generations(const struct qn_set *from, struct qn_set *set,
                                       struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < from->num_generations; i++) {
    set->generations[i] = from->generations[i];
    set->ranges[i].begin = from->ranges[i].begin;
    set->ranges[i].end = from->ranges[i].end;
    status = copy_file(&from->ranges[i].file, &set->ranges[i].file, error);
    if (status)
      break;
    struct qn_set_part part = from->parts[i];
    part.file.name = NULL;
    set->parts[i] = part;
    status = copy_file(&from->parts[i].file, &set->parts[i].file, error);
  }
  return status;
}

static enum qn_status make_room(struct qn_set *set, uint64_t count, struct qn_error *error) {
  if (count > QN_SET_MAX_GENERATIONS)
    return qn_fail(error, QN_USAGE,
                   "a set has at most %d generations: quern-transform --compact makes a container "
                   "of it",
                   QN_SET_MAX_GENERATIONS);
  enum qn_status status =
      qn_alloc_zeroed(&set->generations, count, sizeof *set->generations, "generations", error);
  if (!status)
    status = qn_alloc_zeroed(&set->ranges, count, sizeof *set->ranges, "ranges of a set", error);
  if (!status)
    status = qn_alloc_zeroed(&set->parts, count, sizeof *set->parts, "parts of a set", error);
  if (!status)
    set->num_generations = set->num_ranges = set->num_parts = count;
  return status;
}

static void describe_generation(struct writing *writing, uint64_t edges, uint64_t fingerprint) {
  const struct qn_new_generation *made = writing->made;
  struct qn_set *set = writing->set;
  const uint64_t end = made->vertices->begin + made->vertices->count;
  set->num_vertices = end;
  set->num_edges = edges - made->rows->removed + made->rows->added;
  set->fingerprint = fingerprint + made->rows->fingerprint;
  set->generations[writing->index] = (struct qn_set_generation){.num_vertices = end,
                                                                .num_edges = set->num_edges,
                                                                .fingerprint = set->fingerprint,
                                                                .added = made->rows->added,
                                                                .removed = made->rows->removed,
                                                                .missing = made->missing};
  set->ranges[writing->index].begin = made->vertices->begin;
  set->ranges[writing->index].end = end;
  set->parts[writing->index] =
      (struct qn_set_part){.end = end, .columns_end = end, .num_edges = made->rows->num_edges};
}

static enum qn_status describe(struct writing *writing, struct qn_error *error) {
  const struct qn_changed *changed = writing->made->changed;
  const struct qn_container_info *info = qn_container_info(changed->base);
  const struct qn_set *before = writing->target->set;
  struct qn_set *set = writing->set;
  const struct qn_set_base *base = before ? &before->base : &writing->target->base;
  set->version = QN_SET_VERSION;
  set->features = QN_SET_GENERATIONS;
  set->weight_type = info->weight_type;
  set->directedness = info->directedness;
  set->in_edges = info->directedness == QN_DIRECTED && changed->graph.has_transpose;
  set->rows = QN_SET_ROWS_OUT;
  set->layout = QN_LAYOUT_GRAPH;
  set->base = *base;
  set->base.name = strdup(base->name);
  set->path = strdup(writing->target->folder);
  if (!set->base.name || !set->path)
    return qn_fail_memory(error, "a path", 0);
  writing->index = before ? before->num_generations : 0;
  enum qn_status status = make_room(set, writing->index + 1, error);
  if (!status && before)
    status = copy_generations(before, set, error);
  if (!status)
    describe_generation(writing, before ? before->num_edges : base->num_edges,
                        before ? before->fingerprint : 0);
  return status;
}

/* ---- Properties ------------------------------------------------------------------ */

/* Columns of the base alone, in its order: what else was read is not of the graph. */
static enum qn_status gather(const struct writing *writing, bool edges, const uint64_t *picks,
                             uint64_t count, struct qn_property_table *out,
                             struct qn_error *error) {
  const struct qn_changed *changed = writing->made->changed;
  const uint64_t last = edges ? changed->num_blocks + 1 : 1;
  const struct qn_properties *read = writing->made->properties;
  struct qn_gather_table *tables;
  enum qn_status status = qn_alloc_zeroed(&tables, last + 1, sizeof *tables, "tables", error);
  if (status)
    return status;
  tables[0].table = edges ? &changed->properties.of_edges : &changed->properties.of_vertices;
  for (uint64_t i = 1; i < last; i++)
    tables[i].table = &changed->blocks[i - 1].properties.of_edges;
  tables[last].table = edges ? &read->of_edges : &read->of_vertices;
  for (uint64_t i = 0; i <= last; i++)
    tables[i].file = "what is added";
  status = qn_properties_gather(tables, (uint32_t)last + 1, picks, count,
                                edges ? "edges" : "vertices", out, error);
  qn_free(tables);
  return status;
}

/* Of a row that is written whole, the values that its edges have. */
static enum qn_status check_values(const struct writing *writing, struct qn_error *error) {
  const struct qn_changed *changed = writing->made->changed;
  const struct qn_property_table *table = &changed->properties.of_edges;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && writing->made->rows->removed && i < table->count; i++)
    status = qn_property_check(changed->base, true, i, &table->columns[i], error);
  return status;
}

static enum qn_status write_edge_values(const struct writing *writing, struct qn_writer *writer,
                                        struct qn_error *error) {
  const struct qn_changed *changed = writing->made->changed;
  const struct qn_change_rows *rows = writing->made->rows;
  struct qn_properties values = changed->properties;
  struct qn_property_table gathered = {0};
  if (!values.of_edges.count)
    return QN_OK;
  enum qn_status status = check_values(writing, error);
  if (!status)
    status = gather(writing, true, rows->picks, rows->num_edges, &gathered, error);
  values.of_vertices = (struct qn_property_table){0};
  values.of_edges.columns = gathered.columns;
  if (!status)
    status = qn_properties_write(writer, &values, NULL, NULL, error);
  qn_gathered_release(&gathered);
  return status;
}

/* ---- The block ------------------------------------------------------------------- */

static void fill_rows(const struct qn_change_rows *rows, unsigned width,
                      const struct qn_graph_arrays *to) {
  memcpy(to->row_offsets, rows->offsets, (rows->num_rows + 1) * sizeof *rows->offsets);
  if (rows->num_edges)
    memcpy(to->column_indices, rows->columns, rows->num_edges * sizeof *rows->columns);
  for (uint64_t e = 0; width && e < rows->num_edges; e++)
    qn_weight_store(to->weights, width, e, rows->weights[e]);
}

static enum qn_status add_list(struct qn_writer *writer, const char *name, uint32_t bytes,
                               uint64_t count, void *data, struct qn_error *error) {
  const struct qn_section_spec spec = {.name = name,
                                       .element_type = QN_ELEMENT_UNSIGNED,
                                       .element_bytes = bytes,
                                       .count = count,
                                       .ancillary = true};
  return qn_writer_section(writer, &spec, data, error);
}

/* Whose rows these are: as numbers, or as bits of all vertices where these are fewer pages. */
static enum qn_status write_lists(const struct qn_change_rows *rows, uint64_t num_vertices,
                                  struct qn_writer *writer, struct qn_error *error) {
  const uint64_t bit_bytes = num_vertices / 8 + (num_vertices % 8 > 0);
  const bool as_bits = bit_bytes + 4096 <= rows->num_rows * sizeof(uint32_t);
  uint32_t *vertices = NULL;
  uint8_t *bits = NULL, *replaced;
  enum qn_status status =
      as_bits ? add_list(writer, "row_bits", 1, bit_bytes, &bits, error)
              : add_list(writer, "row_vertices", 4, rows->num_rows, &vertices, error);
  if (!status)
    status = add_list(writer, "replaced_rows", 1, (rows->num_rows + 7) / 8, &replaced, error);
  for (uint64_t row = 0; !status && row < rows->num_rows; row++) {
    const uint32_t v = rows->vertices[row];
    if (as_bits)
      bits[v / 8] |= (uint8_t)(1 << v % 8);
    else
      vertices[row] = v;
    replaced[row / 8] |= (uint8_t)(rows->replaced[row] << row % 8);
  }
  return status;
}

static enum qn_status write_block_metadata(const struct writing *writing, struct qn_writer *writer,
                                           struct qn_error *error) {
  json_t *metadata =
      json_pack("{s:s, s:s, s:{s:o, s:I}}", "tool", writing->made->tool, "version", QN_VERSION,
                "set", "base", json_sprintf("%016" PRIx64, writing->set->base.identity),
                "generation", (json_int_t)writing->index + 1);
  enum qn_status status =
      metadata ? qn_writer_metadata(writer, metadata, error) : qn_fail_memory(error, "metadata", 0);
  json_decref(metadata);
  return status;
}

static enum qn_status fill_block(const struct writing *writing, struct qn_writer *writer,
                                 struct qn_error *error) {
  const struct qn_change_rows *rows = writing->made->rows;
  const struct qn_set *set = writing->set;
  struct qn_graph_arrays to;
  *qn_writer_info(writer) =
      (struct qn_container_info){.version_major = 1,
                                 .incompatible_features = QN_FEATURE_RECTANGULAR,
                                 .layout = QN_LAYOUT_GRAPH,
                                 .weight_type = set->weight_type,
                                 .num_vertices = set->num_vertices,
                                 .num_edges = rows->num_edges,
                                 .num_rows = rows->num_rows};
  enum qn_status status = qn_graph_write_rows(writer, rows->num_rows, &to.row_offsets, error);
  if (!status)
    status = qn_graph_write_columns(writer, rows->num_edges, &to.column_indices, error);
  if (!status)
    status = qn_graph_write_weights(writer, rows->num_edges, &to.weights, error);
  if (!status)
    fill_rows(rows, qn_weight_bytes(set->weight_type), &to);
  if (!status)
    status = write_lists(rows, set->num_vertices, writer, error);
  if (!status)
    status = write_edge_values(writing, writer, error);
  return status ? status : write_block_metadata(writing, writer, error);
}

static enum qn_status write_block(struct writing *writing, const char *path, const char *name,
                                  struct qn_error *error) {
  struct qn_container *made = NULL;
  struct qn_writer *writer;
  enum qn_status status = qn_writer_create(path, true, &writer, error);
  if (status)
    return status;
  status = fill_block(writing, writer, error);
  status = qn_writer_end(writer, status, path, &made, error);
  if (!status)
    status = qn_set_file_of(made, name, &writing->set->parts[writing->index].file, error);
  qn_container_unmap(made);
  return status;
}

/* ---- Vertices -------------------------------------------------------------------- */

/* New ones have what they have from this generation. */
static void fill_degrees(const void *context, uint64_t begin, uint64_t end, uint64_t *degrees) {
  const struct writing *writing = context;
  const struct qn_change_rows *rows = writing->made->rows;
  memset(degrees, 0, (end - begin) * sizeof *degrees);
  for (uint64_t row = rows->num_rows; row > 0 && rows->vertices[row - 1] >= begin; row--)
    degrees[rows->vertices[row - 1] - begin] = rows->offsets[row] - rows->offsets[row - 1];
}

static enum qn_status write_metadata(const void *context, struct qn_writer *writer,
                                     struct qn_error *error) {
  return qn_writer_metadata(writer, ((const struct writing *)context)->made->provenance, error);
}

static bool has_value(const struct qn_property_table *table, uint64_t record) {
  bool has = false;
  for (uint32_t i = 0; i < table->count; i++)
    has |= !qn_property_is_null(&table->columns[i], record);
  return has;
}

/* What is read of vertices that are there would be lost. */
static enum qn_status check_known(const struct writing *writing, struct qn_error *error) {
  const struct qn_new_vertices *vertices = writing->made->vertices;
  const struct qn_property_table *read = &writing->made->properties->of_vertices;
  const struct qn_property_table *own = &writing->made->changed->properties.of_vertices;
  if (!writing->made->more || !read->count)
    return QN_OK;
  for (uint32_t i = 0; i < read->count; i++)
    if (!qn_property_find(own, read->columns[i].name))
      return qn_fail(error, QN_INVALID, "vertices of the graph do not have the property %s",
                     read->columns[i].name);
  const uint64_t count = qn_container_info(writing->made->more)->num_vertices;
  for (uint64_t d = 0; d < count; d++)
    if (vertices->map[d] < vertices->begin && has_value(read, d)) {
      char buffer[24];
      uint64_t length;
      struct qn_ids ids;
      enum qn_status status = qn_ids_view(writing->made->more, &ids, error);
      if (status)
        return status;
      const char *text = qn_ids_text(&ids, d, buffer, &length);
      return qn_fail(error, QN_INVALID,
                     "vertex %.*s is there already: properties of vertices do not change",
                     (int)(length < 200 ? length : 200), text);
    }
  return QN_OK;
}

static enum qn_status gather_vertices(const struct writing *writing,
                                      struct qn_property_table *gathered, struct qn_error *error) {
  const struct qn_new_vertices *vertices = writing->made->vertices;
  uint64_t *picks;
  enum qn_status status =
      qn_alloc(&picks, vertices->count, sizeof *picks, "numbers of vertices", error);
  for (uint64_t i = 0; !status && i < vertices->count; i++)
    picks[i] = vertices->reads[i] == QN_NO_RECORD ? QN_NO_RECORD : qn_pick(1, vertices->reads[i]);
  if (!status)
    status = gather(writing, false, picks, vertices->count, gathered, error);
  qn_free(picks);
  return status;
}

static enum qn_status write_vertices(struct writing *writing, const char *path,
                                     struct qn_error *error) {
  struct qn_properties values = writing->made->changed->properties;
  struct qn_property_table gathered = {0};
  enum qn_status status = check_known(writing, error);
  if (!status && values.of_vertices.count)
    status = gather_vertices(writing, &gathered, error);
  values.of_vertices.columns = gathered.columns;
  const struct qn_set_vertices vertices = {.ids = &writing->made->vertices->ids,
                                           .properties =
                                               qn_properties_are_any(&values) ? &values : NULL,
                                           .of_range = true,
                                           .fill_degrees = fill_degrees,
                                           .write_metadata = write_metadata,
                                           .context = writing};
  if (!status)
    status = qn_set_write_vertices(writing->set, writing->index, &vertices, path, error);
  qn_gathered_release(&gathered);
  return status;
}

/* ---- Files ----------------------------------------------------------------------- */

/* A file of an earlier generation may have any name. */
static enum qn_status check_free(const struct writing *writing, const char *name,
                                 struct qn_error *error) {
  const struct qn_set *set = writing->set;
  for (uint64_t i = 0; i < writing->index; i++)
    if (strcmp(set->ranges[i].file.name, name) == 0 || strcmp(set->parts[i].file.name, name) == 0)
      return qn_fail(error, QN_USAGE,
                     "%s/%s is of an earlier generation, and would be written over", set->path,
                     name);
  return strcmp(set->base.name, name) == 0
             ? qn_fail(error, QN_USAGE, "the base is called %s, as a file of the set", name)
             : QN_OK;
}

/* Where a file of this name is written. */
static enum qn_status place(struct writing *writing, unsigned which, const char *name,
                            const char **path, struct qn_error *error) {
  char *own = writing->paths[which];
  if (writing->writer)
    return which ? qn_set_writer_part(writing->writer, writing->index, path, error)
                 : qn_set_writer_vertices(writing->writer, writing->index, QN_SET_MAX_RANGES, path,
                                          error);
  if (snprintf(own, sizeof writing->paths[0], "%s/%s", writing->target->folder, name) >=
      (int)sizeof writing->paths[0]) {
    own[0] = '\0';
    return qn_fail(error, QN_USAGE, "the name of the set's folder is too long");
  }
  *path = own;
  return QN_OK;
}

static enum qn_status write_files(struct writing *writing, struct qn_error *error) {
  char vertices[32], part[32];
  const char *path;
  qn_set_vertices_name(writing->index, QN_SET_MAX_RANGES, vertices);
  qn_set_part_name(writing->index, part);
  enum qn_status status = check_free(writing, vertices, error);
  if (!status)
    status = check_free(writing, part, error);
  if (!status)
    status = place(writing, 0, vertices, &path, error);
  if (!status)
    status = write_vertices(writing, path, error);
  if (!status)
    status = place(writing, 1, part, &path, error);
  return status ? status : write_block(writing, path, part, error);
}

/* The files of generations that there are, for a new folder. */
static enum qn_status copy_files(const struct writing *writing, struct qn_error *error) {
  const struct qn_set *before = writing->target->set;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; before && !status && i < before->num_generations; i++) {
    const char *path;
    status = qn_set_writer_copy(writing->writer, before->ranges[i].container,
                                before->ranges[i].file.name, &path, error);
    if (!status)
      status = qn_set_writer_copy(writing->writer, writing->made->changed->blocks[i].container,
                                  before->parts[i].file.name, &path, error);
  }
  return status;
}

static enum qn_status write_all(struct writing *writing, struct qn_error *error) {
  const struct qn_change_target *target = writing->target;
  enum qn_status status = QN_OK;
  if (!target->in_place)
    status = qn_set_writer_create(target->folder, target->replace, &writing->writer, error);
  if (!status && !target->in_place)
    status = copy_files(writing, error);
  if (!status)
    status = write_files(writing, error);
  if (!status)
    status = qn_set_identity(writing->set, &writing->set->identity, error);
  if (!status && target->in_place)
    return qn_set_replace_manifest(writing->set, writing->made->tool, error);
  if (!status) {
    struct qn_set_writer *writer = writing->writer;
    writing->writer = NULL;
    return qn_set_writer_commit(writer, writing->set, writing->made->tool, error);
  }
  qn_set_writer_abort(writing->writer);
  return status;
}

enum qn_status qn_generation_write(const struct qn_new_generation *made,
                                   const struct qn_change_target *target, struct qn_set **out,
                                   uint64_t *bytes, struct qn_error *error) {
  struct writing writing = {.made = made, .target = target};
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&writing.set, 1, sizeof *writing.set, "a set", error);
  if (status)
    return status;
  qn_progress_begin("writing", "edges", made->rows->num_edges);
  status = describe(&writing, error);
  if (!status)
    status = write_all(&writing, error);
  qn_progress_end();
  for (unsigned i = 0; status && i < 2; i++)
    if (writing.paths[i][0])
      unlink(writing.paths[i]);
  if (status) {
    qn_set_close(writing.set);
    return status;
  }
  *bytes =
      writing.set->ranges[writing.index].file.bytes + writing.set->parts[writing.index].file.bytes;
  *out = writing.set;
  return QN_OK;
}
