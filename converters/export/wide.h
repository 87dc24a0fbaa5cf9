/* Sets of any number of vertices as text, block by block: no graph is put together. */
#pragma once

#include "converters/export/export.h"

/* Write the edges of the set `path` (formats/wide/rows.h), which is checked as it is read, in the
 * order of its rows: by sources, or by destinations where rows hold the edges into their vertex.
 * QN_UNSUPPORTED for other formats than edges in one file without a header. */
enum qn_status qn_export_wide(const struct qn_export_options *options, const char *path,
                              struct qn_export_report *report, struct qn_error *error);
