/* Tables: Parquet, Arrow and GraphAr are read and written by the Python package (python/quern), to
 * which quern-import and quern-export hand over their command line. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

/* Are these inputs tables: by the name of their format or, if that is "auto", is the first by its
 * content? Nothing is read from a pipe. */
bool qn_tables_are_input(const char *format, char **inputs, int num_inputs);

/* Is one of these, NAME=FILE[,FILE...], of tables by its content? */
bool qn_tables_are_types(char *const *tables, uint32_t count);

/* Become `python3 -m quern VERB`, with the arguments behind argv[0]. Returns only if there is no
 * such Python (QN_UNSUPPORTED of `file`, with what to install). QUERN_PYTHON names another one. */
enum qn_status qn_tables_hand_over(const char *verb, const char *file, char **argv,
                                   struct qn_error *error);
