#include "formats/set/changed.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "formats/set/generations.h"
#include "formats/set/stack.h"
#include "formats/set/types.h"
#include "support/memory.h"
#include "support/search.h"
#include <quern/fingerprint.h>
#include <quern/layouts.h>
#include <quern/metadata.h>

/* ---- The base ------------------------------------------------------------------ */

/* The base as it is known by its manifest, or its header. */
static enum qn_status map_base(const char *path, struct qn_changed *changed,
                               struct qn_set_base *found, struct qn_error *error) {
  struct qn_set *set = NULL;
  if (!qn_set_recognise(path)) {
    enum qn_status status = qn_container_map(path, 0, &changed->base, error);
    if (!status)
      *found = (struct qn_set_base){.identity = qn_container_info(changed->base)->header_checksum,
                                    .num_vertices = qn_container_info(changed->base)->num_vertices,
                                    .num_edges = qn_container_info(changed->base)->num_edges};
    return status;
  }
  enum qn_status status = qn_set_open(path, &set, error);
  if (!status && (qn_set_is_changed(set) || qn_set_is_typed(set)))
    status = qn_fail(error, QN_UNSUPPORTED, "%s: a base is a container, or a set without %s", path,
                     qn_set_is_typed(set) ? "types" : "generations");
  if (!status)
    *found = (struct qn_set_base){
        .identity = set->identity, .num_vertices = set->num_vertices, .num_edges = set->num_edges};
  qn_set_close(set);
  return status;
}

/* Of a set the parts are put together. */
static enum qn_status view_base(const char *path, struct qn_changed *changed,
                                struct qn_error *error) {
  const struct qn_layout_operations *operations;
  enum qn_status status =
      changed->base ? QN_OK : qn_set_unite_nameless(path, path, &changed->base, error);
  if (status)
    return status;
  if (qn_container_info(changed->base)->layout == QN_LAYOUT_GRAPH)
    return qn_graph_view(changed->base, &changed->graph, error);
  status = qn_layout_operations(changed->base, &operations, error);
  if (!status)
    status = qn_container_confirm(changed->base, operations->verify(changed->base, error),
                                  qn_container_verify, error);
  return status ? status : operations->restore(changed->base, &changed->graph, error);
}

enum qn_status qn_changed_check_base(const struct qn_changed *changed, enum qn_changed_check check,
                                     struct qn_error *error) {
  struct qn_container *base = changed->base;
  enum qn_status status;
  if (check <= QN_CHANGED_FILES)
    return QN_OK;
  if (check == QN_CHANGED_ROWS || check == QN_CHANGED_EDGES) {
    status = qn_container_confirm(base, qn_graph_check(base, &changed->graph, error),
                                  qn_container_verify_structure, error);
    return status || check == QN_CHANGED_ROWS ? status : qn_container_verify_weights(base, error);
  }
  status = qn_container_confirm(base, qn_graph_check_all(base, &changed->graph, error),
                                qn_container_verify, error);
  return status ? status : qn_properties_check(base, &changed->properties, error);
}

static enum qn_status open_base(const char *path, const struct qn_set_base *wanted,
                                enum qn_changed_check check, struct qn_changed *changed,
                                struct qn_error *error) {
  struct qn_set_base found;
  enum qn_status status = map_base(path, changed, &found, error);
  if (!status && wanted &&
      (found.identity != wanted->identity || found.num_vertices != wanted->num_vertices ||
       found.num_edges != wanted->num_edges)) {
    qn_fail(error, QN_INVALID,
            "SET-42: this is not the base that %s has changed: its identity is %016" PRIx64
            ", and that in the manifest %016" PRIx64,
            changed->set->path, found.identity, wanted->identity);
    return qn_error_in_file(error, path), QN_INVALID;
  }
  if (!status)
    status = view_base(path, changed, error);
  if (!status)
    status = qn_properties_view(changed->base, &changed->properties, error);
  return status ? status : qn_changed_check_base(changed, check, error);
}

/* ---- Blocks -------------------------------------------------------------------- */

#define BROKEN(rule, ...)                                                                          \
  qn_set_violation(set, set->parts[index].file.name, error, rule, __VA_ARGS__)

/* SET-43. */
static enum qn_status check_header(const struct qn_set *set, uint64_t index,
                                   const struct qn_container *container, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  json_t *metadata;
  char base[20];
  if (info->layout != QN_LAYOUT_GRAPH || info->directedness != QN_DIRECTED ||
      !qn_is_rectangular(info) || info->first_row != 0 ||
      info->num_vertices != set->parts[index].end || info->num_rows > info->num_vertices ||
      info->num_edges != set->parts[index].num_edges || info->weight_type != set->weight_type)
    return BROKEN("SET-43",
                  "a block must be a directed graph of some rows, with %" PRIu64
                  " vertices, %" PRIu64 " edges and weights %s",
                  set->parts[index].end, set->parts[index].num_edges,
                  qn_weight_type_name(set->weight_type));
  if (qn_container_section(container, "original_ids") ||
      qn_container_section(container, "id_offsets") ||
      qn_container_section(container, "in_row_offsets"))
    return BROKEN("SET-43", "a block has no names of vertices, and no transpose");
  enum qn_status status = qn_container_metadata(container, &metadata, error);
  if (status)
    return status;
  const json_t *of = json_object_get(metadata, "set");
  const char *named = json_string_value(json_object_get(of, "base"));
  const json_t *generation = json_object_get(of, "generation");
  snprintf(base, sizeof base, "%016" PRIx64, set->base.identity);
  if (!named || strcmp(named, base) != 0 || !json_is_integer(generation) ||
      json_integer_value(generation) != (json_int_t)index + 1)
    status = BROKEN(
        "SET-43", "the metadata does not say that this is generation %" PRIu64 " of changes to %s",
        index + 1, base);
  json_decref(metadata);
  return status;
}

/* SET-44, of the rows' lists; the rows have been checked. */
static enum qn_status check_rows(const struct qn_set *set, uint64_t index,
                                 const struct qn_changed_block *block, struct qn_error *error) {
  const uint64_t rows = block->rows.num_vertices, before = set->ranges[index].begin;
  for (uint64_t row = 0; row < rows; row++) {
    const uint32_t v = block->vertices[row];
    if (v >= set->parts[index].end || (row > 0 && v <= block->vertices[row - 1]))
      return BROKEN("SET-44",
                    "row_vertices[%" PRIu64 "] is %" PRIu32
                    ": vertices must ascend, below %" PRIu64,
                    row, v, set->parts[index].end);
    if (qn_replaces(block, row) ? v >= before
                                : block->rows.row_offsets[row] == block->rows.row_offsets[row + 1])
      return BROKEN("SET-44", "row %" PRIu64 ", of vertex %" PRIu32 ", %s", row, v,
                    qn_replaces(block, row) ? "replaces that of a new vertex"
                                            : "has no edges, and replaces none");
  }
  return rows % 8 && block->replaced[rows / 8] >> (rows % 8)
             ? BROKEN("SET-44", "replaced_rows has bits after the last row")
             : QN_OK;
}

/* 64 bits from vertex 64 i on. */
static uint64_t bits_at(const uint8_t *bits, uint64_t num_vertices, uint64_t i) {
  const uint64_t bytes = num_vertices / 8 + (num_vertices % 8 > 0), left = bytes - i * 8;
  uint64_t word = 0;
  memcpy(&word, bits + i * 8, left < 8 ? left : 8); /* little-endian */
  return word;
}

/* The vertices of `bits`, of which as many must be set as there are rows. */
static enum qn_status list_rows(const struct qn_set *set, uint64_t index, const uint8_t *bits,
                                struct qn_changed_block *block, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(block->container);
  const uint64_t words = info->num_vertices / 64 + (info->num_vertices % 64 > 0);
  uint64_t count = 0, row = 0;
  for (uint64_t i = 0; i < words; i++)
    count += (uint64_t)__builtin_popcountll(bits_at(bits, info->num_vertices, i));
  if (count != info->num_rows ||
      (info->num_vertices % 8 && bits[info->num_vertices / 8] >> (info->num_vertices % 8)))
    return BROKEN("SET-44", "row_bits must have %" PRIu64 " bits set, of vertices below %" PRIu64,
                  info->num_rows, info->num_vertices);
  enum qn_status status =
      qn_alloc(&block->listed, info->num_rows, sizeof *block->listed, "rows", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < words; i++)
    for (uint64_t left = bits_at(bits, info->num_vertices, i); left && row < info->num_rows;
         left &= left - 1)
      block->listed[row++] = (uint32_t)(64 * i + (unsigned)__builtin_ctzll(left));
  block->vertices = block->listed;
  return QN_OK;
}

static enum qn_status view_lists(const struct qn_set *set, uint64_t index,
                                 struct qn_changed_block *block, struct qn_error *error) {
  static const char *const names[] = {"row_vertices", "row_bits", "replaced_rows", NULL};
  const struct qn_section *section = NULL;
  const struct qn_container_info *info = qn_container_info(block->container);
  const bool as_bits = qn_container_section(block->container, names[1]) != NULL;
  if (as_bits == (qn_container_section(block->container, names[0]) != NULL))
    return BROKEN("SET-44", "there must be one of the sections %s and %s", names[0], names[1]);
  if (!qn_container_section(block->container, names[2]))
    return BROKEN("SET-44", "the section %s is missing", names[2]);
  enum qn_status status =
      qn_container_require(block->container, names[2], QN_ELEMENT_UNSIGNED, 1,
                           info->num_rows / 8 + (info->num_rows % 8 > 0), &section, error);
  if (!status)
    block->replaced = section->data;
  if (!status)
    status = as_bits ? qn_container_require(block->container, names[1], QN_ELEMENT_UNSIGNED, 1,
                                            info->num_vertices / 8 + (info->num_vertices % 8 > 0),
                                            &section, error)
                     : qn_container_require(block->container, names[0], QN_ELEMENT_UNSIGNED, 4,
                                            info->num_rows, &section, error);
  if (!status)
    status = qn_container_verify_sections(block->container, names, error);
  if (!status && as_bits)
    return list_rows(set, index, section->data, block, error);
  if (!status)
    block->vertices = section->data;
  return status;
}

static enum qn_status open_block(const struct qn_set *set, uint64_t index,
                                 struct qn_changed_block *block, struct qn_error *error) {
  struct qn_graph graph;
  const struct qn_properties *wanted = &set->ranges[0].properties;
  enum qn_status status = qn_set_map_file(set, &set->parts[index].file, &block->container, error);
  if (!status)
    status = check_header(set, index, block->container, error);
  if (!status)
    status = qn_graph_view(block->container, &graph, error);
  if (!status)
    status = view_lists(set, index, block, error);
  if (status)
    return status;
  block->rows = graph.out;
  block->rows.num_vertices = qn_container_info(block->container)->num_rows;
  status = qn_properties_view(block->container, &block->properties, error);
  if (!status &&
      (block->properties.of_vertices.count ||
       !qn_same_columns(&block->properties.of_edges, &wanted->of_edges) ||
       (wanted->of_edges.count && strcmp(block->properties.weight, wanted->weight) != 0)))
    status = BROKEN("SET-46", "the properties are not those of edges that %s names",
                    set->ranges[0].file.name);
  return status;
}

static enum qn_status check_block(const struct qn_set *set, uint64_t index,
                                  const struct qn_changed_block *block, struct qn_error *error) {
  struct qn_graph graph;
  enum qn_status status = qn_graph_view(block->container, &graph, error);
  if (!status)
    status =
        qn_container_confirm(block->container, qn_graph_check_all(block->container, &graph, error),
                             qn_container_verify, error);
  if (!status)
    status = check_rows(set, index, block, error);
  return status ? status : qn_properties_check(block->container, &block->properties, error);
}

enum qn_status qn_changed_check_blocks(const struct qn_changed *changed, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < changed->num_blocks; i++)
    status = check_block(changed->set, i, &changed->blocks[i], error);
  return status;
}

enum qn_status qn_changed_verify(const struct qn_changed *changed, struct qn_error *error) {
  enum qn_status status = qn_container_verify(changed->base, error);
  for (uint64_t i = 0; !status && i < changed->num_blocks; i++)
    status = qn_container_verify(changed->blocks[i].container, error);
  return status ? status : qn_ids_check(changed->base, &changed->graph.ids, error);
}

/* SET-42 of what the base is, and SET-46. */
static enum qn_status compare_base(const struct qn_changed *changed, struct qn_error *error) {
  const struct qn_set *set = changed->set;
  const struct qn_container_info *info = qn_container_info(changed->base);
  const struct qn_properties *own = &changed->properties, *named = &set->ranges[0].properties;
  if (info->weight_type != set->weight_type || info->directedness != set->directedness ||
      (info->directedness == QN_DIRECTED && changed->graph.has_transpose != set->in_edges))
    return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-42",
                            "weights, directedness and in-edges must be those of the base %s",
                            set->base.name);
  if (!qn_same_columns(&own->of_vertices, &named->of_vertices) ||
      !qn_same_columns(&own->of_edges, &named->of_edges) || strcmp(own->weight, named->weight) != 0)
    return qn_set_violation(set, set->ranges[0].file.name, error, "SET-46",
                            "the properties are not those of the base %s", set->base.name);
  for (uint64_t i = 0; i < set->num_ranges; i++) {
    const struct qn_ids *ids = &set->ranges[i].ids;
    if (ids->num_vertices &&
        (ids->kind == QN_IDS_STRINGS) != (changed->graph.ids.kind == QN_IDS_STRINGS))
      return qn_set_violation(set, set->ranges[i].file.name, error, "SET-7",
                              "vertices must be called by %s, as those of the base",
                              ids->kind == QN_IDS_STRINGS ? "numbers" : "strings");
  }
  return QN_OK;
}

enum qn_status qn_changed_open(const struct qn_set *set, enum qn_changed_check check,
                               struct qn_changed *changed, struct qn_error *error) {
  char path[PATH_MAX];
  *changed = (struct qn_changed){.set = set};
  enum qn_status status = qn_set_base_path(set, path, error);
  if (!status)
    status = open_base(path, &set->base, check, changed, error);
  if (!status)
    status = compare_base(changed, error);
  if (!status)
    status = qn_alloc_zeroed(&changed->blocks, set->num_generations, sizeof *changed->blocks,
                             "blocks of a set", error);
  for (uint64_t i = 0; !status && i < set->num_generations; i++) {
    changed->num_blocks = i + 1;
    status = open_block(set, i, &changed->blocks[i], error);
  }
  return status || check == QN_CHANGED_HEADERS ? status : qn_changed_check_blocks(changed, error);
}

enum qn_status qn_changed_open_base(const char *path, enum qn_changed_check check,
                                    struct qn_changed *changed, struct qn_error *error) {
  *changed = (struct qn_changed){0};
  return open_base(path, NULL, check, changed, error);
}

enum qn_status qn_set_identify_base(const char *path, struct qn_set_base *base,
                                    struct qn_error *error) {
  struct qn_changed changed = {0};
  enum qn_status status = map_base(path, &changed, base, error);
  qn_changed_close(&changed);
  return status;
}

void qn_changed_close(struct qn_changed *changed) {
  for (uint64_t i = 0; changed->blocks && i < changed->num_blocks; i++) {
    qn_free(changed->blocks[i].listed);
    qn_properties_release(&changed->blocks[i].properties);
    qn_container_unmap(changed->blocks[i].container);
  }
  qn_free(changed->blocks);
  qn_properties_release(&changed->properties);
  qn_graph_unmap(&changed->graph);
  qn_container_unmap(changed->base);
  *changed = (struct qn_changed){0};
}

/* ---- Rows ---------------------------------------------------------------------- */

/* The first row of a vertex from v on. */
static uint64_t find_row(const struct qn_changed_block *block, uint64_t v) {
  return qn_lower_bound_u32(block->vertices, 0, block->rows.num_vertices, v);
}

static struct qn_row_piece piece_of(const struct qn_csr *rows, uint64_t source, uint64_t row) {
  return (struct qn_row_piece){.rows = rows,
                               .source = (uint32_t)source,
                               .begin = rows->row_offsets[row],
                               .end = rows->row_offsets[row + 1]};
}

uint64_t qn_changed_row(const struct qn_changed *changed, uint64_t generations, uint64_t v,
                        struct qn_row_piece *pieces) {
  uint64_t count = 0, first = generations;
  bool replaced = false;
  for (; first > 0 && !replaced; first--) {
    const struct qn_changed_block *block = &changed->blocks[first - 1];
    const uint64_t row = find_row(block, v);
    replaced =
        row < block->rows.num_vertices && block->vertices[row] == v && qn_replaces(block, row);
  }
  first += replaced;
  if (!replaced && v < changed->graph.out.num_vertices)
    pieces[count++] = piece_of(&changed->graph.out, 0, v);
  for (uint64_t g = first > 0 ? first : 1; g <= generations; g++) {
    const struct qn_changed_block *block = &changed->blocks[g - 1];
    const uint64_t row = find_row(block, v);
    if (row < block->rows.num_vertices && block->vertices[row] == v)
      pieces[count++] = piece_of(&block->rows, g, row);
  }
  return count;
}

void qn_changed_begin(const struct qn_changed *changed, uint64_t v, uint64_t *cursors) {
  for (uint64_t i = 0; i < changed->num_blocks; i++)
    cursors[i] = find_row(&changed->blocks[i], v);
}

uint64_t qn_changed_next(const struct qn_changed *changed, uint64_t v, uint64_t *cursors,
                         struct qn_row_piece *pieces) {
  uint64_t count = 0;
  if (v < changed->graph.out.num_vertices)
    pieces[count++] = piece_of(&changed->graph.out, 0, v);
  for (uint64_t i = 0; i < changed->num_blocks; i++) {
    const struct qn_changed_block *block = &changed->blocks[i];
    const uint64_t row = cursors[i];
    if (row == block->rows.num_vertices || block->vertices[row] != v)
      continue;
    count = qn_replaces(block, row) ? 0 : count;
    pieces[count++] = piece_of(&block->rows, i + 1, row);
    cursors[i]++;
  }
  return count;
}

uint64_t qn_row_fingerprint(uint64_t v, const struct qn_row_piece *pieces, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; i++) {
    const struct qn_weights *weights = &pieces[i].rows->weights;
    const unsigned width = qn_weight_bytes(weights->type);
    for (uint64_t e = pieces[i].begin; e < pieces[i].end; e++)
      sum += qn_mix_destination(pieces[i].rows->column_indices[e]) *
             qn_mix_weight_at(weights->data, width, e);
  }
  return sum * qn_mix_source(v);
}
