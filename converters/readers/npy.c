/* NumPy arrays (.npy) of pairs of ids: two rows, sources and destinations, as DGL and PyTorch
 * Geometric keep edges, or two columns. Whole numbers of any width and byte order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/arrays/edge_array.h"
#include "support/input/whole_input.h"

static enum qn_status read_npy(struct qn_input *input, const struct qn_read_options *options,
                               struct qn_edge_list *list, uint64_t *sequence,
                               struct qn_read_result *result, struct qn_error *error) {
  struct qn_npy npy;
  struct qn_whole_input whole;
  struct qn_edge_part part;
  (void)options;
  enum qn_status status = qn_whole_input_take(input, &whole, error);
  if (status)
    return status;
  status = qn_npy_parse(whole.data, whole.bytes, qn_input_name(input), &npy, error);
  npy.stays = qn_input_stays(input);
  bool is_part = qn_input_part(input, &part.begin, &part.end);
  part.whole = whole.bytes;
  if (!status)
    status = qn_edge_array_read(&npy, NULL, is_part ? &part : NULL, qn_input_name(input), list,
                                sequence, result, error);
  qn_whole_input_release(&whole);
  return status;
}

static int detect_npy(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  return bytes >= 6 && memcmp(head, QN_NPY_SIGNATURE, 6) == 0 ? 3 : 0;
}

/* The width is the digit in "'descr': '<i8'". */
static uint64_t estimate_npy(const struct qn_read_options *options, const char *head,
                             uint64_t bytes, uint64_t file_bytes) {
  static const char key[] = "'descr': '";
  const uint64_t length = sizeof key - 1;
  const char *at = memmem(head, bytes < 1024 ? bytes : 1024, key, length);
  (void)options;
  if (!at || (uint64_t)(head + bytes - at) < length + 3)
    return 0;
  unsigned width = (unsigned)(at[length + 2] - '0');
  return width >= 1 && width <= 8 ? file_bytes / (2 * width) : 0;
}

const struct qn_reader qn_reader_npy = {
    .name = "npy",
    .detect = detect_npy,
    .estimate = estimate_npy,
    .read = read_npy,
    .divides = true,
};
