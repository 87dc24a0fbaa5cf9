#include "converters/import/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "converters/build_settings.h"
#include "converters/parse/column_choice.h"
#include "converters/provenance.h"
#include "support/json_text.h"

static const char *const weight_words[] = {"auto", "none", "u32", "f32", "i64", "f64", NULL};
static const char *const said_words[] = {"auto", "no", "yes", NULL}; /* also of qn_bipartite */
static const char *const escape_words[] = {"quote", "backslash", NULL};
static const char *const decimal_words[] = {"point", "comma", NULL};
static const char *const delimiter_words[] = {"auto", "comma", "semicolon", "tab",
                                              "bar",  "blank", NULL};
static const char delimiters[] = {'\0', ',', ';', '\t', '|', ' '};
static const char *const comment_words[] = {"auto", "none", "#", "%", "#%", NULL};
static const char *const comment_signs[] = {NULL, "", "##", "%%", "#%"};
static const char *const id_words[] = {"auto", "keep", "compact", "strings", NULL};

static enum qn_status set_columns(void *target, const char *text, struct qn_error *error) {
  struct qn_import_options *options = target;
  struct qn_error said;
  if (strlen(text) >= sizeof options->columns)
    return qn_fail(error, QN_USAGE, "'%.32s...' is too long", text);
  snprintf(options->columns, sizeof options->columns, "%s", text);
  if (qn_column_choice_parse(options->columns, &options->read, &said))
    return qn_fail(error, QN_USAGE, "'%s': %s", text, said.message);
  options->columns_text = text;
  return QN_OK;
}

static enum qn_status set_record(void *target, const char *text, struct qn_error *error) {
  struct qn_import_options *options = target;
  options->record_text = text;
  return qn_record_parse(text, &options->read.record, error);
}

static enum qn_status set_ids(void *target, const char *text, struct qn_error *error) {
  struct qn_import_options *options = target;
  int ids = 0;
  enum qn_status status = qn_word_parse(id_words, text, &ids, error);
  options->read.strings = ids == 3;
  options->read.compact = ids == QN_ID_COMPACT;
  options->read.numbers = ids == QN_ID_COMPACT || ids == QN_ID_KEEP;
  options->build.ids = ids == 3 ? QN_ID_AUTO : (enum qn_id_choice)ids;
  return status;
}

static enum qn_status set_weights(void *target, const char *text, struct qn_error *error) {
  struct qn_import_options *options = target;
  int weights = 0;
  enum qn_status status = qn_word_parse(weight_words, text, &weights, error);
  options->read.weights = options->build.weights = (enum qn_weight_choice)weights;
  return status;
}

static enum qn_status set_delimiter(void *target, const char *text, struct qn_error *error) {
  struct qn_import_options *options = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(delimiter_words, text, &chosen, error);
  options->read.text.delimiter = delimiters[chosen];
  return status;
}

static enum qn_status set_decimal(void *target, const char *text, struct qn_error *error) {
  struct qn_import_options *options = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(decimal_words, text, &chosen, error);
  options->read.text.decimal_comma = chosen == 1;
  return status;
}

static enum qn_status set_comments(void *target, const char *text, struct qn_error *error) {
  struct qn_import_options *options = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(comment_words, text, &chosen, error);
  options->read.text.comments = comment_signs[chosen];
  return status;
}

static enum qn_status set_properties(void *target, const char *text, struct qn_error *error) {
  struct qn_import_options *options = target;
  if (!*text)
    return qn_fail(error, QN_USAGE, "write for example all, or since:i64,label");
  options->properties = text;
  options->read.others_wanted = true;
  return QN_OK;
}

/* A number of vertices, or a table of them. */
static enum qn_status set_vertices(void *target, const char *text, struct qn_error *error) {
  struct qn_import_options *options = target;
  size_t digits = strspn(text, "0123456789");
  if (text[0] && (text[digits] || digits > 20) && access(text, F_OK) == 0) {
    options->vertex_table = text;
    return QN_OK;
  }
  return qn_whole_parse(text, 1, UINT32_MAX, &options->read.num_vertices, error);
}

#define FIELD(name) offsetof(struct qn_import_options, name)
const struct qn_setting qn_import_settings[] = {
    {"format", QN_SETTING_TEXT, FIELD(format), NULL, 0, 0, NULL},
    {"member", QN_SETTING_TEXT, FIELD(input.member), NULL, 0, 0, NULL},
    {"max-bytes", QN_SETTING_SIZE, FIELD(input.max_bytes), NULL, 0, 0, NULL},
    {"max-expansion", QN_SETTING_NUMBER, FIELD(input.max_expansion), NULL, 0, UINT64_MAX - 1, NULL},
    {"columns", QN_SETTING_OWN, 0, NULL, 0, 0, set_columns},
    {"delimiter", QN_SETTING_OWN, 0, delimiter_words, 0, 0, set_delimiter},
    {"header", QN_SETTING_CHOICE, FIELD(read.text.header), said_words, 0, 0, NULL},
    {"quotes", QN_SETTING_CHOICE, FIELD(read.text.quotes), said_words, 0, 0, NULL},
    {"escape", QN_SETTING_CHOICE, FIELD(read.text.escape), escape_words, 0, 0, NULL},
    {"decimal", QN_SETTING_OWN, 0, decimal_words, 0, 0, set_decimal},
    {"comments", QN_SETTING_OWN, 0, comment_words, 0, 0, set_comments},
    {"trailing-comments", QN_SETTING_SWITCH, FIELD(read.text.trailing_comments), NULL, 0, 0, NULL},
    {"record", QN_SETTING_OWN, 0, NULL, 0, 0, set_record},
    {"vertices", QN_SETTING_OWN, 0, NULL, 0, 0, set_vertices},
    {"properties", QN_SETTING_OWN, 0, NULL, 0, 0, set_properties},
    {"bipartite", QN_SETTING_CHOICE, FIELD(read.bipartite), said_words, 0, 0, NULL},
    {"max-bad", QN_SETTING_NUMBER, FIELD(read.max_bad), NULL, 0, UINT64_MAX - 1, NULL},
    {"weights", QN_SETTING_OWN, 0, weight_words, 0, 0, set_weights},
    {"narrow-weights", QN_SETTING_SWITCH, FIELD(build.narrow_weights), NULL, 0, 0, NULL},
    {"ids", QN_SETTING_OWN, 0, id_words, 0, 0, set_ids},
    {"directed", QN_SETTING_SWITCH, FIELD(directed), NULL, 0, 0, NULL},
    {"strict", QN_SETTING_SWITCH, FIELD(strict), NULL, 0, 0, NULL},
    {0}};

void qn_import_options_begin(struct qn_import_options *options) {
  *options = (struct qn_import_options){
      .format = "auto", .input = QN_INPUT_DEFAULTS, .build.num_vertices = QN_VERTICES_FROM_EDGES};
}

enum qn_status qn_import_options_settle(const struct qn_import_options *options,
                                        struct qn_error *error) {
  const struct qn_read_options *read = &options->read;
  bool bipartite = read->bipartite == QN_BIPARTITE_YES;
  if (options->directed && options->build.undirected)
    return qn_fail(error, QN_USAGE, "a graph is --directed or --undirected");
  if (bipartite && read->numbers)
    return qn_fail(error, QN_USAGE,
                   "--bipartite=yes makes names of ids; it does not go with --ids=keep or compact");
  if (read->num_vertices && (read->compact || read->strings || bipartite))
    return qn_fail(error, QN_USAGE,
                   "--vertices are 0 to N - 1; it does not go with --ids=compact, --ids=strings or "
                   "--bipartite=yes");
  if ((options->properties || options->vertex_table) && read->max_bad)
    return qn_fail(error, QN_USAGE, "--max-bad does not go with properties");
  if (options->properties && options->build.duplicates >= QN_DUPLICATES_MIN)
    return qn_fail(error, QN_USAGE,
                   "--duplicates=min and sum make one edge of several, and cannot tell whose "
                   "--properties it has: --duplicates=remove keeps the first edge with its own");
  if (read->text.escape == QN_ESCAPE_BACKSLASH &&
      (read->text.quotes != QN_SAID_NOTHING || read->text.trailing_comments))
    return qn_fail(error, QN_USAGE,
                   "--escape=backslash does not go with --quotes or --trailing-comments");
  return qn_build_check(&options->build, error);
}

/* ---- Provenance ----------------------------------------------------------- */

static enum qn_status record_text_options(json_t *p, const struct qn_text_choice *text,
                                          struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (int i = 1; delimiter_words[i] && !status; i++)
    if (text->delimiter == delimiters[i])
      status = qn_provenance_option(p, "delimiter", json_string(delimiter_words[i]), error);
  if (!status && text->header != QN_SAID_NOTHING)
    status = qn_provenance_option(p, "header", json_string(said_words[text->header]), error);
  if (!status && text->quotes != QN_SAID_NOTHING)
    status = qn_provenance_option(p, "quotes", json_string(said_words[text->quotes]), error);
  if (!status && text->escape == QN_ESCAPE_BACKSLASH)
    status = qn_provenance_option(p, "escape", json_string(escape_words[text->escape]), error);
  if (!status && text->decimal_comma)
    status = qn_provenance_option(p, "decimal", json_string("comma"), error);
  for (int i = 1; comment_words[i] && !status; i++)
    if (text->comments == comment_signs[i])
      status = qn_provenance_option(p, "comments", json_string(comment_words[i]), error);
  if (!status && text->trailing_comments)
    status = qn_provenance_option(p, "trailing_comments", json_true(), error);
  return status;
}

enum qn_status qn_provenance_import(json_t *p, const struct qn_import_options *options,
                                    const struct qn_build *build, struct qn_error *error) {
  const struct qn_read_options *read = &options->read;
  enum qn_status status;
  if ((status = qn_provenance_build(p, build, error)) ||
      (status =
           qn_provenance_option(p, "weights", json_string(weight_words[build->weights]), error)) ||
      (status = qn_provenance_option(
           p, "ids", json_string(read->strings ? "strings" : id_words[build->ids]), error)) ||
      (status =
           qn_provenance_option(p, "narrow_weights", json_boolean(build->narrow_weights), error)) ||
      (status = qn_provenance_option(p, "max_bad", json_integer((json_int_t)read->max_bad), error)))
    return status;
  if (read->bipartite != QN_BIPARTITE_AUTO &&
      (status =
           qn_provenance_option(p, "bipartite", json_string(said_words[read->bipartite]), error)))
    return status;
  if (read->num_vertices &&
      (status = qn_provenance_option(p, "vertices", json_integer((json_int_t)read->num_vertices),
                                     error)))
    return status;
  if (options->properties &&
      (status = qn_provenance_option(p, "properties", qn_json_text(options->properties), error)))
    return status;
  if (options->record_text &&
      (status = qn_provenance_option(p, "record", json_string(options->record_text), error)))
    return status;
  if ((status = record_text_options(p, &read->text, error)) || !options->columns_text)
    return status;
  return qn_provenance_option(p, "columns", qn_json_text(options->columns_text), error);
}
