#include "support/input/whole_input.h"

#include <string.h>

#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"

/* Room for `bytes` more. Pages that were filled stay as they are: only addresses are reserved. */
static enum qn_status reserve(struct qn_whole_input *whole, uint64_t bytes,
                              struct qn_error *error) {
  if (bytes <= whole->capacity - whole->bytes)
    return QN_OK;
  uint64_t capacity = 2 * (whole->bytes + bytes);
  char *larger;
  enum qn_status status = qn_bulk_alloc(&larger, capacity, 1, "the unpacked input", error);
  if (status)
    return status;
  if (whole->bytes)
    memcpy(larger, whole->owned, whole->bytes);
  qn_pages_free(whole->owned, whole->capacity, 1);
  whole->owned = larger;
  whole->capacity = capacity;
  return QN_OK;
}

enum qn_status qn_whole_input_take(struct qn_input *input, struct qn_whole_input *whole,
                                   struct qn_error *error) {
  struct qn_input_block block;
  *whole = (struct qn_whole_input){0};
  enum qn_status status = qn_input_next(input, &block, error);
  if (!status && block.bytes == qn_input_file_bytes(input) &&
      strcmp(qn_input_packing(input), "plain") == 0) {
    qn_input_done(input, block.data, block.bytes); /* hashing need not wait */
    *whole = (struct qn_whole_input){.data = block.data, .bytes = block.bytes};
    return QN_OK;
  }
  while (!status && block.bytes > 0) {
    status = reserve(whole, block.bytes, error);
    if (status)
      break;
    memcpy(whole->owned + whole->bytes, block.data, block.bytes);
    whole->bytes += block.bytes;
    qn_progress_add(block.bytes);
    status = qn_input_next(input, &block, error);
  }
  whole->data = whole->owned;
  if (status)
    qn_whole_input_release(whole);
  return status;
}

void qn_whole_input_release(struct qn_whole_input *whole) {
  qn_pages_free(whole->owned, whole->capacity, 1);
  *whole = (struct qn_whole_input){0};
}
