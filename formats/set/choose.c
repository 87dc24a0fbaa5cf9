/* Types of a set by the names that users give. */
#include <stdio.h>
#include <string.h>

#include "formats/set/project.h"
#include "formats/set/types.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/suggest.h"

#define FIELD(name) offsetof(struct qn_set_selection, name)
const struct qn_setting qn_selection_settings[] = {
    {"project", QN_SETTING_TEXT, FIELD(project), .argument = "TYPE", .group = QN_SELECTION_GROUP,
     .help = "Of a set with types: one edge type, NAME or SOURCE-NAME-TARGET, and the vertices of "
             "its two types, as a graph without types. Or a path, as writes/^writes: pairs of "
             "vertices that a path of these types joins, ^ against their direction; weights are "
             "the numbers of paths"},
    {"edge-types", QN_SETTING_TEXT, FIELD(edge_types), .argument = "TYPE,...",
     .group = QN_SELECTION_GROUP,
     .help = "The edges of these types, and the vertices of the types at their ends; the types "
             "become the properties TYPE of edges and LABEL of vertices"},
    {"vertex-types", QN_SETTING_TEXT, FIELD(vertex_types), .argument = "TYPE,...",
     .group = QN_SELECTION_GROUP,
     .help = "The vertices of these types, and the edges between them (those of --edge-types, or "
             "all)"},
    {0}};

bool qn_set_selection_is_any(const struct qn_set_selection *selection) {
  return selection->project || selection->edge_types || selection->vertex_types;
}

enum qn_status qn_set_selection_settle(const struct qn_set_selection *selection,
                                       struct qn_error *error) {
  return selection->project && (selection->edge_types || selection->vertex_types)
             ? qn_fail(error, QN_USAGE,
                       "--project takes one edge type with its vertices; it does not go with "
                       "--edge-types and --vertex-types")
             : QN_OK;
}

/* Is text[0 .. length) the edge type SOURCE-NAME-TARGET? */
static bool is_whole_name(const struct qn_set *set, const struct qn_set_edge_type *type,
                          const char *text, size_t length) {
  const char *parts[] = {set->ranges[type->source].type, type->name,
                         set->ranges[type->target].type};
  for (unsigned i = 0; i < 3; i++) {
    const size_t part = strlen(parts[i]);
    if (length < part || memcmp(text, parts[i], part) != 0)
      return false;
    text += part;
    length -= part;
    if (i == 2)
      return length == 0;
    if (length == 0 || *text != '-')
      return false;
    text++;
    length--;
  }
  return false;
}

static bool is_name(const char *name, const char *text, size_t length) {
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

bool qn_set_edge_type_is(const struct qn_set *set, const struct qn_set_edge_type *type,
                         const char *text, size_t length) {
  return is_name(type->name, text, length) || is_whole_name(set, type, text, length);
}

static enum qn_status refuse_edges(const struct qn_set *set, const char *text, size_t length,
                                   struct qn_error *error) {
  char word[2 * QN_PROPERTY_NAME_BYTES], near[QN_SUGGESTION_TEXT];
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  struct qn_suggestion suggestion = qn_suggestion_for(word);
  for (uint64_t t = 0; t < set->num_edge_types; t++)
    qn_suggestion_offer(&suggestion, set->edge_types[t].name);
  qn_fail(error, QN_USAGE, "the set has no edge type '%s'%s; quern-info lists them", word,
          qn_suggestion_text(&suggestion, near));
  return qn_error_in_file(error, set->path);
}

static enum qn_status refuse_vertices(const struct qn_set *set, const char *text, size_t length,
                                      struct qn_error *error) {
  char word[2 * QN_PROPERTY_NAME_BYTES], near[QN_SUGGESTION_TEXT];
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  struct qn_suggestion suggestion = qn_suggestion_for(word);
  for (uint64_t t = 0; t < set->num_ranges; t++)
    qn_suggestion_offer(&suggestion, set->ranges[t].type);
  qn_fail(error, QN_USAGE, "the set has no vertex type '%s'%s; quern-info lists them", word,
          qn_suggestion_text(&suggestion, near));
  return qn_error_in_file(error, set->path);
}

/* All edge types called so, or the one. */
static uint64_t choose_edges(const struct qn_set *set, const char *text, size_t length,
                             bool *chosen) {
  uint64_t found = 0;
  for (uint64_t t = 0; t < set->num_edge_types; t++)
    if (qn_set_edge_type_is(set, &set->edge_types[t], text, length)) {
      chosen[t] = true;
      found++;
    }
  return found;
}

static uint64_t choose_vertices(const struct qn_set *set, const char *text, size_t length,
                                bool *chosen) {
  for (uint64_t t = 0; t < set->num_ranges; t++)
    if (is_name(set->ranges[t].type, text, length))
      return chosen[t] = true, 1;
  return 0;
}

/* NAME,..., or one name with commas in it. */
static enum qn_status choose_list(const struct qn_set *set, const char *text,
                                  uint64_t (*choose)(const struct qn_set *, const char *, size_t,
                                                     bool *),
                                  enum qn_status (*refuse)(const struct qn_set *, const char *,
                                                           size_t, struct qn_error *),
                                  bool *chosen, struct qn_error *error) {
  if (choose(set, text, strlen(text), chosen))
    return QN_OK;
  for (const char *p = text;;) {
    const size_t length = strcspn(p, ",");
    if (!choose(set, p, length, chosen))
      return refuse(set, p, length, error);
    if (!p[length])
      return QN_OK;
    p += length + 1;
  }
}

/* Edge types whose ends are both chosen, of those that are asked for. */
static enum qn_status choose_between(const struct qn_set *set,
                                     const struct qn_set_selection *selection,
                                     struct qn_set_chosen *chosen, struct qn_error *error) {
  uint64_t left = 0;
  for (uint64_t t = 0; t < set->num_edge_types; t++) {
    const struct qn_set_edge_type *type = &set->edge_types[t];
    const bool asked = !selection->edge_types || chosen->edges[t];
    chosen->edges[t] = asked && chosen->vertices[type->source] && chosen->vertices[type->target];
    left += chosen->edges[t];
  }
  if (left || !selection->edge_types)
    return QN_OK;
  qn_fail(error, QN_USAGE, "no edge of the types %.120s is between vertices of the types %.120s",
          selection->edge_types, selection->vertex_types);
  return qn_error_in_file(error, set->path);
}

static void choose_ends(const struct qn_set *set, struct qn_set_chosen *chosen) {
  for (uint64_t t = 0; t < set->num_edge_types; t++)
    if (chosen->edges[t])
      chosen->vertices[set->edge_types[t].source] = chosen->vertices[set->edge_types[t].target] =
          true;
}

static enum qn_status choose_one(const struct qn_set *set, const char *text,
                                 struct qn_set_chosen *chosen, struct qn_error *error) {
  const uint64_t found = choose_edges(set, text, strlen(text), chosen->edges);
  if (found == 0)
    return refuse_edges(set, text, strlen(text), error);
  if (found > 1) {
    qn_fail(error, QN_USAGE,
            "several edge types are called '%.120s': write SOURCE-NAME-TARGET, or choose some with "
            "--edge-types",
            text);
    return qn_error_in_file(error, set->path);
  }
  choose_ends(set, chosen);
  return QN_OK;
}

static enum qn_status make_room(const struct qn_set *set, struct qn_set_chosen *chosen,
                                struct qn_error *error) {
  *chosen = (struct qn_set_chosen){0};
  enum qn_status status =
      qn_alloc_zeroed(&chosen->vertices, set->num_ranges, 1, "types of vertices", error);
  return status ? status
                : qn_alloc_zeroed(&chosen->edges, set->num_edge_types, 1, "types of edges", error);
}

enum qn_status qn_set_choose_number(const struct qn_set *set, uint64_t edge_type,
                                    struct qn_set_chosen *chosen, struct qn_error *error) {
  enum qn_status status = make_room(set, chosen, error);
  if (status)
    return status;
  chosen->edges[edge_type] = true;
  choose_ends(set, chosen);
  return QN_OK;
}

enum qn_status qn_set_choose_vertices(const struct qn_set *set, uint32_t source, uint32_t target,
                                      struct qn_set_chosen *chosen, struct qn_error *error) {
  enum qn_status status = make_room(set, chosen, error);
  if (!status)
    chosen->vertices[source] = chosen->vertices[target] = true;
  return status;
}

enum qn_status qn_set_choose(const struct qn_set *set, const struct qn_set_selection *selection,
                             struct qn_set_chosen *chosen, struct qn_error *error) {
  *chosen = (struct qn_set_chosen){0};
  if (!qn_set_is_typed(set)) {
    qn_fail(error, QN_USAGE, "this set has no types; quern-import --types makes one that has");
    return qn_error_in_file(error, set->path);
  }
  enum qn_status status = make_room(set, chosen, error);
  if (status || selection->project)
    return status ? status : choose_one(set, selection->project, chosen, error);
  if (selection->edge_types)
    status =
        choose_list(set, selection->edge_types, choose_edges, refuse_edges, chosen->edges, error);
  if (!status && selection->vertex_types)
    status = choose_list(set, selection->vertex_types, choose_vertices, refuse_vertices,
                         chosen->vertices, error);
  else if (!status && selection->edge_types)
    choose_ends(set, chosen);
  else if (!status)
    memset(chosen->vertices, true, set->num_ranges);
  return status ? status : choose_between(set, selection, chosen, error);
}

bool qn_set_chosen_weights(const struct qn_set *set, const struct qn_set_chosen *chosen,
                           enum qn_weight_type *weights, const char **without) {
  unsigned found = 0;
  *without = NULL;
  for (uint64_t t = 0; t < set->num_edge_types; t++)
    if (chosen->edges[t]) {
      found |= 1U << set->edge_types[t].weight_type;
      if (set->edge_types[t].weight_type == QN_WEIGHT_NONE)
        *without = set->edge_types[t].name;
    }
  *weights = QN_WEIGHT_NONE;
  if (found == 1U << QN_WEIGHT_NONE)
    *without = NULL;
  if (found == 0 || found & 1U << QN_WEIGHT_NONE)
    return true;
  for (unsigned type = 0; type < QN_WEIGHT_TYPES; type++)
    if (found == 1U << type) {
      *weights = (enum qn_weight_type)type;
      return true;
    }
  *weights = found & (1U << QN_WEIGHT_F32 | 1U << QN_WEIGHT_F64) ? QN_WEIGHT_F64 : QN_WEIGHT_I64;
  return false;
}

void qn_set_note_weights(const char *without) {
  if (without)
    qn_note(QN_NOTE_NOT_KEPT,
            "weights are left out: the edges of the type %s have none (--edge-types chooses types)",
            without);
}

void qn_set_chosen_release(struct qn_set_chosen *chosen) {
  qn_free(chosen->vertices);
  qn_free(chosen->edges);
  *chosen = (struct qn_set_chosen){0};
}
