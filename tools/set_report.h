/* What tools say of sets. */
#pragma once

#include "formats/set/set.h"
#include "support/tool.h"

/* Of a set that was made: its sizes, and how even its parts are. */
void qn_set_report(const struct qn_set *set, const char *output, double seconds,
                   const struct qn_tool_options *options);

/* What quern-info shows of a set: its manifest, and where its graph came from. */
enum qn_status qn_set_show(const char *path, bool json, struct qn_error *error);
