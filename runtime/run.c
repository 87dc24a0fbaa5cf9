#include "runtime/run.h"

#include "formats/text/text_format.h"
#include "results/values.h"
#include "runtime/choose.h"
#include "runtime/execute.h"
#include "runtime/prepare.h"
#include "support/memory.h"

/* Is there a path? */
static enum qn_status check_target(const struct qn_run_input *input, const struct qn_run *run,
                                   struct qn_error *error) {
  if (run->algorithm->shape != QN_SHAPE_PATH || run->result.num_values > 0)
    return QN_OK;
  char from[QN_MAX_NUMBER_TEXT], to[QN_MAX_NUMBER_TEXT];
  uint64_t from_length, to_length;
  const char *source = qn_ids_text(&input->ids, run->inputs.sources[0], from, &from_length);
  const char *target = qn_ids_text(&input->ids, run->inputs.target, to, &to_length);
  return qn_fail(error, QN_NEGATIVE, "no path leads from %.*s to %.*s", (int)from_length, source,
                 (int)to_length, target);
}

/* What the kernel relies on, that opening the container left out. */
static enum qn_status verify_weights(const struct qn_run_input *input, const struct qn_run *run,
                                     struct qn_error *error) {
  return run->kernel->traits & QN_KERNEL_WEIGHTS && !input->trusted
             ? qn_run_input_verify_weights(input, error)
             : QN_OK;
}

enum qn_status qn_run_start(const struct qn_run_input *input, const struct qn_run_options *options,
                            struct qn_run *run, struct qn_error *error) {
  *run = (struct qn_run){0};
  enum qn_status status = qn_run_choose(input, options, run, error);
  if (!status)
    status = verify_weights(input, run, error);
  if (!status)
    status = qn_run_prepare(input, options, run, error);
  if (!status)
    status = qn_run_execute(input, options, run, error);
  run->result.stats.prepare_seconds += run->restore_seconds;
  if (!status && run->kernel->processor != QN_CPU)
    qn_run_device_is_used();
  if (!status)
    status = qn_result_narrow(run->algorithm, &run->result, error);
  if (!status)
    status = qn_result_scale(run->algorithm, &run->arguments, &run->result, error);
  if (!status)
    status = check_target(input, run, error);
  if (!status)
    status = qn_run_find_parents(input, options, run, error);
  if (status)
    qn_run_destroy(run);
  return status;
}

enum qn_status qn_run_fetch(struct qn_run *run, struct qn_error *error) {
  struct qn_run_result *result = &run->result;
  const uint32_t size = qn_result_bytes(result->type);
  void *values;
  if (result->values || !run->device.report.values.data)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&values, result->num_values, size, "result values", error);
  if (status)
    return status;
  status = qn_device_values_download(&run->device.report.values, values, error);
  if (status)
    qn_pages_free(values, result->num_values, size);
  else
    result->values = values;
  return status;
}

void qn_run_destroy(struct qn_run *run) {
  qn_keeper_close(run->keeper);
  qn_update_end(run->update);
  qn_run_result_destroy(&run->parents);
  qn_run_result_destroy(&run->result);
  qn_device_values_free(&run->device.report.values);
  qn_run_inputs_destroy(&run->inputs);
  if (run->has_rows)
    qn_graph_unmap(&run->rows);
  qn_user_program_unload(&run->program);
  *run = (struct qn_run){0};
}
