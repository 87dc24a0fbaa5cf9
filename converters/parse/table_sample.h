/* The first lines of a table, from which table.c learns what it is, and whether they are
 * something else than edges: an adjacency matrix, or names and what is said of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/parse/reader.h"
#include "formats/text/delimited.h"

/* So many lines are looked at. */
#define QN_SAMPLE_LINES 1000

/* The lines at the beginning of a text; a copy goes its own way. */
struct qn_sample {
  const char *next, *end;
  const char *signs; /* of comments */
  bool records;      /* lines may break in quotes */
  bool cut;          /* the text goes on */
};

struct qn_sample qn_sample_of(const char *begin, uint64_t bytes,
                              const struct qn_text_choice *choice);

/* The next line without its end; false if there is none. */
bool qn_sample_line(struct qn_sample *sample, const char **line, const char **end);

/* The next one that is no comment. */
bool qn_sample_data(struct qn_sample *sample, const char **line, const char **end);

/* Is one of the ends in the first line an end of a line below, too? Then it is a vertex. Columns
 * are numbered from 0. */
bool qn_sample_has_ends(struct qn_sample sample, const struct qn_dialect *dialect, uint32_t source,
                        uint32_t destination);

/* QN_INVALID if the names of lines are those of columns: what pandas and Gephi write of a matrix.
 * The sample begins with its first line, [line, end). */
enum qn_status qn_sample_check_labels(struct qn_sample sample, const char *line, const char *end,
                                      const struct qn_dialect *dialect, struct qn_error *error);

/* QN_INVALID if the sample, which begins with the line [line, end), is a matrix of numbers, or a
 * table of more than edges have. */
enum qn_status qn_sample_check_numbers(struct qn_sample sample, const char *line, const char *end,
                                       const struct qn_dialect *dialect, struct qn_error *error);

/* QN_INVALID if one of the columns `source` and `destination`, from 0, has nothing but values
 * (qn_column_is_value), or nothing but "key=value" with a key of its own, and the ends are not
 * whole numbers on both sides: it holds what is said of the vertices beside it. The sample begins
 * with its first line, [line, end). */
enum qn_status qn_sample_check_ends(struct qn_sample sample, const struct qn_dialect *dialect,
                                    uint32_t source, uint32_t destination, const char *line,
                                    const char *end, struct qn_error *error);
