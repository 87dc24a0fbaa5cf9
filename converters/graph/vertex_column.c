#include "converters/graph/vertex_column.h"

#include "converters/parse/text_fields.h"
#include "support/memory.h"

enum qn_status qn_column_vertex(const struct qn_column *column, const struct qn_ids *ids,
                                const uint32_t *order, uint32_t *vertex, struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES], *room = NULL;
  uint64_t length;
  enum qn_status status = QN_OK;
  if (column->escape)
    status = qn_alloc(&room, (uint64_t)(column->end - column->begin), 1, "an id", error);
  if (status)
    return status;
  const char *text = qn_column_text(column, room, &length);
  if (!qn_ids_lookup(ids, order, text, length, vertex))
    status = qn_fail(error, QN_INVALID, "no vertex has the id %s",
                     qn_text_quote(text, text + length, quoted));
  qn_free(room);
  return status;
}
