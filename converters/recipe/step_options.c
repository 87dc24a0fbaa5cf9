#include "converters/recipe/step_options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/memory.h"

#define MOST_FILES_BYTES 8192

enum kind {
  SWITCH,
  NUMBER,
  TEXT,
  MODEL,          /* a text that is no option, but an argument */
  FILE_NAME,      /* a file of the recipe */
  NUMBER_OR_FILE, /* an integer, or such a file */
  ORDER_OR_FILE,  /* an order of vertices by its name, or such a file */
  FILES,          /* such a file, or a list of them, each with the option */
  JOINED,         /* the same, with commas between them */
  TABLES,         /* a list of TYPE=FILE,... with such files */
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
    {"quern-import", "names", JOINED},
    {"quern-import", "types", SWITCH},
    {"quern-import", "vertex-table", TABLES},
    {"quern-import", "edge-table", TABLES},
    {"quern-import", "vertex-type-column", TEXT},
    {"quern-import", "edge-type-column", TEXT},
    {"quern-import", "parts", NUMBER},
    {"quern-import", "block-vertices", NUMBER},
    {"quern-import", "balance", TEXT},
    {"quern-import", "rows", TEXT},
    {"quern-import", "vertices", NUMBER_OR_FILE},
    {"quern-generate", "undirected", SWITCH},
    {"quern-generate", "layout", TEXT},
    {"quern-generate", "parts", NUMBER},
    {"quern-generate", "block-vertices", NUMBER},
    {"quern-generate", "balance", TEXT},
    {"quern-generate", "rows", TEXT},
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
    {"quern-transform", "append", FILES},
    {"quern-transform", "append-vertices", FILE_NAME},
    {"quern-transform", "remove", FILES},
    {"quern-transform", "compact", SWITCH},
    {"quern-transform", "parts", NUMBER},
    {"quern-transform", "block-vertices", NUMBER},
    {"quern-transform", "balance", TEXT},
    {"quern-transform", "rows", TEXT},
    {"quern-transform", "project", TEXT},
    {"quern-transform", "edge-types", TEXT},
    {"quern-transform", "vertex-types", TEXT},
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

static bool are_files(const struct qn_recipe *recipe, const json_t *value) {
  bool are = json_is_array(value) ? json_array_size(value) > 0 : is_file(recipe, value);
  for (size_t i = 0; i < json_array_size(value) && are; i++)
    are = is_file(recipe, json_array_get(value, i));
  return are;
}

/* TYPE=FILE,... */
static bool is_table(const struct qn_recipe *recipe, const json_t *value) {
  const char *text = json_string_value(value), *file = text ? strchr(text, '=') : NULL;
  bool is = file && file != text && text[0] != '-';
  for (; is && file; file = strchr(file + 1, ','))
    is = qn_recipe_file_find(recipe, file + 1, strcspn(file + 1, ",")) != NULL;
  return is;
}

static bool are_tables(const struct qn_recipe *recipe, const json_t *value) {
  bool are = json_array_size(value) > 0;
  for (size_t i = 0; i < json_array_size(value) && are; i++)
    are = is_table(recipe, json_array_get(value, i));
  return are;
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
  case FILES:
  case JOINED:
    return are_files(recipe, value) ? NULL : "the name of a file of the recipe, or a list of them";
  case TABLES:
    return are_tables(recipe, value) ? NULL : "a list of TYPE=FILE,... with files of the recipe";
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
  return kind == FILE_NAME || kind == FILES || kind == JOINED ||
         (kind == NUMBER_OR_FILE && !is_number(value)) ||
         (kind == ORDER_OR_FILE && !is_order(json_string_value(value)));
}

/* A value with the folder before each file, which begin behind "TYPE=" and commas. */
static enum qn_status add_files(const char *name, const char *type, const char *files,
                                const char *place, char **words, struct qn_error *error) {
  char value[MOST_FILES_BYTES];
  int at = snprintf(value, sizeof value, "%s", type);
  for (const char *file = files; file && at < (int)sizeof value;) {
    const size_t length = strcspn(file, ",");
    at += snprintf(value + at, sizeof value - (size_t)at, "%s%s/%.*s", file > files ? "," : "",
                   place, (int)length, file);
    file = file[length] ? file + length + 1 : NULL;
  }
  return at < (int)sizeof value
             ? add_word(words, error, "--%s=%s", name, value)
             : qn_fail(error, QN_UNSUPPORTED, "the names of the files of --%s are too long", name);
}

static enum qn_status add_table(const char *name, const char *text, const char *place, char **words,
                                struct qn_error *error) {
  char type[MOST_FILES_BYTES];
  const size_t length = strcspn(text, "=") + 1;
  if (length >= sizeof type)
    return qn_fail(error, QN_UNSUPPORTED, "the name of a type is too long");
  snprintf(type, sizeof type, "%.*s", (int)length, text);
  return add_files(name, type, text + length, place, words, error);
}

/* Names of files have no commas here: metadata has joined those of tables by them. */
static enum qn_status add_joined(const char *name, const json_t *list, const char *place,
                                 char **words, struct qn_error *error) {
  char files[MOST_FILES_BYTES] = "";
  int at = 0;
  for (size_t i = 0; i < json_array_size(list) && at < (int)sizeof files; i++)
    at += snprintf(files + at, sizeof files - (size_t)at, "%s%s", i ? "," : "",
                   json_string_value(json_array_get(list, i)));
  return at < (int)sizeof files
             ? add_files(name, "", files, place, words, error)
             : qn_fail(error, QN_UNSUPPORTED, "the names of the files of --%s are too long", name);
}

static enum qn_status add_each(const struct option *option, const json_t *list, const char *place,
                               char **words, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (size_t i = 0; i < json_array_size(list) && !status; i++) {
    const char *text = json_string_value(json_array_get(list, i));
    status = option->kind == TABLES
                 ? add_table(option->name, text, place, words, error)
                 : add_word(words, error, "--%s=%s/%s", option->name, place, text);
  }
  return status;
}

static enum qn_status add_option(const struct option *option, const json_t *value,
                                 const char *place, char **words, struct qn_error *error) {
  if (!option) /* which RC-13 has refused */
    return QN_OK;
  if (option->kind == SWITCH)
    return json_is_true(value) ? add_word(words, error, "--%s", option->name) : QN_OK;
  if (option->kind == MODEL)
    return add_word(words, error, "%s", json_string_value(value));
  if (json_is_array(value) && option->kind == JOINED)
    return add_joined(option->name, value, place, words, error);
  if (json_is_array(value))
    return add_each(option, value, place, words, error);
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
  uint64_t most = 2 + json_object_size(step->options) + json_array_size(step->inputs);
  char **words;
  for (void *at = json_object_iter((json_t *)step->options); at;
       at = json_object_iter_next((json_t *)step->options, at))
    most += json_array_size(json_object_iter_value(at));
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
