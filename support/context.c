#include "support/context.h"

static struct qn_context process_context = {.temp_folder = "."};
static _Thread_local struct qn_context *entered;

struct qn_context *qn_context(void) {
  return entered ? entered : &process_context;
}

bool qn_context_is_process(void) {
  return !entered;
}

void qn_context_set(struct qn_context *context) {
  entered = context;
}

void qn_context_enter(struct qn_context *context) {
#pragma omp parallel
  entered = context;
}

enum qn_status qn_context_check(struct qn_error *error) {
  if (!__atomic_load_n(&qn_context()->cancelled, __ATOMIC_RELAXED))
    return QN_OK;
  return qn_fail(error, QN_INTERRUPTED, "the call was cancelled");
}
