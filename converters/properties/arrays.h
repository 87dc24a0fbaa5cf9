/* Arrays of numbers that become properties of a graph that is there: NumPy's .npy, alone or in an
 * .npz, and arrays of HDF5, a row for each vertex or stored edge, in the order of the container. */
#pragma once

#include "support/options.h"
#include <quern/properties.h>

/* NAME=FILE of vertices or edges. */
struct qn_array_choice {
  bool of_edges;
  char name[QN_PROPERTY_NAME_BYTES + 1];
  const char *file; /* X.npy, X.npz:MEMBER or X.h5:/ARRAY */
};

struct qn_array_options {
  struct qn_array_choice *arrays; /* [count] */
  uint32_t count;
};

/* "vertex-array" and "edge-array": of struct qn_array_options. */
#define QN_ARRAYS_GROUP 24
extern const struct qn_setting qn_array_settings[];
/* A zeroed struct is allowed. */
void qn_array_options_release(struct qn_array_options *options);

/* Write a container of any layout once more, with these properties beside its own. QN_UNSUPPORTED
 * names the cast that an array wants. `out` as in qn_writer_finish. */
enum qn_status qn_arrays_attach(const struct qn_array_options *options,
                                const struct qn_container *container, const char *path,
                                bool replace, struct qn_container **out, struct qn_error *error);
