/* quern-block: graph container in, blocked-csr container out. */
#include <inttypes.h>
#include <stdio.h>

#include "kernels/cuda/device/device.h"
#include "support/options.h"
#include "tools/builder.h"

enum { KEY_BLOCK_VERTICES = 0x1001, KEY_L2_BYTES, KEY_OUT_EDGES };

static const struct argp_option table[] = {
    {"direction", 'd', "DIRECTION", 0,
     "pull: blocks of sources, for programs that gather; push: blocks of destinations; both "
     "(default: pull)",
     1},
    {"block-vertices", KEY_BLOCK_VERTICES, "N", 0, "Vertices of a block (default: by --l2-bytes)",
     1},
    {"l2-bytes", KEY_L2_BYTES, "SIZE|device[:N]", 0,
     "Size of the cache to block for, or that of CUDA device N (default 0): a block's vertex "
     "values "
     "take about a third of it (default: 60M, for 4194304 vertices a block)",
     1},
    {"out-edges", KEY_OUT_EDGES, NULL, 0,
     "Store the out-edges as plain CSR too, so that traversals (bfs, sssp, ...) need not derive "
     "them when they begin",
     1},
    {0}};

static const char documentation[] =
    "Cut a graph into blocks whose vertex values fit a cache (GraphCage's TOCAB): the layout "
    "blocked-csr.\v"
    "Memory beside the output: for pull blocks of a directed graph without a stored transpose 4 "
    "bytes an edge (8 with weights) and 8 a vertex, in temporary files with --memory; otherwise "
    "next "
    "to nothing. The summary tells "
    "how many blocks there are, how many local vertices (rows with an edge in a block) they have, "
    "and how the size compares with plain CSR.";

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
            "--l2-bytes device: the size of the device's cache cannot be had; name a size instead, "
            "such as 50M (%s)",
            reason.message);
    return NULL;
  }
  snprintf(text, QN_OPTION_TEXT, "%" PRIu64, device.l2_bytes);
  return text;
}

static const char *read_value(int key, const char *value, char text[QN_OPTION_TEXT],
                              struct qn_error *error) {
  uint64_t index;
  bool is_device;
  if (key != KEY_L2_BYTES)
    return value;
  if (qn_names_device(value, &is_device, &index, error))
    return NULL;
  return is_device ? cache_of_device(index, text, error) : value;
}

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_BLOCKED_CSR, table, read_value, documentation, argc, argv);
}
