/* quern-partition: a graph as edge partitions, to be streamed through a device. */
#include <inttypes.h>
#include <stdio.h>

#include "kernels/cuda/device/device.h"
#include "tools/builder.h"

enum { KEY_PARTITIONS = 'p', KEY_PARTITION_BYTES = 0x1001, KEY_DEVICE_MEMORY };

static const struct argp_option table[] = {
    {"partitions", KEY_PARTITIONS, "N", 0, "At most N partitions, as equal as can be (32)", 0},
    {"partition-bytes", KEY_PARTITION_BYTES, "SIZE", 0,
     "Partitions of at most SIZE bytes, e.g. 64M", 0},
    {"device-memory", KEY_DEVICE_MEMORY, "SIZE|device[:N]", 0,
     "Partitions of which 32 fit into SIZE, or into what CUDA device N has (default 0), beside 24 "
     "bytes a vertex",
     0},
    {0}};

static const char documentation[] =
    "Build edge partitions (Graphie) from a graph container: an edge list sorted by source and cut "
    "into partitions, with vertices renamed so that the partition of a vertex is its id divided by "
    "a constant.\v"
    "Without options there are at most 32 partitions of equal size, one for each queue of a GPU. A "
    "vertex's edges stay together unless they exceed a partition; then they go on in continuation "
    "partitions.\n\n"
    "The layout suits traversals of graphs that exceed the device's memory: it takes 8 bytes an "
    "edge (12 with weights), twice what plain CSR takes. Many continuation partitions, or more "
    "virtual than real vertices, say that partitions are too small for the graph's largest "
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
            "--device-memory device: the size of the device's memory cannot be had; name a size "
            "instead, such as 8G (%s)",
            reason.message);
    return NULL;
  }
  snprintf(text, QN_OPTION_TEXT, "%" PRIu64, device.total_bytes);
  return text;
}

static const char *read_value(int key, const char *value, char text[QN_OPTION_TEXT],
                              struct qn_error *error) {
  uint64_t index;
  bool is_device;
  if (key != KEY_DEVICE_MEMORY)
    return value;
  if (qn_names_device(value, &is_device, &index, error))
    return NULL;
  return is_device ? memory_of_device(index, text, error) : value;
}

int main(int argc, char **argv) {
  return qn_builder_main(QN_LAYOUT_EDGE_PARTITIONS, table, read_value, documentation, argc, argv);
}
