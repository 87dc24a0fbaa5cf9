#include "support/options.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sizes.h"
#include "support/suggest.h"
#include "support/tool.h"

const struct qn_setting *qn_setting_find(const struct qn_setting *table, const char *name) {
  for (; table->name; table++)
    if (strcmp(table->name, name) == 0)
      return table;
  return NULL;
}

enum qn_status qn_word_parse(const char *const *words, const char *word, int *value,
                             struct qn_error *error) {
  char list[128] = "", suggested[QN_SUGGESTION_TEXT];
  struct qn_suggestion suggestion = qn_suggestion_for(word);
  for (int i = 0; words[i]; i++) {
    if (strcmp(words[i], word) == 0)
      return *value = i, QN_OK;
    qn_suggestion_offer(&suggestion, words[i]);
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
  }
  return qn_fail(error, QN_USAGE, "unknown value '%s'; expected one of %s%s", word, list,
                 qn_suggestion_text(&suggestion, suggested));
}

enum qn_status qn_whole_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value,
                              struct qn_error *error) {
  if (!qn_number_parse(text, most, value, NULL) && *value >= least)
    return QN_OK;
  return qn_fail(error, QN_USAGE, "'%s' is not an integer from %" PRIu64 " to %" PRIu64, text,
                 least, most);
}

enum qn_status qn_bytes_parse(const char *text, uint64_t least, uint64_t *bytes,
                              struct qn_error *error) {
  enum qn_status status = qn_size_parse(text, bytes, error);
  if (status || *bytes >= least)
    return status;
  return qn_fail(error, QN_USAGE, "'%s' is less than %" PRIu64 " %s", text, least,
                 least == 1 ? "byte" : "bytes");
}

enum qn_status qn_amount_parse(const char *text, double *value, struct qn_error *error) {
  enum qn_status status = qn_real_parse(text, value, error);
  return status || *value >= 0 ? status : qn_fail(error, QN_USAGE, "'%s' is negative", text);
}

static enum qn_status set_switch(bool *field, const char *value, struct qn_error *error) {
  static const char *const words[] = {"no", "yes", NULL};
  int chosen = 1;
  enum qn_status status = value ? qn_word_parse(words, value, &chosen, error) : QN_OK;
  *field = chosen;
  return status;
}

static enum qn_status set_field(const struct qn_setting *setting, void *options, const char *value,
                                struct qn_error *error) {
  void *field = (char *)options + setting->offset;
  switch (setting->kind) {
  case QN_SETTING_SWITCH:
    return set_switch(field, value, error);
  case QN_SETTING_CHOICE:
    return qn_word_parse(setting->words, value, field, error);
  case QN_SETTING_NUMBER:
    return qn_whole_parse(value, setting->least, setting->most, field, error);
  case QN_SETTING_SIZE:
    return qn_bytes_parse(value, setting->least, field, error);
  case QN_SETTING_REAL:
    return qn_amount_parse(value, field, error);
  case QN_SETTING_TEXT:
    *(const char **)field = value;
    return QN_OK;
  default:
    return setting->set(options, value, error);
  }
}

enum qn_status qn_setting_set(const struct qn_setting *setting, void *options, const char *value,
                              struct qn_error *error) {
  struct qn_error said;
  if (!value && setting->kind != QN_SETTING_SWITCH)
    return qn_fail(error, QN_USAGE, "--%s needs a value", setting->name);
  enum qn_status status = set_field(setting, options, value, &said);
  return status ? qn_fail(error, status, "--%s: %s", setting->name, said.message) : QN_OK;
}

error_t qn_setting_parse(const struct qn_setting *setting, const char *argument,
                         struct argp_state *state, void *target) {
  struct qn_error error;
  enum qn_status status = qn_setting_set(setting, target, argument, &error);
  if (status == QN_SYSTEM)
    exit(qn_tool_exit(status, &error));
  if (status)
    argp_error(state, "%s", error.message);
  return 0;
}

error_t qn_settings_parse(const struct argp_option *options, const struct qn_setting *table,
                          int key, const char *argument, struct argp_state *state, void *target) {
  const struct qn_setting *setting = NULL;
  for (; (options->name || options->doc) && !setting; options++)
    if (options->name && options->key == key)
      setting = qn_setting_find(table, options->name);
  return setting ? qn_setting_parse(setting, argument, state, target) : ARGP_ERR_UNKNOWN;
}

/* ---- Tables as options of a command line ---------------------------------- */

/* The key of the first row without a letter: no character's. */
#define FIRST_KEY 0x100

const struct qn_setting *qn_setting_of_key(const struct qn_setting *table, int key) {
  for (int row = 0; table[row].name; row++)
    if (key == (table[row].letter ? table[row].letter : FIRST_KEY + row))
      return &table[row];
  return NULL;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  const struct qn_settings *settings = state->input;
  const struct qn_setting *setting = qn_setting_of_key(settings->table, key);
  return setting ? qn_setting_parse(setting, argument, state, settings->target) : ARGP_ERR_UNKNOWN;
}

/* What the tables of a tool become: each once, whoever asks again. */
#define MOST_TABLES 10
#define MOST_OPTIONS 96
#define WORDS_BYTES 2048

static void need_room(bool there_is) {
  if (!there_is) /* only a new table in this program's own code can get here */
    abort();
}

/* "keep|remove", which stays. */
static const char *join_words(const char *const *words) {
  static char texts[WORDS_BYTES];
  static size_t used;
  char *text = texts + used;
  for (int i = 0; words[i]; i++) {
    need_room(used + strlen(words[i]) + 2 < WORDS_BYTES);
    used += (size_t)snprintf(texts + used, WORDS_BYTES - used, "%s%s", i ? "|" : "", words[i]);
  }
  used++;
  return text;
}

/* The rows of a table, and an end. */
static const struct argp_option *make_options(const struct qn_setting *table) {
  static struct argp_option all[MOST_OPTIONS];
  static size_t used;
  const struct argp_option *options = all + used;
  for (int row = 0; table[row].name; row++) {
    const struct qn_setting *setting = &table[row];
    const bool is_choice = !setting->argument && setting->kind != QN_SETTING_SWITCH;
    need_room(used + 1 < MOST_OPTIONS);
    all[used++] =
        (struct argp_option){.name = setting->name,
                             .key = setting->letter ? setting->letter : FIRST_KEY + row,
                             .arg = is_choice ? join_words(setting->words) : setting->argument,
                             .doc = setting->help,
                             .group = setting->group};
  }
  used++;
  return options;
}

struct argp qn_settings_argp(const struct qn_setting *table) {
  static struct {
    const struct qn_setting *table;
    const struct argp_option *options;
  } made[MOST_TABLES];
  int i = 0;
  while (i < MOST_TABLES && made[i].table && made[i].table != table)
    i++;
  need_room(i < MOST_TABLES);
  if (!made[i].table) {
    made[i].options = make_options(table);
    made[i].table = table;
  }
  return (struct argp){.options = made[i].options, .parser = parse_option};
}

void qn_settings_list(const struct qn_setting *table, json_t *array) {
  static const char *const kinds[] = {"switch", "choice", "number", "size", "real", "text", "text"};
  for (; table->name; table++) {
    json_t *row = json_pack("{s:s, s:s}", "name", table->name, "kind", kinds[table->kind]);
    json_t *words = table->words ? json_array() : NULL;
    for (int i = 0; words && table->words[i]; i++)
      json_array_append_new(words, json_string(table->words[i]));
    if (words)
      json_object_set_new(row, "choices", words);
    json_array_append_new(array, row);
  }
}

/* ---- Values on a command line --------------------------------------------- */

uint64_t qn_option_number(struct argp_state *state, const char *option, const char *text,
                          uint64_t least, uint64_t most) {
  struct qn_error error;
  uint64_t value = 0;
  if (qn_whole_parse(text, least, most, &value, &error))
    argp_error(state, "%s: %s", option, error.message);
  return value;
}

uint64_t qn_option_size(struct argp_state *state, const char *option, const char *text,
                        uint64_t least) {
  struct qn_error error;
  uint64_t bytes = 0;
  if (qn_bytes_parse(text, least, &bytes, &error))
    argp_error(state, "%s: %s", option, error.message);
  return bytes;
}

double qn_option_real(struct argp_state *state, const char *option, const char *text) {
  struct qn_error error;
  double value = 0;
  if (qn_amount_parse(text, &value, &error))
    argp_error(state, "%s: %s", option, error.message);
  return value;
}

int qn_option_choice(struct argp_state *state, const char *option, const char *const *words,
                     const char *word) {
  struct qn_error error;
  int value = 0;
  if (qn_word_parse(words, word, &value, &error))
    argp_error(state, "%s%s%s", option ? option : "", option ? ": " : "", error.message);
  return value;
}
