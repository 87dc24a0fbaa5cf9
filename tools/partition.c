/* quern-partition: a graph as edge partitions, to be streamed through a device. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/device/device.h"
#include "tools/builder.h"

static const char documentation[] =
    "Build edge partitions (Graphie) from a graph container: an edge list sorted by source and cut "
    "into partitions, with vertices renamed so that the partition of a vertex is its id divided by "
    "a constant.\v"
    "Without options there are at most 32 partitions of equal size, one for each queue of a GPU. A "
    "vertex's edges stay together unless they exceed a partition; then they continue in "
    "continuation partitions.\n\n"
    "The layout suits traversals of graphs that exceed the device's memory: it takes 8 bytes an "
    "edge (12 with weights), twice what plain CSR takes. Many continuation partitions, or more "
    "virtual than real vertices, mean that partitions are too small for the graph's largest "
    "degrees.\n\n"
    "Memory: 4 bytes a vertex beside the mapped input and output.";

/* The bytes of a device's memory, as text. */
static const char *memory_of_device(uint64_t index, char text[QN_OPTION_TEXT],
                                    struct qn_error *error) {
  struct qn_cuda_device device;
  struct qn_error reason;
  enum qn_status status = qn_cuda_open((int)index, &device, &reason);
  if (status) {
    qn_fail(error, status,
            "--device-memory device: cannot find the size of the device's memory; name a size "
            "instead, such as 8G (%s)",
            reason.message);
    return NULL;
  }
  snprintf(text, QN_OPTION_TEXT, "%" PRIu64, device.total_bytes);
  return text;
}

static const char *read_value(const char *name, const char *value, char text[QN_OPTION_TEXT],
                              struct qn_error *error) {
  uint64_t index;
  bool is_device;
  if (strcmp(name, "device-memory") != 0)
    return value;
  if (qn_names_device(value, &is_device, &index, error))
    return NULL;
  return is_device ? memory_of_device(index, text, error) : value;
}

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_EDGE_PARTITIONS, read_value, documentation, argc, argv);
}
