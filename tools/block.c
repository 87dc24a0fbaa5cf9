/* quern-block: graph container in, blocked-csr container out. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/device/device.h"
#include "tools/builder.h"

static const char documentation[] =
    "Cut a graph into blocks whose vertex values fit a cache (GraphCage's TOCAB): the layout "
    "blocked-csr.\v"
    "Memory beside the output: for pull blocks of a directed graph without a stored transpose 4 "
    "bytes an edge (8 with weights) and 8 a vertex, in temporary files with --memory; otherwise "
    "next to nothing. The summary shows how many blocks there are, how many local vertices (rows "
    "with an edge in a block) they have, and how the size compares with plain CSR.";

/* The bytes of a device's L2 cache, as text. */
static const char *cache_of_device(uint64_t index, char text[QN_OPTION_TEXT],
                                   struct qn_error *error) {
  struct qn_cuda_device device;
  struct qn_error reason;
  enum qn_status status = qn_cuda_open((int)index, &device, &reason);
  if (!status && device.l2_bytes == 0)
    status = qn_fail(&reason, QN_DEVICE, "%s does not tell it", device.name);
  if (status) {
    qn_fail(error, status,
            "--l2-bytes device: cannot find the size of the device's cache; name a size instead, "
            "such as 50M (%s)",
            reason.message);
    return NULL;
  }
  snprintf(text, QN_OPTION_TEXT, "%" PRIu64, device.l2_bytes);
  return text;
}

static const char *read_value(const char *name, const char *value, char text[QN_OPTION_TEXT],
                              struct qn_error *error) {
  uint64_t index;
  bool is_device;
  if (strcmp(name, "l2-bytes") != 0)
    return value;
  if (qn_names_device(value, &is_device, &index, error))
    return NULL;
  return is_device ? cache_of_device(index, text, error) : value;
}

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_BLOCKED_CSR, read_value, documentation, argc, argv);
}
