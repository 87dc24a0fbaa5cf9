/* What quern-info says of the generations of a set. */
#pragma once

#include "formats/set/set.h"

/* The generations of a set alone: what each has changed, and where that came
 * from. */
enum qn_status qn_set_show_log(const char *path, bool json, struct qn_error *error);
/* The list of them (formats/set/generations.h) as a table. */
void qn_set_log_print(const json_t *log);
