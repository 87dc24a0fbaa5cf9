#include "converters/typed/ldbc.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "converters/typed/folder.h"
#include "formats/text/delimited.h"
#include "support/memory.h"
#include "support/progress.h"

/* What is added to the tables. */
struct adding {
  struct qn_typed_tables *tables;
  const struct qn_input_options *how;
};

static const struct qn_dialect bars = {.delimiter = '|', .quotes = true};

/* ---- Names -------------------------------------------------------------------- */

/* How long "person" is in "person_0_0.csv", which may be packed; 0: the name is no such one. */
static size_t stem_length(const char *name) {
  const char *end = strstr(name, ".csv");
  if (!end || (end[4] && end[4] != '.'))
    return 0;
  for (int i = 0; i < 2; i++) {
    const char *digits = end;
    while (digits > name && isdigit((unsigned char)digits[-1]))
      digits--;
    if (digits == end || digits == name || digits[-1] != '_')
      return 0;
    end = digits - 1;
  }
  return (size_t)(end - name);
}

static char *letters(const char *begin, const char *end) {
  for (const char *p = begin; p < end; p++)
    if (!isalpha((unsigned char)*p))
      return NULL;
  return begin < end ? strndup(begin, (size_t)(end - begin)) : NULL;
}

/* TYPE of vertices, or SOURCE_NAME_TARGET of edges. False if it is neither. */
static bool cut_stem(const char *stem, struct qn_typed_table *table) {
  const char *end = stem + strlen(stem), *first = strchr(stem, '_');
  const char *last = first ? strchr(first + 1, '_') : NULL;
  if (!first)
    return (table->type = letters(stem, end)) != NULL;
  if (!last)
    return false;
  table->of_edges = true;
  table->ends[0] = letters(stem, first);
  table->type = letters(first + 1, last);
  table->ends[1] = letters(last + 1, end);
  return table->ends[0] && table->type && table->ends[1];
}

/* ---- Headers ------------------------------------------------------------------ */

static enum qn_status refuse_header(const char *path, const char *what, const char *header,
                                    struct qn_error *error) {
  qn_fail(error, QN_INVALID,
          "expected a header with %s, as LDBC SNB's generators write it; found '%.120s'", what,
          header);
  return qn_error_at_line(error, path, 1, 1);
}

/* Where the column called TYPE and `behind` is, from 1 and behind column `after`; 0: nowhere. */
static uint32_t find_column(const char *header, const char *type, const char *behind,
                            uint32_t after) {
  struct qn_columns columns = qn_columns_of(header, header + strlen(header), &bars);
  struct qn_column column;
  char name[256];
  snprintf(name, sizeof name, "%s%s", type, behind);
  for (uint32_t i = 1; qn_columns_next(&columns, &column); i++)
    if (i > after && qn_column_is(&column, name))
      return i;
  return 0;
}

/* "Person.id|email": the second of two columns has no ids, but values that become vertices. */
static bool are_values(const char *header) {
  const char *bar = strchr(header, '|');
  return bar && !strchr(bar + 1, '|') && !strchr(bar, '.');
}

/* "Person.id|Person.id", "Person.id|email"; "Person1Id|Person2Id", "PersonId|CityId". */
static enum qn_status find_ends(struct qn_typed_table *table, const char *path, const char *header,
                                struct qn_error *error) {
  const char *source = table->ends[0], *target = table->ends[1];
  const bool same = strcmp(source, target) == 0;
  char what[256];
  uint32_t *columns = table->columns;
  columns[0] = find_column(header, source, ".id", 0);
  if (columns[0]) {
    columns[1] = find_column(header, target, ".id", columns[0]);
    if (!columns[1] && columns[0] == 1 && are_values(header))
      columns[1] = 2;
  } else {
    table->quotes = true;
    columns[0] = find_column(header, source, same ? "1Id" : "Id", 0);
    columns[1] = find_column(header, target, same ? "2Id" : "Id", 0);
  }
  if (columns[0] && columns[1])
    return QN_OK;
  snprintf(what, sizeof what, "the ids of %.80s and %.80s between bars", source, target);
  return refuse_header(path, what, header, error);
}

/* In other files than these two forms, columns of vertices stand for edges. */
static enum qn_status refuse_keys(const char *path, const char *header, struct qn_error *error) {
  static const char *const keys[] = {"creator",   "place",     "replyOfPost", "replyOfComment",
                                     "moderator", "isPartOf",  "hasType",     "isSubclassOf",
                                     "Forum.id",  "container", NULL};
  struct qn_columns columns = qn_columns_of(header, header + strlen(header), &bars);
  struct qn_column column;
  while (qn_columns_next(&columns, &column)) {
    const size_t length = (size_t)(column.end - column.begin);
    bool is_key = length > 2 && memcmp(column.end - 2, "Id", 2) == 0;
    for (int i = 0; keys[i] && !is_key; i++)
      is_key = qn_column_is(&column, keys[i]);
    if (!is_key)
      continue;
    qn_fail(error, QN_INVALID,
            "the column '%.*s' stands for edges to other vertices; of LDBC SNB's files those are "
            "read that have a table for every type of edges: CsvBasic, CsvComposite and "
            "composite-projected-fk",
            (int)(length < 80 ? length : 80), column.begin);
    return qn_error_at_line(error, path, 1, 1);
  }
  return QN_OK;
}

static enum qn_status learn_header(struct qn_typed_table *table, const char *path,
                                   struct qn_error *error) {
  const char *header = table->header;
  if (table->of_edges)
    return find_ends(table, path, header, error);
  if (!find_column(header, "id", "", 0))
    return refuse_header(path, "a column id between bars", header, error);
  return refuse_keys(path, header, error);
}

/* ---- Files -------------------------------------------------------------------- */

static struct qn_typed_table *find_table(const struct qn_typed_tables *tables, const char *stem) {
  for (uint32_t i = 0; i < tables->count; i++)
    if (tables->tables[i].ldbc && strcmp(tables->tables[i].ldbc, stem) == 0)
      return &tables->tables[i];
  return NULL;
}

static enum qn_status begin_table(struct adding *adding, const char *stem, const char *path,
                                  struct qn_typed_table **table, struct qn_error *error) {
  enum qn_status status = qn_typed_tables_add(adding->tables, table, error);
  if (status)
    return status;
  (*table)->ldbc = strdup(stem);
  if (!(*table)->ldbc)
    return qn_fail_memory(error, "a name", strlen(stem));
  if (cut_stem(stem, *table))
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "'%.80s' is no table of LDBC SNB's: these are called TYPE or SOURCE_NAME_TARGET, in "
          "letters",
          stem);
  return qn_error_in_file(error, path);
}

/* The file `path` of the table that is called `stem`. */
static enum qn_status add_file(struct adding *adding, const char *stem, const char *path,
                               bool quotes, struct qn_error *error) {
  struct qn_typed_table *table = find_table(adding->tables, stem);
  char *header = NULL;
  enum qn_status status = table ? QN_OK : begin_table(adding, stem, path, &table, error);
  if (!status)
    status = qn_typed_header(path, adding->how, &header, error);
  if (!status && table->header && strcmp(header, table->header) != 0) {
    qn_fail(error, QN_INVALID, "its header is not that of %.200s", table->files[0]);
    status = qn_error_at_line(error, path, 1, 1);
  }
  if (!status && !table->header) {
    table->quotes = quotes;
    table->header = header;
    header = NULL;
    status = learn_header(table, path, error);
  }
  free(header);
  return status ? status : qn_typed_table_add_file(table, path, error);
}

/* What becomes of FOLDER/NAME, which is a folder or not. */
typedef enum qn_status (*entry_taker)(struct adding *adding, const char *name, const char *path,
                                      bool is_folder, const char *of, struct qn_error *error);

struct walk {
  struct adding *adding;
  entry_taker take;
  const char *of;
};

/* Empty files are left out: generators write a part for each task, with or without rows. */
static enum qn_status take_entry(void *context, const char *name, const char *path,
                                 struct qn_error *error) {
  const struct walk *walk = context;
  struct stat about;
  if (stat(path, &about) != 0) {
    qn_fail_errno(error, "cannot read it");
    return qn_error_in_file(error, path);
  }
  const bool is_folder = S_ISDIR(about.st_mode);
  return is_folder || about.st_size
             ? walk->take(walk->adding, name, path, is_folder, walk->of, error)
             : QN_OK;
}

static enum qn_status each_entry(struct adding *adding, const char *folder, entry_taker take,
                                 const char *of, struct qn_error *error) {
  struct walk walk = {adding, take, of};
  return qn_typed_each_entry(folder, take_entry, &walk, error);
}

static enum qn_status refuse_name(const char *path, struct qn_error *error) {
  qn_fail(error, QN_INVALID,
          "this is no file of LDBC SNB's: expected TYPE_0_0.csv and SOURCE_NAME_TARGET_0_0.csv, or "
          "folders TYPE and SOURCE_NAME_TARGET of part-*.csv, below static and dynamic");
  return qn_error_in_file(error, path);
}

static enum qn_status take_part(struct adding *adding, const char *name, const char *path,
                                bool is_folder, const char *of, struct qn_error *error) {
  if (is_folder || strncmp(name, "part-", 5) != 0 || !strstr(name, ".csv"))
    return refuse_name(path, error);
  return add_file(adding, of, path, true, error);
}

/* Tables, each a folder of parts or files with numbers. */
static enum qn_status take_table(struct adding *adding, const char *name, const char *path,
                                 bool is_folder, const char *of, struct qn_error *error) {
  const size_t length = is_folder ? 0 : stem_length(name);
  char stem[NAME_MAX + 1];
  (void)of;
  if (is_folder)
    return each_entry(adding, path, take_part, name, error);
  if (!length)
    return refuse_name(path, error);
  snprintf(stem, sizeof stem, "%.*s", (int)length, name);
  return add_file(adding, stem, path, false, error);
}

static bool is_group(const char *name) {
  return strcmp(name, "static") == 0 || strcmp(name, "dynamic") == 0;
}

/* Changes to the graph are not the graph. */
static bool is_of_updates(const char *name) {
  return strcmp(name, "inserts") == 0 || strcmp(name, "deletes") == 0 ||
         strncmp(name, "updateStream", 12) == 0;
}

static enum qn_status take_group(struct adding *adding, const char *name, const char *path,
                                 bool is_folder, const char *of, struct qn_error *error) {
  if (is_folder && is_group(name))
    return each_entry(adding, path, take_table, NULL, error);
  if (is_folder && strcmp(name, "initial_snapshot") == 0)
    return each_entry(adding, path, take_group, NULL, error);
  if (!is_of_updates(name))
    return take_table(adding, name, path, is_folder, of, error);
  qn_note(QN_NOTE_NOT_READ, "%s: updates are not read", path);
  return QN_OK;
}

/* ---- The whole ---------------------------------------------------------------- */

struct search {
  const struct qn_input_options *how;
  bool found;
};

/* Is it one of the folders, or a table with their header? */
static enum qn_status look_at(void *context, const char *name, const char *path,
                              struct qn_error *error) {
  struct search *search = context;
  struct stat about;
  char *header;
  if (search->found)
    return QN_OK;
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
    search->found = is_group(name) || strcmp(name, "initial_snapshot") == 0;
  } else if (stem_length(name) && !qn_typed_header(path, search->how, &header, error)) {
    search->found = strchr(header, '|') && !strchr(header, ':');
    free(header);
  }
  return QN_OK;
}

bool qn_ldbc_is_folder(const char *folder, const struct qn_input_options *how) {
  struct search search = {.how = how};
  return !qn_typed_each_entry(folder, look_at, &search, NULL) && search.found;
}

/* Of Spark's generator edges lead to cities and companies, which are in the tables of places and
 * organisations. */
static enum qn_status find_wholes(struct qn_typed_tables *tables, struct qn_error *error) {
  static const char *const wholes[][2] = {{"City", "Place"},
                                          {"Country", "Place"},
                                          {"Continent", "Place"},
                                          {"University", "Organisation"},
                                          {"Company", "Organisation"}};
  for (uint32_t t = 0; t < tables->count; t++)
    for (unsigned end = 0; tables->tables[t].ldbc && tables->tables[t].of_edges && end < 2; end++)
      for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        char **type = &tables->tables[t].ends[end];
        if (strcmp(*type, wholes[i][0]) != 0 || find_table(tables, *type) ||
            !find_table(tables, wholes[i][1]))
          continue;
        free(*type);
        *type = strdup(wholes[i][1]);
        if (!*type)
          return qn_fail_memory(error, "a name", strlen(wholes[i][1]));
      }
  return QN_OK;
}

enum qn_status qn_ldbc_add(struct qn_typed_tables *tables, const char *folder,
                           const struct qn_input_options *how, struct qn_error *error) {
  struct adding adding = {tables, how};
  enum qn_status status = each_entry(&adding, folder, take_group, NULL, error);
  return status ? status : find_wholes(tables, error);
}
