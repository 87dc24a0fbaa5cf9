/* Metadata tells how a container was made; here it becomes a recipe: levels of metadata, of which
 * each has that of its source within, become steps, and what options are called there becomes what
 * they are called on a command line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/recipe/history.h"
#include "formats/text/text_format.h"
#include "support/json_text.h"
#include <quern/metadata.h>
#include <quern/properties.h>

enum { MOST_LEVELS = 256 };

/* Levels of metadata, the first one first. */
struct levels {
  const json_t *list[MOST_LEVELS];
  const char *identities[MOST_LEVELS]; /* of what each is about; NULL: it is not said */
  bool are_changes[MOST_LEVELS];       /* generations of a set */
  unsigned count;
};

static const char *string_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static const char *tool_of(const json_t *level) {
  const char *tool = string_of(level, "tool");
  return tool ? tool : "";
}

static bool is_among(const char *word, const char *const *words) {
  while (*words && strcmp(*words, word) != 0)
    words++;
  return *words != NULL;
}

/* ---- Options ---------------------------------------------------------------- */

/* What is recorded though nobody need say it. */
static bool is_default(const char *key, const json_t *value) {
  static const struct {
    const char *key, *value;
  } defaults[] = {{"transpose", "no"}, {"self_loops", "keep"}, {"duplicates", "keep"},
                  {"weights", "auto"}, {"ids", "auto"},        {"relabel", "none"}};
  const char *text = json_string_value(value);
  if (json_is_false(value))
    return strcmp(key, "in_edges") != 0 && strcmp(key, "permute") != 0;
  if (strcmp(key, "max_bad") == 0)
    return json_integer_value(value) == 0;
  for (unsigned i = 0; text && i < sizeof defaults / sizeof defaults[0]; i++)
    if (strcmp(defaults[i].key, key) == 0 && strcmp(defaults[i].value, text) == 0)
      return true;
  return false;
}

static char *put_number(char *p, const json_t *number) {
  return json_is_integer(number) ? qn_put_i64(p, json_integer_value(number))
                                 : qn_put_f64(p, json_real_value(number));
}

static json_t *number_text(const json_t *number) {
  char text[QN_MAX_NUMBER_TEXT];
  return json_stringn(text, (size_t)(put_number(text, number) - text));
}

/* "[0.57, 0.19]" is "0.57,0.19". */
static json_t *joined(const json_t *list) {
  char text[512], *p = text;
  for (size_t i = 0; i < json_array_size(list) && p + QN_MAX_NUMBER_TEXT < text + sizeof text;
       i++) {
    if (i > 0)
      *p++ = ',';
    p = put_number(p, json_array_get(list, i));
  }
  return json_stringn(text, (size_t)(p - text));
}

static void set_option(json_t *options, const char *key, const json_t *value) {
  char name[64];
  snprintf(name, sizeof name, "%s", key);
  for (char *c = name; *c; c++)
    *c = *c == '_' ? '-' : *c;
  if (strcmp(key, "in_edges") == 0 || strcmp(key, "permute") == 0)
    json_object_set_new(options, name,
                        json_string(strcmp(key, "permute") == 0
                                        ? (json_is_true(value) ? "yes" : "no")
                                        : (json_is_true(value) ? "also" : "no")));
  else if (json_is_array(value) && !json_is_string(json_array_get(value, 0)))
    json_object_set_new(options, name, joined(value));
  else if (json_is_real(value)) /* a recipe has texts and integers */
    json_object_set_new(options, name, number_text(value));
  else
    json_object_set(options, name, (json_t *)value);
}

/* Does the ledger have this note? */
static bool has_note(const json_t *level, const char *code) {
  const json_t *notes = json_object_get(json_object_get(level, "ledger"), "notes");
  for (size_t i = 0; i < json_array_size(notes); i++)
    if (json_is_string(json_array_get(notes, i)) &&
        strcmp(json_string_value(json_array_get(notes, i)), code) == 0)
      return true;
  return false;
}

/* A part of a graph is an option with a value of its own. */
static bool set_part(const char *key, const json_t *level, json_t *options) {
  const json_t *recorded = json_object_get(level, "options");
  if (strcmp(key, "center") == 0) {
    json_object_set(options, "egonet", json_object_get(recorded, key));
    return true;
  }
  if (strcmp(key, "core") == 0) {
    json_object_set(options, "kcore", json_object_get(recorded, key));
    return true;
  }
  return strcmp(key, "part") == 0; /* of a file, it is an input */
}

/* Figures that builders record, which follow from others. */
static bool is_found(const char *tool, const char *key, const json_t *recorded, json_t *options) {
  if (strcmp(tool, "quern-partition") == 0)
    return strcmp(key, "capacity_edges") == 0;
  if (strcmp(tool, "quern-hybrid") != 0 || !strstr(key, "_width"))
    return false;
  const json_t *in = json_object_get(recorded, "in_width"),
               *out = json_object_get(recorded, "out_width");
  if (!in || !out || json_integer_value(in) == json_integer_value(out))
    json_object_set(options, "width", (json_t *)(in ? in : out));
  return true;
}

static void set_options(const json_t *level, json_t *options) {
  const char *tool = tool_of(level), *key;
  json_t *recorded = json_object_get(level, "options"), *value;
  json_object_foreach(recorded, key, value) {
    /* The format says so, and is noted for it. */
    const bool by_format = strcmp(key, "undirected") == 0 && has_note(level, "undirected");
    if (!by_format && !is_default(key, value) && !is_found(tool, key, recorded, options) &&
        !(strcmp(tool, "quern-transform") == 0 && set_part(key, level, options)))
      set_option(options, key, value);
  }
}

/* ---- Files ------------------------------------------------------------------ */

/* What was read of an archive is "archive:member"; its sums are the archive's. */
static void add_file(struct qn_history *history, const json_t *input) {
  const char *named = string_of(input, "name");
  const size_t length = named ? strcspn(named, ":") : 0;
  size_t index;
  json_t *file;
  json_array_foreach(history->files, index, file) {
    const char *name = string_of(file, "name");
    if (name && strlen(name) == length && memcmp(name, named, length) == 0)
      return;
  }
  json_array_append_new(history->files, json_pack("{s:s%, s:O*, s:O*}", "name", named ? named : "",
                                                  length, "bytes", json_object_get(input, "bytes"),
                                                  "xxh3_128", json_object_get(input, "xxh3_128")));
}

/* What lies beside a WebGraph, and is read with it, but has no hash in metadata. */
static enum qn_status add_beside(struct qn_history *history, const json_t *input,
                                 struct qn_error *error) {
  static const char graph[] = ".graph";
  const char *format = string_of(input, "format"), *name = string_of(input, "name");
  const size_t length = name ? strlen(name) : 0, end = strlen(graph);
  if (!format || strcmp(format, "webgraph") != 0)
    return QN_OK;
  if (length <= end || strcmp(name + length - end, graph) != 0)
    return qn_fail(error, QN_UNSUPPORTED,
                   "no recipe tells how it was made: '%.200s' was read with a graph that metadata "
                   "does not name",
                   name ? name : "");
  history->has_unknown = true;
  json_array_append_new(
      history->files,
      json_pack("{s:o}", "name", json_sprintf("%.*s.properties", (int)(length - end), name)));
  return QN_OK;
}

/* Files that another has named are read again for it. */
static bool is_named_by_another(const json_t *inputs, size_t index) {
  for (size_t i = 0; i < index; i++) {
    const char *format = string_of(json_array_get(inputs, i), "format");
    if (format && (strcmp(format, "graphalytics") == 0 || strcmp(format, "parts") == 0))
      return true;
  }
  return false;
}

/* An option that may be given several times is a list then. */
static void add_value(json_t *options, const char *name, const char *text) {
  json_t *before = json_object_get(options, name);
  if (json_is_array(before))
    json_array_append_new(before, json_string(text));
  else if (before)
    json_object_set_new(options, name, json_pack("[O, s]", before, text));
  else
    json_object_set_new(options, name, json_string(text));
}

/* The option that an input is the value of; NULL: it is an input of the tool. */
static const char *option_of(const json_t *level, const json_t *input) {
  const char *format = string_of(input, "format"), *name = string_of(input, "name");
  const char *part = string_of(json_object_get(level, "options"), "part");
  const char *table = string_of(json_object_get(level, "options"), "vertices");
  if (strcmp(tool_of(level), "quern-import") != 0)
    return part && strcmp(part, "cross_edges") == 0 ? "cross-edges" : part;
  if (table && name && strcmp(table, name) == 0)
    return "vertices";
  return format && strcmp(format, "names") == 0 ? "names" : NULL;
}

/* Is the file one of a table that an option names? */
static bool is_of_table(const json_t *options, const char *name) {
  static const char *const tables[] = {"vertex-table", "edge-table"};
  const size_t length = strlen(name);
  for (unsigned i = 0; i < 2; i++) {
    const json_t *list = json_object_get(options, tables[i]), *table;
    size_t index;
    json_array_foreach((json_t *)list, index, table) {
      const char *file = strchr(json_string_value(table), '=');
      for (; file; file = strchr(file + 1, ','))
        if (strcspn(file + 1, ",") == length && memcmp(file + 1, name, length) == 0)
          return true;
    }
  }
  return false;
}

static enum qn_status set_inputs(struct qn_history *history, const json_t *level, json_t *step,
                                 struct qn_error *error) {
  const json_t *inputs = json_object_get(level, "inputs");
  json_t *options = json_object_get(step, "options"), *input;
  const bool imports = strcmp(tool_of(level), "quern-import") == 0;
  json_t *list = json_array();
  size_t index;
  json_array_foreach(inputs, index, input) {
    const char *option = option_of(level, input), *name = string_of(input, "name");
    name = name ? name : "";
    add_file(history, input);
    enum qn_status status = add_beside(history, input, error);
    if (status)
      return json_decref(list), status;
    if (option && strcmp(option, "names") == 0 && !json_object_get(options, option))
      json_object_del(options, "vertices"); /* names say how many there are */
    if (option && strcmp(option, "names") == 0)
      add_value(options, option, name);
    else if (option)
      json_object_set_new(options, option, json_string(name));
    else if (imports && !is_named_by_another(inputs, index) && !is_of_table(options, name))
      json_array_append_new(list, json_string(name));
  }
  if (imports && json_array_size(list))
    json_object_set(step, "inputs", list);
  json_decref(list);
  return QN_OK;
}

/* ---- Steps ------------------------------------------------------------------ */

/* --between is a step of its own in metadata, and one of a run with others on a command line. */
static bool is_between(const struct levels *levels, unsigned level) {
  return !levels->are_changes[level] &&
         strcmp(tool_of(levels->list[level]), "quern-transform") == 0 &&
         json_object_get(json_object_get(levels->list[level], "options"), "between") != NULL;
}

static bool is_begun_by_another(const struct levels *levels, unsigned level) {
  return level + 1 < levels->count && is_between(levels, level) &&
         !levels->are_changes[level + 1] &&
         strcmp(tool_of(levels->list[level + 1]), "quern-transform") == 0;
}

/* A generation: what came, and what went. */
static enum qn_status add_change(struct qn_history *history, const json_t *metadata,
                                 struct qn_error *error) {
  json_t *options = json_object(), *input;
  const json_t *said = json_object_get(metadata, "options");
  size_t index;
  json_array_foreach(json_object_get(metadata, "inputs"), index, input) {
    const char *role = string_of(input, "role"), *format = string_of(input, "format");
    const bool is_table = json_is_true(json_object_get(said, "append_vertices")) && format &&
                          strcmp(format, "vertices") == 0;
    add_file(history, input);
    add_value(options,
              role       ? role
              : is_table ? "append-vertices"
                         : "append",
              string_of(input, "name"));
  }
  const bool all =
      json_object_size(options) > 0 && json_object_size(options) == json_object_size(said);
  json_array_append_new(history->steps,
                        json_pack("{s:s, s:o}", "tool", "quern-transform", "options", options));
  return all ? QN_OK
             : qn_fail(error, QN_UNSUPPORTED,
                       "no recipe tells how it was made: of a generation not all came from files");
}

static enum qn_status add_step(struct qn_history *history, const struct levels *levels,
                               unsigned level, struct qn_error *error) {
  const json_t *metadata = levels->list[level];
  json_t *step = json_pack("{s:s, s:{}}", "tool", tool_of(metadata), "options");
  json_t *options = json_object_get(step, "options");
  json_array_append_new(history->steps, step);
  if (level > 0 && is_begun_by_another(levels, level - 1))
    set_options(levels->list[level - 1], options);
  set_options(metadata, options);
  if (levels->identities[level])
    json_object_set_new(step, "identity", json_string(levels->identities[level]));
  return set_inputs(history, metadata, step, error);
}

static enum qn_status add_one_partition(struct qn_history *history, const char *column,
                                        const json_t *said, struct qn_error *error) {
  static const char *const streaming[] = {"fennel", "ldg", "hdrf", "2psl", NULL};
  const char *by = string_of(said, "by");
  const json_t *passes = json_object_get(said, "passes");
  if (!by || !is_among(by, streaming))
    return qn_fail(error, QN_UNSUPPORTED,
                   "no recipe tells how it was made: the partition '%.64s' is of a file or a "
                   "library",
                   column);
  json_t *options =
      json_pack("{s:O, s:s, s:o, s:s}", "partition", json_object_get(said, "parts"), "by", by,
                "imbalance", number_text(json_object_get(said, "imbalance")), "column", column);
  if (json_integer_value(passes) > 0)
    json_object_set(options, "passes", (json_t *)passes);
  json_array_append_new(history->steps,
                        json_pack("{s:s, s:o}", "tool", "quern-transform", "options", options));
  return QN_OK;
}

/* A column of parts is said of the container that it was added to, which else stayed as it was; of
 * several the container's columns tell which one came first. */
static enum qn_status add_partitions(struct qn_history *history, const json_t *metadata,
                                     struct qn_error *error) {
  json_t *partitions = json_object_get(metadata, "partitions"), *said, *name;
  const char *column;
  enum qn_status status = QN_OK;
  size_t i, found = 0;
  json_array_foreach(history->columns, i, name) {
    if (!status && (said = json_object_get(partitions, json_string_value(name)))) {
      status = add_one_partition(history, json_string_value(name), said, error);
      found++;
    }
  }
  if (status || found == json_object_size(partitions))
    return status;
  if (json_object_size(partitions) > 1)
    return qn_fail(error, QN_UNSUPPORTED,
                   "no recipe tells how it was made: of several partitions nobody knows which one "
                   "came first");
  json_object_foreach(partitions, column, said) status =
      add_one_partition(history, column, said, error);
  return status;
}

static enum qn_status add_level(struct levels *levels, const json_t *metadata, const char *identity,
                                bool is_change, struct qn_error *error) {
  if (levels->count == MOST_LEVELS)
    return qn_fail(error, QN_UNSUPPORTED, "it was made in more than %d steps", MOST_LEVELS);
  levels->list[levels->count] = metadata;
  levels->are_changes[levels->count] = is_change;
  levels->identities[levels->count++] = identity;
  return QN_OK;
}

/* What a level was made from has the same form, of one that was changed the generations, too. As
 * deep as jansson nests objects. */
static enum qn_status find_levels(struct levels *levels, const json_t *metadata,
                                  const char *identity, struct qn_error *error) {
  const json_t *source = json_object_get(metadata, "source"), *generation;
  const json_t *before =
      source ? json_object_get(source, "metadata") : json_object_get(metadata, "base");
  enum qn_status status = QN_OK;
  size_t i;
  if ((source && !json_is_object(before)) || (before && !json_is_object(before)))
    return qn_fail(error, QN_UNSUPPORTED,
                   "it was made from a container that did not say where it came from");
  if (before)
    status = find_levels(levels, before, string_of(source, "identity"), error);
  json_array_foreach(json_object_get(metadata, "generations"), i, generation) {
    if (!status)
      status = add_level(levels, generation, NULL, true, error);
  }
  return status ? status : add_level(levels, metadata, identity, false, error);
}

enum qn_status qn_history_add(struct qn_history *history, const json_t *metadata,
                              struct qn_error *error) {
  struct levels levels = {.count = 0};
  if (!metadata)
    return qn_fail(error, QN_UNSUPPORTED, "it does not say where it came from");
  enum qn_status status = find_levels(&levels, metadata, NULL, error);
  for (unsigned level = 0; !status && level < levels.count; level++) {
    if (levels.are_changes[level])
      status = add_change(history, levels.list[level], error);
    else if (!is_begun_by_another(&levels, level))
      status = add_step(history, &levels, level, error);
    if (!status)
      status = add_partitions(history, levels.list[level], error);
  }
  history->ends_between = !status && is_between(&levels, levels.count - 1);
  return status;
}

enum qn_status qn_history_add_change(struct qn_history *history, const json_t *metadata,
                                     struct qn_error *error) {
  return metadata
             ? add_change(history, metadata, error)
             : qn_fail(error, QN_UNSUPPORTED, "a generation of it does not say where it came from");
}

enum qn_status qn_history_recipe(const struct qn_history *history, const char *name,
                                 const struct qn_recipe_result *result, json_t **out,
                                 struct qn_error *error) {
  struct qn_recipe recipe = {0};
  json_t *json = json_pack("{s:i, s:s, s:b, s:O, s:O, s:o}", "quern_recipe", 1, "name", name,
                           "tested", !history->has_unknown, "files", history->files, "steps",
                           history->steps, "container", qn_recipe_result_json(result));
  enum qn_status status = qn_json_check_memory(error);
  if (!status)
    status = qn_recipe_take(json_incref(json), &recipe, error);
  if (status == QN_INVALID) { /* which is of the recipe, not of the container */
    const struct qn_error broken = *error;
    status =
        qn_fail(error, QN_UNSUPPORTED, "no recipe tells how it was made: %.600s", broken.message);
  }
  qn_recipe_release(&recipe);
  *out = status ? NULL : json;
  if (status)
    json_decref(json);
  return status;
}

void qn_history_end(struct qn_history *history) {
  json_decref(history->files);
  json_decref(history->steps);
  json_decref(history->columns);
}

/* The names of the vertices' properties, in their order. */
static enum qn_status list_columns(const struct qn_container *container, json_t *columns,
                                   struct qn_error *error) {
  struct qn_properties properties;
  enum qn_status status = qn_properties_view(container, &properties, error);
  for (uint32_t i = 0; !status && i < properties.of_vertices.count; i++)
    json_array_append_new(columns, json_string(properties.of_vertices.columns[i].name));
  for (uint32_t i = 0; !status && i < properties.of_edges.count; i++)
    json_array_append_new(columns, json_string(properties.of_edges.columns[i].name));
  qn_properties_release(&properties);
  return status;
}

enum qn_status qn_recipe_of(const struct qn_container *container, const char *name, json_t **out,
                            struct qn_error *error) {
  struct qn_history history = QN_HISTORY_BEGIN;
  struct qn_recipe_result result;
  json_t *metadata = NULL;
  *out = NULL;
  enum qn_status status = qn_container_metadata(container, &metadata, error);
  if (!status)
    status = list_columns(container, history.columns, error);
  if (!status)
    status = qn_history_add(&history, metadata, error);
  if (!status)
    status = qn_recipe_result_of(container, &result, error);
  if (!status)
    status = qn_history_recipe(&history, name, &result, out, error);
  qn_history_end(&history);
  json_decref(metadata);
  return status;
}
