/* The little of HDF5 that sparse matrices and properties need: one attribute of text at the root,
 * and arrays of one dimension or two. In builds without libhdf5 opening and creating fail with
 * QN_UNSUPPORTED. */
#pragma once

#include "formats/arrays/number_array.h"
#include "formats/text/text_output.h"
#include "support/input/whole_input.h"
#include <quern/error.h>

#define QN_HDF5_SIGNATURE "\x89HDF\r\n\x1a\n"

struct qn_hdf5;

/* Open the file that `whole` holds, called `name`; both are borrowed. Arrays that are read may take
 * `max_bytes` together. Owned until close (NULL is allowed). */
enum qn_status qn_hdf5_open(const char *name, const struct qn_whole_input *whole,
                            uint64_t max_bytes, struct qn_hdf5 **out, struct qn_error *error);
void qn_hdf5_close(struct qn_hdf5 *file);

/* The text of the root's attribute `name`, NUL-terminated; qn_free it. NULL if there is none. */
enum qn_status qn_hdf5_text(struct qn_hdf5 *file, const char *name, char **text,
                            struct qn_error *error);

/* Read the array `name` of numbers, whatever its byte order, filters and chunks, of at most so many
 * dimensions. Valid until close. `array->data` is NULL if there is none. */
enum qn_status qn_hdf5_read(struct qn_hdf5 *file, const char *name, unsigned most_dimensions,
                            struct qn_number_array *array, struct qn_error *error);

/* What an array is, before it is read; QN_INVALID if there is none, or not of numbers. */
struct qn_hdf5_shape {
  enum qn_number_class kind;
  unsigned width, dimensions;
  uint64_t extents[2]; /* the first ones */
};
enum qn_status qn_hdf5_shape_of(struct qn_hdf5 *file, const char *name, struct qn_hdf5_shape *shape,
                                struct qn_error *error);

/* Begin a file, in temporary disk space; qn_hdf5_give copies it to `output`, after which it can
 * only be closed. */
enum qn_status qn_hdf5_create(struct qn_hdf5 **out, struct qn_error *error);
enum qn_status qn_hdf5_put_text(struct qn_hdf5 *file, const char *name, const char *text,
                                struct qn_error *error);

/* Write an array of `count` numbers of this kind, which `fill` gives a block at a time, in order.
 */
typedef void (*qn_hdf5_filler)(void *context, uint64_t first, uint64_t count, void *numbers);
enum qn_status qn_hdf5_put(struct qn_hdf5 *file, const char *name, enum qn_number_class kind,
                           unsigned width, uint64_t count, qn_hdf5_filler fill, void *context,
                           struct qn_error *error);
enum qn_status qn_hdf5_give(struct qn_hdf5 *file, struct qn_text_output *output,
                            struct qn_error *error);
