#include "converters/parse/record.h"

#include <stdio.h>
#include <string.h>

static const char *const id_words[] = {"", "u32", "u64", "packed"};

/* Does the word [begin, end) read `text`? */
static bool is_word(const char *begin, const char *end, const char *text) {
  return (size_t)(end - begin) == strlen(text) && memcmp(begin, text, strlen(text)) == 0;
}

static bool parse_ids(const char *begin, const char *end, struct qn_record *record) {
  for (int ids = QN_RECORD_U32; ids <= QN_RECORD_PACKED; ids++)
    if (is_word(begin, end, id_words[ids]))
      record->ids = (enum qn_record_ids)ids;
  return record->ids != QN_RECORD_UNKNOWN;
}

static bool parse_weight(const char *begin, const char *end, struct qn_record *record) {
  for (enum qn_weight_type type = QN_WEIGHT_NONE; type < QN_WEIGHT_TYPES; type++)
    if (is_word(begin, end, qn_weight_type_name(type))) {
      record->weight = type;
      return true;
    }
  return false;
}

enum qn_status qn_record_parse(const char *text, struct qn_record *record, struct qn_error *error) {
  const char *end = text + strcspn(text, ",");
  *record = (struct qn_record){.ids = QN_RECORD_UNKNOWN};
  bool fine = parse_ids(text, end, record);
  for (int word = 1; fine && *end; word++) {
    const char *begin = end + 1;
    end = begin + strcspn(begin, ",");
    if (is_word(begin, end, "big") && !*end)
      record->big_endian = true;
    else
      fine = word == 1 && parse_weight(begin, end, record);
  }
  if (fine)
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "'%s' is not a record; expected u32, u64 or packed, then perhaps ,u32, ,f32, ,i64 "
                 "or ,f64 (a weight), then perhaps ,big (big-endian)",
                 text);
}

const char *qn_record_text(const struct qn_record *record, char text[QN_RECORD_TEXT]) {
  bool weighted = record->weight != QN_WEIGHT_NONE;
  snprintf(text, QN_RECORD_TEXT, "%s%s%s%s", id_words[record->ids], weighted ? "," : "",
           weighted ? qn_weight_type_name(record->weight) : "", record->big_endian ? ",big" : "");
  return text;
}
