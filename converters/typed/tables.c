#include "converters/typed/tables.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "converters/typed/folder.h"
#include "converters/typed/ldbc.h"
#include "formats/text/delimited.h"
#include "support/memory.h"
#include <quern/properties.h>

/* ---- Options ------------------------------------------------------------------ */

static enum qn_status add_text(char ***list, uint32_t *count, const char *text,
                               struct qn_error *error) {
  char *copy = strdup(text);
  enum qn_status status = copy ? qn_realloc(list, *count + 1, sizeof **list, "names", error)
                               : qn_fail_memory(error, "a name", strlen(text));
  if (status)
    free(copy);
  else
    (*list)[(*count)++] = copy;
  return status;
}

static void free_texts(char **list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    free(list[i]);
  qn_free(list);
}

static enum qn_status set_vertex_table(void *target, const char *text, struct qn_error *error) {
  struct qn_typed_options *options = target;
  return add_text(&options->vertex_tables, &options->num_vertex_tables, text, error);
}

static enum qn_status set_edge_table(void *target, const char *text, struct qn_error *error) {
  struct qn_typed_options *options = target;
  return add_text(&options->edge_tables, &options->num_edge_tables, text, error);
}

const struct qn_setting qn_typed_settings[] = {
    {"types", QN_SETTING_SWITCH, offsetof(struct qn_typed_options, types), .group = QN_TYPED_GROUP,
     .help = "Inputs are tables of vertices and of edges, or folders of them, whose headers say "
             "what they are, as those of Neo4j's admin import do: :ID(SPACE) and :LABEL, "
             ":START_ID(SPACE), :END_ID(SPACE) and :TYPE"},
    {"vertex-table", QN_SETTING_OWN, .set = set_vertex_table, .argument = "TYPE=FILE[,FILE...]",
     .group = QN_TYPED_GROUP,
     .help = "A table of the vertices of a type, by a column id or :ID; its other columns become "
             "their properties. Of several files the first begins with the header of all"},
    {"edge-table", QN_SETTING_OWN, .set = set_edge_table,
     .argument = "NAME[:SOURCE:TARGET]=FILE[,FILE...]", .group = QN_TYPED_GROUP,
     .help = "A table of the edges of a type, from vertices of the type SOURCE to those of the "
             "type TARGET. Types without a table have the vertices that edges name"},
    {"vertex-type-column", QN_SETTING_TEXT, offsetof(struct qn_typed_options, vertex_type_column),
     .argument = "NAME", .group = QN_TYPED_GROUP,
     .help = "The property of vertices that says their type"},
    {"edge-type-column", QN_SETTING_TEXT, offsetof(struct qn_typed_options, edge_type_column),
     .argument = "NAME", .group = QN_TYPED_GROUP,
     .help = "The property of edges that says their type"},
    {0}};

void qn_typed_options_release(struct qn_typed_options *options) {
  free_texts(options->vertex_tables, options->num_vertex_tables);
  free_texts(options->edge_tables, options->num_edge_tables);
  *options = (struct qn_typed_options){0};
}

bool qn_typed_asked(const struct qn_typed_options *options) {
  return options->types || options->vertex_type_column || options->edge_type_column ||
         options->num_vertex_tables || options->num_edge_tables;
}

/* ---- Headers ------------------------------------------------------------------ */

/* Is the column called "...KEYWORD" or "...KEYWORD(SPACE)"? `*space` is to be freed; NULL: none is
 * said, or there is no memory for it, which `*failed` tells. */
static bool is_called(const char *name, uint64_t length, const char *keyword, char **space,
                      bool *failed) {
  const char *colon = memrchr(name, ':', length);
  const uint64_t word = strlen(keyword);
  if (!colon || (uint64_t)(name + length - colon) < word || memcmp(colon, keyword, word) != 0)
    return false;
  const char *rest = colon + word, *end = name + length;
  if (rest == end)
    return true;
  if (*rest != '(' || end[-1] != ')')
    return false;
  free(*space);
  *space = strndup(rest + 1, (size_t)(end - rest - 2));
  *failed |= !*space;
  return true;
}

/* What the columns of a header say; nothing if it is none of Neo4j's. */
static enum qn_status read_columns(struct qn_typed_table *table, const char *line, const char *end,
                                   struct qn_error *error) {
  const struct qn_dialect dialect = {.delimiter = qn_first_delimiter(line, end), .quotes = true};
  struct qn_columns columns = qn_columns_of(line, end, &dialect);
  struct qn_column column;
  bool ids = false, ends[2] = {false, false}, failed = false;
  char text[4096];
  while (qn_columns_next(&columns, &column)) {
    uint64_t length = (uint64_t)(column.end - column.begin);
    if (length >= sizeof text)
      continue;
    const char *name = qn_column_text(&column, text, &length);
    ids |= is_called(name, length, ":ID", &table->space, &failed);
    ends[0] |= is_called(name, length, ":START_ID", &table->spaces[0], &failed);
    ends[1] |= is_called(name, length, ":END_ID", &table->spaces[1], &failed);
    table->says_type |= (length == 6 && memcmp(name, ":LABEL", 6) == 0) ||
                        (length == 5 && memcmp(name, ":TYPE", 5) == 0);
  }
  table->of_edges |= ends[0] && ends[1];
  table->neo4j = ids || (ends[0] && ends[1]);
  return failed ? qn_fail_memory(error, "the name of a space of ids", 0) : QN_OK;
}

enum qn_status qn_typed_header(const char *path, const struct qn_input_options *how, char **line,
                               struct qn_error *error) {
  struct qn_input *input;
  const char *head;
  uint64_t bytes;
  *line = NULL;
  enum qn_status status = qn_input_open(path, how, &input, error);
  if (status)
    return status;
  status = qn_input_peek(input, &head, &bytes, error);
  if (!status) {
    if (bytes >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
      head += 3;
      bytes -= 3;
    }
    const char *end = memchr(head, '\n', bytes);
    end = end ? end : head + bytes;
    *line = strndup(head, (size_t)(end - head - (end > head && end[-1] == '\r')));
    if (!*line)
      status = qn_fail_memory(error, "a header", bytes);
  }
  qn_input_close(input);
  return status;
}

static enum qn_status read_header(struct qn_typed_table *table, const struct qn_input_options *how,
                                  struct qn_error *error) {
  char *line;
  enum qn_status status = qn_typed_header(table->files[0], how, &line, error);
  if (!status)
    status = read_columns(table, line, line + strlen(line), error);
  free(line);
  return status;
}

/* ---- Tables ------------------------------------------------------------------- */

enum qn_status qn_typed_tables_add(struct qn_typed_tables *tables, struct qn_typed_table **table,
                                   struct qn_error *error) {
  enum qn_status status = qn_realloc(&tables->tables, (uint64_t)tables->count + 1,
                                     sizeof *tables->tables, "tables", error);
  if (status)
    return status;
  *table = &tables->tables[tables->count++];
  **table = (struct qn_typed_table){0};
  return QN_OK;
}

enum qn_status qn_typed_table_add_file(struct qn_typed_table *table, const char *path,
                                       struct qn_error *error) {
  return add_text(&table->files, &table->num_files, path, error);
}

static void release_table(struct qn_typed_table *table) {
  free(table->type);
  free(table->space);
  free(table->ldbc);
  free(table->header);
  for (unsigned end = 0; end < 2; end++) {
    free(table->ends[end]);
    free(table->spaces[end]);
  }
  free_texts(table->files, table->num_files);
}

void qn_typed_tables_release(struct qn_typed_tables *tables) {
  for (uint32_t i = 0; i < tables->count; i++)
    release_table(&tables->tables[i]);
  qn_free(tables->tables);
  free_texts(tables->others, tables->num_others);
  *tables = (struct qn_typed_tables){0};
}

/* FILE,..., or one file whose name has commas. */
static enum qn_status add_files(struct qn_typed_table *table, const char *names,
                                struct qn_error *error) {
  char name[PATH_MAX];
  if (access(names, F_OK) == 0)
    return qn_typed_table_add_file(table, names, error);
  enum qn_status status = QN_OK;
  for (const char *p = names; !status;) {
    const size_t length = strcspn(p, ",");
    if (length == 0 || length >= sizeof name)
      return qn_fail(error, QN_USAGE, "'%s' must be FILE,...", names);
    snprintf(name, sizeof name, "%.*s", (int)length, p);
    status = qn_typed_table_add_file(table, name, error);
    if (!p[length])
      break;
    p += length + 1;
  }
  return status;
}

static enum qn_status check_name(const char *name, const char *option, const char *text,
                                 struct qn_error *error) {
  return qn_property_is_name(name, strlen(name))
             ? QN_OK
             : qn_fail(error, QN_USAGE, "--%s=%s: a type must have a name", option, text);
}

/* NAME or NAME:SOURCE:TARGET. */
static enum qn_status cut_type(struct qn_typed_table *table, const char *text,
                               struct qn_error *error) {
  char *source = strchr(table->type, ':'), *target = source ? strchr(source + 1, ':') : NULL;
  if (!source)
    return QN_OK;
  if (!target || strchr(target + 1, ':'))
    return qn_fail(error, QN_USAGE, "--edge-table=%s: write NAME=FILE or NAME:SOURCE:TARGET=FILE",
                   text);
  *source = *target = '\0';
  table->ends[0] = strdup(source + 1);
  table->ends[1] = strdup(target + 1);
  enum qn_status status = table->ends[0] && table->ends[1]
                              ? check_name(table->ends[0], "edge-table", text, error)
                              : qn_fail_memory(error, "a name", strlen(text));
  return status ? status : check_name(table->ends[1], "edge-table", text, error);
}

static enum qn_status refuse_twice(const struct qn_typed_tables *tables,
                                   const struct qn_typed_table *table, const char *option,
                                   struct qn_error *error) {
  for (uint32_t i = 0; i + 1 < tables->count; i++) {
    const struct qn_typed_table *other = &tables->tables[i];
    bool same = other->of_edges == table->of_edges && strcmp(other->type, table->type) == 0;
    for (unsigned end = 0; same && end < 2; end++)
      same = !other->ends[end] == !table->ends[end] &&
             (!table->ends[end] || strcmp(other->ends[end], table->ends[end]) == 0);
    if (same)
      return qn_fail(error, QN_USAGE,
                     "--%s names the type %s twice; of several files write TYPE=FILE,FILE", option,
                     table->type);
  }
  return QN_OK;
}

static enum qn_status add_option(struct qn_typed_tables *tables, bool of_edges, const char *text,
                                 const struct qn_input_options *how, struct qn_error *error) {
  const char *option = of_edges ? "edge-table" : "vertex-table", *equals = strchr(text, '=');
  struct qn_typed_table *table;
  if (!equals)
    return qn_fail(error, QN_USAGE, "--%s=%s: write %s=FILE", option, text,
                   of_edges ? "NAME:SOURCE:TARGET" : "TYPE");
  enum qn_status status = qn_typed_tables_add(tables, &table, error);
  if (status)
    return status;
  table->of_edges = of_edges;
  table->by_option = true;
  table->type = strndup(text, (size_t)(equals - text));
  if (!table->type)
    return qn_fail_memory(error, "a name", strlen(text));
  if (of_edges)
    status = cut_type(table, text, error);
  if (!status)
    status = check_name(table->type, option, text, error);
  if (!status)
    status = refuse_twice(tables, table, option, error);
  if (!status)
    status = add_files(table, equals + 1, error);
  if (!status)
    status = read_header(table, how, error);
  if (!status && table->of_edges != of_edges) {
    qn_fail(error, QN_INVALID, "the header is that of edges; --edge-table reads them");
    status = qn_error_in_file(error, table->files[0]);
  }
  return status;
}

/* A table by its header; any other file is one of `others`. */
static enum qn_status add_input(struct qn_typed_tables *tables, const char *path, bool strict,
                                const struct qn_input_options *how, struct qn_error *error) {
  struct qn_typed_table *table;
  enum qn_status status = qn_typed_tables_add(tables, &table, error);
  if (!status)
    status = qn_typed_table_add_file(table, path, error);
  if (!status && strcmp(path, "-") != 0)
    status = read_header(table, how, error);
  if (status || table->neo4j)
    return status;
  tables->count--;
  release_table(table);
  if (!strict)
    return add_text(&tables->others, &tables->num_others, path, error);
  qn_fail(error, QN_INVALID,
          "the first line is no header with :ID, or with :START_ID and :END_ID; --vertex-table "
          "TYPE=FILE,... and --edge-table NAME:SOURCE:TARGET=FILE,... say what files are");
  return qn_error_in_file(error, path);
}

/* A folder whose files are found by their headers. */
struct folder {
  struct qn_typed_tables *tables;
  const struct qn_input_options *how;
};

static enum qn_status take_entry(void *context, const char *name, const char *path,
                                 struct qn_error *error) {
  const struct folder *folder = context;
  (void)name;
  return add_input(folder->tables, path, true, folder->how, error);
}

static enum qn_status add_folder(struct qn_typed_tables *tables, const char *path,
                                 const struct qn_input_options *how, struct qn_error *error) {
  struct folder folder = {tables, how};
  return qn_typed_each_entry(path, take_entry, &folder, error);
}

enum qn_status qn_typed_tables_find(const struct qn_typed_options *options, char *const *inputs,
                                    int num_inputs, const struct qn_input_options *how,
                                    struct qn_typed_tables *tables, struct qn_error *error) {
  enum qn_status status = QN_OK;
  struct stat about;
  *tables = (struct qn_typed_tables){0};
  for (uint32_t i = 0; !status && i < options->num_vertex_tables; i++)
    status = add_option(tables, false, options->vertex_tables[i], how, error);
  for (uint32_t i = 0; !status && i < options->num_edge_tables; i++)
    status = add_option(tables, true, options->edge_tables[i], how, error);
  for (int i = 0; !status && i < num_inputs; i++)
    if (stat(inputs[i], &about) != 0 || !S_ISDIR(about.st_mode))
      status = add_input(tables, inputs[i], false, how, error);
    else
      status = qn_ldbc_is_folder(inputs[i], how) ? qn_ldbc_add(tables, inputs[i], how, error)
                                                 : add_folder(tables, inputs[i], how, error);
  return status;
}
