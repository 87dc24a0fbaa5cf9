/* quern-import: graphs from the outside world into graph containers. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "converters/build/build.h"
#include "converters/format.h"
#include "converters/input/input.h"
#include "converters/input_estimate.h"
#include "converters/input_paths.h"
#include "converters/parse/column_choice.h"
#include "converters/parse/names.h"
#include "converters/provenance.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/memory_plan.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/build_options.h"
#include <quern/layouts.h>
#include <quern/metadata.h>

struct options {
  struct qn_tool_options shared;
  struct qn_read_options read;
  struct qn_build build;
  struct qn_input_options input;
  struct qn_memory_options memory;
  const char *output;
  const char *format;
  char **inputs;
  int num_inputs;
  bool list_formats;
  const char *record_text;  /* --record as given */
  const char *columns_text; /* --columns as given */
  char columns[512];        /* the same, cut up */
};

/* ---- Command line --------------------------------------------------------- */

enum {
  KEY_FORMAT = 0x3001,
  KEY_FORMATS,
  KEY_WEIGHTS,
  KEY_IDS,
  KEY_MAX_BAD,
  KEY_COLUMNS,
  KEY_RECORD,
  KEY_VERTICES,
  KEY_BIPARTITE,
  KEY_DELIMITER,
  KEY_HEADER,
  KEY_QUOTES,
  KEY_DECIMAL,
  KEY_TRAILING_COMMENTS,
  KEY_MEMBER,
  KEY_MAX_BYTES,
  KEY_MAX_EXPANSION,
  KEY_NARROW_WEIGHTS,
};

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "Write the container to FILE (required)", 1},
    {"format", KEY_FORMAT, "NAME", 0, "What the input is; auto (default) looks at its content", 1},
    {"formats", KEY_FORMATS, NULL, 0,
     "List every format, what is supported and what is lost (also with --json)", 1},
    {"member", KEY_MEMBER, "NAME", 0, "The member of an archive to read, if it has several", 1},
    {"max-bytes", KEY_MAX_BYTES, "SIZE", 0,
     "Refuse packed inputs that hold more than SIZE (default: 1T)", 1},
    {"max-expansion", KEY_MAX_EXPANSION, "N", 0,
     "Refuse packed inputs that hold more than 256M and N times their size (default: 250)", 1},
    {"columns", KEY_COLUMNS, "S,D[,W]", 0,
     "Of edge lists: the columns of source, destination and weight, by number from 1 or by name in "
     "the header (default: those that the header calls source, src, from, u, start or :START_ID; "
     "target, dst, to, v, end or :END_ID; weight, w or value; else 1,2,3)",
     1},
    {"delimiter", KEY_DELIMITER, "auto|comma|semicolon|tab|bar|blank", 0,
     "Of edge lists: what separates columns. auto (default): what gives all of the first lines the "
     "same columns",
     1},
    {"header", KEY_HEADER, "auto|no|yes", 0,
     "Of edge lists: whether the first line names columns. auto (default): if it can be told", 1},
    {"quotes", KEY_QUOTES, "auto|no|yes", 0,
     "Of edge lists: yes: values in double quotes may break lines. no: quotes are text. auto "
     "(default): yes if one of the first values is in quotes",
     1},
    {"decimal", KEY_DECIMAL, "point|comma", 0,
     "Of edge lists: what weights have before their fraction (default: point)", 1},
    {"trailing-comments", KEY_TRAILING_COMMENTS, NULL, 0,
     "Of edge lists: # with a blank before it begins a comment", 1},
    {"record", KEY_RECORD, "IDS[,WEIGHT][,big]", 0,
     "Of pairs: what an edge is. Source and destination: u32, u64 or packed (Graph500's 48 bits); "
     "weight: u32 or f32; big-endian",
     1},
    {"vertices", KEY_VERTICES, "N", 0,
     "There are N vertices, 0 to N - 1, with edges or not (default: as many as the input says or "
     "ids need)",
     1},
    {"bipartite", KEY_BIPARTITE, "auto|no|yes", 0,
     "Of edge lists: sources and destinations are different things even where ids are equal; they "
     "are called L and R with the id behind it. auto (default): if a KONECT header says so",
     1},
    {"max-bad", KEY_MAX_BAD, "N", 0, "Skip, list and count up to N bad lines (default: 0)", 1},
    {"weights", KEY_WEIGHTS, "auto|none|u32|f32", 0,
     "auto (default): u32 if all weights are whole numbers that fit, else f32; none: drop them", 2},
    {"narrow-weights", KEY_NARROW_WEIGHTS, NULL, 0,
     "Round whole weights, and real ones from 2^24 on, that f32 cannot hold, and say by how much "
     "(default: refuse them)",
     2},
    {"ids", KEY_IDS, "keep|compact|strings", 0,
     "keep: vertex v is the one called v. compact: number the ids that occur in ascending order, "
     "and keep the map. strings: ids are any text. Default: keep if there are no gaps, else "
     "compact",
     2},
    {0}};

static const char *const weight_words[] = {"auto", "none", "u32", "f32", NULL};
static const char *const said_words[] = {"auto", "no", "yes", NULL}; /* also of qn_bipartite */
static const char *const decimal_words[] = {"point", "comma", NULL};
static const char *const delimiter_words[] = {"auto", "comma", "semicolon", "tab",
                                              "bar",  "blank", NULL};
static const char delimiters[] = {'\0', ',', ';', '\t', '|', ' '};
static const char *const id_words[] = {"auto", "keep", "compact", "strings", NULL};

static void parse_columns(struct argp_state *state, const char *text, struct options *options) {
  struct qn_error error;
  if (strlen(text) >= sizeof options->columns)
    argp_error(state, "--columns: '%.32s...' is too long", text);
  snprintf(options->columns, sizeof options->columns, "%s", text);
  if (qn_column_choice_parse(options->columns, &options->read, &error))
    argp_error(state, "--columns: '%s': %s", text, error.message);
  options->columns_text = text;
}

static void parse_ids(struct argp_state *state, const char *text, struct options *options) {
  int ids = qn_option_choice(state, "--ids", id_words, text);
  options->read.strings = ids == 3;
  options->read.compact = ids == QN_ID_COMPACT;
  options->read.numbers = ids == QN_ID_COMPACT || ids == QN_ID_KEEP;
  options->build.ids = ids == 3 ? QN_ID_AUTO : (enum qn_id_choice)ids;
}

static void finish_command_line(struct argp_state *state, struct options *options) {
  struct qn_error error;
  if (options->list_formats)
    return;
  if (options->num_inputs == 0)
    argp_error(state, "name an input (or - for standard input)");
  if (!options->output)
    argp_error(state, "name the container to write with -o");
  if (options->read.bipartite == QN_BIPARTITE_YES && options->read.numbers)
    argp_error(state,
               "--bipartite=yes makes names of ids; it does not go with --ids=keep or compact");
  if (options->read.num_vertices && (options->read.compact || options->read.strings ||
                                     options->read.bipartite == QN_BIPARTITE_YES))
    argp_error(state, "--vertices are 0 to N - 1; it does not go with --ids=compact, --ids=strings "
                      "or --bipartite=yes");
  if (qn_build_check(&options->build, &error))
    argp_error(state, "%s", error.message);
}

/* How delimited text is written. */
static error_t parse_text_option(int key, char *argument, struct argp_state *state,
                                 struct qn_text_choice *text) {
  switch (key) {
  case KEY_DELIMITER:
    text->delimiter = delimiters[qn_option_choice(state, "--delimiter", delimiter_words, argument)];
    return 0;
  case KEY_HEADER:
    text->header = (enum qn_said)qn_option_choice(state, "--header", said_words, argument);
    return 0;
  case KEY_QUOTES:
    text->quotes = (enum qn_said)qn_option_choice(state, "--quotes", said_words, argument);
    return 0;
  case KEY_DECIMAL:
    text->decimal_comma = qn_option_choice(state, "--decimal", decimal_words, argument) == 1;
    return 0;
  case KEY_TRAILING_COMMENTS:
    text->trailing_comments = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct qn_build *build = &options->build;
  struct qn_error error;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->build;
    state->child_inputs[1] = &options->memory;
    state->child_inputs[2] = &options->shared;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case KEY_FORMAT:
    options->format = argument;
    return 0;
  case KEY_FORMATS:
    options->list_formats = true;
    return 0;
  case KEY_MEMBER:
    options->input.member = argument;
    return 0;
  case KEY_MAX_BYTES:
    options->input.max_bytes = qn_option_size(state, "--max-bytes", argument, 0);
    return 0;
  case KEY_MAX_EXPANSION:
    options->input.max_expansion =
        qn_option_number(state, "--max-expansion", argument, 0, UINT64_MAX - 1);
    return 0;
  case KEY_COLUMNS:
    parse_columns(state, argument, options);
    return 0;
  case KEY_RECORD:
    if (qn_record_parse(argument, &options->read.record, &error))
      argp_error(state, "--record: %s", error.message);
    options->record_text = argument;
    return 0;
  case KEY_VERTICES:
    options->read.num_vertices = qn_option_number(state, "--vertices", argument, 1, UINT32_MAX);
    return 0;
  case KEY_BIPARTITE:
    options->read.bipartite =
        (enum qn_bipartite)qn_option_choice(state, "--bipartite", said_words, argument);
    return 0;
  case KEY_MAX_BAD:
    options->read.max_bad = qn_option_number(state, "--max-bad", argument, 0, UINT64_MAX - 1);
    return 0;
  case KEY_WEIGHTS:
    build->weights =
        (enum qn_weight_choice)qn_option_choice(state, "--weights", weight_words, argument);
    options->read.weights = build->weights;
    return 0;
  case KEY_NARROW_WEIGHTS:
    build->narrow_weights = true;
    return 0;
  case KEY_IDS:
    parse_ids(state, argument, options);
    return 0;
  case ARGP_KEY_ARGS:
    options->inputs = state->argv + state->next;
    options->num_inputs = state->argc - state->next;
    return 0;
  case ARGP_KEY_END:
    finish_command_line(state, options);
    return 0;
  default:
    return parse_text_option(key, argument, state, &options->read.text);
  }
}

static const char documentation[] =
    "Import a graph: read INPUT (several are joined; - is standard input) and write a graph "
    "container.\v"
    "Inputs may be plain, gzip, bzip2, xz, zstd or lz4, or members of tar and zip archives "
    "(archive:member), or a folder that quern-export wrote. Packing and format are "
    "recognised by content; what was found is printed, with the option that forces it.\n\n"
    "Formats:\n%s\n"
    "With --memory edges are sorted in temporary files; the ids that occur, unless they are the "
    "vertices (--ids=keep, or declared by the format), and names (--ids=strings) stay in memory, "
    "which they must fit into.\n\n"
    "The ledger printed at the end accounts for every line and edge; the container's metadata "
    "keeps it.\n\n"
    "Exit status: 0; 2 for a wrong command line or if FILE exists (see --force); 3 for invalid "
    "input, with the place in the message and no FILE left behind; 5 if reading, writing or memory "
    "fails.\n\n"
    "Example, a clean undirected graph:\n"
    "  quern-import soc.txt.gz -o soc.qrn --undirected \\\n"
    "    --self-loops=remove --duplicates=remove";

static char *help_filter(int key, const char *text, void *input) {
  (void)input;
  return qn_formats_help(false, key, text);
}

/* ---- Reading -------------------------------------------------------------- */

struct seconds {
  double read, build, write, total;
};

struct import {
  const struct options *options;
  struct qn_edge_list *list;
  const struct qn_reader *reader; /* of the last input */
  struct qn_read_result result;
  struct qn_memory_plan plan;
  struct qn_writer *writer;
  json_t *provenance;
  struct seconds seconds;
  const struct qn_input_digest *expected; /* of an input that another names */
};

/* Readers that name vertices share a map of names, but cannot join what others have numbered. */
static bool join(const struct qn_reader *a, const struct qn_reader *b) {
  return a->release == b->release && (!a->release || a->release == qn_names_release);
}

static enum qn_status choose_reader(struct import *import, struct qn_input *input,
                                    struct qn_error *error) {
  const struct options *options = import->options;
  const struct qn_reader *before = import->reader;
  bool named = options->read.strings || options->read.bipartite == QN_BIPARTITE_YES;
  const char *format =
      named && strcmp(options->format, "edges") == 0 ? "named-edges" : options->format;
  enum qn_status status = strcmp(format, "auto") != 0
                              ? qn_reader_by_name(format, &import->reader, error)
                              : qn_reader_detect(input, &options->read, &import->reader, error);
  if (status)
    return status;
  if (!before || before == import->reader || join(before, import->reader))
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "this input is %s, but those before are %s; --format or --ids=strings "
          "makes all the same",
          import->reader->name, before->name);
  import->reader = before;
  return qn_error_in_file(error, qn_input_name(input));
}

/* Unpacking takes a processor all the time, and parsing less: a thread more would only compete with
 * it, waiting for the next block. Returns the number of threads before. */
static unsigned leave_thread_to_unpack(const struct qn_input *input) {
  unsigned threads = qn_threads();
  if (threads > 1 && strcmp(qn_input_packing(input), "plain") != 0)
    qn_threads_set(threads - 1);
  return threads;
}

/* Of what lies in an archive the digest is the archive's. */
static enum qn_status check_digest(const struct import *import, const struct qn_input *input,
                                   const struct qn_input_digest *digest, struct qn_error *error) {
  const struct qn_input_digest *expected = import->expected;
  if (!expected || !expected->xxh3_128[0] || strcmp(qn_input_packing(input), "plain") != 0 ||
      (expected->bytes == digest->bytes && strcmp(expected->xxh3_128, digest->xxh3_128) == 0))
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "this is not the file that is announced: %" PRIu64 " bytes with the hash %s, but there "
          "are %" PRIu64 " with %s",
          expected->bytes, expected->xxh3_128, digest->bytes, digest->xxh3_128);
  return qn_error_in_file(error, qn_input_name(input));
}

static enum qn_status read_input(struct import *import, struct qn_input *input,
                                 const struct qn_reader *reader, uint64_t *sequence,
                                 struct qn_error *error) {
  const struct options *options = import->options;
  struct qn_read_result *result = &import->result;
  struct qn_input_digest digest;
  bool forced = reader || strcmp(options->format, "auto") != 0;
  enum qn_status status = QN_OK;
  if (reader)
    import->reader = reader;
  else
    status = choose_reader(import, input, error);
  if (status)
    return status;
  result->description[0] = 0;
  qn_progress_begin("reading", "bytes", 0);
  unsigned threads = leave_thread_to_unpack(input);
  status = import->reader->read(input, &options->read, import->list, sequence, result, error);
  qn_threads_set(threads);
  qn_progress_end();
  if (status == QN_INVALID)
    status = qn_input_explain(input, error);
  if (status)
    return status;
  qn_notice("%s: %s, %s%s%s%s", qn_input_name(input), qn_input_packing(input), import->reader->name,
            forced ? "" : " (--format forces another)", result->description[0] ? ": " : "",
            result->description);
  if ((status = qn_input_digest(input, &digest, error)) ||
      (status = check_digest(import, input, &digest, error)))
    return status;
  return qn_provenance_input(import->provenance, qn_input_base_name(input), import->reader->name,
                             &digest, error);
}

static void close_input(void *input) {
  qn_input_close(input);
}

static enum qn_status read_path(struct import *import, const char *path, const char *member,
                                const struct qn_reader *reader, uint64_t *sequence,
                                struct qn_error *error) {
  struct qn_input_options how = import->options->input;
  struct qn_input *input;
  how.member = member;
  enum qn_status status = qn_input_kept(import->options->output, path, error);
  if (!status) /* which what names others has just named, if it was not on the command line */
    status = qn_input_open(path, &how, &input, error);
  if (status)
    return status;
  import->result.keeps_input = false;
  status = read_input(import, input, reader, sequence, error);
  if (!status && import->result.keeps_input)
    status = qn_edge_list_keep(import->list, input, close_input, error);
  if (status || !import->result.keeps_input)
    qn_input_close(input);
  return status;
}

/* Do the inputs that `path` named hold what it said, beyond what was there before? */
static enum qn_status check_named(const struct import *import, const struct qn_named_inputs *named,
                                  const struct qn_read_result *before, const char *path,
                                  struct qn_error *error) {
  const struct qn_read_result *result = &import->result;
  uint64_t vertices = result->vertices_listed - before->vertices_listed;
  uint64_t edges = result->ledger.edges_read - before->ledger.edges_read + result->ledger.rejected -
                   before->ledger.rejected;
  if (!named->counted || (named->num_vertices == vertices && named->num_edges == edges))
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "%" PRIu64 " vertices and %" PRIu64 " edges are announced here, but there are %" PRIu64
          " and %" PRIu64,
          named->num_vertices, named->num_edges, vertices, edges);
  return qn_error_in_file(error, path);
}

/* As read_path, of what may not name others in its turn. */
static enum qn_status read_named_path(struct import *import, const struct qn_named_input *input,
                                      uint64_t *sequence, struct qn_error *error) {
  import->expected = &input->digest;
  enum qn_status status = read_path(import, input->path, NULL, input->reader, sequence, error);
  import->expected = NULL;
  if (status || import->result.named.count == 0)
    return status;
  qn_fail(error, QN_INVALID, "this was named by another file, but names files itself");
  return qn_error_in_file(error, input->path);
}

/* Read what the input that was read last has named. */
static enum qn_status read_named(struct import *import, const char *path, uint64_t *sequence,
                                 struct qn_error *error) {
  const struct qn_read_result before = import->result;
  struct qn_named_inputs named = import->result.named;
  import->result.named = (struct qn_named_inputs){0};
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < named.count && !status; i++)
    status = read_named_path(import, &named.inputs[i], sequence, error);
  if (!status)
    status = check_named(import, &named, &before, path, error);
  qn_named_inputs_release(&named);
  return status;
}

static enum qn_status read_argument(struct import *import, const char *path, uint64_t *sequence,
                                    struct qn_error *error) {
  const struct qn_reader *before = import->reader;
  enum qn_status status =
      read_path(import, path, import->options->input.member, NULL, sequence, error);
  if (!status && import->result.named.count)
    import->reader = before; /* who names inputs has read no vertices */
  return status ? status : read_named(import, path, sequence, error);
}

static enum qn_status read_inputs(struct import *import, struct qn_error *error) {
  const struct options *options = import->options;
  uint64_t sequence = 0;
  double begun = qn_seconds();
  enum qn_status status = QN_OK;
  for (int i = 0; i < options->num_inputs && !status; i++)
    status = read_argument(import, options->inputs[i], &sequence, error);
  if (!status)
    status = qn_names_finish(&import->result, import->list, error);
  import->seconds.read = qn_seconds() - begun;
  return status;
}

/* ---- Building ------------------------------------------------------------- */

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
  if (!status && text->decimal_comma)
    status = qn_provenance_option(p, "decimal", json_string("comma"), error);
  if (!status && text->trailing_comments)
    status = qn_provenance_option(p, "trailing_comments", json_true(), error);
  return status;
}

static enum qn_status record_options(struct import *import, const struct qn_build *build,
                                     struct qn_error *error) {
  const struct qn_read_options *read = &import->options->read;
  json_t *p = import->provenance;
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
  if (import->options->record_text &&
      (status =
           qn_provenance_option(p, "record", json_string(import->options->record_text), error)))
    return status;
  if ((status = record_text_options(p, &read->text, error)) || !import->options->columns_text)
    return status;
  return qn_provenance_option(p, "columns", qn_json_text(import->options->columns_text), error);
}

/* Say in which line an edge occurs again that may not; standard input cannot be read again. */
static void locate_repeated(struct import *import, const uint64_t ends[2], struct qn_error *error) {
  const struct options *options = import->options;
  struct qn_input *input;
  uint64_t line;
  if (ends[0] == UINT64_MAX || !import->reader->locate || options->num_inputs != 1 ||
      strcmp(options->inputs[0], "-") == 0 ||
      qn_input_open(options->inputs[0], &options->input, &input, NULL))
    return;
  if (!import->reader->locate(input, &options->read, ends[0], ends[1], &line, NULL) && line)
    qn_error_at_line(error, qn_input_name(input), line, 1);
  qn_input_close(input);
}

/* Weights are rounded because of one that is no u32: say where that is. */
static void locate_real(struct import *import, struct qn_error *error) {
  const struct options *options = import->options;
  struct qn_read_options whole = options->read;
  struct qn_read_result result = {.num_vertices = QN_VERTICES_FROM_EDGES};
  struct qn_edge_list *list = NULL;
  struct qn_input *input = NULL;
  struct qn_error found;
  uint64_t sequence = 0;
  whole.weights = QN_WEIGHTS_U32;
  whole.max_bad = 0;
  if (options->num_inputs != 1 || strcmp(options->inputs[0], "-") == 0 ||
      qn_edge_list_create(&list, NULL) ||
      qn_input_open(options->inputs[0], &options->input, &input, NULL))
    goto cleanup;
  if (import->reader->read(input, &whole, list, &sequence, &result, &found) == QN_INVALID &&
      found.line)
    qn_error_at_line(error, found.file, found.line, found.column);
cleanup:
  if (import->reader->release)
    import->reader->release(&result);
  qn_input_close(input);
  qn_edge_list_destroy(list);
  qn_named_inputs_release(&result.named);
  qn_free(result.extra_ids);
}

/* --vertices, unless the input says otherwise. */
static enum qn_status declare_vertices(struct import *import, struct qn_error *error) {
  uint64_t given = import->options->read.num_vertices, *found = &import->result.num_vertices;
  if (!given || *found == given)
    return QN_OK;
  if (*found != QN_VERTICES_FROM_EDGES || import->result.names.kind != QN_IDS_DENSE)
    return qn_fail(
        error, QN_INVALID,
        "the input says itself what its vertices are; --vertices=%" PRIu64 " does not fit", given);
  *found = given;
  return QN_OK;
}

static enum qn_status build(struct import *import, struct qn_error *error) {
  const struct qn_read_result *result = &import->result;
  struct qn_build build = import->options->build;
  build.num_vertices = result->num_vertices;
  build.extra_ids = result->extra_ids;
  build.num_extra_ids = result->num_extra_ids;
  build.names = result->names.kind == QN_IDS_DENSE ? NULL : &result->names;
  build.undirected |= result->symmetric;
  build.already_symmetric = result->already_symmetric;
  build.check_symmetric = result->check_symmetric;
  uint64_t repeated[2] = {UINT64_MAX, UINT64_MAX};
  bool rounded = false;
  build.rounded = &rounded;
  build.unique = result->unique && !build.duplicates_chosen;
  build.repeated = repeated;
  if (result->symmetric && !import->options->build.undirected)
    qn_notice("note: the format says that every edge goes both ways: the graph is undirected");
  enum qn_status status = record_options(import, &build, error);
  double begun = qn_seconds();
  if (!status)
    status = qn_build_graph(import->list, &build, import->writer, &import->result.ledger, error);
  import->seconds.build = qn_seconds() - begun;
  if (!status && !result->symmetric)
    qn_ledger_note_parallel(&import->result.ledger, "--duplicates=remove");
  if (rounded)
    locate_real(import, error);
  if (status == QN_INVALID && import->options->num_inputs == 1 && !error->file[0])
    qn_error_in_file(error, import->options->inputs[0]);
  if (status == QN_INVALID)
    locate_repeated(import, repeated, error);
  if (!status)
    status = qn_ledger_check(&import->result.ledger, error);
  return status;
}

static enum qn_status write(struct import *import, struct qn_error *error) {
  double begun = qn_seconds();
  enum qn_status status = qn_provenance_ledger(import->provenance, &import->result.ledger, error);
  if (!status)
    status = qn_writer_metadata(import->writer, import->provenance, error);
  if (status)
    return status;
  struct qn_writer *writer = import->writer;
  import->writer = NULL;
  status = qn_writer_commit(writer, error);
  import->seconds.write = qn_seconds() - begun;
  return status;
}

/* ---- Report --------------------------------------------------------------- */

static enum qn_status print_json(const struct import *import, const struct qn_container_info *info,
                                 struct qn_error *error) {
  const struct seconds *seconds = &import->seconds;
  json_t *report = json_pack(
      "{s:o, s:o, s:I, s:I, s:b, s:s, s:{s:f, s:f, s:f, s:f}}", "output",
      qn_json_text(import->options->output), "estimate", qn_memory_plan_json(&import->plan),
      "vertices", (json_int_t)info->num_vertices, "edges", (json_int_t)info->num_edges,
      "undirected", info->directedness == QN_UNDIRECTED, "weights",
      qn_weight_type_name(info->weight_type), "seconds", "read", seconds->read, "build",
      seconds->build, "write", seconds->write, "total", seconds->total);
  return qn_provenance_print(report, import->provenance, error);
}

static void print_summary(const struct import *import, const struct qn_container_info *info) {
  char graph[QN_GRAPH_TEXT];
  printf("%s: %s\n", import->options->output,
         qn_ledger_graph_text(&import->result.ledger, info, graph));
  qn_ledger_print(&import->result.ledger, stdout);
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_spill_ids spill_ids(const struct options *options) {
  if (options->build.ids == QN_ID_COMPACT)
    return QN_SPILL_IDS_COLLECT;
  bool given = options->build.ids == QN_ID_KEEP || options->read.num_vertices;
  return given ? QN_SPILL_IDS_IGNORE : QN_SPILL_IDS_UNLESS_DECLARED;
}

static enum qn_status make_plan(struct import *import, struct qn_error *error) {
  const struct options *options = import->options;
  struct qn_expected_edges edges =
      qn_inputs_expect(options->inputs, options->num_inputs, options->format, &options->read);
  edges.given_vertices = spill_ids(options) == QN_SPILL_IDS_IGNORE;
  struct qn_work_estimate estimate = qn_build_estimate(&options->build, &edges);
  if (edges.unknown) /* then input is read ahead in blocks */
    estimate.least += estimate.kept = QN_READ_AHEAD_BYTES;
  return qn_memory_plan_make(&options->memory, options->output, &estimate, &import->plan, error);
}

static enum qn_status create_list(struct import *import, struct qn_error *error) {
  const struct options *options = import->options;
  enum qn_spill_ids ids = spill_ids(options);
  if (!import->plan.on_disk) {
    enum qn_status status = qn_edge_list_create(&import->list, error);
    if (!status && ids != QN_SPILL_IDS_IGNORE)
      qn_edge_list_mark_ids(import->list,
                            ids == QN_SPILL_IDS_COLLECT ? NULL : &import->result.num_vertices);
    return status;
  }
  struct qn_spill_options spill = {
      .undirected = options->build.undirected,
      .ids = ids,
      .num_vertices = &import->result.num_vertices,
      .symmetric = &import->result.symmetric,
  };
  return qn_edge_list_create_on_disk(&spill, &import->list, error);
}

static enum qn_status run(struct import *import, struct qn_error *error) {
  const struct options *options = import->options;
  double begun = qn_seconds();
  enum qn_status status;
  const char *const *inputs = (const char *const *)options->inputs;
  if ((status = qn_inputs_kept(options->output, inputs, (uint64_t)options->num_inputs, error)) ||
      (status = make_plan(import, error)) ||
      (status = qn_writer_create(options->output, options->shared.force, &import->writer, error)) ||
      (status = qn_provenance_create("quern-import", &import->provenance, error)) ||
      (status = create_list(import, error)) || (status = read_inputs(import, error)) ||
      (status = declare_vertices(import, error)) || (status = build(import, error)))
    return status;
  struct qn_container_info info = *qn_writer_info(import->writer);
  if ((status = write(import, error)))
    return status;
  import->seconds.total = qn_seconds() - begun;
  if (options->shared.json)
    return print_json(import, &info, error);
  if (!options->shared.quiet)
    print_summary(import, &info);
  return QN_OK;
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_build_argp, 0, NULL, 0},
                                               {&qn_memory_argp, 0, NULL, 0},
                                               {&qn_tool_output_argp, 0, NULL, 0},
                                               {0}};
  static const struct argp argp = {argp_options, parse_option, "INPUT...", documentation,
                                   children,     help_filter,  NULL};
  struct options options = {
      .format = "auto", .input = QN_INPUT_DEFAULTS, .build.num_vertices = QN_VERTICES_FROM_EDGES};
  struct qn_error error;
  qn_tool_parse("quern-import", &argp, argc, argv, &options, &options.shared);
  if (options.list_formats)
    return qn_tool_exit(qn_formats_print(options.shared.json, &error), &error);
  struct import import = {.options = &options, .result.num_vertices = QN_VERTICES_FROM_EDGES};
  struct qn_input_paths paths = {0};
  enum qn_status status = qn_input_paths_of(options.inputs, options.num_inputs, &paths, &error);
  options.inputs = paths.paths;
  options.num_inputs = paths.count;
  if (!status)
    status = run(&import, &error);
  if (import.reader && import.reader->release)
    import.reader->release(&import.result);
  qn_writer_abort(import.writer);
  qn_edge_list_destroy(import.list);
  qn_free(import.result.extra_ids);
  qn_named_inputs_release(&import.result.named);
  qn_input_paths_release(&paths);
  json_decref(import.provenance);
  return qn_tool_exit(status, &error);
}
