/* The whole content of an input in memory at once, for binary formats. */
#pragma once

#include "support/input/input.h"

struct qn_whole_input {
  const char *data; /* a plain file's is its mapping, used in place */
  uint64_t bytes;
  char *owned; /* where what was unpacked is gathered, or NULL */
  uint64_t capacity;
};

/* Take all blocks of an input of which none has been taken. Valid until qn_whole_input_release, or
 * until the input is asked for more or closed. */
enum qn_status qn_whole_input_take(struct qn_input *input, struct qn_whole_input *whole,
                                   struct qn_error *error);
/* A zeroed struct is allowed. */
void qn_whole_input_release(struct qn_whole_input *whole);
