/* JSON lines: an edge a line, as DuckDB, jq, Polars and Spark write them. Part of the format json.
 */
#pragma once

#include "converters/parse/reader.h"
#include "support/input/input.h"

/* Is the first line an edge, whole? */
bool qn_json_lines_begin(const char *head, uint64_t bytes);

/* Is the first value an edge, over several lines, as jq writes it? */
bool qn_json_objects_begin(const char *head, uint64_t bytes);

/* As a reader reads (converters/parse/reader.h), by all threads. */
enum qn_status qn_json_lines_read(struct qn_input *input, const struct qn_read_options *options,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error);
