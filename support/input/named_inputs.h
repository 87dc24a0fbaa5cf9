/* Inputs that an input names: files beside it that belong to the same graph. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/input/input.h"
#include <quern/error.h>

struct qn_reader;

struct qn_named_input {
  char *path;
  const struct qn_reader *reader;
  struct qn_input_digest digest; /* what the file must be; xxh3_128 is "": anything */
};

/* Zeroed to begin with. */
struct qn_named_inputs {
  struct qn_named_input *inputs; /* in the order in which to read them */
  uint64_t count;
  bool counted; /* what follows was said */
  uint64_t num_vertices, num_edges;
};

/* Add a file that lies beside `input`, or in a folder below. QN_INVALID if the name, of `length`
 * bytes, leads elsewhere. Its digest is empty. */
enum qn_status qn_named_inputs_add(struct qn_named_inputs *named, const struct qn_input *input,
                                   const char *name, uint64_t length,
                                   const struct qn_reader *reader, struct qn_error *error);

void qn_named_inputs_release(struct qn_named_inputs *named);
