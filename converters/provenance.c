#include "converters/provenance.h"

#include "support/input/input.h"
#include "support/json_text.h"
#include "support/progress.h"
#include "support/tool.h"

static enum qn_status out_of_memory(struct qn_error *error) {
  return qn_fail_memory(error, "metadata", 0);
}

enum qn_status qn_provenance_create(const char *tool, json_t **out, struct qn_error *error) {
  *out =
      json_pack("{s:s, s:s, s:{}, s:[]}", "tool", tool, "version", QN_VERSION, "options", "inputs");
  return *out ? QN_OK : out_of_memory(error);
}

enum qn_status qn_provenance_option(json_t *provenance, const char *key, json_t *value,
                                    struct qn_error *error) {
  json_t *options = json_object_get(provenance, "options");
  return json_object_set_new(options, key, value) ? out_of_memory(error) : QN_OK;
}

enum qn_status qn_provenance_input(json_t *provenance, const char *base_name, const char *format,
                                   const struct qn_input_digest *digest, struct qn_error *error) {
  json_t *input =
      json_pack("{s:o, s:s, s:I, s:s}", "name", qn_json_text(base_name), "format", format, "bytes",
                (json_int_t)digest->bytes, "xxh3_128", digest->xxh3_128);
  json_t *inputs = json_object_get(provenance, "inputs");
  return json_array_append_new(inputs, input) ? out_of_memory(error) : QN_OK;
}

enum qn_status qn_provenance_ledger(json_t *provenance, const struct qn_ledger *ledger,
                                    struct qn_error *error) {
  json_t *entries = qn_ledger_json(ledger), *codes = qn_note_codes_json();
  bool failed = !entries || !codes;
  if (!failed && json_array_size(codes) > 0)
    failed = json_object_set(entries, "notes", codes);
  json_decref(codes);
  failed |= json_object_set_new(provenance, "ledger", entries) != 0;
  return failed ? out_of_memory(error) : QN_OK;
}

enum qn_status qn_provenance_print(json_t *report, const json_t *provenance,
                                   struct qn_error *error) {
  if (!report || json_object_update(report, (json_t *)provenance)) {
    json_decref(report);
    return qn_fail_memory(error, "the report", 0);
  }
  qn_tool_print_json(report);
  return QN_OK;
}
