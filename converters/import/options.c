#include "converters/import/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "converters/build_settings.h"
#include "converters/parse/column_choice.h"
#include "converters/provenance.h"
#include "support/json_text.h"
#include "support/text/url.h"

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
  return qn_whole_parse(text, 1, INT64_MAX, &options->read.num_vertices, error);
}

#define FIELD(name) offsetof(struct qn_import_options, name)
const struct qn_setting qn_import_settings[] = {
    {"format", QN_SETTING_TEXT, FIELD(format), .argument = "NAME", .group = 1,
     .help = "The format of the input; auto (default) recognises it by its content"},
    {"member", QN_SETTING_TEXT, FIELD(input.member), .argument = "NAME", .group = 1,
     .help = "The member of an archive to read, if it has several"},
    {"max-bytes", QN_SETTING_SIZE, FIELD(input.max_bytes), .argument = "SIZE", .group = 1,
     .help = "Refuse packed inputs that hold more than SIZE (default: 1T)"},
    {"max-expansion", QN_SETTING_NUMBER, FIELD(input.max_expansion), .most = UINT64_MAX - 1,
     .argument = "N", .group = 1,
     .help = "Refuse packed inputs that hold more than 256M and N times their size (default: 250)"},
    {"columns", QN_SETTING_OWN, .set = set_columns, .argument = "S,D[,W]", .group = 1,
     .help = "Of edge lists: the columns of source, destination and weight, by number from 1 or by "
             "name in the header (default: those that the header calls source, src, from, u, start "
             "or :START_ID; target, dst, to, v, end or :END_ID; weight, w or value; else 1,2,3)"},
    {"delimiter", QN_SETTING_OWN, .words = delimiter_words, .set = set_delimiter, .group = 1,
     .help = "Of edge lists: what separates columns. auto (default): the one that gives all of the "
             "first lines the same number of columns"},
    {"header", QN_SETTING_CHOICE, FIELD(read.text.header), .words = said_words, .group = 1,
     .help = "Of edge lists: whether the first line names columns. auto (default): decide by its "
             "content"},
    {"quotes", QN_SETTING_CHOICE, FIELD(read.text.quotes), .words = said_words, .group = 1,
     .help = "Of edge lists: yes: values in double quotes may break lines. no: quotes are text. "
             "auto (default): yes if one of the first values is in quotes"},
    {"escape", QN_SETTING_CHOICE, FIELD(read.text.escape), .words = escape_words, .group = 1,
     .help = "Of edge lists: what escapes a quote inside a quoted value: another quote (default), "
             "or a backslash, as Spark writes it"},
    {"decimal", QN_SETTING_OWN, .words = decimal_words, .set = set_decimal, .group = 1,
     .help = "Of edge lists: the decimal separator of weights (default: point)"},
    {"comments", QN_SETTING_OWN, .words = comment_words, .set = set_comments, .group = 1,
     .help = "Of edge lists: the characters that begin a comment line. auto (default): # and %, "
             "but a line that may be an edge is refused"},
    {"trailing-comments", QN_SETTING_SWITCH, FIELD(read.text.trailing_comments), .group = 1,
     .help = "Of edge lists: a # after a blank begins a comment"},
    {"record", QN_SETTING_OWN, .set = set_record, .argument = "IDS[,WEIGHT][,big]", .group = 1,
     .help = "Of pairs: what an edge is. Source and destination: u32, u64 or packed (Graph500's 48 "
             "bits); weight: u32, f32, i64 or f64; big-endian"},
    {"vertices", QN_SETTING_OWN, .set = set_vertices, .argument = "N|FILE", .group = 1,
     .help =
         "There are N vertices, 0 to N - 1, with edges or not (default: as many as the input says "
         "or ids need). FILE: those in this CSV file, or of tables in this Parquet or Arrow file, "
         "by its column id or :ID; its other columns become properties of vertices"},
    {"names", QN_SETTING_TEXT, FIELD(names), .argument = "FILE[,FILE...]", .group = 1,
     .help = "Vertex v is called what line v + 1 of FILE says, of inputs that number vertices from "
             "0, such as WebGraph. Lines may have the number before the name and more behind it, "
             "between tabs"},
    {"properties", QN_SETTING_OWN, .set = set_properties, .argument = "all|NAME[:TYPE],...",
     .group = 1,
     .help =
         "Keep these columns of edge lists and tables as properties of edges, by name in the "
         "header or by number from 1, or these data of vertices and edges in GraphML, GEXF, GML, "
         "JSON and METIS; as u32, u64, i64, f32, f64, bool or string (default: what the file says, "
         "else the first that holds all values exactly). all,NAME:TYPE says the type of one"},
    {"bipartite", QN_SETTING_CHOICE, FIELD(read.bipartite), .words = said_words, .group = 1,
     .help = "Of edge lists: sources and destinations are different vertices even where their ids "
             "are equal; they are called L and R followed by the id. auto (default): yes if a "
             "KONECT header says so"},
    {"max-bad", QN_SETTING_NUMBER, FIELD(read.max_bad), .most = UINT64_MAX - 1, .argument = "N",
     .group = 1, .help = "Skip, list and count up to N bad lines (default: 0)"},
    {"weights", QN_SETTING_OWN, .words = weight_words, .set = set_weights, .group = 2,
     .help = "auto (default): u32 or i64 if all weights are integers that fit, else f32 or f64; "
             "none: drop them"},
    {"narrow-weights", QN_SETTING_SWITCH, FIELD(build.narrow_weights), .group = 2,
     .help = "Keep weights that are not u32 as f32 (with --weights=f64: as f64), round those that "
             "do not fit, and say by how much"},
    {"ids", QN_SETTING_OWN, .words = id_words, .set = set_ids, .argument = "keep|compact|strings",
     .group = 2,
     .help = "keep: vertex v is the one called v. compact: number the ids that occur in ascending "
             "order, and keep the map. strings: ids are any text. Default: keep if there are no "
             "gaps, else compact"},
    {"directed", QN_SETTING_SWITCH, FIELD(directed), .group = 2,
     .help = "Edges are directed (default, unless the format says otherwise); refuse an input that "
             "calls them undirected"},
    {"strict", QN_SETTING_SWITCH, FIELD(strict), .group = 2,
     .help = "Refuse, instead of warning, where something unclear changes what the graph means"},
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
  if (options->names && (read->compact || read->strings || bipartite || read->num_vertices))
    return qn_fail(
        error, QN_USAGE,
        "--names is for vertices that are numbered from 0, as many as there are names; it "
        "does not go with --vertices=N, --ids=compact, --ids=strings or --bipartite=yes");
  if ((options->properties || options->vertex_table) && read->max_bad)
    return qn_fail(error, QN_USAGE, "--max-bad does not go with properties");
  if (options->properties && options->build.duplicates >= QN_DUPLICATES_MIN)
    return qn_fail(error, QN_USAGE,
                   "--duplicates=min and sum make one edge of several, and cannot choose whose "
                   "--properties to keep: --duplicates=remove keeps the first edge with its own");
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

/* As it is among the inputs. */
static json_t *base_name(const char *path) {
  char shown[QN_PATH_SHOWN];
  const char *text = qn_path_shown(path, shown, sizeof shown), *slash = strrchr(text, '/');
  return qn_json_text(slash ? slash + 1 : text);
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
  if (strcmp(options->format, "auto") != 0 &&
      (status = qn_provenance_option(p, "format", qn_json_text(options->format), error)))
    return status;
  if (options->vertex_table &&
      (status = qn_provenance_option(p, "vertices", base_name(options->vertex_table), error)))
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
