#include "converters/format.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "converters/signatures.h"
#include "formats/text/text_fields.h"
#include "support/input/input.h"
#include "support/progress.h"
#include "support/suggest.h"
#include "support/text/fold.h"

extern const struct qn_reader qn_reader_edges, qn_reader_named_edges;

enum direction { READ, WRITTEN };

enum { PLAUSIBLE = 2, SIGNATURE }; /* how sure readers are of what looks plausible, or has one */

static bool is_detected(const struct qn_reader *reader) {
  return reader && (reader->detect || reader->detect_files);
}

static bool has(const struct qn_format *format, enum direction direction) {
  if (format->by_package)
    return direction == WRITTEN || !format->is_only_written;
  return direction == READ ? format->reader != NULL : format->writer != NULL;
}

static const struct qn_format *find(const char *name, enum direction direction) {
  for (const struct qn_format *format = qn_formats; format->name; format++)
    if (has(format, direction) && strcmp(format->name, name) == 0)
      return format;
  return NULL;
}

/* "edges, matrix-market, ..." */
static void list_names(enum direction direction, char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (const struct qn_format *format = qn_formats; format->name && length < size; format++)
    if (has(format, direction))
      length +=
          (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", format->name);
}

static enum qn_status fail_unknown(const char *name, enum direction direction, const char *beside,
                                   struct qn_error *error) {
  char names[600], suggested[QN_SUGGESTION_TEXT];
  struct qn_suggestion suggestion = qn_suggestion_for(name);
  for (const struct qn_format *format = qn_formats; format->name; format++)
    if (has(format, direction))
      qn_suggestion_offer(&suggestion, format->name);
  list_names(direction, names, sizeof names);
  return qn_fail(error, QN_USAGE, "unknown format '%s'%s%s %s are %s%s", name,
                 qn_suggestion_text(&suggestion, suggested), suggestion.best ? "" : ";",
                 suggestion.best ? "Known" : "known", beside, names);
}

bool qn_format_is_read_by_package(const char *name) {
  const struct qn_format *format = find(name, READ);
  return format && format->by_package;
}

bool qn_format_is_written_by_package(const char *name) {
  const struct qn_format *format = find(name, WRITTEN);
  return format && format->by_package;
}

static enum qn_status fail_by_package(const char *name, struct qn_error *error) {
  return qn_fail(error, QN_UNSUPPORTED,
                 "%s is read and written by the Python package, and by quern-import and "
                 "quern-export through it",
                 name);
}

enum qn_status qn_reader_by_name(const char *name, const struct qn_reader **out,
                                 struct qn_error *error) {
  const struct qn_format *format = find(name, READ);
  *out = format ? format->reader : NULL;
  if (format && format->by_package)
    return fail_by_package(name, error);
  return format ? QN_OK : fail_unknown(name, READ, "auto, ", error);
}

enum qn_status qn_graph_writer_by_name(const char *name, const struct qn_graph_writer **out,
                                       struct qn_error *error) {
  const struct qn_format *format = find(name, WRITTEN);
  *out = format ? format->writer : NULL;
  if (format && format->by_package)
    return fail_by_package(name, error);
  return format ? QN_OK : fail_unknown(name, WRITTEN, "", error);
}

/* The ending of a file's name with its dot, "" if it has none: names may begin with dots. */
static const char *ending_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  name += strspn(name, ".");
  const char *dot = strrchr(name, '.');
  return dot ? dot : "";
}

/* Which of the endings of the format's files the path has, from 1; 0: none. */
static int place_of_ending(const struct qn_format *format, const char *path) {
  const size_t whole = strlen(path);
  int place = 1;
  for (const char *word = format->files; *word; place++) {
    const size_t length = strcspn(word, " ");
    if (*word == '.' && whole > length && strncmp(path + whole - length, word, length) == 0)
      return place;
    word += length + strspn(word + length, " ");
  }
  return 0;
}

/* The format that has the ending in the first place, or else at all. */
static enum qn_status find_written(const char *path, bool first, const char **out,
                                   struct qn_error *error) {
  for (const struct qn_format *format = qn_formats; format->name; format++) {
    const int place = has(format, WRITTEN) ? place_of_ending(format, path) : 0;
    if (!place || (first && place > 1))
      continue;
    if (*out)
      return qn_fail(error, QN_USAGE,
                     "files of the formats %s and %s are called so: --format=%s or --format=%s "
                     "says which",
                     *out, format->name, *out, format->name);
    *out = format->name;
  }
  return QN_OK;
}

static bool is_packing(const char *ending) {
  static const char *const endings[] = {".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".tar"};
  for (unsigned i = 0; i < sizeof endings / sizeof *endings; i++)
    if (strcmp(ending, endings[i]) == 0)
      return true;
  return false;
}

static enum qn_status refuse_ending(const char *path, struct qn_error *error) {
  const char *ending = ending_of(path);
  char names[512];
  if (is_packing(ending))
    return qn_fail(error, QN_USAGE,
                   "files that end in %s are compressed, and exports are not: write to standard "
                   "output and compress that (quern-export ... --format NAME -o - | gzip >FILE)",
                   ending);
  list_names(WRITTEN, names, sizeof names);
  for (const struct qn_format *format = qn_formats; format->name; format++)
    if (place_of_ending(format, path))
      return qn_fail(error, QN_USAGE,
                     "files of the format %s end in %s, which is read, but not written; --format "
                     "says what to write (%s)",
                     format->name, ending, names);
  return qn_fail(error, QN_USAGE,
                 "no format has files that end in %s; --format says what to write (%s)", ending,
                 names);
}

enum qn_status qn_format_of_output(const char *path, bool is_folder, const char **out,
                                   struct qn_error *error) {
  *out = is_folder || !*ending_of(path) ? "edges" : NULL;
  enum qn_status status = *out ? QN_OK : find_written(path, true, out, error);
  if (!status && !*out)
    status = find_written(path, false, out, error);
  return status || *out ? status : refuse_ending(path, error);
}

static const char doubt_text[] =
    "this may be a graph in the format %s, or %s: --format=%s or --format=%s says which";

static enum qn_status fail_doubt(const struct qn_reader *one, const struct qn_reader *other,
                                 struct qn_input *input, struct qn_error *error) {
  qn_fail(error, QN_INVALID, doubt_text, one->name, other->name, one->name, other->name);
  return qn_error_in_file(error, qn_input_name(input));
}

/* What readers think of an input. */
struct opinion {
  const struct qn_reader *best, *doubtful;
  int sure; /* the best is */
};

/* `head` is what the text was part of; NULL: files beside the input don't count. */
static void ask_readers(const struct qn_input_block *text, const struct qn_read_options *options,
                        struct qn_input *input, const struct qn_input_block *head,
                        struct opinion *opinion) {
  *opinion = (struct opinion){NULL};
  for (const struct qn_format *format = qn_formats; format->name; format++) {
    const struct qn_reader *reader = format->reader;
    int sure = 0;
    if (reader && reader->detect)
      sure = reader->detect(text->data, text->bytes, options);
    if (head && reader && reader->detect_files && sure == 0)
      sure = reader->detect_files(input, head->data, head->bytes);
    if (sure == QN_IN_DOUBT)
      opinion->doubtful = reader;
    if (sure > opinion->sure) {
      opinion->sure = sure;
      opinion->best = reader;
    }
  }
}

/* A list of edges is what anything of numbers or words may look like. */
static bool is_edge_list(const struct qn_reader *reader) {
  return reader == &qn_reader_edges || reader == &qn_reader_named_edges;
}

static bool is_comment(const struct qn_input_block *text) {
  static const char banner[] = "%%MatrixMarket";
  const uint64_t length = strlen(banner);
  return text->bytes && (*text->data == '#' || *text->data == '%') &&
         (text->bytes < length || memcmp(text->data, banner, length) != 0);
}

/* Is the opinion one that only a format other than edge lists explains? */
static bool is_of_another(const struct opinion *opinion) {
  return opinion->doubtful || (opinion->sure >= SIGNATURE && !is_edge_list(opinion->best));
}

/* Comments in front hide a signature from readers, who look for it in the first line; only edge
 * lists begin with comments of either sign. The last of them may be a line of data: LGL's vertices
 * look so. */
static enum qn_status refuse_behind_comments(struct qn_input_block text,
                                             const struct qn_read_options *options,
                                             struct qn_error *error) {
  struct opinion opinion = {NULL};
  struct qn_input_block last = text;
  const char *line, *end;
  uint64_t comments = 0, passed;
  for (; is_comment(&text); comments++) {
    last = text;
    qn_text_take_line(&text, &line, &end);
  }
  if (comments == 0 || text.bytes == 0 || options->text.comments)
    return QN_OK;
  passed = comments - 1;
  if (passed > 0)
    ask_readers(&last, options, NULL, NULL, &opinion);
  if (!is_of_another(&opinion)) {
    ask_readers(&text, options, NULL, NULL, &opinion);
    passed = comments;
  }
  if (!is_of_another(&opinion))
    return qn_signature_refuse(text.data, text.bytes, error);
  const char *edges = is_edge_list(opinion.best) ? opinion.best->name : qn_reader_edges.name;
  if (opinion.doubtful && opinion.sure < SIGNATURE)
    return qn_fail(error, QN_INVALID, doubt_text, edges, opinion.doubtful->name, edges,
                   opinion.doubtful->name);
  return qn_fail(error, QN_INVALID,
                 "this is a graph in the format %s after comments that the format does not allow: "
                 "remove the lines before line %" PRIu64 " (--format=edges reads an edge list)",
                 opinion.best->name, passed + 1);
}

/* The first format that files called so have; NULL: an edge list may be called so, or nothing is.
 */
static const struct qn_format *format_of_name(const struct qn_input *input) {
  const struct qn_format *other = NULL;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", qn_input_name(input));
  while (is_packing(ending_of(path)))
    path[strlen(path) - strlen(ending_of(path))] = '\0';
  for (const struct qn_format *format = qn_formats; format->name; format++) {
    const bool is_called_so = place_of_ending(format, path) > 0;
    if (is_called_so && is_edge_list(format->reader))
      return NULL;
    if (is_called_so && !other)
      other = format;
  }
  return other;
}

void qn_reader_compare_name(const struct qn_reader *reader, struct qn_input *input) {
  const struct qn_format *other = is_edge_list(reader) ? format_of_name(input) : NULL;
  if (other)
    qn_note(QN_NOTE_NAME_DIFFERS,
            "the name of %s suggests the format %s, but the file holds an edge list and is read as "
            "one (--format=edges confirms it)",
            qn_input_name(input), other->name);
}

/* The reader of what nothing but the name tells from an edge list of text. */
static const struct qn_reader *reader_of_name(const struct qn_input *input,
                                              const struct qn_input_block *text) {
  const struct qn_format *format = format_of_name(input);
  const bool is_told_by_name = format && format->reader && !is_detected(format->reader);
  return is_told_by_name && !memchr(text->data, '\0', text->bytes) ? format->reader : NULL;
}

/* KONECT's ent.NAME and ent.NAME.what say what the vertices of out.NAME are called: a line each. */
static enum qn_status refuse_konect_names(const struct qn_input *input, struct qn_error *error) {
  static const char names[] = "ent.", edges[] = "out.";
  char path[PATH_MAX];
  const char *slash = strrchr(qn_input_name(input), '/');
  const size_t folder = slash ? (size_t)(slash + 1 - qn_input_name(input)) : 0;
  if (snprintf(path, sizeof path, "%s", qn_input_name(input)) >= (int)sizeof path ||
      strncmp(path + folder, names, strlen(names)) != 0)
    return QN_OK;
  memcpy(path + folder, edges, strlen(edges));
  for (char *dot; access(path, F_OK) != 0; *dot = '\0') {
    dot = strrchr(path + folder, '.');
    if (dot < path + folder + strlen(edges))
      return QN_OK;
  }
  return qn_fail(error, QN_UNSUPPORTED,
                 "this says what the vertices of a KONECT network are called, which is not read as "
                 "a graph: its edges are in %s (--format forces a format)",
                 path);
}

enum qn_status qn_reader_detect(struct qn_input *input, const struct qn_read_options *options,
                                const struct qn_reader **out, struct qn_error *error) {
  struct qn_input_block head = {NULL}, text;
  struct opinion opinion;
  *out = NULL;
  enum qn_status status = qn_input_peek(input, &head.data, &head.bytes, error);
  if (status)
    return status;
  text = head;
  qn_text_skip_mark(&text); /* no binary format begins with one */
  if (text.bytes == 0) {
    qn_fail(error, QN_INVALID, "the input is empty but for a byte order mark");
    return qn_error_in_file(error, qn_input_name(input));
  }
  ask_readers(&text, options, input, &head, &opinion);
  if (opinion.sure < SIGNATURE &&
      (refuse_konect_names(input, error) || qn_signature_refuse(text.data, text.bytes, error) ||
       refuse_behind_comments(text, options, error)))
    return qn_error_in_file(error, qn_input_name(input));
  const struct qn_reader *named = is_edge_list(opinion.best) ? reader_of_name(input, &text) : NULL;
  if (named && opinion.sure < SIGNATURE)
    return fail_doubt(opinion.best, named, input, error);
  if (opinion.doubtful && opinion.sure == PLAUSIBLE)
    return fail_doubt(opinion.best, opinion.doubtful, input, error);
  *out = opinion.doubtful && opinion.sure < PLAUSIBLE ? opinion.doubtful : opinion.best;
  if (*out)
    return QN_OK;
  char names[512];
  list_names(READ, names, sizeof names);
  qn_fail(error, QN_INVALID, "no known format of graphs; --format says which it is (%s)", names);
  return qn_error_in_file(error, qn_input_name(input));
}

/* ---- Listings ------------------------------------------------------------- */

static char *list_help(bool written) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  if (!stream)
    return NULL;
  for (const struct qn_format *format = qn_formats; format->name; format++)
    if (has(format, written ? WRITTEN : READ))
      fprintf(stream, "  %-15s %s\n", format->name, format->description);
  if (fclose(stream) == 0)
    return text;
  free(text);
  return NULL;
}

char *qn_formats_help(bool written, int key, const char *text) {
  if (key != ARGP_KEY_HELP_POST_DOC || !text)
    return (char *)text;
  char *formats = list_help(written), *full = NULL;
  if (!formats || asprintf(&full, text, formats) < 0)
    full = NULL;
  free(formats);
  return full ? full : (char *)text;
}

static void print_direction(const char *direction, bool supported, bool by_name,
                            const struct qn_format_limits *limits, FILE *stream) {
  fprintf(stream, "    %s  %s%s", direction, supported ? "yes" : "no",
          by_name ? ", if --format names it" : "");
  if (supported)
    fprintf(stream, "; loses %s", limits->loses ? limits->loses : "nothing");
  if (supported && limits->refuses)
    fprintf(stream, "; refuses %s", limits->refuses);
  fputc('\n', stream);
}

static void print_text(void) {
  struct qn_page page;
  FILE *stream = qn_page_begin(&page, stdout);
  for (const struct qn_format *format = qn_formats; format->name; format++) {
    fprintf(stream, "%s (%s)\n    %s\n", format->name, format->files, format->description);
    print_direction("import", has(format, READ), format->reader && !is_detected(format->reader),
                    &format->reading, stream);
    print_direction("export", has(format, WRITTEN), false, &format->writing, stream);
  }
  qn_page_end(&page, 6);
}

static json_t *files_json(const char *files) {
  json_t *list = json_array();
  for (const char *end; *files; files = *end ? end + 1 : end) {
    end = files + strcspn(files, " ");
    json_array_append_new(list, json_stringn(files, (size_t)(end - files)));
  }
  return list;
}

static json_t *format_json(const struct qn_format *format) {
  const struct qn_reader *reader = format->reader;
  return json_pack("{s:s, s:s, s:o, s:{s:b, s:b, s:s?, s:s?}, s:{s:b, s:s?, s:s?}}", "name",
                   format->name, "description", format->description, "files",
                   files_json(format->files), "import", "supported", has(format, READ), "detected",
                   (format->by_package && has(format, READ)) || is_detected(reader), "loses",
                   format->reading.loses, "refuses", format->reading.refuses, "export", "supported",
                   has(format, WRITTEN), "loses", format->writing.loses, "refuses",
                   format->writing.refuses);
}

json_t *qn_formats_json(void) {
  json_t *list = json_array();
  for (const struct qn_format *format = qn_formats; format->name; format++)
    json_array_append_new(list, format_json(format));
  return json_pack("{s:o}", "formats", list);
}

enum qn_status qn_formats_print(bool json, struct qn_error *error) {
  if (!json) {
    print_text();
    return QN_OK;
  }
  json_t *object = qn_formats_json();
  if (!object)
    return qn_fail_memory(error, "the list of formats", 0);
  json_dumpf(object, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(object);
  return QN_OK;
}
