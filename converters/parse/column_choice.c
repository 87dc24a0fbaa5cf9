#include "converters/parse/column_choice.h"

#include <string.h>
#include <strings.h>

#include "converters/parse/text_fields.h"
#include "support/sizes.h"

#define MAX_COLUMN 4095

static enum qn_status fail_choice(struct qn_error *error) {
  return qn_fail(error, QN_USAGE,
                 "name two or three columns, source, destination and weight, by numbers from 1 to "
                 "%d or by their names in the header",
                 MAX_COLUMN);
}

enum qn_status qn_column_choice_parse(char *text, struct qn_read_options *options,
                                      struct qn_error *error) {
  uint32_t *numbers[] = {&options->source_column, &options->destination_column,
                         &options->weight_column};
  char *rest = text, *field;
  int n = 0;
  for (; n < 3 && (field = strsep(&rest, ",")) != NULL; n++) {
    uint64_t number = 0;
    if (!*field)
      return fail_choice(error);
    if (*field < '0' || *field > '9')
      options->column_names[n] = field;
    else if (qn_number_parse(field, MAX_COLUMN, &number, NULL) || number == 0)
      return fail_choice(error);
    *numbers[n] = (uint32_t)number;
  }
  return rest || n < 2 ? fail_choice(error) : QN_OK;
}

bool qn_column_choice_pending(const struct qn_read_options *options) {
  return options->column_names[0] || options->column_names[1] || options->column_names[2];
}

enum qn_status qn_column_choice_resolve(struct qn_read_options *options, const char *line,
                                        const char *end, char separator, struct qn_error *error) {
  uint32_t *numbers[] = {&options->source_column, &options->destination_column,
                         &options->weight_column};
  for (int n = 0; n < 3; n++) {
    const char *name = options->column_names[n];
    if (!name)
      continue;
    struct qn_text_columns columns = qn_text_columns_of(line, end, separator);
    struct qn_text_column column;
    uint32_t number = 0;
    bool found = false;
    while (!found && qn_text_next_column(&columns, &column)) {
      number++;
      size_t length = (size_t)(column.end - column.begin);
      found = length == strlen(name) && strncasecmp(column.begin, name, length) == 0;
    }
    if (!found) {
      char header[QN_QUOTE_BYTES];
      return qn_fail(error, QN_INVALID, "no column is called '%.64s'; the header is %s", name,
                     qn_text_quote(line, end, header));
    }
    *numbers[n] = number;
    options->column_names[n] = NULL;
  }
  return QN_OK;
}

/* ---- What headers say ----------------------------------------------------- */

enum role { ROLE_SOURCE, ROLE_DESTINATION, ROLE_WEIGHT, ROLE_NONE };

static const char *const role_texts[] = {"source", "destination", "weight"};

static const struct {
  const char *name;
  enum role role;
  bool sure; /* hardly the name of a vertex */
} known[] = {
    {"source", ROLE_SOURCE, true},
    {"src", ROLE_SOURCE, true},
    {"from", ROLE_SOURCE, true},
    {"source_id", ROLE_SOURCE, true},
    {"src_id", ROLE_SOURCE, true},
    {"from_id", ROLE_SOURCE, true},
    {"fromnodeid", ROLE_SOURCE, true},
    {"id1", ROLE_SOURCE, true},
    {"node1", ROLE_SOURCE, true},
    {":start_id", ROLE_SOURCE, true},
    {"start", ROLE_SOURCE, false},
    {"u", ROLE_SOURCE, false},
    {"target", ROLE_DESTINATION, true},
    {"dst", ROLE_DESTINATION, true},
    {"dest", ROLE_DESTINATION, true},
    {"destination", ROLE_DESTINATION, true},
    {"to", ROLE_DESTINATION, true},
    {"target_id", ROLE_DESTINATION, true},
    {"dst_id", ROLE_DESTINATION, true},
    {"to_id", ROLE_DESTINATION, true},
    {"tonodeid", ROLE_DESTINATION, true},
    {"id2", ROLE_DESTINATION, true},
    {"node2", ROLE_DESTINATION, true},
    {":end_id", ROLE_DESTINATION, true},
    {"end", ROLE_DESTINATION, false},
    {"v", ROLE_DESTINATION, false},
    {"weight", ROLE_WEIGHT, true},
    {"value", ROLE_WEIGHT, false},
    {"w", ROLE_WEIGHT, false},
};

/* Neo4j's headers say more: "weight:float", "name:START_ID(Group)". */
static struct qn_text_column plain_name(const struct qn_text_column *column) {
  const char *end = memchr(column->begin, '(', (size_t)(column->end - column->begin));
  struct qn_text_column name = {column->begin, end ? end : column->end};
  const char *colon = memchr(name.begin, ':', (size_t)(name.end - name.begin));
  if (!colon)
    return name;
  size_t length = (size_t)(name.end - colon);
  bool end_of_edge =
      (length == strlen(":START_ID") && strncasecmp(colon, ":START_ID", length) == 0) ||
      (length == strlen(":END_ID") && strncasecmp(colon, ":END_ID", length) == 0);
  return end_of_edge ? (struct qn_text_column){colon, name.end}
                     : (struct qn_text_column){name.begin, colon};
}

static enum role role_of(const struct qn_text_column *column, bool sure) {
  struct qn_text_column name = plain_name(column);
  size_t length = (size_t)(name.end - name.begin);
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (length == strlen(known[i].name) && strncasecmp(name.begin, known[i].name, length) == 0)
      return !sure || known[i].sure ? known[i].role : ROLE_NONE;
  return ROLE_NONE;
}

bool qn_column_header_is_sure(const char *line, const char *end, char separator) {
  struct qn_text_columns columns = qn_text_columns_of(line, end, separator);
  struct qn_text_column column;
  bool found[ROLE_NONE + 1] = {false};
  while (qn_text_next_column(&columns, &column))
    found[role_of(&column, true)] = true;
  return found[ROLE_SOURCE] && found[ROLE_DESTINATION];
}

struct found_columns {
  uint32_t number[ROLE_NONE]; /* from 1; 0: none */
  struct qn_text_column name[ROLE_NONE];
};

static enum qn_status find_columns(const char *line, const char *end, char separator,
                                   struct found_columns *found, struct qn_error *error) {
  struct qn_text_columns columns = qn_text_columns_of(line, end, separator);
  struct qn_text_column column;
  char one[QN_QUOTE_BYTES], other[QN_QUOTE_BYTES];
  *found = (struct found_columns){0};
  for (uint32_t number = 1; qn_text_next_column(&columns, &column); number++) {
    enum role role = role_of(&column, false);
    if (role == ROLE_NONE)
      continue;
    if (found->number[role])
      return qn_fail(error, QN_INVALID,
                     "the header names two columns that could be the %s, %s and %s; "
                     "--columns=S,D[,W] says which it is",
                     role_texts[role],
                     qn_text_quote(found->name[role].begin, found->name[role].end, one),
                     qn_text_quote(column.begin, column.end, other));
    found->number[role] = number;
    found->name[role] = column;
  }
  return QN_OK;
}

/* The column of `role` is where, without the others' names, another is expected. */
static enum qn_status fail_alone(const struct found_columns *found, enum role role,
                                 struct qn_error *error) {
  char name[QN_QUOTE_BYTES];
  return qn_fail(error, QN_INVALID,
                 "the header calls column %u %s, but does not say which are the source and the "
                 "destination; --columns=S,D[,W] does",
                 found->number[role],
                 qn_text_quote(found->name[role].begin, found->name[role].end, name));
}

enum qn_status qn_column_choice_guess(struct qn_read_options *options, const char *line,
                                      const char *end, char separator, struct qn_error *error) {
  struct found_columns found;
  if (options->source_column || options->destination_column || qn_column_choice_pending(options))
    return QN_OK;
  enum qn_status status = find_columns(line, end, separator, &found, error);
  if (status)
    return status;
  uint32_t source = found.number[ROLE_SOURCE], destination = found.number[ROLE_DESTINATION];
  uint32_t weight = found.number[ROLE_WEIGHT];
  if (source && !destination && source != 1)
    return fail_alone(&found, ROLE_SOURCE, error);
  if (destination && !source && destination != 2)
    return fail_alone(&found, ROLE_DESTINATION, error);
  if (weight && weight < 3 && !(source && destination))
    return fail_alone(&found, ROLE_WEIGHT, error);
  if (source && destination && (source != 1 || destination != 2)) {
    options->source_column = source;
    options->destination_column = destination;
    options->weight_column = weight;
  } else if (weight > 3) {
    options->weight_column = weight;
  }
  return QN_OK;
}
