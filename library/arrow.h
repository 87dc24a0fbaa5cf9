/* Apache Arrow's C interface, and columns of its record batches as this library reads them.
 * Source: https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html */
#pragma once

#include "formats/arrays/number_array.h"
#include <quern/error.h>

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

/* What the elements of a column are. */
enum qn_arrow_kind {
  QN_ARROW_NUMBERS,
  QN_ARROW_TEXT,
  QN_ARROW_LARGE_TEXT,
  QN_ARROW_TEXT_VIEW,
  QN_ARROW_VECTORS, /* lists of a fixed size, of numbers; never from qn_arrow_column_type */
};

struct qn_arrow_type {
  enum qn_arrow_kind kind;
  struct qn_number_array numbers; /* of numbers: class and width */
};

/* The type of a column; of a dictionary that of its values, and `index` becomes that of its
 * indices. QN_UNSUPPORTED if it is neither of numbers nor of texts. */
struct qn_arrow_column_type {
  const char *name; /* the schema's */
  struct qn_arrow_type values;
  bool is_dictionary;
  struct qn_number_array indices; /* class and width */
};
enum qn_status qn_arrow_column_type(const struct ArrowSchema *schema,
                                    struct qn_arrow_column_type *type, struct qn_error *error);

/* A column of a record batch: rows [0, num_rows) of it, whatever the offsets of array and batch. */
struct qn_arrow_column {
  const struct qn_arrow_column_type *type;
  const struct ArrowArray *array;
  uint64_t first; /* element of the array */
  uint64_t num_rows;
};

/* Check that the buffers are there. QN_INVALID of nulls, with the column and the first such row,
 * counting from `row`, the number of the batch's first. */
enum qn_status qn_arrow_column_view(const struct qn_arrow_column_type *type,
                                    const struct ArrowArray *batch, uint64_t child, uint64_t row,
                                    struct qn_arrow_column *column, struct qn_error *error);

/* The same, but the column, unless it is a dictionary's, may have nulls. */
enum qn_status qn_arrow_column_view_nulls(const struct qn_arrow_column_type *type,
                                          const struct ArrowArray *batch, uint64_t child,
                                          uint64_t row, struct qn_arrow_column *column,
                                          struct qn_error *error);
bool qn_arrow_column_is_null(const struct qn_arrow_column *column, uint64_t row);

/* The numbers of vectors of `dimension`, of `width` bytes each, in the rows of a column.
 * QN_INVALID, with the row, counting from `row`, if one of a vector that is no null is null. */
enum qn_status qn_arrow_column_vectors(const struct qn_arrow_column *column, uint64_t dimension,
                                       unsigned width, uint64_t row, const char **numbers,
                                       struct qn_error *error);

/* The rows of a column of numbers that is no dictionary. */
struct qn_number_array qn_arrow_column_numbers(const struct qn_arrow_column *column);

/* The text of a row, `*length` bytes. NULL if a dictionary has no such element. */
const char *qn_arrow_column_text(const struct qn_arrow_column *column, uint64_t row,
                                 uint64_t *length);
