/* Sets and their parts, opened: each file is the one that the manifest names. */
#include "formats/set/set.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/set/blocks.h"
#include "formats/set/columns.h"
#include "formats/set/generations.h"
#include "formats/set/manifest.h"
#include "formats/set/types.h"
#include "formats/set/vertices.h"
#include "support/memory.h"
#include "support/text/url.h"
#include <quern/layouts.h>
#include <quern/metadata.h>

static void release(struct qn_set *set) {
  for (uint64_t i = 0; set->ranges && i < set->num_ranges; i++) {
    qn_properties_release(&set->ranges[i].properties);
    qn_container_unmap(set->ranges[i].container);
    free(set->ranges[i].file.name);
  }
  for (uint64_t i = 0; set->parts && i < set->num_parts; i++)
    free(set->parts[i].file.name);
  qn_set_release_types(set);
  qn_set_release_generations(set);
  qn_free(set->ranges);
  qn_free(set->parts);
  free(set->path);
  free(set->url);
}

/* ---- Where it is ---------------------------------------------------------------- */

static bool ends(const char *text, const char *with) {
  const size_t length = strlen(text), end = strlen(with);
  return length > end && strcmp(text + length - end, with) == 0;
}

static bool has_manifest(const char *folder) {
  char manifest[PATH_MAX];
  struct stat about;
  if (qn_is_url(folder))
    return ends(folder, "/") || ends(folder, "/" QN_SET_MANIFEST);
  int length = snprintf(manifest, sizeof manifest, "%s/" QN_SET_MANIFEST, folder);
  return length < (int)sizeof manifest && stat(manifest, &about) == 0 && S_ISREG(about.st_mode);
}

bool qn_set_recognise(const char *path) {
  char folder[PATH_MAX];
  uint64_t generation;
  return has_manifest(path) ||
         (qn_set_split_path(path, folder, &generation) && has_manifest(folder));
}

/* The folder without what may follow its name: slashes, and on a server the manifest. */
static enum qn_status name_folder(struct qn_set *set, const char *path, struct qn_error *error) {
  char shown[QN_PATH_SHOWN];
  char *folder = strdup(path);
  if (!folder)
    return qn_fail_memory(error, "a path", strlen(path));
  if (qn_is_url(folder) && ends(folder, "/" QN_SET_MANIFEST))
    folder[strlen(folder) - strlen(QN_SET_MANIFEST)] = '\0';
  for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/'; end--)
    folder[end - 1] = '\0';
  if (!qn_is_url(folder)) {
    set->path = folder;
    return QN_OK;
  }
  set->url = folder;
  set->path = strdup(qn_path_shown(folder, shown, sizeof shown));
  return set->path ? QN_OK : qn_fail_memory(error, "a path", strlen(folder));
}

/* Its manifest, and in `*generation` which one of its generations is meant; UINT64_MAX: the last.
 */
static enum qn_status read_named(const char *path, struct qn_set *set, uint64_t *generation,
                                 struct qn_error *error) {
  char folder[PATH_MAX];
  const bool is_earlier = !has_manifest(path) && qn_set_split_path(path, folder, generation);
  if (!is_earlier)
    *generation = UINT64_MAX;
  enum qn_status status = name_folder(set, is_earlier ? folder : path, error);
  return status ? status : qn_set_read_manifest(set, error);
}

bool qn_set_has_generations(const char *path) {
  struct qn_set set = {0};
  uint64_t generation;
  const bool has = qn_set_recognise(path) && !read_named(path, &set, &generation, NULL) &&
                   qn_set_is_changed(&set);
  release(&set);
  return has;
}

static bool path_of(const struct qn_set *set, const char *name, char path[PATH_MAX]) {
  return snprintf(path, PATH_MAX, "%s/%s", set->url ? set->url : set->path, name) < PATH_MAX;
}

static enum qn_status look_for_file(const struct qn_set *set, const char *path, const char *name,
                                    struct qn_error *error) {
  struct stat about;
  if (access(path, F_OK) != 0)
    return qn_set_violation(set, name, error, "SET-6",
                            "the file is missing from the set, which needs it back; quern-info and "
                            "quern-verify take each of its other files by itself");
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
    return qn_set_violation(set, name, error, "SET-6", "this is not a regular file");
  return QN_OK;
}

enum qn_status qn_set_map_file(const struct qn_set *set, const struct qn_set_file *file,
                               struct qn_container **out, struct qn_error *error) {
  char path[PATH_MAX];
  *out = NULL;
  if (!path_of(set, file->name, path))
    return qn_fail(error, QN_USAGE, "the name of the set's folder is too long");
  const unsigned flags = set->version == 1 ? 0 : QN_MAP_RECTANGULAR;
  enum qn_status status = set->url ? QN_OK : look_for_file(set, path, file->name, error);
  if (!status)
    status = qn_container_map(path, flags, out, error);
  if (status)
    return status;
  const struct qn_container_info *info = qn_container_info(*out);
  if (info->file_bytes != file->bytes)
    status = qn_set_violation(set, file->name, error, "SET-6",
                              "this is not the file that the set was made with: it has %" PRIu64
                              " bytes, and %" PRIu64 " in the manifest",
                              info->file_bytes, file->bytes);
  else if (info->header_checksum != file->identity)
    status = qn_set_violation(
        set, file->name, error, "SET-6",
        "this is not the file that the set was made with: its identity is %016" PRIx64
        ", and that in the manifest %016" PRIx64,
        info->header_checksum, file->identity);
  if (status) {
    qn_container_unmap(*out);
    *out = NULL;
  }
  return status;
}

static enum qn_status open_set(const char *path, struct qn_set *set, struct qn_error *error) {
  uint64_t generation;
  enum qn_status status = read_named(path, set, &generation, error);
  if (!status && set->url && qn_set_is_changed(set)) {
    qn_fail(error, QN_UNSUPPORTED,
            "generations are read from files: download the set and its base first");
    return qn_error_in_file(error, set->path), QN_UNSUPPORTED;
  }
  if (!status && generation != UINT64_MAX)
    status = qn_set_keep_generations(set, generation, error);
  return status ? status : qn_set_map_vertices(set, error);
}

enum qn_status qn_set_open(const char *path, struct qn_set **out, struct qn_error *error) {
  *out = NULL;
  struct qn_set *set;
  enum qn_status status = qn_alloc_zeroed(&set, 1, sizeof *set, "a set", error);
  if (status)
    return status;
  status = open_set(path, set, error);
  if (status)
    qn_set_close(set);
  else
    *out = set;
  return status;
}

void qn_set_close(struct qn_set *set) {
  if (!set)
    return;
  release(set);
  qn_free(set);
}

enum qn_status qn_set_file_of(const struct qn_container *container, const char *name,
                              struct qn_set_file *file, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  free(file->name);
  *file = (struct qn_set_file){
      .name = strdup(name), .bytes = info->file_bytes, .identity = info->header_checksum};
  return file->name ? QN_OK : qn_fail_memory(error, "a file's name", strlen(name));
}

/* ---- Parts -------------------------------------------------------------------- */

/* SET-9. */
static enum qn_status check_header(const struct qn_set *set, const struct qn_set_part *part,
                                   const struct qn_container *container, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const enum qn_weight_type weights = qn_set_part_weights(set, part);
  if (info->layout != set->layout)
    return qn_set_violation(set, part->file.name, error, "SET-9",
                            "the layout is %s, and that of the set's parts %s",
                            qn_layout_name(info->layout), qn_layout_name(set->layout));
  const uint64_t columns = part->columns_end - part->columns_begin;
  if (info->num_vertices != columns || info->num_edges != part->num_edges ||
      info->weight_type != weights || info->directedness != QN_DIRECTED)
    return qn_set_violation(set, part->file.name, error, "SET-9",
                            "a part must be directed, with %" PRIu64 " vertices, %" PRIu64
                            " edges and weights %s",
                            columns, part->num_edges, qn_weight_type_name(weights));
  if (set->version > 1 && (!qn_is_rectangular(info) || info->first_row != qn_set_first_row(part) ||
                           info->num_rows != part->end - part->begin))
    return qn_set_violation(set, part->file.name, error, "SET-9",
                            "a part must have the rows of its range [%" PRIu64 ", %" PRIu64
                            ") alone",
                            part->begin, part->end);
  if (qn_container_section(container, "original_ids") ||
      qn_container_section(container, "id_offsets"))
    return qn_set_violation(set, part->file.name, error, "SET-9",
                            "a part has no names of vertices: those are in %s",
                            set->ranges[0].file.name);
  if (info->layout == QN_LAYOUT_GRAPH && qn_container_section(container, "in_row_offsets"))
    return qn_set_violation(set, part->file.name, error, "SET-9", "a part has no transpose");
  return QN_OK;
}

static bool says_range(const json_t *object, const char *key, uint64_t begin, uint64_t end) {
  const json_t *range = json_object_get(object, key), *first = json_array_get(range, 0),
               *last = json_array_get(range, 1);
  return json_array_size(range) == 2 && json_is_integer(first) && json_is_integer(last) &&
         json_integer_value(first) == (json_int_t)begin &&
         json_integer_value(last) == (json_int_t)end;
}

static bool says(const json_t *object, const char *key, uint64_t number) {
  const json_t *value = json_object_get(object, key);
  return json_is_integer(value) && json_integer_value(value) == (json_int_t)number;
}

/* SET-10: the metadata of the part, or of what it was made of. */
static enum qn_status check_metadata(const struct qn_set *set, uint64_t index,
                                     const struct qn_container *container, struct qn_error *error) {
  const struct qn_set_part *part = &set->parts[index];
  json_t *metadata;
  char identity[20];
  enum qn_status status = qn_container_metadata(container, &metadata, error);
  if (status)
    return status;
  const json_t *where = metadata;
  while (where && !json_object_get(where, "set"))
    where = json_object_get(json_object_get(where, "source"), "metadata");
  const json_t *of = json_object_get(where, "set");
  const char *named = json_string_value(json_object_get(of, "identity"));
  const char *rows = json_string_value(json_object_get(of, "rows"));
  snprintf(identity, sizeof identity, "%016" PRIx64, set->identity);
  if (!of)
    status = qn_set_violation(set, part->file.name, error, "SET-10",
                              "this container says of no set that it is a part of it");
  else if (!named || strcmp(named, identity) != 0)
    status =
        qn_set_violation(set, part->file.name, error, "SET-10",
                         "this is a part of the set %s, not of %s", named ? named : "?", identity);
  else if (!says(of, "part", index) || !says(of, "parts", set->num_parts) ||
           !says(of, "begin", part->begin) || !says(of, "end", part->end) || !rows ||
           strcmp(rows, qn_set_rows_words[set->rows]) != 0 ||
           (qn_set_is_whole(set, part)
                ? json_object_get(of, "columns") != NULL
                : !says_range(of, "columns", part->columns_begin, part->columns_end)))
    status = qn_set_violation(set, part->file.name, error, "SET-10",
                              "the metadata does not say that this is part %" PRIu64 " of %" PRIu64
                              ", with the rows \"%s\" of the vertices [%" PRIu64 ", %" PRIu64
                              ") and columns [%" PRIu64 ", %" PRIu64 ")",
                              index, set->num_parts, qn_set_rows_words[set->rows], part->begin,
                              part->end, part->columns_begin, part->columns_end);
  json_decref(metadata);
  return status;
}

/* SET-18: the edges of a type lead to vertices of its target. */
static enum qn_status check_targets(const struct qn_set *set, const struct qn_set_part *part,
                                    const struct qn_csr *csr, struct qn_error *error) {
  const struct qn_set_edge_type *type = &set->edge_types[part->edge_type];
  const struct qn_vertex_range *target = &set->ranges[type->target];
  bool fits = true;
#pragma omp parallel for schedule(static) reduction(&& : fits)
  for (uint64_t e = 0; e < csr->num_edges; e++)
    fits = fits && csr->column_indices[e] >= target->begin && csr->column_indices[e] < target->end;
  return fits ? QN_OK
              : qn_set_violation(set, part->file.name, error, "SET-18",
                                 "an edge of the type %s leads to a vertex that is not of the type "
                                 "%s",
                                 type->name, target->type);
}

/* SET-11: in version 1 a part has rows of all vertices, and those outside of its range are empty.
 */
static enum qn_status check_rows(const struct qn_set *set, const struct qn_set_part *part,
                                 const struct qn_csr *csr, struct qn_error *error) {
  if (qn_set_is_typed(set))
    return check_targets(set, part, csr, error);
  if (set->version > 1)
    return QN_OK;
  if (csr->row_offsets[part->begin] == 0 && csr->row_offsets[part->end] == csr->num_edges)
    return QN_OK;
  return qn_set_violation(set, part->file.name, error, "SET-11",
                          "vertices outside of the range [%" PRIu64 ", %" PRIu64 ") have edges",
                          part->begin, part->end);
}

static enum qn_status view_rows(struct qn_set_open_part *part, enum qn_set_check check,
                                struct qn_error *error) {
  enum qn_status status = qn_graph_view(part->container, &part->graph, error);
  if (status || check == QN_SET_CHECK_FILE)
    return status;
  if (check == QN_SET_CHECK_ROWS)
    return qn_container_confirm(part->container,
                                qn_graph_check(part->container, &part->graph, error),
                                qn_container_verify_structure, error);
  return qn_container_confirm(part->container,
                              qn_graph_check_all(part->container, &part->graph, error),
                              qn_container_verify, error);
}

enum qn_status qn_set_part_verify(const struct qn_set_open_part *part, struct qn_error *error) {
  const struct qn_layout_operations *operations;
  enum qn_status status = qn_layout_operations(part->container, &operations, error);
  return status ? status
                : qn_container_confirm(part->container, operations->verify(part->container, error),
                                       qn_container_verify, error);
}

static enum qn_status restore_rows(struct qn_set_open_part *part, struct qn_error *error) {
  enum qn_status status = qn_set_part_verify(part, error);
  return status ? status : qn_set_part_make_rows(part, error);
}

static struct qn_csr rows_of(const struct qn_set *set, const struct qn_set_part *part,
                             const struct qn_csr *csr) {
  struct qn_csr rows = *csr;
  if (set->version == 1) {
    rows.num_vertices = part->end - part->begin;
    rows.row_offsets += part->begin;
  }
  return rows;
}

enum qn_status qn_set_part_open(const struct qn_set *set, uint64_t index, enum qn_set_check check,
                                struct qn_set_open_part *part, struct qn_error *error) {
  const struct qn_set_part *about = &set->parts[index];
  *part = (struct qn_set_open_part){0};
  enum qn_status status = qn_set_map_file(set, &about->file, &part->container, error);
  if (!status)
    status = check_header(set, about, part->container, error);
  if (!status)
    status = check_metadata(set, index, part->container, error);
  if (!status)
    status = qn_set_columns_check(set, index, part->container, error);
  if (!status)
    status = set->layout == QN_LAYOUT_GRAPH ? view_rows(part, check, error)
             : check != QN_SET_CHECK_FILE   ? restore_rows(part, error)
                                            : QN_OK;
  if (!status && check != QN_SET_CHECK_FILE)
    status = check_rows(set, about, &part->graph.out, error);
  if (status)
    qn_set_part_close(part);
  else if (part->graph.out.row_offsets)
    part->rows = rows_of(set, about, &part->graph.out);
  return status;
}

void qn_set_part_drop_rows(struct qn_set_open_part *part) {
  if (!part->graph.owns_arrays)
    return;
  qn_graph_unmap(&part->graph);
  part->rows = (struct qn_csr){0};
}

enum qn_status qn_set_part_make_rows(struct qn_set_open_part *part, struct qn_error *error) {
  const struct qn_layout_operations *operations;
  if (part->rows.row_offsets)
    return QN_OK;
  enum qn_status status = qn_layout_operations(part->container, &operations, error);
  if (!status)
    status = operations->restore(part->container, &part->graph, error);
  if (!status)
    part->rows = part->graph.out;
  return status;
}

void qn_set_part_close(struct qn_set_open_part *part) {
  qn_graph_unmap(&part->graph);
  qn_container_unmap(part->container);
  *part = (struct qn_set_open_part){0};
}

struct qn_container_info qn_set_info(const struct qn_set *set) {
  return (struct qn_container_info){.version_major = 1,
                                    .layout = QN_LAYOUT_GRAPH,
                                    .weight_type = set->weight_type,
                                    .directedness = set->directedness,
                                    .num_vertices = set->num_vertices,
                                    .num_rows = set->num_vertices,
                                    .num_edges = set->num_edges};
}
