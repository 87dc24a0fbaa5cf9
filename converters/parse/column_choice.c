#include "converters/parse/column_choice.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/text/text_fields.h"
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
    {"vertex", ROLE_OTHER, false},
    {"vertex_id", ROLE_OTHER, false},
    {"node", ROLE_OTHER, false},
    {"node_id", ROLE_OTHER, false},
    {"nodeid", ROLE_OTHER, false},
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

bool qn_column_header_is_known(const char *line, const char *end,
                               const struct qn_dialect *dialect) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  bool known_all = true;
  while (known_all && qn_columns_next(&columns, &column))
    known_all = role_of(&column, false) != ROLE_NONE;
  return known_all;
}

bool qn_column_header_is_of_vertices(const char *line, const char *end,
                                     const struct qn_dialect *dialect) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column;
  bool found = false;
  while (!found && qn_columns_next(&columns, &column)) {
    const char *colon = memchr(column.begin, ':', (size_t)(column.end - column.begin));
    const char *open = memchr(column.begin, '(', (size_t)(column.end - column.begin));
    const struct qn_column behind = {.begin = colon,
                                     .end = open && colon && open > colon ? open : column.end};
    found = colon && qn_column_is(&behind, ":ID");
  }
  return found;
}

/* ---- Tables of vertices --------------------------------------------------- */

struct qn_dialect qn_vertex_table_dialect(const struct qn_text_choice *choice) {
  if (!choice->of_vertices)
    return (struct qn_dialect){.delimiter = ',', .quotes = true};
  return (struct qn_dialect){.delimiter = choice->delimiter,
                             .quotes = choice->quotes != QN_SAID_NO,
                             .escapes = choice->escape == QN_ESCAPE_BACKSLASH};
}

static bool holds_ids(const struct qn_column *name) {
  const char *colon = memrchr(name->begin, ':', (size_t)(name->end - name->begin));
  if (!colon)
    return qn_column_is(name, "id");
  const size_t length = (size_t)(name->end - colon);
  return length >= 3 && memcmp(colon, ":ID", 3) == 0 && (length == 3 || colon[3] == '(');
}

bool qn_column_of_ids(const char *line, const char *end, const struct qn_dialect *dialect,
                      uint32_t *number) {
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column name;
  for (*number = 0; qn_columns_next(&columns, &name); ++*number)
    if (name.fault == QN_COLUMN_FINE && holds_ids(&name))
      return true;
  return false;
}

/* ---- Pairs of names ------------------------------------------------------- */

/* What two columns of ends are called, beside what both are: gene_a and gene_b, "Source Name" and
 * "Target Name". */
static const struct {
  const char *one, *other;
  bool ordered; /* the first is the source wherever it stands; else the column that is first */
  bool alone;   /* without more in the name */
} pairs[] = {
    {"from", "to", true, true},
    {"source", "target", true, true},
    {"source", "destination", true, true},
    {"source", "dest", true, true},
    {"source", "sink", true, true},
    {"src", "dst", true, true},
    {"src", "dest", true, true},
    {"src", "tgt", true, true},
    {"src", "target", true, true},
    {"start", "end", true, true},
    {"start", "stop", true, true},
    {"begin", "end", true, true},
    {"origin", "destination", true, true},
    {"origin", "dest", true, true},
    {"sender", "receiver", true, true},
    {"sender", "recipient", true, true},
    {"caller", "callee", true, true},
    {"citing", "cited", true, true},
    {"a", "b", false, false},
    {"x", "y", false, false},
    {"i", "j", false, false},
    {"u", "v", false, true},
    {"0", "1", false, false},
    {"1", "2", false, false},
    {"one", "two", false, true},
    {"first", "second", false, true},
    {"left", "right", false, true},
    {"head", "tail", false, true},
    {"subject", "object", false, true},
    {"parent", "child", false, true},
    {"id", "parent", false, true},
    {"node", "parent", false, true},
    {"ancestor", "descendant", false, true},
    {"follower", "followee", false, true},
    {"follower", "followed", false, true},
    {"follower", "following", false, true},
    {"user", "follower", false, true},
    {"user", "followee", false, true},
    {"user", "following", false, true},
    {"user", "friend", false, true},
    {"user", "item", false, true},
    {"user", "group", false, true},
    {"user", "movie", false, true},
    {"user", "product", false, true},
    {"person", "friend", false, true},
    {"node", "neighbor", false, true},
    {"node", "neighbour", false, true},
    {"vertex", "neighbor", false, true},
    {"vertex", "neighbour", false, true},
    {"ego", "alter", false, true},
    {"buyer", "seller", false, true},
    {"payer", "payee", false, true},
    {"lender", "borrower", false, true},
    {"importer", "exporter", false, true},
    {"prey", "predator", false, true},
    {"trustor", "trustee", false, true},
    {"rater", "ratee", false, true},
    {"manager", "employee", false, true},
    {"regulator", "target", false, true},
    {"tf", "target", false, true},
    {"ligand", "receptor", false, true},
    {"package", "dependency", false, true},
    {"author", "paper", false, true},
    {"actor", "movie", false, true},
    {"customer", "product", false, true},
    {"member", "group", false, true},
};

/* A part of a name: "fromNode_id1" has from, Node, id and 1. */
struct word {
  const char *begin, *end;
};

enum { MOST_WORDS = 6 };

static bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

static bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/* Returns how many words there are; 0 if too many. */
static uint32_t words_of(const struct qn_column *column, struct word words[MOST_WORDS]) {
  struct qn_column name = plain_name(column);
  const char *p = name.begin + (name.begin < name.end && *name.begin == ':');
  uint32_t count = 0;
  while (p < name.end) {
    const char *begin = p;
    if (qn_is_digit(*p))
      while (p < name.end && qn_is_digit(*p))
        p++;
    else
      while (p < name.end && (is_lower(*p) || is_upper(*p)) &&
             (p == begin || !is_upper(*p) || !is_lower(p[-1])))
        p++;
    if (p == begin) {
      p++;
    } else {
      if (count == MOST_WORDS)
        return 0;
      words[count++] = (struct word){begin, p};
    }
  }
  return count;
}

static bool word_is(const struct word *word, const char *text) {
  struct qn_column column = {.begin = word->begin, .end = word->end};
  return qn_column_is(&column, text);
}

static bool same_word(const struct word *one, const struct word *other) {
  const size_t length = (size_t)(one->end - one->begin);
  return length == (size_t)(other->end - other->begin) &&
         strncasecmp(one->begin, other->begin, length) == 0;
}

/* Of names that differ in one word. `*backward`: the second names the source. */
static bool is_pair(const struct qn_column *one, const struct qn_column *other, bool *backward) {
  struct word first[MOST_WORDS], second[MOST_WORDS];
  const uint32_t count = words_of(one, first);
  uint32_t differ = 0, at = 0;
  if (count == 0 || count != words_of(other, second))
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (!same_word(&first[i], &second[i])) {
      differ++;
      at = i;
    }
  for (unsigned i = 0; differ == 1 && i < sizeof pairs / sizeof *pairs; i++) {
    const bool forward = word_is(&first[at], pairs[i].one) && word_is(&second[at], pairs[i].other);
    const bool reverse = word_is(&first[at], pairs[i].other) && word_is(&second[at], pairs[i].one);
    *backward = reverse && pairs[i].ordered;
    if ((forward || reverse) && (pairs[i].alone || count > 1))
      return true;
  }
  return false;
}

bool qn_column_header_pair(const char *line, const char *end, const struct qn_dialect *dialect,
                           uint32_t *source, uint32_t *destination) {
  enum { MOST_COLUMNS = 64 };
  struct qn_columns columns = qn_columns_of(line, end, dialect);
  struct qn_column column[MOST_COLUMNS];
  uint32_t count = 0;
  while (count < MOST_COLUMNS && qn_columns_next(&columns, &column[count]))
    count++;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t j = i + 1; j < count; j++) {
      bool backward;
      if (!is_pair(&column[i], &column[j], &backward))
        continue;
      *source = backward ? j : i;
      *destination = backward ? i : j;
      return true;
    }
  return false;
}

/* ---- The choice ----------------------------------------------------------- */

struct found_columns {
  uint32_t number[ROLE_OTHER]; /* from 1; 0: none */
  struct qn_column name[ROLE_OTHER];
  uint32_t count;
  bool index;       /* the first column has no name */
  bool other_third; /* the third one's name is that of no weight */
  uint32_t unknown; /* columns of whose names nothing is known */
  bool ends_known;  /* of one of the two that would be the ends */
};

static enum qn_status note_column(struct found_columns *found, const struct qn_column *column,
                                  struct qn_error *error) {
  char one[QN_QUOTE_BYTES], other[QN_QUOTE_BYTES];
  enum role role = role_of(column, false);
  uint32_t number = ++found->count;
  const bool nameless = column->begin == column->end || qn_column_is(column, "Unnamed: 0");
  found->index |= number == 1 && nameless;
  found->unknown += role == ROLE_NONE && !nameless;
  found->ends_known |= role != ROLE_NONE && number <= 2 + (uint32_t)found->index;
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

/* Nothing says which columns are the ends. */
static enum qn_status fail_unnamed(const char *line, const char *end, struct qn_error *error) {
  char header[QN_QUOTE_BYTES];
  return qn_fail(error, QN_INVALID,
                 "the header names neither a source nor a destination: %s; --columns=S,D[,W] says "
                 "which columns they are, if the lines are edges",
                 qn_text_quote(line, end, header));
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
  const bool named = source || destination;
  if (!named && qn_column_header_pair(line, end, dialect, &source, &destination)) {
    source++;
    destination++;
  }
  if (source && !destination && source != first)
    return fail_alone(&found, ROLE_SOURCE, error);
  if (destination && !source && destination != first + 1)
    return fail_alone(&found, ROLE_DESTINATION, error);
  if (weight && weight < first + 2 && !(source && destination))
    return fail_alone(&found, ROLE_WEIGHT, error);
  if (!source && !destination && (found.unknown > 2 || (found.ends_known && found.count > first)))
    return fail_unnamed(line, end, error);
  *says =
      (struct qn_header_says){found.number[ROLE_TYPE], found.other_third, source && destination};
  options->source_column = source ? source : first;
  options->destination_column = destination ? destination : first + 1;
  options->weight_column = weight;
  return QN_OK;
}

/* ---- Spaces of ids --------------------------------------------------------- */

/* Neo4j's "(Person)" behind an end; empty if there is none. */
static struct qn_column id_space(const struct qn_column *name) {
  const char *open = memchr(name->begin, '(', (size_t)(name->end - name->begin));
  return (struct qn_column){.begin = open ? open : name->end, .end = name->end};
}

static bool is_end(const struct qn_column *column) {
  const enum role role = role_of(column, false);
  return role == ROLE_SOURCE || role == ROLE_DESTINATION;
}

/* Ids of two spaces may be equal and mean different vertices. */
static enum qn_status check_id_spaces(const struct qn_column *one, const struct qn_column *other,
                                      const char *advice, struct qn_error *error) {
  char quoted[2][QN_QUOTE_BYTES];
  const struct qn_column source = id_space(one), destination = id_space(other);
  const size_t length = (size_t)(source.end - source.begin);
  if (!is_end(one) || !is_end(other) ||
      (length == (size_t)(destination.end - destination.begin) &&
       memcmp(source.begin, destination.begin, length) == 0))
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "sources and destinations have ids of two spaces, %s and %s: %s",
                 qn_text_quote(source.begin, source.end, quoted[0]),
                 qn_text_quote(destination.begin, destination.end, quoted[1]), advice);
}

bool qn_column_id_space(const struct qn_read_options *options, const char *line, const char *end,
                        const struct qn_dialect *dialect, char space[QN_ID_SPACE_TEXT]) {
  if (!options->source_column)
    return false;
  const struct qn_column column = qn_column_at(line, end, dialect, options->source_column - 1);
  const struct qn_column name = plain_name(&column), found = id_space(&column);
  snprintf(space, QN_ID_SPACE_TEXT, "%.*s", (int)(found.end - found.begin), found.begin);
  return qn_column_is(&name, ":START_ID");
}

enum qn_status qn_id_space_compare(const char *space, struct qn_read_result *result,
                                   struct qn_error *error) {
  if (!result->has_id_space)
    snprintf(result->id_space, sizeof result->id_space, "%s", space);
  result->has_id_space = true;
  return strcmp(result->id_space, space) == 0
             ? QN_OK
             : qn_fail(error, QN_INVALID,
                       "these are ids of the space '%s', and those of another input of '%s': "
                       "--types makes a set that keeps them apart, --bipartite=no takes equal ids "
                       "as one vertex",
                       space, result->id_space);
}

static enum qn_status check_ends(const struct qn_read_options *options, const char *line,
                                 const char *end, const struct qn_dialect *dialect,
                                 struct qn_error *error) {
  if (!options->source_column || !options->destination_column ||
      options->bipartite != QN_BIPARTITE_AUTO)
    return QN_OK;
  const struct qn_column source = qn_column_at(line, end, dialect, options->source_column - 1);
  const struct qn_column destination =
      qn_column_at(line, end, dialect, options->destination_column - 1);
  return check_id_spaces(
      &source, &destination,
      "--types makes a set that keeps them apart, --bipartite=yes names that do, "
      "--bipartite=no takes equal ids as one vertex",
      error);
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
    if (!found)
      return fail_unknown(name, line, end, dialect, error);
    *numbers[n] = number;
    options->column_names[n] = NULL;
  }
  return check_ends(options, line, end, dialect, error);
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
  if (source && destination) {
    memcpy(numbers, (uint32_t[]){source, destination, found.number[ROLE_WEIGHT]},
           3 * sizeof *numbers);
    return check_id_spaces(&found.name[ROLE_SOURCE], &found.name[ROLE_DESTINATION],
                           "--columns=S,D takes equal ids as one vertex, and --bipartite=yes keeps "
                           "those of CSV apart",
                           error);
  }
  if (count != 2 || found.number[ROLE_WEIGHT] || found.ends_known)
    return qn_fail(error, QN_INVALID,
                   "the table's columns do not say which of them are the source and the target; "
                   "--columns=S,D[,W] does");
  memcpy(numbers, (uint32_t[]){1, 2, 0}, 3 * sizeof *numbers);
  return QN_OK;
}
