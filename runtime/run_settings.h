/* What a run is asked for, by the names of quern-run's options. */
#ifndef QN_RUNTIME_RUN_SETTINGS_H
#define QN_RUNTIME_RUN_SETTINGS_H

#include "runtime/dispatch.h"
#include "support/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For qn_setting_set, into options that were begun. They copy no texts but those of sources. */
extern const struct qn_setting qn_run_settings[];   /* what to compute */
extern const struct qn_setting qn_place_settings[]; /* where */

/* Nothing is said. */
void qn_run_options_begin(struct qn_run_options *options);
/* When all is said: QN_USAGE if some of it does not go together. */
enum qn_status qn_run_options_settle(struct qn_run_options *options, struct qn_error *error);
void qn_run_options_end(struct qn_run_options *options);

#ifdef __cplusplus
}
#endif
#endif
