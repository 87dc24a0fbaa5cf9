#include "converters/recipe/step_options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/memory.h"

enum kind {
  SWITCH,
  NUMBER,
  TEXT,
  MODEL,          /* a text that is no option, but an argument */
  FILE_NAME,      /* a file of the recipe */
  NUMBER_OR_FILE, /* an integer, or such a file */
  ORDER_OR_FILE,  /* an order of vertices by its name, or such a file */
};

static const struct option {
  const char *tool, *name;
  enum kind kind;
} options[] = {
    {"quern-import", "undirected", SWITCH},
    {"quern-import", "directed", SWITCH},
    {"quern-import", "strict", SWITCH},
    {"quern-import", "narrow-weights", SWITCH},
    {"quern-import", "trailing-comments", SWITCH},
    {"quern-import", "format", TEXT},
    {"quern-import", "delimiter", TEXT},
    {"quern-import", "header", TEXT},
    {"quern-import", "quotes", TEXT},
    {"quern-import", "escape", TEXT},
    {"quern-import", "decimal", TEXT},
    {"quern-import", "comments", TEXT},
    {"quern-import", "record", TEXT},
    {"quern-import", "properties", TEXT},
    {"quern-import", "bipartite", TEXT},
    {"quern-import", "weights", TEXT},
    {"quern-import", "ids", TEXT},
    {"quern-import", "transpose", TEXT},
    {"quern-import", "self-loops", TEXT},
    {"quern-import", "duplicates", TEXT},
    {"quern-import", "columns", TEXT},
    {"quern-import", "max-bad", NUMBER},
    {"quern-import", "names", FILE_NAME},
    {"quern-import", "vertices", NUMBER_OR_FILE},
    {"quern-generate", "undirected", SWITCH},
    {"quern-generate", "model", MODEL},
    {"quern-generate", "weights", TEXT},
    {"quern-generate", "probabilities", TEXT},
    {"quern-generate", "permute", TEXT},
    {"quern-generate", "transpose", TEXT},
    {"quern-generate", "self-loops", TEXT},
    {"quern-generate", "duplicates", TEXT},
    {"quern-generate", "scale", NUMBER},
    {"quern-generate", "vertices", NUMBER},
    {"quern-generate", "max-degree", NUMBER},
    {"quern-generate", "exponent", TEXT},
    {"quern-generate", "degree", NUMBER},
    {"quern-generate", "edges", NUMBER},
    {"quern-generate", "seed", NUMBER},
    {"quern-transform", "transpose", SWITCH},
    {"quern-transform", "remove-self-loops", SWITCH},
    {"quern-transform", "symmetrize", SWITCH},
    {"quern-transform", "remove-duplicates", SWITCH},
    {"quern-transform", "narrow-weights", SWITCH},
    {"quern-transform", "strict", SWITCH},
    {"quern-transform", "random-weights", TEXT},
    {"quern-transform", "egonet", TEXT},
    {"quern-transform", "along", TEXT},
    {"quern-transform", "in-edges", TEXT},
    {"quern-transform", "between", TEXT},
    {"quern-transform", "time", TEXT},
    {"quern-transform", "index-time", TEXT},
    {"quern-transform", "by", TEXT},
    {"quern-transform", "imbalance", TEXT},
    {"quern-transform", "column", TEXT},
    {"quern-transform", "kcore", NUMBER},
    {"quern-transform", "hops", NUMBER},
    {"quern-transform", "seed", NUMBER},
    {"quern-transform", "partition", NUMBER},
    {"quern-transform", "passes", NUMBER},
    {"quern-transform", "induced", FILE_NAME},
    {"quern-transform", "cross-edges", FILE_NAME},
    {"quern-transform", "contract", FILE_NAME},
    {"quern-transform", "relabel", ORDER_OR_FILE},
    {"quern-block", "out-edges", SWITCH},
    {"quern-block", "direction", TEXT},
    {"quern-block", "block-vertices", NUMBER},
    {"quern-hybrid", "direction", TEXT},
    {"quern-hybrid", "width", NUMBER},
    {"quern-pack", "direction", TEXT},
    {"quern-page", "address", TEXT},
    {"quern-page", "page-size", NUMBER},
    {"quern-partition", "partitions", NUMBER},
    {"quern-partition", "partition-bytes", NUMBER},
    {"quern-partition", "device-memory", NUMBER},
    {"quern-shard", "shard-vertices", NUMBER},
    {"quern-shard", "shared-memory", NUMBER},
    {"quern-shard", "page-bytes", NUMBER},
};

enum { NUM_OPTIONS = sizeof options / sizeof options[0] };

bool qn_step_tool_is_known(const char *tool) {
  for (int i = 0; i < NUM_OPTIONS; i++)
    if (strcmp(options[i].tool, tool) == 0)
      return true;
  return false;
}

static const struct option *find(const char *tool, const char *name) {
  for (int i = 0; i < NUM_OPTIONS; i++)
    if (strcmp(options[i].tool, tool) == 0 && strcmp(options[i].name, name) == 0)
      return &options[i];
  return NULL;
}

const struct qn_recipe_file *qn_recipe_file_find(const struct qn_recipe *recipe, const char *name,
                                                 uint64_t length) {
  for (uint64_t i = 0; i < recipe->num_files; i++) {
    const struct qn_recipe_file *file = &recipe->files[i];
    if (strlen(file->name) == length && memcmp(file->name, name, length) == 0)
      return file;
  }
  return NULL;
}

/* ---- Values ----------------------------------------------------------------- */

static bool is_number(const json_t *value) {
  const char *text = json_string_value(value);
  return text ? *text && strlen(text) <= 20 && strspn(text, "0123456789") == strlen(text)
              : json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool is_order(const char *text) {
  static const char *const orders[] = {"degree", "random", "rcm", "llp", "gorder", "metis"};
  for (unsigned i = 0; text && i < sizeof orders / sizeof orders[0]; i++)
    if (strcmp(orders[i], text) == 0)
      return true;
  return false;
}

static bool is_file(const struct qn_recipe *recipe, const json_t *value) {
  return json_is_string(value) &&
         qn_recipe_file_find(recipe, json_string_value(value), json_string_length(value));
}

/* NULL: it is one of its kind. */
static const char *expected(const struct qn_recipe *recipe, enum kind kind, const json_t *value) {
  switch (kind) {
  case SWITCH:
    return json_is_boolean(value) ? NULL : "true or false";
  case NUMBER:
    return is_number(value) ? NULL : "an integer that is not negative";
  case MODEL:
    return json_is_string(value) && json_string_value(value)[0] != '-' ? NULL : "a model";
  case TEXT:
    return json_is_string(value) || json_is_integer(value) ? NULL : "a text or an integer";
  case FILE_NAME:
    return is_file(recipe, value) ? NULL : "the name of a file of the recipe";
  case NUMBER_OR_FILE:
    return is_number(value) || is_file(recipe, value)
               ? NULL
               : "an integer that is not negative, or the name of a file of the recipe";
  default:
    return is_order(json_string_value(value)) || is_file(recipe, value)
               ? NULL
               : "an order, or the name of a file of the recipe";
  }
}

enum qn_status qn_step_option_check(const struct qn_recipe *recipe, const char *tool,
                                    const char *name, const json_t *value, struct qn_error *error) {
  const struct option *option = find(tool, name);
  if (!option)
    return qn_fail(error, QN_INVALID, "RC-13: %s has no option '%.64s' that a recipe may use", tool,
                   name);
  const char *wanted = expected(recipe, option->kind, value);
  return wanted ? qn_fail(error, QN_INVALID, "RC-13: '%s' of %s must be %s", name, tool, wanted)
                : QN_OK;
}

/* ---- Command lines ---------------------------------------------------------- */

void qn_step_words_free(char **words) {
  for (uint64_t i = 0; words && words[i]; i++)
    qn_free(words[i]);
  qn_free(words);
}

__attribute__((format(printf, 3, 4))) static enum qn_status
add_word(char **words, struct qn_error *error, const char *format, ...) {
  va_list arguments, again;
  uint64_t count = 0;
  while (words[count])
    count++;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  enum qn_status status = qn_alloc(&words[count], (uint64_t)length + 1, 1, "a command line", error);
  if (!status)
    vsnprintf(words[count], (size_t)length + 1, format, again);
  va_end(again);
  return status;
}

static bool names_file(enum kind kind, const json_t *value) {
  return kind == FILE_NAME || (kind == NUMBER_OR_FILE && !is_number(value)) ||
         (kind == ORDER_OR_FILE && !is_order(json_string_value(value)));
}

static enum qn_status add_option(const struct option *option, const json_t *value,
                                 const char *place, char **words, struct qn_error *error) {
  if (!option) /* which RC-13 has refused */
    return QN_OK;
  if (option->kind == SWITCH)
    return json_is_true(value) ? add_word(words, error, "--%s", option->name) : QN_OK;
  if (option->kind == MODEL)
    return add_word(words, error, "%s", json_string_value(value));
  if (json_is_integer(value))
    return add_word(words, error, "--%s=%" JSON_INTEGER_FORMAT, option->name,
                    json_integer_value(value));
  const bool file = names_file(option->kind, value);
  return add_word(words, error, "--%s=%s%s%s", option->name, file ? place : "", file ? "/" : "",
                  json_string_value(value));
}

enum qn_status qn_step_words(const struct qn_recipe *recipe, uint64_t number, const char *place,
                             char ***out, struct qn_error *error) {
  const struct qn_recipe_step *step = &recipe->steps[number];
  const uint64_t most = 2 + json_object_size(step->options) + json_array_size(step->inputs);
  char **words;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&words, most, sizeof *words, "a command line", error);
  if (!status)
    status = add_word(words, error, "%s", step->tool);
  for (void *at = json_object_iter((json_t *)step->options); !status && at;
       at = json_object_iter_next((json_t *)step->options, at))
    status = add_option(find(step->tool, json_object_iter_key(at)), json_object_iter_value(at),
                        place, words, error);
  for (uint64_t i = 0; !status && i < json_array_size(step->inputs); i++)
    status =
        add_word(words, error, "%s/%s", place, json_string_value(json_array_get(step->inputs, i)));
  if (status)
    qn_step_words_free(words);
  else
    *out = words;
  return status;
}
