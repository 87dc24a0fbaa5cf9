/* How a set was made: the graph that it was cut from, and how, or that was changed, and by what. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "converters/recipe/history.h"
#include "formats/set/blocks.h"
#include "formats/set/generations.h"
#include "formats/set/set.h"
#include <quern/metadata.h>

static json_t *last_step(const struct qn_history *history) {
  return json_array_get(history->steps, json_array_size(history->steps) - 1);
}

/* ---- Ranges ------------------------------------------------------------------- */

/* The edges of the row before `vertex`, which is not 0. */
static enum qn_status edges_of_row_before(const struct qn_set *set, uint64_t vertex,
                                          uint64_t *edges, struct qn_error *error) {
  struct qn_set_open_part part;
  uint64_t i = 0;
  while (set->parts[i].end < vertex)
    i++;
  enum qn_status status = qn_set_part_open(set, i, QN_SET_CHECK_ROWS, &part, error);
  if (status)
    return status;
  const uint64_t *offsets = part.rows.row_offsets + (vertex - set->parts[i].begin);
  *edges = offsets[0] - offsets[-1];
  qn_set_part_close(&part);
  return QN_OK;
}

/* Does a part begin at `vertex`, before whose row `edges` lie, `last` of them in the one before? */
static bool begins(const struct qn_set *set, enum qn_set_balance balance, uint64_t index,
                   uint64_t vertex, uint64_t edges, uint64_t last) {
  const uint64_t whole = qn_set_cost(balance, set->num_vertices, set->num_edges);
  const uint64_t wanted = qn_set_share(whole, index, set->num_parts);
  return qn_set_cost(balance, vertex, edges) >= wanted &&
         (vertex == 0 || qn_set_cost(balance, vertex - 1, edges - last) < wanted);
}

/* Which ways to balance give these parts? */
static enum qn_status find_balances(const struct qn_set *set, bool fits[3],
                                    struct qn_error *error) {
  uint64_t edges = 0;
  enum qn_status status = QN_OK;
  for (uint64_t i = 1; i < set->num_parts && !status; i++) {
    const uint64_t vertex = set->parts[i].begin;
    uint64_t last = 0;
    edges += set->parts[i - 1].num_edges;
    if (vertex)
      status = edges_of_row_before(set, vertex, &last, error);
    for (int balance = 0; balance < 3 && !status; balance++)
      fits[balance] =
          fits[balance] && begins(set, (enum qn_set_balance)balance, i, vertex, edges, last);
  }
  return status;
}

static enum qn_status no_way(struct qn_error *error) {
  return qn_fail(error, QN_UNSUPPORTED,
                 "no recipe tells how it was made: its parts are those of a partition, or of "
                 "another way to cut");
}

static enum qn_status set_parts(const struct qn_set *set, json_t *options, struct qn_error *error) {
  static const char *const words[] = {"both", "edges", "vertices"};
  bool fits[3] = {true, true, true};
  enum qn_status status = find_balances(set, fits, error);
  int balance = 0;
  while (balance < 3 && !fits[balance])
    balance++;
  if (status || balance == 3)
    return status ? status : no_way(error);
  json_object_set_new(options, "parts", json_integer((json_int_t)set->num_parts));
  if (balance)
    json_object_set_new(options, "balance", json_string(words[balance]));
  return QN_OK;
}

/* As many vertices in each row and column of blocks, but in the last ones. */
static bool are_even(const struct qn_set *set, uint64_t width) {
  bool even = true;
  for (uint64_t i = 0; i < set->num_parts && even; i++) {
    const struct qn_set_part *part = &set->parts[i];
    const uint64_t ends[][2] = {{part->begin, part->end}, {part->columns_begin, part->columns_end}};
    for (int j = 0; j < 2; j++)
      even = even && ends[j][0] % width == 0 &&
             (ends[j][1] == set->num_vertices || ends[j][1] - ends[j][0] == width);
  }
  return even;
}

static enum qn_status set_cut(const struct qn_set *set, json_t *options, struct qn_error *error) {
  const uint64_t width = set->num_parts ? set->parts[0].end - set->parts[0].begin : 0;
  if (set->directedness == QN_DIRECTED)
    json_object_set_new(options, "rows", json_string(qn_set_rows_words[set->rows]));
  if (!(set->features & (QN_SET_COLUMN_RANGES | QN_SET_VERTEX_RANGES)))
    return set_parts(set, options, error);
  if (!width || !are_even(set, width))
    return no_way(error);
  json_object_set_new(options, "block-vertices", json_integer((json_int_t)width));
  return QN_OK;
}

/* One that says of which container it was made was made of it by quern-transform, by that which
 * picked edges if nothing was written between; and so was one of a container of another layout, or
 * of more than a set keeps, which it does not say. Any other by the tool that made the graph. */
static enum qn_status add_cut(struct qn_history *history, const struct qn_set *set,
                              struct qn_error *error) {
  json_t *step = last_step(history);
  const char *tool = json_string_value(json_object_get(step, "tool"));
  const bool is_generated = strcmp(tool, "quern-generate") == 0,
             makes_sets = is_generated || strcmp(tool, "quern-import") == 0;
  if (!history->ends_between && (set->has_origin || !makes_sets)) {
    if (set->has_origin)
      json_object_set_new(step, "identity", json_sprintf("%016" PRIx64, set->origin));
    step = json_pack("{s:s, s:{}}", "tool", "quern-transform", "options");
    json_array_append_new(history->steps, step);
  }
  enum qn_status status = set_cut(set, json_object_get(step, "options"), error);
  if (status || set->layout == QN_LAYOUT_GRAPH)
    return status;
  if (set->layout != QN_LAYOUT_PACKED)
    return qn_fail(error, QN_UNSUPPORTED, "no recipe tells how it was made: its parts are %s",
                   qn_layout_name(set->layout));
  if (is_generated && !set->has_origin)
    json_object_set_new(json_object_get(step, "options"), "layout", json_string("packed"));
  else
    json_array_append_new(history->steps,
                          json_pack("{s:s, s:{}}", "tool", "quern-pack", "options"));
  return QN_OK;
}

/* ---- Changes ------------------------------------------------------------------ */

static enum qn_status metadata_of(const struct qn_set *set, uint64_t range, json_t **metadata,
                                  struct qn_error *error) {
  *metadata = NULL;
  return range < set->num_ranges && set->ranges[range].container
             ? qn_container_metadata(set->ranges[range].container, metadata, error)
             : QN_OK;
}

static enum qn_status add_set(struct qn_history *history, const struct qn_set *set,
                              struct qn_error *error);

static enum qn_status add_base_set(struct qn_history *history, const char *path,
                                   struct qn_error *error) {
  struct qn_set *base;
  enum qn_status status = qn_set_open(path, &base, error);
  if (!status)
    status = add_set(history, base, error);
  qn_set_close(base);
  return status;
}

static enum qn_status add_base(struct qn_history *history, const struct qn_set *set,
                               struct qn_error *error) {
  char path[PATH_MAX];
  struct qn_container *base = NULL;
  json_t *metadata = NULL;
  enum qn_status status = qn_set_base_path(set, path, error);
  if (!status && qn_set_recognise(path))
    return add_base_set(history, path, error);
  if (!status)
    status = qn_container_map(path, QN_MAP_ARCHIVE, &base, error);
  if (!status)
    status = qn_container_metadata(base, &metadata, error);
  if (!status)
    status = qn_history_add(history, metadata, error);
  json_decref(metadata);
  qn_container_unmap(base);
  return status;
}

/* The set names its base by what that is called. */
static enum qn_status add_changes(struct qn_history *history, const struct qn_set *set,
                                  struct qn_error *error) {
  enum qn_status status = add_base(history, set, error);
  if (!status)
    json_object_set_new(last_step(history), "name", json_string(set->base.name));
  for (uint64_t i = 0; i < set->num_generations && !status; i++) {
    json_t *metadata;
    status = metadata_of(set, i, &metadata, error);
    if (!status)
      status = qn_history_add_change(history, metadata, error);
    json_decref(metadata);
  }
  return status;
}

static enum qn_status add_set(struct qn_history *history, const struct qn_set *set,
                              struct qn_error *error) {
  json_t *metadata;
  if (set->num_generations)
    return add_changes(history, set, error);
  enum qn_status status = metadata_of(set, 0, &metadata, error);
  if (!status)
    status = qn_history_add(history, metadata, error);
  if (!status && !(set->features & QN_SET_TYPES))
    status = add_cut(history, set, error);
  json_decref(metadata);
  return status;
}

/* ---- The whole ------------------------------------------------------------------ */

enum qn_status qn_recipe_result_of_set(const struct qn_set *set, struct qn_recipe_result *result,
                                       struct qn_error *error) {
  json_t *metadata;
  *result =
      (struct qn_recipe_result){.num_vertices = set->num_vertices, .num_edges = set->num_edges};
  enum qn_status status =
      metadata_of(set, set->num_generations ? set->num_generations - 1 : 0, &metadata, error);
  if (status)
    return status;
  const char *version = json_string_value(json_object_get(metadata, "version"));
  snprintf(result->identity, QN_HASH_TEXT, "%016" PRIx64, set->identity);
  snprintf(result->version, sizeof result->version, "%s", version ? version : "");
  json_decref(metadata);
  return QN_OK;
}

enum qn_status qn_recipe_of_set(const char *path, const char *name, json_t **out,
                                struct qn_error *error) {
  struct qn_history history = QN_HISTORY_BEGIN;
  struct qn_recipe_result result;
  struct qn_set *set;
  *out = NULL;
  enum qn_status status = qn_set_open(path, &set, error);
  if (!status)
    status = add_set(&history, set, error);
  if (!status)
    status = qn_recipe_result_of_set(set, &result, error);
  if (!status)
    status = qn_history_recipe(&history, name, &result, out, error);
  qn_set_close(set);
  qn_history_end(&history);
  return status;
}

enum qn_status qn_recipe_result_find(const char *path, struct qn_recipe_result *result,
                                     struct qn_error *error) {
  struct qn_container *container = NULL;
  struct qn_set *set = NULL;
  enum qn_status status;
  if (qn_set_recognise(path)) {
    status = qn_set_open(path, &set, error);
    if (!status)
      status = qn_recipe_result_of_set(set, result, error);
  } else {
    status = qn_container_map(path, 0, &container, error);
    if (!status)
      status = qn_recipe_result_of(container, result, error);
  }
  qn_container_unmap(container);
  qn_set_close(set);
  return status;
}
