/* Vectors: containers in specs/vectors that today's writers must reproduce byte for byte. */
#pragma once

#include "helpers/scratch.h"
#include "helpers/test.h"

/* Compare the file `written` with specs/vectors/`name` (found through QUERN_SOURCE, or the working
 * folder). With QUERN_UPDATE_VECTORS=1 in the environment it is stored there instead: for new
 * vectors only, since files of a version that has landed stay readable for ever. */
static inline void assert_vector(const char *name, const char *written) {
  const char *source = getenv("QUERN_SOURCE");
  char path[512];
  size_t size, expected_size;
  snprintf(path, sizeof path, "%s/specs/vectors/%s", source ? source : ".", name);
  uint8_t *bytes = read_file(written, &size);
  if (getenv("QUERN_UPDATE_VECTORS"))
    write_file(path, bytes, size);
  uint8_t *expected = read_file(path, &expected_size);
  assert_int_equal(size, expected_size);
  assert_memory_equal(bytes, expected, size);
  free(bytes);
  free(expected);
}
