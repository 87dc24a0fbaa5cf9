#include "formats/properties/report.h"

#include "support/sizes.h"

static void print_columns(const json_t *columns, const char *of, FILE *stream) {
  size_t index;
  json_t *column;
  json_array_foreach(columns, index, column) {
    const json_t *counted = json_object_get(column, "nulls");
    char nulls[32] = "";
    if (counted)
      qn_count_text((uint64_t)json_integer_value(counted), nulls, sizeof nulls);
    fprintf(stream, "%-28s %-12s %16s %12s\n", json_string_value(json_object_get(column, "name")),
            json_string_value(json_object_get(column, "type")), of, nulls);
  }
}

void qn_properties_print(const json_t *properties, FILE *stream) {
  fprintf(stream, "\n%-28s %-12s %16s %12s\n", "property", "type", "of", "nulls");
  print_columns(json_object_get(properties, "vertices"), "vertices", stream);
  print_columns(json_object_get(properties, "edges"), "edges", stream);
}
