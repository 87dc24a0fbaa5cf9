/* Metadata tells how a container was made; here it becomes a recipe: levels of metadata, of which
 * each has that of its source within, become steps, and what options are called there becomes what
 * they are called on a command line. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/recipe/recipe.h"
#include "support/json_text.h"
#include <quern/metadata.h>

enum { MOST_LEVELS = 32 };

/* The recipe under way; JSON that lacks memory is found by qn_json_check_memory. */
struct making {
  json_t *files, *steps;
  const json_t *levels[MOST_LEVELS];   /* the container's own first */
  const char *identities[MOST_LEVELS]; /* of what each is about; NULL for the container's own */
  unsigned num_levels;
  bool has_unknown; /* a file whose sums nobody knows */
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

/* "[0.57, 0.19]" is "0.57,0.19". */
static json_t *joined(const json_t *list) {
  char text[512] = "";
  size_t at = 0;
  for (size_t i = 0; i < json_array_size(list) && at < sizeof text; i++) {
    const json_t *value = json_array_get(list, i);
    const int added = json_is_integer(value)
                          ? snprintf(text + at, sizeof text - at, "%s%" JSON_INTEGER_FORMAT,
                                     i ? "," : "", json_integer_value(value))
                          : snprintf(text + at, sizeof text - at, "%s%.17g", i ? "," : "",
                                     json_number_value(value));
    at += added > 0 ? (size_t)added : 0;
  }
  return json_string(text);
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
  else if (json_is_array(value))
    json_object_set_new(options, name, joined(value));
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
static void add_file(struct making *making, const json_t *input) {
  const char *named = string_of(input, "name");
  const size_t length = named ? strcspn(named, ":") : 0;
  size_t index;
  json_t *file;
  json_array_foreach(making->files, index, file) {
    const char *name = string_of(file, "name");
    if (name && strlen(name) == length && memcmp(name, named, length) == 0)
      return;
  }
  json_array_append_new(making->files, json_pack("{s:s%, s:O*, s:O*}", "name", named ? named : "",
                                                 length, "bytes", json_object_get(input, "bytes"),
                                                 "xxh3_128", json_object_get(input, "xxh3_128")));
}

/* What lies beside a WebGraph, and is read with it, but has no hash in metadata. */
static enum qn_status add_beside(struct making *making, const json_t *input,
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
  making->has_unknown = true;
  json_array_append_new(
      making->files,
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

static enum qn_status set_inputs(struct making *making, const json_t *level, json_t *step,
                                 struct qn_error *error) {
  const json_t *inputs = json_object_get(level, "inputs");
  json_t *options = json_object_get(step, "options"), *input;
  const char *recorded = string_of(json_object_get(level, "options"), "part");
  const char *part = recorded && strcmp(recorded, "cross_edges") == 0 ? "cross-edges" : recorded;
  const char *table = string_of(json_object_get(level, "options"), "vertices");
  const bool imports = strcmp(tool_of(level), "quern-import") == 0;
  json_t *list = json_array();
  size_t index;
  json_array_foreach(inputs, index, input) {
    const char *format = string_of(input, "format"), *name = string_of(input, "name");
    const bool is_table = table && name && strcmp(table, name) == 0;
    const char *option = !imports                                 ? part
                         : is_table                               ? "vertices"
                         : format && strcmp(format, "names") == 0 ? "names"
                                                                  : NULL;
    add_file(making, input);
    enum qn_status status = add_beside(making, input, error);
    if (status)
      return json_decref(list), status;
    if (option && !is_table && json_object_get(options, option)) {
      json_decref(list);
      return qn_fail(error, QN_UNSUPPORTED, "it was made of several files of %s", option);
    }
    if (option && strcmp(option, "names") == 0) /* which say how many vertices there are */
      json_object_del(options, "vertices");
    if (option)
      json_object_set_new(options, option, json_string(name ? name : ""));
    else if (imports && !is_named_by_another(inputs, index))
      json_array_append_new(list, json_string(name));
  }
  if (imports)
    json_object_set(step, "inputs", list);
  json_decref(list);
  return QN_OK;
}

/* ---- Steps ------------------------------------------------------------------ */

/* --between is a step of its own in metadata, and one of a run with others on a command line. */
static bool is_begun_by_another(const struct making *making, unsigned level) {
  return strcmp(tool_of(making->levels[level]), "quern-transform") == 0 &&
         json_object_get(json_object_get(making->levels[level], "options"), "between") != NULL;
}

static enum qn_status add_step(struct making *making, unsigned level, struct qn_error *error) {
  const json_t *metadata = making->levels[level];
  json_t *step = json_pack("{s:s, s:{}}", "tool", tool_of(metadata), "options");
  json_t *options = json_object_get(step, "options");
  json_array_append_new(making->steps, step);
  if (level + 1 < making->num_levels && is_begun_by_another(making, level + 1))
    set_options(making->levels[level + 1], options);
  set_options(metadata, options);
  if (making->identities[level])
    json_object_set_new(step, "identity", json_string(making->identities[level]));
  return set_inputs(making, metadata, step, error);
}

/* A column of parts is said of the container that it was added to, which else stayed as it was. */
static enum qn_status add_partition(struct making *making, const json_t *metadata,
                                    struct qn_error *error) {
  static const char *const streaming[] = {"fennel", "ldg", "hdrf", "2psl", NULL};
  json_t *partitions = json_object_get(metadata, "partitions"), *said;
  const char *column;
  if (json_object_size(partitions) > 1)
    return qn_fail(error, QN_UNSUPPORTED,
                   "no recipe tells how it was made: of several partitions nobody knows which one "
                   "came first");
  json_object_foreach(partitions, column, said) {
    const char *by = string_of(said, "by");
    const json_t *passes = json_object_get(said, "passes");
    if (!by || !is_among(by, streaming))
      return qn_fail(error, QN_UNSUPPORTED,
                     "no recipe tells how it was made: the partition '%.64s' is of a file or a "
                     "library",
                     column);
    json_t *options = json_pack(
        "{s:O, s:s, s:o, s:s}", "partition", json_object_get(said, "parts"), "by", by, "imbalance",
        json_sprintf("%.17g", json_number_value(json_object_get(said, "imbalance"))), "column",
        column);
    if (json_integer_value(passes) > 0)
      json_object_set(options, "passes", (json_t *)passes);
    json_array_append_new(making->steps,
                          json_pack("{s:s, s:o}", "tool", "quern-transform", "options", options));
  }
  return QN_OK;
}

static enum qn_status find_levels(struct making *making, const json_t *metadata,
                                  struct qn_error *error) {
  const char *identity = NULL;
  while (metadata) {
    const json_t *source = json_object_get(metadata, "source");
    if (making->num_levels == MOST_LEVELS)
      return qn_fail(error, QN_UNSUPPORTED, "it was made in more than %d steps", MOST_LEVELS);
    making->levels[making->num_levels] = metadata;
    making->identities[making->num_levels++] = identity;
    identity = string_of(source, "identity");
    if (source && !json_object_get(source, "metadata"))
      return qn_fail(error, QN_UNSUPPORTED,
                     "it was made from a container that did not say where it came from");
    metadata = json_object_get(source, "metadata");
  }
  return QN_OK;
}

static enum qn_status make_steps(struct making *making, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (unsigned level = making->num_levels; !status && level-- > 0;)
    if (!is_begun_by_another(making, level)) {
      status = add_step(making, level, error);
      if (!status)
        status = add_partition(making, making->levels[level], error);
    }
  return status;
}

enum qn_status qn_recipe_of(const struct qn_container *container, const char *name, json_t **out,
                            struct qn_error *error) {
  struct making making = {.files = json_array(), .steps = json_array()};
  struct qn_recipe_result result;
  struct qn_recipe recipe = {0};
  json_t *metadata = NULL;
  *out = NULL;
  enum qn_status status = qn_container_metadata(container, &metadata, error);
  if (!status && !metadata)
    status = qn_fail(error, QN_UNSUPPORTED, "it does not say where it came from");
  if (!status)
    status = find_levels(&making, metadata, error);
  if (!status)
    status = make_steps(&making, error);
  if (!status)
    status = qn_recipe_result_of(container, &result, error);
  json_t *json = status
                     ? NULL
                     : json_pack("{s:i, s:s, s:b, s:O, s:O, s:o}", "quern_recipe", 1, "name", name,
                                 "tested", !making.has_unknown, "files", making.files, "steps",
                                 making.steps, "container", qn_recipe_result_json(&result));
  if (!status)
    status = qn_json_check_memory(error);
  if (!status)
    status = qn_recipe_take(json_incref(json), &recipe, error);
  if (status == QN_INVALID) { /* which is of the recipe, not of the container */
    const struct qn_error broken = *error;
    status =
        qn_fail(error, QN_UNSUPPORTED, "no recipe tells how it was made: %.600s", broken.message);
  }
  qn_recipe_release(&recipe);
  json_decref(making.files);
  json_decref(making.steps);
  json_decref(metadata);
  *out = status ? NULL : json;
  if (status)
    json_decref(json);
  return status;
}
