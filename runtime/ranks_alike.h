/* Ranks that are told different options would compute a result that is nobody's. */
#pragma once

#include "runtime/options.h"

/* All ranks are told to compute the same, in whatever order: else QN_USAGE for all of them, and the
 * message names an option of this rank's that another does not have, or not so. What is a rank's
 * own matter, its device and memory, may differ. */
enum qn_status qn_ranks_options_alike(const struct qn_run_options *options, struct qn_error *error);
