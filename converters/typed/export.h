/* A set with types as the files of Neo4j's admin import: a file for each type. */
#pragma once

#include "converters/export/export.h"
#include "formats/set/set.h"

/* Write the folder options->path: nodes-N-TYPE.csv, with ids of the space TYPE, and
 * relationships-N-NAME.csv. What types are called is in :LABEL and :TYPE; file names and spaces
 * have a number where it holds other characters than letters and digits. */
enum qn_status qn_typed_export_neo4j(const struct qn_export_options *options, const char *set_path,
                                     struct qn_export_report *report, struct qn_error *error);
