#include "formats/properties/report.h"

#include "formats/container/text_table.h"
#include "support/sizes.h"

static void add_columns(json_t *rows, const json_t *columns, const char *of) {
  size_t index;
  json_t *column;
  json_array_foreach(columns, index, column) {
    const json_t *counted = json_object_get(column, "nulls");
    char nulls[32] = "";
    if (counted)
      qn_count_text((uint64_t)json_integer_value(counted), nulls, sizeof nulls);
    json_array_append_new(
        rows, json_pack("[s, s, s, s]", json_string_value(json_object_get(column, "name")),
                        json_string_value(json_object_get(column, "type")), of, nulls));
  }
}

void qn_properties_print(const json_t *properties, unsigned width, FILE *stream) {
  json_t *rows = json_pack("[[s, s, s, s]]", "property", "type", "of", "nulls");
  add_columns(rows, json_object_get(properties, "vertices"), "vertices");
  add_columns(rows, json_object_get(properties, "edges"), "edges");
  fputc('\n', stream);
  qn_text_table_print(rows, "lllr", width, stream);
  json_decref(rows);
}
