/* Where a graph came from that was changed. */
#include <inttypes.h>
#include <string.h>

#include "formats/set/changed.h"
#include "formats/set/files.h"
#include "formats/set/generations.h"
#include "support/progress.h"
#include "support/tool.h"
#include <quern/metadata.h>

static enum qn_status out_of_memory(struct qn_error *error) {
  return qn_fail_memory(error, "metadata", 0);
}

/* [generations] what each says of itself: a new reference. */
static enum qn_status list_generations(const struct qn_changed *changed, json_t **out,
                                       struct qn_error *error) {
  enum qn_status status = (*out = json_array()) ? QN_OK : out_of_memory(error);
  for (uint64_t i = 0; !status && i < changed->num_blocks; i++) {
    json_t *metadata = NULL;
    status = qn_container_metadata(changed->set->ranges[i].container, &metadata, error);
    if (!status && json_array_append_new(*out, metadata ? metadata : json_null()))
      status = out_of_memory(error);
  }
  return status;
}

static bool names(const json_t *list, const char *code) {
  const json_t *name;
  size_t i;
  bool found = false;
  json_array_foreach(list, i, name) found |= strcmp(json_string_value(name), code) == 0;
  return found;
}

static bool are_names(const json_t *list) {
  const json_t *name;
  size_t i;
  bool all = true;
  json_array_foreach(list, i, name) all &= json_is_string(name);
  return all;
}

/* What was noted in either, in the order that all codes have. */
static bool join_notes(json_t *sum, const json_t *ledger) {
#define CODE(identifier, code, kind, meaning) code,
  static const char *const codes[] = {QN_NOTES(CODE)};
#undef CODE
  const json_t *before = json_object_get(sum, "notes"), *more = json_object_get(ledger, "notes");
  json_t *all = json_array();
  bool good = all && are_names(before) && are_names(more);
  for (size_t i = 0; good && i < sizeof codes / sizeof codes[0]; i++)
    if (names(before, codes[i]) || names(more, codes[i]))
      good = json_array_append_new(all, json_string(codes[i])) == 0;
  if (good && json_array_size(all))
    good = json_object_set(sum, "notes", all) == 0;
  json_decref(all);
  return good;
}

/* Numbers are added up, key by key; false where one is none. */
static bool add_ledger(json_t *sum, const json_t *ledger) {
  const char *key;
  json_t *value;
  bool whole = json_is_object(sum) && json_is_object(ledger) && join_notes(sum, ledger);
  json_object_foreach((json_t *)ledger, key, value) {
    json_t *before = json_object_get(sum, key);
    if (strcmp(key, "notes") == 0)
      continue;
    whole =
        whole && json_is_integer(value) && (!before || json_is_integer(before)) &&
        json_object_set_new(
            sum, key, json_integer(json_integer_value(before) + json_integer_value(value))) == 0;
  }
  return whole;
}

/* Does a generation add edges alone, as another input of an import would? */
static bool only_adds(const json_t *generation, const json_t *version) {
  const json_t *options = json_object_get(generation, "options"), *input;
  size_t i;
  json_array_foreach(json_object_get(generation, "inputs"), i, input) {
    if (json_object_get(input, "role"))
      return false;
  }
  return json_is_true(json_object_get(options, "append")) && json_object_size(options) == 1 &&
         json_equal(json_object_get(generation, "version"), version);
}

/* As if all inputs had been imported at once; false if that is not what happened. */
static bool join(json_t *metadata, const json_t *generations) {
  const char *tool = json_string_value(json_object_get(metadata, "tool"));
  const json_t *version = json_object_get(metadata, "version"), *generation;
  json_t *inputs = json_object_get(metadata, "inputs");
  size_t i;
  bool good = tool && strcmp(tool, "quern-import") == 0 && json_is_array(inputs);
  json_array_foreach(generations, i, generation) {
    good = good && only_adds(generation, version) &&
           json_array_extend(inputs, json_object_get(generation, "inputs")) == 0 &&
           add_ledger(json_object_get(metadata, "ledger"), json_object_get(generation, "ledger"));
  }
  return good;
}

enum qn_status qn_changed_metadata(const struct qn_changed *changed, json_t **out,
                                   struct qn_error *error) {
  json_t *base = NULL, *generations = NULL;
  *out = NULL;
  enum qn_status status = qn_container_metadata(changed->base, &base, error);
  if (!status)
    status = list_generations(changed, &generations, error);
  if (!status && base) {
    *out = json_deep_copy(base);
    if (!*out)
      status = out_of_memory(error);
    else if (!join(*out, generations)) {
      json_decref(*out);
      *out = NULL;
    }
  }
  if (!status && !*out) {
    *out = json_pack("{s:s, s:s, s:{s:b}, s:O*, s:O}", "tool", QN_SET_TOOL, "version", QN_VERSION,
                     "options", "compact", 1, "base", base, "generations", generations);
    if (!*out)
      status = out_of_memory(error);
  }
  json_decref(base);
  json_decref(generations);
  return status;
}

/* ---- What happened --------------------------------------------------------------- */

static json_t *describe_generation(const struct qn_set *set, uint64_t i, json_t *metadata) {
  const struct qn_set_generation *generation = &set->generations[i];
  return json_pack(
      "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o*}", "generation", (json_int_t)i + 1, "vertices",
      (json_int_t)generation->num_vertices, "edges", (json_int_t)generation->num_edges, "added",
      (json_int_t)generation->added, "removed", (json_int_t)generation->removed, "missing",
      (json_int_t)generation->missing, "new_vertices",
      (json_int_t)(set->ranges[i].end - set->ranges[i].begin), "bytes",
      (json_int_t)(set->ranges[i].file.bytes + set->parts[i].file.bytes), "metadata", metadata);
}

enum qn_status qn_set_log(const struct qn_set *set, json_t **out, struct qn_error *error) {
  json_t *log = json_array();
  enum qn_status status = log ? QN_OK : out_of_memory(error);
  for (uint64_t i = 0; !status && i < set->num_generations; i++) {
    json_t *metadata = NULL;
    status = qn_container_metadata(set->ranges[i].container, &metadata, error);
    if (!status && json_array_append_new(log, describe_generation(set, i, metadata)))
      status = out_of_memory(error);
  }
  if (status) {
    json_decref(log);
    return status;
  }
  *out = json_pack("{s:{s:s, s:o}, s:o}", "base", "name", set->base.name, "identity",
                   json_sprintf("%016" PRIx64, set->base.identity), "log", log);
  return *out ? QN_OK : out_of_memory(error);
}
