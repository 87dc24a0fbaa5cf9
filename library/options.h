/* The options of a call into the structs of what it calls. */
#pragma once

#include "support/options.h"
#include <quern/job.h>

/* QN_USAGE if none of the tables has an option, with what was probably meant. */
enum qn_status qn_options_apply(const struct qn_option *options, uint64_t num_options,
                                const struct qn_settings *settings, struct qn_error *error);
