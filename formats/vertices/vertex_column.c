#include "formats/vertices/vertex_column.h"

#include <string.h>

#include "formats/text/text_fields.h"
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

bool qn_columns_take_id(struct qn_columns *columns, bool alone, const struct qn_ids *ids,
                        const uint32_t *order, struct qn_column *column, uint32_t *vertex) {
  const char *begin = columns->next, *end = columns->end;
  if (!begin)
    return false;
  const char *tab = memchr(begin, '\t', (size_t)(end - begin));
  const char *stop = tab ? tab : end;
  if (!tab && !alone && columns->dialect->delimiter != '\t')
    return false;
  bool found = qn_ids_lookup(ids, order, begin, (uint64_t)(stop - begin), vertex);
  if (!found && !tab) {
    begin = qn_skip_blanks(begin, stop);
    while (stop > begin && qn_is_blank(stop[-1]))
      stop--;
    found = qn_ids_lookup(ids, order, begin, (uint64_t)(stop - begin), vertex);
  }
  if (!found)
    return false;
  *column = (struct qn_column){.begin = begin, .end = stop};
  columns->next = tab ? tab + 1 : NULL;
  return true;
}

enum qn_status qn_columns_vertex(struct qn_columns *columns, bool alone, const struct qn_ids *ids,
                                 const uint32_t *order, struct qn_column *column, uint32_t *vertex,
                                 struct qn_error *error) {
  if (qn_columns_take_id(columns, alone, ids, order, column, vertex))
    return QN_OK;
  const char *begin = columns->next;
  if (!qn_columns_next(columns, column))
    *column = (struct qn_column){.begin = columns->end, .end = columns->end};
  if (column->fault)
    *column = (struct qn_column){.begin = begin, .end = columns->end};
  return qn_column_vertex(column, ids, order, vertex, error);
}
