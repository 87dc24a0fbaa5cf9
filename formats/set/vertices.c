#include "formats/set/vertices.h"

#include <inttypes.h>
#include <string.h>

#include "formats/set/generations.h"
#include "formats/set/types.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/used_files.h"

/* ---- The files ----------------------------------------------------------------- */

static enum qn_status view_degrees(const struct qn_set *set, struct qn_vertex_range *range,
                                   struct qn_error *error) {
  static const char *const names[] = {"out_degrees", NULL};
  const struct qn_section *section = qn_container_section(range->container, names[0]);
  if (!section)
    return qn_set_violation(set, range->file.name, error, "SET-8",
                            "the section out_degrees is missing");
  enum qn_status status = qn_container_require(range->container, names[0], QN_ELEMENT_UNSIGNED,
                                               set->version == 1 ? 8 : section->element_bytes,
                                               range->end - range->begin, &section, error);
  if (!status)
    status = qn_container_verify_sections(range->container, names, error);
  if (!status)
    range->out_degrees = (struct qn_degrees){section->data, section->element_bytes};
  return status;
}

/* SET-7 of a file by itself, and SET-8. */
static enum qn_status map_range(const struct qn_set *set, struct qn_vertex_range *range,
                                struct qn_error *error) {
  struct qn_graph graph;
  const uint64_t count = range->end - range->begin;
  enum qn_status status = qn_set_map_file(set, &range->file, &range->container, error);
  if (status)
    return status;
  const struct qn_container_info *info = qn_container_info(range->container);
  if (info->layout != QN_LAYOUT_GRAPH)
    return qn_set_violation(set, range->file.name, error, "SET-7",
                            "the layout is %s; expected graph", qn_layout_name(info->layout));
  status = qn_graph_view(range->container, &graph, error);
  if (status)
    return status;
  if (info->num_vertices != count || info->num_edges != 0 ||
      info->num_rows != (set->version == 1 ? count : 0) || info->weight_type != set->weight_type ||
      info->directedness != set->directedness)
    return qn_set_violation(set, range->file.name, error, "SET-7",
                            "the container must have %" PRIu64
                            " vertices, no edges%s, and the graph's weights and directedness",
                            count, set->version == 1 ? "" : " and no rows");
  range->ids = graph.ids;
  status = view_degrees(set, range, error);
  if (!status)
    status = qn_properties_view(range->container, &range->properties, error);
  return status ? status
                : qn_container_confirm(range->container,
                                       qn_graph_check(range->container, &graph, error),
                                       qn_container_verify_structure, error);
}

/* SET-7 of the files together: what they say of vertices is of one kind. */
static enum qn_status compare_ranges(const struct qn_set *set, struct qn_error *error) {
  const struct qn_vertex_range *first = &set->ranges[0];
  for (uint64_t i = 1; i < set->num_ranges; i++) {
    const struct qn_vertex_range *range = &set->ranges[i];
    const struct qn_properties *properties = &range->properties;
    if (range->ids.kind != first->ids.kind)
      return qn_set_violation(set, range->file.name, error, "SET-7",
                              "vertices are called by other names than those of %s: numbers, "
                              "strings, or none",
                              first->file.name);
    if (!qn_same_columns(&properties->of_vertices, &first->properties.of_vertices) ||
        !qn_same_columns(&properties->of_edges, &first->properties.of_edges) ||
        strcmp(properties->weight, first->properties.weight) != 0)
      return qn_set_violation(set, range->file.name, error, "SET-7",
                              "the properties are not those that %s names", first->file.name);
  }
  return QN_OK;
}

static enum qn_status check_typed_ranges(const struct qn_set *set, struct qn_error *error) {
  for (uint64_t i = 0; i < set->num_ranges; i++)
    if (set->ranges[i].properties.of_edges.count)
      return qn_set_violation(set, set->ranges[i].file.name, error, "SET-7",
                              "the properties of edges are those of their types, not of vertices");
  return QN_OK;
}

enum qn_status qn_set_map_vertices(struct qn_set *set, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = map_range(set, &set->ranges[i], error);
  if (status || qn_set_is_typed(set)) /* each type has names and properties of its own */
    return status ? status : check_typed_ranges(set, error);
  if (qn_set_is_changed(set))
    return qn_set_check_changed_ranges(set, error);
  return compare_ranges(set, error);
}

enum qn_status qn_set_ranges_create(struct qn_set *set, uint64_t count, struct qn_error *error) {
  enum qn_status status =
      qn_alloc_zeroed(&set->ranges, count, sizeof *set->ranges, "ranges of a set", error);
  if (!status)
    set->num_ranges = count;
  return status;
}

enum qn_status qn_set_one_range(struct qn_set *set, struct qn_error *error) {
  enum qn_status status = qn_set_ranges_create(set, 1, error);
  if (!status)
    set->ranges[0].end = set->num_vertices;
  return status;
}

/* ---- Names of all --------------------------------------------------------------- */

static enum qn_status join_numbers(const struct qn_set *set, struct qn_ids *ids,
                                   struct qn_error *error) {
  uint64_t *numbers;
  enum qn_status status =
      qn_bulk_alloc(&numbers, set->num_vertices, sizeof *numbers, "the names of vertices", error);
  if (status)
    return status;
  ids->numbers = numbers;
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    const struct qn_ids *from = &set->ranges[i].ids;
    if (from->num_vertices)
      memcpy(numbers + set->ranges[i].begin, from->numbers,
             from->num_vertices * sizeof *from->numbers);
  }
  return QN_OK;
}

static uint64_t text_bytes(const struct qn_ids *ids) {
  return ids->string_offsets[ids->num_vertices];
}

/* Offsets are bounded: since they were checked the file may have been written over. */
static enum qn_status append_texts(const struct qn_vertex_range *range, uint64_t *offsets,
                                   char *bytes, uint64_t room, struct qn_error *error) {
  const struct qn_ids *from = &range->ids;
  const uint64_t base = offsets[range->begin], length = text_bytes(from);
  if (length > room - base)
    return qn_input_changed(error);
#pragma omp parallel for schedule(static)
  for (uint64_t i = 1; i <= from->num_vertices; i++) {
    const uint64_t offset = from->string_offsets[i];
    offsets[range->begin + i] = base + (offset < length ? offset : length);
  }
  if (length)
    memcpy(bytes + base, from->string_bytes, length);
  return QN_OK;
}

static enum qn_status join_texts(const struct qn_set *set, struct qn_ids *ids,
                                 struct qn_error *error) {
  uint64_t *offsets, length = 0;
  char *bytes = NULL;
  for (uint64_t i = 0; i < set->num_ranges; i++)
    length += text_bytes(&set->ranges[i].ids);
  enum qn_status status = qn_bulk_alloc(&offsets, set->num_vertices + 1, sizeof *offsets,
                                        "the names of vertices", error);
  if (status)
    return status;
  ids->string_offsets = offsets;
  offsets[set->num_vertices] = length; /* what release asks for, whatever follows */
  status = qn_bulk_alloc(&bytes, length, 1, "the names of vertices", error);
  ids->string_bytes = bytes;
  offsets[0] = 0;
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = append_texts(&set->ranges[i], offsets, bytes, length, error);
  offsets[set->num_vertices] = length;
  return status;
}

/* Does the name of vertex v come behind that of the vertex before it? */
static bool ascends(const struct qn_ids *ids, uint64_t v) {
  if (ids->kind == QN_IDS_NUMBERS)
    return ids->numbers[v - 1] < ids->numbers[v];
  const uint64_t *offsets = ids->string_offsets;
  const uint64_t before = offsets[v] - offsets[v - 1], length = offsets[v + 1] - offsets[v];
  const int order = memcmp(ids->string_bytes + offsets[v - 1], ids->string_bytes + offsets[v],
                           before < length ? before : length);
  return order ? order < 0 : before < length;
}

/* Is the first name of each file behind the last one of those before it? */
static bool ascend_between(const struct qn_set *set, const struct qn_ids *ids) {
  for (uint64_t i = 1; i < set->num_ranges; i++) {
    const uint64_t v = set->ranges[i].begin;
    if (v > 0 && v < set->ranges[i].end && !ascends(ids, v))
      return false;
  }
  return true;
}

enum qn_status qn_set_all_ids(const struct qn_set *set, struct qn_all_vertices *all,
                              struct qn_error *error) {
  struct qn_ids *ids = &all->ids;
  enum qn_status status = QN_OK;
  all->set = set;
  *ids = set->ranges[0].ids;
  if (set->num_ranges == 1)
    return QN_OK;
  *ids = (struct qn_ids){.kind = ids->kind, .num_vertices = set->num_vertices, .ascending = true};
  if (ids->kind == QN_IDS_NUMBERS)
    status = join_numbers(set, ids, error);
  else if (ids->kind == QN_IDS_STRINGS)
    status = join_texts(set, ids, error);
  for (uint64_t i = 0; i < set->num_ranges; i++)
    ids->ascending = ids->ascending && set->ranges[i].ids.ascending;
  if (!status && ids->kind != QN_IDS_DENSE)
    ids->ascending = ids->ascending && ascend_between(set, ids);
  if (!status && set->num_vertices > UINT32_MAX && !ids->ascending)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s: names of more than 2^32 - 1 vertices that do not ascend are not known to "
                   "this build",
                   set->path);
  return status;
}

enum qn_status qn_set_check_names(const struct qn_set *set, const struct qn_all_vertices *all,
                                  struct qn_error *error) {
  struct qn_error found = {0};
  if (set->num_ranges == 1 || all->ids.kind == QN_IDS_DENSE)
    return QN_OK;
  enum qn_status status = qn_ids_check(NULL, &all->ids, &found);
  if (status != QN_INVALID) {
    if (status)
      *error = found;
    return status;
  }
  return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-16",
                          "vertices of different files have the same name: %s", found.message);
}

/* ---- Degrees and properties of all ----------------------------------------------- */

enum qn_status qn_set_all_degrees(const struct qn_set *set, struct qn_all_vertices *all,
                                  struct qn_error *error) {
  unsigned bytes = 1;
  char *degrees;
  all->set = set;
  all->out_degrees = set->ranges[0].out_degrees;
  if (set->num_ranges == 1)
    return QN_OK;
  for (uint64_t i = 0; i < set->num_ranges; i++)
    bytes = set->ranges[i].out_degrees.bytes > bytes ? set->ranges[i].out_degrees.bytes : bytes;
  all->out_degrees = (struct qn_degrees){0};
  enum qn_status status =
      qn_bulk_alloc(&degrees, set->num_vertices, bytes, "the degrees of vertices", error);
  if (status)
    return status;
  all->out_degrees = (struct qn_degrees){degrees, bytes};
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    const struct qn_vertex_range *range = &set->ranges[i];
#pragma omp parallel for schedule(static)
    for (uint64_t v = range->begin; v < range->end; v++) {
      const uint64_t degree = qn_degree_of(&range->out_degrees, v - range->begin);
      if (degree)                                    /* pages of others take no memory */
        memcpy(degrees + v * bytes, &degree, bytes); /* little-endian */
    }
  }
  return QN_OK;
}

enum qn_status qn_set_all_columns(const struct qn_set *set, struct qn_all_vertices *all,
                                  struct qn_error *error) {
  struct qn_stack *columns = &all->columns;
  enum qn_status status = QN_OK;
  all->set = set;
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = qn_properties_check(set->ranges[i].container, &set->ranges[i].properties, error);
  if (status || set->num_ranges == 1) {
    columns->table = set->ranges[0].properties.of_vertices;
    return status;
  }
  status =
      qn_stack_begin(columns, &set->ranges[0].properties.of_vertices, set->num_vertices, error);
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = qn_stack_measure(columns, &set->ranges[i].properties.of_vertices, error);
  if (!status)
    status = qn_stack_make_room(columns, error);
  for (uint64_t i = 0; !status && i < set->num_ranges; i++)
    status = qn_stack_append(columns, &set->ranges[i].properties.of_vertices,
                             set->ranges[i].end - set->ranges[i].begin, error);
  return status;
}

void qn_set_all_release(struct qn_all_vertices *all) {
  const struct qn_ids *ids = &all->ids;
  if (all->set && all->set->num_ranges > 1) {
    const uint64_t num_vertices = all->set->num_vertices;
    qn_pages_free((void *)ids->numbers, num_vertices, sizeof *ids->numbers);
    if (ids->string_offsets)
      qn_pages_free((void *)ids->string_bytes, text_bytes(ids), 1);
    qn_pages_free((void *)ids->string_offsets, num_vertices + 1, sizeof *ids->string_offsets);
    qn_pages_free((void *)all->out_degrees.data, num_vertices, all->out_degrees.bytes);
    qn_stack_destroy(&all->columns);
  }
  *all = (struct qn_all_vertices){0};
}
