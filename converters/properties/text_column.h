/* A column of values that come as text, one after the other, whose type is found out at the end
 * unless it is said. Values wait in files without a name (support/temp_file.h). */
#pragma once

#include "support/ranks/collective.h"
#include <quern/properties.h>

/* The dimension of vectors that is to be found: that of the first one. */
#define QN_ANY_DIMENSION (QN_PROPERTY_MOST_DIMENSION + 1)

/* Bytes that are written to a file at once. */
struct qn_value_file {
  int descriptor; /* -1: there is none */
  uint64_t bytes, waiting;
  char *buffer;
};

/* The fields are for the functions below, but those of `property`. */
struct qn_text_column {
  struct qn_property property; /* name, type (0: to be found), count */
  struct qn_value_file values; /* texts, or numbers of the type that was said */
  struct qn_value_file ends;   /* of texts */
  struct qn_value_file valid;
  void *value;  /* room for one, where the type is known */
  uint8_t bits; /* of the last values, fewer than 8 */
  bool may_be_bool, may_be_whole, may_be_real, any_negative;
  bool any_value;    /* that is no null */
  bool has_specials; /* set by the caller: nan and inf are numbers, though no type is said */
  uint64_t most;     /* the largest whole number, or what the least one is below zero */
  uint64_t most_negative;
  void *mapped[3]; /* values, ends, valid */
  uint64_t mapped_bytes[3];
  void *found; /* values of the type that was found, */
  uint64_t found_bytes;
};

/* `type` 0: to be found; its dimension may be QN_ANY_DIMENSION. Owned until end, also after a
 * failure. */
enum qn_status qn_text_column_begin(struct qn_text_column *column, const char *name,
                                    enum qn_property_type type, struct qn_error *error);

/* Add a value; NULL is a null. Without quotes no text is a null too, and a number or true or false
 * is what it says if all values are; in quotes it is text. QN_INVALID if it is no UTF-8, or not of
 * the type that was said. */
enum qn_status qn_text_column_add(struct qn_text_column *column, const char *text, uint64_t length,
                                  bool quoted, struct qn_error *error);

/* The same in a column whose type was said and is no string: the value itself, or NULL. */
enum qn_status qn_text_column_add_value(struct qn_text_column *column, const void *value,
                                        struct qn_error *error);

/* Several ranks have values of the column: agree on what it may be, before any finishes it. */
enum qn_status qn_text_column_agree(struct qn_text_column *column,
                                    const struct qn_collective *ranks, struct qn_error *error);

/* All values are there: `column->property` becomes whole. Its type, unless it was said, is the
 * first that holds every value exactly of bool, u32, i64, u64, f64 and string. */
enum qn_status qn_text_column_finish(struct qn_text_column *column, struct qn_error *error);

/* A zeroed column is allowed. */
void qn_text_column_end(struct qn_text_column *column);
