/* Inputs whose vertices have names: a map of them while edges are read, sorted when all inputs are
 * read. */
#pragma once

#include "converters/parse/reader.h"
#include "formats/text/string_map.h"

/* Make result->names_map, unless inputs before have made it. */
enum qn_status qn_names_begin(struct qn_read_result *result, struct qn_error *error);

/* The number of a name for the time being, a new one if it is new. From any thread. QN_INVALID if
 * it is none. */
enum qn_status qn_names_number(struct qn_string_map *names, const char *name, uint64_t length,
                               uint32_t *number, struct qn_error *error);

/* Why a name of `length` bytes has no number, which is not QN_INTERNED. */
enum qn_status qn_names_fail(enum qn_interned why, const char *name, uint64_t length,
                             struct qn_error *error);

/* The number that the name of a vertex is; false if it is none, or spelled with zeros before. */
bool qn_names_parse(const struct qn_ids *names, uint64_t vertex, uint64_t *number);

/* After the last input: number all names in order, the edges' ends too. Names that are whole
 * numbers become such if result->number_names and not result->string_names. Does nothing where
 * vertices have no names. */
enum qn_status qn_names_finish(struct qn_read_result *result, struct qn_edge_list *list,
                               struct qn_error *error);

/* After that: another list, whose ends have the same numbers for the time being. */
enum qn_status qn_names_renumber(const struct qn_read_result *result, struct qn_edge_list *list,
                                 struct qn_error *error);

/* The release of readers that call them. */
void qn_names_release(struct qn_read_result *result);
