#include "converters/column_choice.h"

#include <string.h>
#include <strings.h>

#include "converters/text_fields.h"
#include "support/sizes.h"

#define MAX_COLUMN 4095

enum qn_status qn_column_choice_parse(char *text, struct qn_read_options *options,
                                      struct qn_error *error) {
  uint32_t *numbers[] = {&options->source_column, &options->destination_column,
                         &options->weight_column};
  char *rest = text, *field;
  int n = 0;
  for (; n < 3 && (field = strsep(&rest, ",")) != NULL; n++) {
    uint64_t number = 0;
    if (!*field)
      break;
    if (*field < '0' || *field > '9')
      options->column_names[n] = field;
    else if (qn_number_parse(field, MAX_COLUMN, &number, NULL) || number == 0)
      break;
    *numbers[n] = (uint32_t)number;
  }
  if (rest || n < 2)
    return qn_fail(error, QN_USAGE,
                   "name two or three columns, source, destination and weight, by numbers from 1 "
                   "to %d or by their names in the header",
                   MAX_COLUMN);
  return QN_OK;
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
