#include "converters/recipe/recipe.h"

#include <inttypes.h>
#include <string.h>

#include "converters/recipe/step_options.h"
#include "support/input/input.h"
#include "support/json_text.h"
#include "support/memory.h"

#define VERSION 1
#define MOST_BYTES ((uint64_t)1 << 20)
#define MOST_STRING 8192
#define MOST_FILES 256
#define MOST_URLS 16
#define MOST_STEPS 256
#define MOST_INPUTS 256
#define MOST_NAME 64
#define MOST_FILE_NAME 200
#define MOST_URL 2048
#define MOST_FILE_BYTES ((json_int_t)1 << 46)

/* ---- Keys and types: RC-3 to RC-5 ------------------------------------------- */

enum type { STRING, INTEGER, BOOLEAN, STRINGS, OBJECTS, OBJECT };

struct key {
  const char *name;
  enum type type;
  bool required;
};

static const struct key recipe_keys[] = {
    {"quern_recipe", INTEGER, true}, {"name", STRING, true},       {"title", STRING, false},
    {"description", STRING, false},  {"homepage", STRING, false},  {"license", STRING, false},
    {"citation", STRINGS, false},    {"creators", STRINGS, false}, {"publisher", STRING, false},
    {"year", INTEGER, false},        {"tested", BOOLEAN, false},   {"files", OBJECTS, true},
    {"steps", OBJECTS, true},        {"container", OBJECT, false}, {NULL, STRING, false}};
static const struct key file_keys[] = {{"name", STRING, true},      {"urls", STRINGS, false},
                                       {"bytes", INTEGER, false},   {"sha256", STRING, false},
                                       {"xxh3_128", STRING, false}, {NULL, STRING, false}};
static const struct key step_keys[] = {{"tool", STRING, true},      {"name", STRING, false},
                                       {"inputs", STRINGS, false},  {"options", OBJECT, false},
                                       {"identity", STRING, false}, {NULL, STRING, false}};
static const struct key container_keys[] = {
    {"identity", STRING, false},  {"version", STRING, false}, {"content", STRING, false},
    {"vertices", INTEGER, false}, {"edges", INTEGER, false},  {NULL, STRING, false}};

static enum qn_status check_string(const char *key, const json_t *value, struct qn_error *error) {
  const unsigned char *text = (const unsigned char *)json_string_value(value);
  const size_t length = json_string_length(value);
  bool plain = length >= 1 && length <= MOST_STRING;
  for (size_t i = 0; plain && i < length; i++)
    plain = text[i] >= 0x20 && text[i] != 0x7f;
  return plain ? QN_OK
               : qn_fail(error, QN_INVALID,
                         "RC-5: '%s' must have 1 to %d bytes and no control characters", key,
                         MOST_STRING);
}

static enum qn_status check_type(const char *key, const json_t *value, enum type type,
                                 struct qn_error *error) {
  static const char *const names[] = {"a string",          "an integer that is not negative",
                                      "true or false",     "a list of strings",
                                      "a list of objects", "an object"};
  const bool is_list = type == STRINGS || type == OBJECTS;
  bool fits = type == STRING    ? json_is_string(value)
              : type == INTEGER ? json_is_integer(value) && json_integer_value(value) >= 0
              : type == BOOLEAN ? json_is_boolean(value)
              : is_list         ? json_is_array(value)
                                : json_is_object(value);
  for (size_t i = 0; fits && is_list && i < json_array_size(value); i++)
    fits = type == STRINGS ? json_is_string(json_array_get(value, i))
                           : json_is_object(json_array_get(value, i));
  enum qn_status status =
      fits ? QN_OK : qn_fail(error, QN_INVALID, "RC-4: '%s' must be %s", key, names[type]);
  if (!status && type == STRING)
    status = check_string(key, value, error);
  for (size_t i = 0; !status && type == STRINGS && i < json_array_size(value); i++)
    status = check_string(key, json_array_get(value, i), error);
  return status;
}

static enum qn_status check_object(const char *what, const json_t *object, const struct key *keys,
                                   struct qn_error *error) {
  const char *name;
  json_t *value;
  enum qn_status status = QN_OK;
  json_object_foreach((json_t *)object, name, value) {
    const struct key *key = keys;
    while (key->name && strcmp(key->name, name) != 0)
      key++;
    if (!key->name)
      return qn_fail(error, QN_INVALID, "RC-3: %s has the unknown key '%.64s'", what, name);
    if ((status = check_type(name, value, key->type, error)))
      return status;
  }
  for (const struct key *key = keys; key->name; key++)
    if (key->required && !json_object_get(object, key->name))
      return qn_fail(error, QN_INVALID, "RC-4: %s lacks '%s'", what, key->name);
  return QN_OK;
}

static enum qn_status check_option_strings(const json_t *options, struct qn_error *error) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)options, name, value) {
    enum qn_status status = json_is_string(value) ? check_string(name, value, error) : QN_OK;
    for (size_t i = 0; !status && i < json_array_size(value); i++)
      if (json_is_string(json_array_get(value, i)))
        status = check_string(name, json_array_get(value, i), error);
    if (status)
      return status;
  }
  return QN_OK;
}

static enum qn_status check_shape(const json_t *json, struct qn_error *error) {
  const json_t *files = json_object_get(json, "files"), *steps = json_object_get(json, "steps");
  const json_t *container = json_object_get(json, "container");
  enum qn_status status = check_object("the recipe", json, recipe_keys, error);
  for (size_t i = 0; !status && i < json_array_size(files); i++)
    status = check_object("a file", json_array_get(files, i), file_keys, error);
  for (size_t i = 0; !status && i < json_array_size(steps); i++) {
    const json_t *step = json_array_get(steps, i);
    status = check_object("a step", step, step_keys, error);
    if (!status)
      status = check_option_strings(json_object_get(step, "options"), error);
  }
  if (!status && container)
    status = check_object("the container", container, container_keys, error);
  return status;
}

/* ---- Names and URLs: RC-6 to RC-8 -------------------------------------------- */

static enum qn_status check_name(const struct qn_recipe *recipe, struct qn_error *error) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const char *name = recipe->name;
  const size_t length = strlen(name);
  return length <= MOST_NAME && strspn(name, plain) == length && !strchr(".-", name[0])
             ? QN_OK
             : qn_fail(error, QN_INVALID,
                       "RC-6: the name must have 1 to %d of A-Z a-z 0-9 . _ - and not begin with "
                       ". or -",
                       MOST_NAME);
}

/* Of a file, or of what a step makes. */
static bool is_fine_name(const char *name) {
  return strlen(name) <= MOST_FILE_NAME && !strchr(".-", name[0]) && !strpbrk(name, "/:");
}

static enum qn_status check_file_names(const struct qn_recipe *recipe, struct qn_error *error) {
  if (json_array_size(json_object_get(recipe->json, "files")) > MOST_FILES)
    return qn_fail(error, QN_INVALID, "RC-7: there are more than %d files", MOST_FILES);
  for (uint64_t i = 0; i < recipe->num_files; i++) {
    const char *name = recipe->files[i].name;
    if (!is_fine_name(name))
      return qn_fail(error, QN_INVALID,
                     "RC-7: the name of file %" PRIu64 " must have 1 to %d bytes, no '/' and no "
                     "':', and not begin with '.' or '-'",
                     i + 1, MOST_FILE_NAME);
    if (qn_recipe_file_find(recipe, name, strlen(name)) != &recipe->files[i])
      return qn_fail(error, QN_INVALID, "RC-7: two files have the name '%s'", name);
  }
  return QN_OK;
}

static bool is_fine_url(const char *url) {
  static const char *const schemes[] = {"https://", "http://", "s3://"};
  size_t scheme = 0;
  for (unsigned i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
    if (strncmp(url, schemes[i], strlen(schemes[i])) == 0)
      scheme = strlen(schemes[i]);
  const size_t length = strlen(url), host = scheme + strcspn(url + scheme, "/");
  bool fine = scheme && length <= MOST_URL && length > scheme;
  for (size_t i = 0; fine && i < length; i++)
    fine = url[i] > ' ' && url[i] < 0x7f && !(url[i] == '@' && i < host);
  return fine;
}

static enum qn_status check_url(const char *url, struct qn_error *error) {
  return is_fine_url(url)
             ? QN_OK
             : qn_fail(error, QN_INVALID,
                       "RC-8: a URL must begin with https://, http:// or s3://, be ASCII without "
                       "blanks, and have no user or password");
}

static enum qn_status check_urls(const struct qn_recipe *recipe, struct qn_error *error) {
  const json_t *homepage = json_object_get(recipe->json, "homepage");
  enum qn_status status = homepage ? check_url(json_string_value(homepage), error) : QN_OK;
  for (uint64_t i = 0; !status && i < recipe->num_files; i++) {
    const json_t *urls = recipe->files[i].urls;
    if (json_array_size(urls) > MOST_URLS)
      return qn_fail(error, QN_INVALID, "RC-8: '%s' has more than %d URLs", recipe->files[i].name,
                     MOST_URLS);
    for (size_t j = 0; !status && j < json_array_size(urls); j++)
      status = check_url(json_string_value(json_array_get(urls, j)), error);
  }
  return status;
}

/* ---- Lengths and sums: RC-9, RC-10 -------------------------------------------- */

static enum qn_status check_digits(const char *key, const char *text, size_t digits,
                                   struct qn_error *error) {
  return !text || (strlen(text) == digits && strspn(text, "0123456789abcdef") == digits)
             ? QN_OK
             : qn_fail(error, QN_INVALID, "RC-9: '%s' must be %zu hexadecimal digits in lower case",
                       key, digits);
}

static enum qn_status check_sums(const struct qn_recipe *recipe, struct qn_error *error) {
  const json_t *files = json_object_get(recipe->json, "files"), *bytes;
  json_int_t all = 0;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < recipe->num_files; i++) {
    bytes = json_object_get(json_array_get(files, i), "bytes");
    const json_int_t own = json_integer_value(bytes);
    if (bytes && (own < 1 || own > MOST_FILE_BYTES - all))
      return qn_fail(error, QN_INVALID,
                     "RC-9: 'bytes' must be at least 1, and all together at most 2^46");
    all += own;
    status = check_digits("sha256", recipe->files[i].sha256, 64, error);
    if (!status)
      status = check_digits("xxh3_128", recipe->files[i].xxh3_128, 32, error);
  }
  for (uint64_t i = 0; !status && i < recipe->num_steps; i++)
    status = check_digits("identity", recipe->steps[i].identity, 16, error);
  if (!status)
    status = check_digits("identity", recipe->identity, 16, error);
  return status ? status : check_digits("content", recipe->content, 16, error);
}

static enum qn_status check_tested(const struct qn_recipe *recipe, struct qn_error *error) {
  bool complete = (recipe->identity && recipe->version) || recipe->content;
  for (uint64_t i = 0; complete && i < recipe->num_files; i++) {
    const struct qn_recipe_file *file = &recipe->files[i];
    complete = file->bytes && (file->sha256 || file->xxh3_128);
  }
  return complete || !recipe->tested
             ? QN_OK
             : qn_fail(error, QN_INVALID,
                       "RC-10: a tested recipe has the bytes and a hash of each file, and the "
                       "container's identity with its version, or its content");
}

/* ---- Steps: RC-11 to RC-13 ----------------------------------------------------- */

static bool has_tables(const struct qn_recipe_step *step) {
  return json_object_get(step->options, "vertex-table") ||
         json_object_get(step->options, "edge-table");
}

static bool is_taken(const struct qn_recipe *recipe, uint64_t step) {
  for (uint64_t i = 0; i < step; i++)
    if (recipe->steps[i].name && strcmp(recipe->steps[i].name, recipe->steps[step].name) == 0)
      return true;
  return false;
}

static enum qn_status check_tools(const struct qn_recipe *recipe, struct qn_error *error) {
  if (recipe->num_steps < 1 || recipe->num_steps > MOST_STEPS)
    return qn_fail(error, QN_INVALID, "RC-11: there must be 1 to %d steps", MOST_STEPS);
  for (uint64_t i = 0; i < recipe->num_steps; i++) {
    const struct qn_recipe_step *step = &recipe->steps[i];
    const size_t inputs = json_array_size(step->inputs);
    const bool imports = strcmp(step->tool, "quern-import") == 0;
    const bool begins = imports || strcmp(step->tool, "quern-generate") == 0;
    if (step->name &&
        (!is_fine_name(step->name) || qn_recipe_file_find(recipe, step->name, strlen(step->name)) ||
         is_taken(recipe, i)))
      return qn_fail(error, QN_INVALID,
                     "RC-11: the name of what a step makes must be as those of files, and differ "
                     "from theirs and from other steps'");
    if (!qn_step_tool_is_known(step->tool))
      return qn_fail(error, QN_INVALID, "RC-11: '%.64s' is not a tool that a recipe may use",
                     step->tool);
    if (begins != (i == 0))
      return qn_fail(error, QN_INVALID,
                     "RC-11: the first step, and no other, must be quern-import or quern-generate");
    if (imports ? inputs > MOST_INPUTS || (!inputs && !has_tables(step)) : step->inputs != NULL)
      return qn_fail(
          error, QN_INVALID,
          "RC-11: quern-import must have 1 to %d inputs, or tables, and other steps none",
          MOST_INPUTS);
  }
  return QN_OK;
}

/* Does it lead out of the archive? Tools do not unpack members to files of their names. */
static bool is_fine_member(const char *member) {
  const size_t length = strlen(member);
  if (!length || strchr("/-", member[0]))
    return false;
  for (const char *part = member; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
    if (strcspn(part, "/") == 2 && part[0] == '.' && part[1] == '.')
      return false;
  return true;
}

static enum qn_status check_inputs(const struct qn_recipe *recipe, struct qn_error *error) {
  const json_t *inputs = recipe->steps[0].inputs;
  for (size_t i = 0; i < json_array_size(inputs); i++) {
    const char *input = json_string_value(json_array_get(inputs, i));
    const size_t length = strcspn(input, ":");
    if (!qn_recipe_file_find(recipe, input, length) ||
        (input[length] && !is_fine_member(input + length + 1)))
      return qn_fail(error, QN_INVALID,
                     "RC-12: the input '%.200s' must be the name of a file of the recipe, or "
                     "FILE:MEMBER",
                     input);
  }
  return QN_OK;
}

static enum qn_status check_options(const struct qn_recipe *recipe, struct qn_error *error) {
  const char *name;
  json_t *value;
  for (uint64_t i = 0; i < recipe->num_steps; i++) {
    const struct qn_recipe_step *step = &recipe->steps[i];
    json_object_foreach((json_t *)step->options, name, value) {
      enum qn_status status = qn_step_option_check(recipe, step->tool, name, value, error);
      if (status)
        return status;
    }
  }
  return QN_OK;
}

/* ---- The whole ----------------------------------------------------------------- */

static const char *string_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

static enum qn_status take_fields(struct qn_recipe *recipe, struct qn_error *error) {
  const json_t *json = recipe->json, *container = json_object_get(json, "container");
  const json_t *files = json_object_get(json, "files"), *steps = json_object_get(json, "steps");
  const uint64_t num_files = json_array_size(files), num_steps = json_array_size(steps);
  enum qn_status status =
      qn_alloc_zeroed(&recipe->files, num_files + 1, sizeof *recipe->files, "a recipe", error);
  if (!status)
    status =
        qn_alloc_zeroed(&recipe->steps, num_steps + 1, sizeof *recipe->steps, "a recipe", error);
  if (status)
    return status;
  recipe->name = string_of(json, "name");
  recipe->tested = json_is_true(json_object_get(json, "tested"));
  recipe->identity = string_of(container, "identity");
  recipe->version = string_of(container, "version");
  recipe->content = string_of(container, "content");
  recipe->num_files = num_files;
  for (uint64_t i = 0; i < num_files; i++) {
    const json_t *file = json_array_get(files, i);
    recipe->files[i] = (struct qn_recipe_file){
        .name = string_of(file, "name"),
        .urls = json_object_get(file, "urls"),
        .bytes = (uint64_t)json_integer_value(json_object_get(file, "bytes")),
        .sha256 = string_of(file, "sha256"),
        .xxh3_128 = string_of(file, "xxh3_128")};
  }
  recipe->num_steps = num_steps;
  for (uint64_t i = 0; i < num_steps; i++) {
    const json_t *step = json_array_get(steps, i);
    recipe->steps[i] = (struct qn_recipe_step){.tool = string_of(step, "tool"),
                                               .name = string_of(step, "name"),
                                               .inputs = json_object_get(step, "inputs"),
                                               .options = json_object_get(step, "options"),
                                               .identity = string_of(step, "identity")};
  }
  return QN_OK;
}

static enum qn_status check(struct qn_recipe *recipe, struct qn_error *error) {
  static enum qn_status (*const rules[])(const struct qn_recipe *, struct qn_error *) = {
      check_name,   check_file_names, check_urls,   check_sums,
      check_tested, check_tools,      check_inputs, check_options};
  const json_t *version = json_object_get(recipe->json, "quern_recipe");
  if (json_is_integer(version) && json_integer_value(version) != VERSION)
    return qn_fail(error, QN_UNSUPPORTED,
                   "RC-2: this is a recipe of version %" JSON_INTEGER_FORMAT
                   "; this build knows version %d",
                   json_integer_value(version), VERSION);
  enum qn_status status = check_shape(recipe->json, error);
  if (!status)
    status = take_fields(recipe, error);
  for (unsigned i = 0; !status && i < sizeof rules / sizeof rules[0]; i++)
    status = rules[i](recipe, error);
  return status;
}

enum qn_status qn_recipe_take(json_t *json, struct qn_recipe *recipe, struct qn_error *error) {
  *recipe = (struct qn_recipe){.json = json};
  enum qn_status status = json ? check(recipe, error) : qn_fail_memory(error, "a recipe", 0);
  if (status)
    qn_recipe_release(recipe);
  return status;
}

enum qn_status qn_recipe_parse(const char *text, uint64_t bytes, struct qn_recipe *recipe,
                               struct qn_error *error) {
  json_error_t fault;
  json_t *json = NULL;
  *recipe = (struct qn_recipe){0};
  if (bytes > MOST_BYTES)
    return qn_fail(error, QN_INVALID, "RC-1: a recipe has at most 1 MiB");
  enum qn_status status = qn_json_parse(text, bytes, JSON_REJECT_DUPLICATES, &json, &fault, error);
  if (!status && !json_is_object(json)) {
    status = qn_fail(error, QN_INVALID, "RC-1: this is not a JSON object%s%s", json ? "" : ": ",
                     json ? "" : fault.text);
    json_decref(json);
  }
  return status ? status : qn_recipe_take(json, recipe, error);
}

static enum qn_status gather(struct qn_input *input, char **text, uint64_t *bytes,
                             struct qn_error *error) {
  struct qn_input_block block = {.bytes = 1};
  enum qn_status status = QN_OK;
  while (!status && block.bytes && *bytes <= MOST_BYTES) {
    status = qn_input_next(input, &block, error);
    if (!status)
      status = qn_realloc(text, *bytes + block.bytes + 1, 1, "a recipe", error);
    if (!status && block.bytes)
      memcpy(*text + *bytes, block.data, block.bytes);
    *bytes += status ? 0 : block.bytes;
  }
  return status;
}

enum qn_status qn_recipe_read(const char *path, struct qn_recipe *recipe, struct qn_error *error) {
  struct qn_input *input;
  char *text = NULL;
  uint64_t bytes = 0;
  *recipe = (struct qn_recipe){0};
  enum qn_status status = qn_input_open(path, &QN_INPUT_DEFAULTS, &input, error);
  if (status)
    return status;
  status = gather(input, &text, &bytes, error);
  if (!status)
    status = qn_recipe_parse(text, bytes, recipe, error);
  if (status && !error->file[0])
    qn_error_in_file(error, qn_input_name(input));
  qn_input_close(input);
  qn_free(text);
  return status;
}

void qn_recipe_release(struct qn_recipe *recipe) {
  json_decref(recipe->json);
  qn_free(recipe->files);
  qn_free(recipe->steps);
  *recipe = (struct qn_recipe){0};
}
