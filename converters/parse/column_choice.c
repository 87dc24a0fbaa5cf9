#include "converters/parse/column_choice.h"

#include <stdio.h>
#include <string.h>

#include "converters/parse/text_fields.h"
#include "support/sizes.h"
#include "support/suggest.h"

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

static enum qn_status fail_unknown(const char *name, const char *line, const char *end,
                                   const struct qn_dialect *dialect, struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  char header[QN_QUOTE_BYTES], best[QN_SUGGESTION_TEXT] = "", suggested[QN_SUGGESTION_TEXT] = "";
  uint32_t distance = UINT32_MAX;
  while (qn_columns_next(&columns, &column)) {
    char word[64];
    struct qn_suggestion suggestion = qn_suggestion_for(name);
    snprintf(word, sizeof word, "%.*s", (int)(column.end - column.begin), column.begin);
    qn_suggestion_offer(&suggestion, word);
    if (suggestion.distance >= distance)
      continue;
    distance = suggestion.distance;
    qn_suggestion_text(&suggestion, best);
    snprintf(suggested, sizeof suggested, "%s", best);
  }
  return qn_fail(error, QN_INVALID, "no column is called '%.64s'; the header is %s%s", name,
                 qn_text_quote(line, end, header), suggested);
}

enum qn_status qn_column_choice_resolve(struct qn_read_options *options, const char *line,
                                        const char *end, const struct qn_dialect *dialect,
                                        struct qn_error *error) {
  uint32_t *numbers[] = {&options->source_column, &options->destination_column,
                         &options->weight_column};
  for (int n = 0; n < 3; n++) {
    const char *name = options->column_names[n];
    if (!name)
      continue;
    struct qn_columns columns = qn_columns_of(line, end, dialect);
    struct qn_column column;
    uint32_t number = 0;
    bool found = false;
    while (!found && qn_columns_next(&columns, &column)) {
      number++;
      found = qn_column_is(&column, name);
    }
    if (!found) {
      return fail_unknown(name, line, end, dialect, error);
    }
    *numbers[n] = number;
    options->column_names[n] = NULL;
  }
  return QN_OK;
}

/* ---- What headers say ----------------------------------------------------- */

enum role { ROLE_SOURCE, ROLE_DESTINATION, ROLE_WEIGHT, ROLE_TYPE, ROLE_OTHER, ROLE_NONE };

static const char *const role_texts[] = {"source", "destination", "weight", "type"};

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
    {"weights", ROLE_WEIGHT, true},
    {"wgt", ROLE_WEIGHT, true},
    {"edge_weight", ROLE_WEIGHT, true},
    {"type", ROLE_TYPE, false},
    {"id", ROLE_OTHER, false},
    {"label", ROLE_OTHER, false},
    {"name", ROLE_OTHER, false},
    {"key", ROLE_OTHER, false},
    {"kind", ROLE_OTHER, false},
    {"relation", ROLE_OTHER, false},
    {"relationship", ROLE_OTHER, false},
    {":type", ROLE_OTHER, false},
    {":id", ROLE_OTHER, false},
    {"edge", ROLE_OTHER, false},
    {"edge_id", ROLE_OTHER, false},
    {"date", ROLE_OTHER, false},
    {"time", ROLE_OTHER, false},
    {"timestamp", ROLE_OTHER, false},
    {"timeset", ROLE_OTHER, false},
    {"interval", ROLE_OTHER, false},
    {"year", ROLE_OTHER, false},
};

/* Neo4j's headers say more: "weight:float", "name:START_ID(Group)". */
static struct qn_column plain_name(const struct qn_column *column) {
  const char *end = memchr(column->begin, '(', (size_t)(column->end - column->begin));
  struct qn_column name = {.begin = column->begin, .end = end ? end : column->end};
  const char *colon = memchr(name.begin, ':', (size_t)(name.end - name.begin));
  if (!colon || colon == name.begin)
    return name;
  struct qn_column behind = {.begin = colon, .end = name.end};
  if (qn_column_is(&behind, ":START_ID") || qn_column_is(&behind, ":END_ID"))
    return behind;
  name.end = colon;
  return name;
}

static enum role role_of(const struct qn_column *column, bool sure) {
  struct qn_column name = plain_name(column);
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (qn_column_is(&name, known[i].name))
      return !sure || known[i].sure ? known[i].role : ROLE_NONE;
  return ROLE_NONE;
}

bool qn_column_header_is_sure(const char *line, const char *end, const struct qn_dialect *dialect) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  bool found[ROLE_NONE + 1] = {false};
  while (qn_columns_next(&columns, &column))
    found[role_of(&column, true)] = true;
  return found[ROLE_SOURCE] && found[ROLE_DESTINATION];
}

struct found_columns {
  uint32_t number[ROLE_OTHER]; /* from 1; 0: none */
  struct qn_column name[ROLE_OTHER];
  uint32_t count;
  bool index;       /* the first column has no name */
  bool other_third; /* the third one's name is that of no weight */
};

static enum qn_status note_column(struct found_columns *found, const struct qn_column *column,
                                  struct qn_error *error) {
  char one[QN_QUOTE_BYTES], other[QN_QUOTE_BYTES];
  enum role role = role_of(column, false);
  uint32_t number = ++found->count;
  found->index |=
      number == 1 && (column->begin == column->end || qn_column_is(column, "Unnamed: 0"));
  found->other_third |= number == 3 && (role == ROLE_OTHER || role == ROLE_TYPE);
  if (role >= ROLE_OTHER)
    return QN_OK;
  if (found->number[role])
    return qn_fail(error, QN_INVALID,
                   "the header names two columns that could be the %s, %s and %s; "
                   "--columns=S,D[,W] says which it is",
                   role_texts[role],
                   qn_text_quote(found->name[role].begin, found->name[role].end, one),
                   qn_text_quote(column->begin, column->end, other));
  found->number[role] = number;
  found->name[role] = *column;
  return QN_OK;
}

static enum qn_status find_columns(const char *line, const char *end,
                                   const struct qn_dialect *dialect, struct found_columns *found,
                                   struct qn_error *error) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  enum qn_status status = QN_OK;
  *found = (struct found_columns){0};
  while (!status && qn_columns_next(&columns, &column))
    status = note_column(found, &column, error);
  return status;
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
                                      const char *end, const struct qn_dialect *dialect,
                                      struct qn_header_says *says, struct qn_error *error) {
  struct found_columns found;
  *says = (struct qn_header_says){0};
  if (options->source_column || options->destination_column || qn_column_choice_pending(options))
    return QN_OK;
  enum qn_status status = find_columns(line, end, dialect, &found, error);
  if (status)
    return status;
  uint32_t source = found.number[ROLE_SOURCE], destination = found.number[ROLE_DESTINATION];
  uint32_t weight = found.number[ROLE_WEIGHT], first = found.index ? 2 : 1;
  if (source && !destination && source != first)
    return fail_alone(&found, ROLE_SOURCE, error);
  if (destination && !source && destination != first + 1)
    return fail_alone(&found, ROLE_DESTINATION, error);
  if (weight && weight < first + 2 && !(source && destination))
    return fail_alone(&found, ROLE_WEIGHT, error);
  *says = (struct qn_header_says){found.number[ROLE_TYPE], found.other_third};
  options->source_column = source ? source : first;
  options->destination_column = destination ? destination : first + 1;
  options->weight_column = weight;
  return QN_OK;
}

enum qn_status qn_column_choice_of_names(const char *const *names, uint64_t count,
                                         uint32_t numbers[3], struct qn_error *error) {
  struct found_columns found = {0};
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < count && i < UINT32_MAX && !status; i++) {
    struct qn_column column = {.begin = names[i], .end = names[i] + strlen(names[i])};
    status = note_column(&found, &column, error);
  }
  if (status)
    return status;
  uint32_t source = found.number[ROLE_SOURCE], destination = found.number[ROLE_DESTINATION];
  if (source && destination)
    memcpy(numbers, (uint32_t[]){source, destination, found.number[ROLE_WEIGHT]},
           3 * sizeof *numbers);
  else if (count == 2 && !found.number[ROLE_WEIGHT])
    memcpy(numbers, (uint32_t[]){1, 2, 0}, 3 * sizeof *numbers);
  else
    return qn_fail(error, QN_INVALID,
                   "the table's columns do not say which of them are the source and the target; "
                   "--columns=S,D[,W] does");
  return QN_OK;
}
