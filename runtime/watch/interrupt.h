/* SIGINT and SIGTERM, asking a run to end at a place where nothing is lost. */
#pragma once

#include <signal.h>
#include <stdbool.h>

#define QN_CAUGHT_SIGNALS 2

/* What the signals did before. */
struct qn_interrupts {
  struct sigaction before[QN_CAUGHT_SIGNALS];
};

/* From now on the first signal is only noted; the second ends the process at once. One that is
 * ignored stays so. */
void qn_interrupts_catch(struct qn_interrupts *interrupts);
void qn_interrupts_release(const struct qn_interrupts *interrupts);

/* Was there a signal since qn_interrupts_catch? */
bool qn_interrupted(void);
