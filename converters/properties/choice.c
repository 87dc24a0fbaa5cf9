#include "converters/properties/choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/properties/text_column.h"
#include "support/memory.h"

/* The names of columns, without their types; "" for those that have none. */
struct headings {
  struct qn_chosen_column *columns;
  uint32_t count;
  bool *ignored;
};

/* Types by what other systems call them. Times, which may name a time zone, stay text. */
static bool scalars_called(const char *name, enum qn_property_type *type) {
  static const struct {
    const char *name;
    enum qn_property_type type;
  } others[] = {{"int", QN_PROPERTY_I64},          {"long", QN_PROPERTY_I64},
                {"short", QN_PROPERTY_I64},        {"byte", QN_PROPERTY_I64},
                {"float", QN_PROPERTY_F32},        {"double", QN_PROPERTY_F64},
                {"boolean", QN_PROPERTY_BOOL},     {"char", QN_PROPERTY_STRING},
                {"datetime", QN_PROPERTY_STRING},  {"time", QN_PROPERTY_STRING},
                {"localtime", QN_PROPERTY_STRING}, {"localdatetime", QN_PROPERTY_STRING},
                {"duration", QN_PROPERTY_STRING},  {"point", QN_PROPERTY_STRING},
                {"LABEL", QN_PROPERTY_STRING},     {"TYPE", QN_PROPERTY_STRING}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(others[i].name, name) == 0)
      return *type = others[i].type, true;
  return qn_property_type_of(name, type);
}

/* "float[]" is of vectors of numbers, of which nobody says how many. */
static bool type_called(const char *name, enum qn_property_type *type) {
  enum qn_property_type number;
  char of[QN_PROPERTY_TYPE_BYTES];
  const size_t length = strlen(name);
  if (length < 3 || length >= sizeof of || strcmp(name + length - 2, "[]") != 0)
    return scalars_called(name, type);
  snprintf(of, sizeof of, "%.*s", (int)(length - 2), name);
  if (!scalars_called(of, &number) ||
      !qn_property_class_of(QN_PROPERTY_VECTOR(qn_property_number_type(number), 1)))
    return false;
  *type = QN_PROPERTY_VECTOR(qn_property_number_type(number), QN_ANY_DIMENSION);
  return true;
}

/* Cut "since:long" in two; a column called ":TYPE" alone is called so. */
static void cut_type(char *name, enum qn_property_type *type) {
  char *colon = strrchr(name, ':');
  if (!colon || !type_called(colon + 1, type))
    return;
  if (colon == name)
    memmove(name, name + 1, strlen(name));
  else
    *colon = '\0';
}

static enum qn_status take_heading(struct headings *headings, const struct qn_column *cell,
                                   uint32_t number, struct qn_error *error) {
  struct qn_chosen_column *column = &headings->columns[number];
  char text[2 * QN_PROPERTY_NAME_BYTES + 64];
  uint64_t length = (uint64_t)(cell->end - cell->begin);
  column->column = number;
  if (length >= sizeof text)
    return qn_fail(error, QN_INVALID, "the name of column %" PRIu32 " is too long", number + 1);
  const char *name = qn_column_text(cell, text, &length);
  memmove(text, name, length);
  text[length] = '\0';
  const char *colon = strrchr(text, ':');
  headings->ignored[number] = colon && strcmp(colon, ":IGNORE") == 0;
  cut_type(text, &column->type);
  if (text[0] && !qn_property_is_name(text, strlen(text)))
    return qn_fail(error, QN_INVALID,
                   "the name of column %" PRIu32
                   " is not of 1 to %d bytes of UTF-8 without control characters",
                   number + 1, QN_PROPERTY_NAME_BYTES);
  memcpy(column->name, text, strlen(text) + 1);
  return QN_OK;
}

static enum qn_status read_headings(const char *header, const char *header_end,
                                    const struct qn_dialect *dialect, struct headings *headings,
                                    struct qn_error *error) {
  struct qn_columns columns;
  struct qn_column cell;
  enum qn_status status = QN_OK;
  if (!header) {
    for (uint32_t i = 0; i < headings->count; i++) {
      headings->columns[i].column = i;
      snprintf(headings->columns[i].name, sizeof headings->columns[i].name, "column%" PRIu32,
               i + 1);
    }
    return QN_OK;
  }
  columns = qn_columns_of(header, header_end, dialect);
  for (uint32_t i = 0; !status && i < headings->count && qn_columns_next(&columns, &cell); i++)
    status = take_heading(headings, &cell, i, error);
  return status;
}

/* ---- Choosing ------------------------------------------------------------- */

static bool is_taken(const uint32_t *taken, uint32_t num_taken, uint32_t column) {
  for (uint32_t i = 0; i < num_taken; i++)
    if (taken[i] == column)
      return true;
  return false;
}

static enum qn_status add(struct qn_chosen_columns *chosen, const struct qn_chosen_column *column,
                          struct qn_error *error) {
  for (uint32_t i = 0; i < chosen->count; i++)
    if (strcmp(chosen->columns[i].name, column->name) == 0)
      return qn_fail(error, QN_INVALID, "two columns are called '%s'", column->name);
  chosen->columns[chosen->count++] = *column;
  return QN_OK;
}

/* The column that is called so, or has the number; NULL if none is. */
static const struct qn_chosen_column *find(const struct headings *headings, bool has_header,
                                           const char *name) {
  char *end;
  for (uint32_t i = 0; i < headings->count; i++)
    if (strcmp(headings->columns[i].name, name) == 0)
      return &headings->columns[i];
  unsigned long number = strtoul(name, &end, 10);
  bool fits = !has_header && *name >= '1' && *name <= '9' && !*end && number <= headings->count;
  return fits ? &headings->columns[number - 1] : NULL;
}

static enum qn_status choose_named(const struct headings *headings, bool has_header,
                                   const char *item, struct qn_chosen_columns *chosen,
                                   struct qn_error *error) {
  char name[2 * QN_PROPERTY_NAME_BYTES];
  enum qn_property_type type = (enum qn_property_type)0;
  const struct qn_chosen_column *column = find(headings, has_header, item);
  if (!column && strlen(item) < sizeof name) {
    memcpy(name, item, strlen(item) + 1);
    cut_type(name, &type);
    column = find(headings, has_header, name);
  }
  if (!column)
    return qn_fail(error, QN_USAGE, "--properties: there is no column '%.64s'", item);
  struct qn_chosen_column found = *column;
  found.type = type ? type : found.type;
  return add(chosen, &found, error);
}

static bool is_chosen(const struct qn_chosen_columns *chosen, uint32_t column) {
  for (uint32_t i = 0; i < chosen->count; i++)
    if (chosen->columns[i].column == column)
      return true;
  return false;
}

static int by_place(const void *a, const void *b) {
  uint32_t one = ((const struct qn_chosen_column *)a)->column;
  uint32_t other = ((const struct qn_chosen_column *)b)->column;
  return (one > other) - (one < other);
}

/* "all" beside names: the columns that are not named, too, and all in their order. */
static enum qn_status choose_rest(const struct headings *headings, const uint32_t *taken,
                                  uint32_t num_taken, struct qn_chosen_columns *chosen,
                                  struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < headings->count && !status; i++)
    if (!is_chosen(chosen, i) && !is_taken(taken, num_taken, i) && !headings->ignored[i] &&
        headings->columns[i].name[0])
      status = add(chosen, &headings->columns[i], error);
  if (chosen->count)
    qsort(chosen->columns, chosen->count, sizeof *chosen->columns, by_place);
  return status;
}

static enum qn_status choose(const char *wanted, const struct headings *headings, bool has_header,
                             const uint32_t *taken, uint32_t num_taken,
                             struct qn_chosen_columns *chosen, struct qn_error *error) {
  char *list;
  bool rest = false;
  enum qn_status status = qn_alloc(&list, strlen(wanted) + 1, 1, "--properties", error);
  if (status)
    return status;
  memcpy(list, wanted, strlen(wanted) + 1);
  for (char *item = list, *next; item && !status; item = next) {
    next = strchr(item, ',');
    if (next)
      *next++ = '\0';
    bool all = strcmp(item, "all") == 0;
    rest |= all;
    status = all ? QN_OK
             : chosen->count == headings->count
                 ? qn_fail(error, QN_USAGE, "--properties: there are only %" PRIu32 " columns",
                           headings->count)
                 : choose_named(headings, has_header, item, chosen, error);
  }
  qn_free(list);
  return status || !rest ? status : choose_rest(headings, taken, num_taken, chosen, error);
}

enum qn_status qn_property_columns_choose(const char *wanted, const char *header,
                                          const char *header_end, const struct qn_dialect *dialect,
                                          uint32_t num_columns, const uint32_t *taken,
                                          uint32_t num_taken, struct qn_chosen_columns *chosen,
                                          struct qn_error *error) {
  struct headings headings = {.count = num_columns};
  *chosen = (struct qn_chosen_columns){0};
  enum qn_status status = qn_alloc_zeroed(&headings.columns, num_columns, sizeof *headings.columns,
                                          "the names of columns", error);
  if (!status)
    status = qn_alloc_zeroed(&headings.ignored, num_columns, sizeof *headings.ignored,
                             "the names of columns", error);
  if (!status)
    status = qn_alloc_zeroed(&chosen->columns, num_columns, sizeof *chosen->columns,
                             "the names of columns", error);
  if (!status)
    status = read_headings(header, header_end, dialect, &headings, error);
  if (!status)
    status = choose(wanted, &headings, header != NULL, taken, num_taken, chosen, error);
  qn_free(headings.columns);
  qn_free(headings.ignored);
  if (status)
    qn_chosen_columns_release(chosen);
  return status;
}

void qn_chosen_columns_release(struct qn_chosen_columns *chosen) {
  qn_free(chosen->columns);
  *chosen = (struct qn_chosen_columns){0};
}

/* ---- Columns one by one --------------------------------------------------- */

static struct qn_wanted_property wanted_of(const char *text) {
  struct qn_wanted_property item = {.text = text};
  char name[2 * QN_PROPERTY_NAME_BYTES];
  if (strlen(text) >= sizeof name)
    return item;
  memcpy(name, text, strlen(text) + 1);
  cut_type(name, &item.type);
  if (strlen(name) < sizeof item.name)
    memcpy(item.name, name, strlen(name) + 1);
  return item;
}

enum qn_status qn_wanted_properties_parse(const char *text, struct qn_wanted_properties *wanted,
                                          struct qn_error *error) {
  uint32_t items = 1;
  for (const char *p = text; *p; p++)
    items += *p == ',';
  *wanted = (struct qn_wanted_properties){0};
  enum qn_status status = qn_alloc(&wanted->text, strlen(text) + 1, 1, "--properties", error);
  if (!status)
    status = qn_alloc(&wanted->items, items, sizeof *wanted->items, "--properties", error);
  if (status)
    return status;
  memcpy(wanted->text, text, strlen(text) + 1);
  for (char *item = wanted->text, *next; item; item = next) {
    next = strchr(item, ',');
    if (next)
      *next++ = '\0';
    if (strcmp(item, "all") == 0)
      wanted->all = true;
    else
      wanted->items[wanted->count++] = wanted_of(item);
  }
  return QN_OK;
}

bool qn_wanted_properties_take(struct qn_wanted_properties *wanted, const char *name,
                               enum qn_property_type *type) {
  *type = (enum qn_property_type)0;
  for (uint32_t i = 0; i < wanted->count; i++) {
    struct qn_wanted_property *item = &wanted->items[i];
    bool whole = strcmp(item->text, name) == 0;
    if (!whole && (!item->name[0] || strcmp(item->name, name) != 0))
      continue;
    item->found = true;
    *type = whole && strcmp(item->name, name) != 0 ? (enum qn_property_type)0 : item->type;
    return true;
  }
  return wanted->all;
}

const char *qn_wanted_properties_missing(const struct qn_wanted_properties *wanted) {
  for (uint32_t i = 0; i < wanted->count; i++)
    if (!wanted->items[i].found)
      return wanted->items[i].text;
  return NULL;
}

void qn_wanted_properties_release(struct qn_wanted_properties *wanted) {
  qn_free(wanted->text);
  qn_free(wanted->items);
  *wanted = (struct qn_wanted_properties){0};
}
