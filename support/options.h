/* Options: their values, and tables of them by name, which a tool's command line and calls of the
 * library share. */
#pragma once

#include <argp.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include <quern/error.h>

/* What the field of a setting is. */
enum qn_setting_kind {
  QN_SETTING_SWITCH, /* bool */
  QN_SETTING_CHOICE, /* an enum: the place of the value in `words` */
  QN_SETTING_NUMBER, /* uint64_t from `least` to `most` */
  QN_SETTING_SIZE,   /* uint64_t, "64K", at least `least` */
  QN_SETTING_REAL,   /* double, finite, not negative */
  QN_SETTING_TEXT,   /* const char *, borrowed */
  QN_SETTING_OWN,    /* what `set` makes of it */
};

struct qn_setting {
  const char *name; /* without dashes */
  enum qn_setting_kind kind;
  size_t offset;            /* of the field in its options */
  const char *const *words; /* NULL-terminated */
  uint64_t least, most;
  /* QN_USAGE says what is wrong with the value. */
  enum qn_status (*set)(void *options, const char *value, struct qn_error *error);
  /* On a command line, as argp has them. */
  int letter;           /* a short option; 0: none */
  const char *argument; /* what help calls the value; NULL: a switch has none, others say `words` */
  int group;
  const char *help;
};

/* A table, which a row without a name ends, and the struct that it is of. */
struct qn_settings {
  const struct qn_setting *table; /* NULL: the end of a list */
  void *target;
};

/* NULL if the table has no such setting. */
const struct qn_setting *qn_setting_find(const struct qn_setting *table, const char *name);

/* Set a field of `options`. A switch takes "yes", "no" or NULL, which is yes; others need a value.
 * QN_USAGE says "--name: ...". */
enum qn_status qn_setting_set(const struct qn_setting *setting, void *options, const char *value,
                              struct qn_error *error);

/* A child for an argp parser: an option for each row of the table. Its input is a `struct
 * qn_settings` of the table. What it points to stays for the whole of the process. */
struct argp qn_settings_argp(const struct qn_setting *table);
/* The setting that such an option is of; NULL for another key. */
const struct qn_setting *qn_setting_of_key(const struct qn_setting *table, int key);
/* What such an option does. */
error_t qn_setting_parse(const struct qn_setting *setting, const char *argument,
                         struct argp_state *state, void *target);

/* For options of an argp's own: set the field for `key`, whose name `options` tells.
 * ARGP_ERR_UNKNOWN if the table has none. */
error_t qn_settings_parse(const struct argp_option *options, const struct qn_setting *table,
                          int key, const char *argument, struct argp_state *state, void *target);

/* Add [{"name", "kind": "switch", "choice", "number", "size", "real" or "text", "choices": []}] to
 * a JSON array. */
void qn_settings_list(const struct qn_setting *table, json_t *array);

/* ---- Values --------------------------------------------------------------- */

/* The place of `word` in a NULL-terminated list. QN_USAGE lists the words. */
enum qn_status qn_word_parse(const char *const *words, const char *word, int *value,
                             struct qn_error *error);
/* A whole number from `least` to `most`; a size of `least` bytes at least; a finite number that is
 * not negative. QN_USAGE if it is none. */
enum qn_status qn_whole_parse(const char *text, uint64_t least, uint64_t most, uint64_t *value,
                              struct qn_error *error);
enum qn_status qn_bytes_parse(const char *text, uint64_t least, uint64_t *bytes,
                              struct qn_error *error);
enum qn_status qn_amount_parse(const char *text, double *value, struct qn_error *error);

/* ---- Values on a command line ---------------------------------------------
 *
 * What is none is an error of usage (argp_error, exit code 2), which names the option as it is
 * given, for example "--width". */

/* A whole number from `least` to `most`. */
uint64_t qn_option_number(struct argp_state *state, const char *option, const char *text,
                          uint64_t least, uint64_t most);

/* A size such as 64K or 1.5G (sizes.h) in bytes, at least `least`. */
uint64_t qn_option_size(struct argp_state *state, const char *option, const char *text,
                        uint64_t least);

/* A finite number that is not negative. */
double qn_option_real(struct argp_state *state, const char *option, const char *text);

/* The place of `word` in a NULL-terminated list, which is the value of the enum that it names.
 * `option` is NULL for what is no option's value. */
int qn_option_choice(struct argp_state *state, const char *option, const char *const *words,
                     const char *word);
