#include "results/labels.h"

#include "support/json_text.h"

json_t *qn_id_json(const struct qn_ids *ids, uint64_t vertex) {
  char buffer[QN_MAX_NUMBER_TEXT];
  uint64_t length;
  const char *id = qn_ids_text(ids, vertex, buffer, &length);
  return qn_json_name(id, length);
}
