#include "runtime/values.h"

#include <math.h>

#include "converters/text/text_format.h"
#include "support/json_text.h"

double qn_value_number(const struct qn_run_result *result, uint64_t vertex) {
  switch (result->type) {
  case QN_RESULT_U32: {
    uint32_t value = ((const uint32_t *)result->values)[vertex];
    return value == UINT32_MAX ? INFINITY : (double)value;
  }
  case QN_RESULT_U64: {
    uint64_t value = ((const uint64_t *)result->values)[vertex];
    return value == UINT64_MAX ? INFINITY : (double)value;
  }
  case QN_RESULT_F32:
    return (double)((const float *)result->values)[vertex];
  default:
    return ((const double *)result->values)[vertex];
  }
}

json_t *qn_id_json(const struct qn_run_input *input, uint64_t vertex) {
  char buffer[QN_MAX_NUMBER_TEXT];
  uint64_t length;
  const char *id = qn_ids_text(&input->ids, vertex, buffer, &length);
  return qn_json_name(id, length);
}
