/* quern-partition: a graph as edge partitions, to be streamed through a device. */
#include "partitioner/edge_partitions.h"
#include "support/options.h"
#include "tools/builder.h"

enum { KEY_PARTITIONS = 'p', KEY_PARTITION_BYTES = 0x1001 };

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct qn_edge_partitions_options *options = state->input;
  switch (key) {
  case KEY_PARTITIONS:
    options->num_partitions = qn_option_number(state, "--partitions", argument, 1, UINT64_MAX);
    return 0;
  case KEY_PARTITION_BYTES:
    options->partition_bytes = qn_option_size(state, "--partition-bytes", argument, 1);
    return 0;
  case ARGP_KEY_END:
    if (options->num_partitions && options->partition_bytes)
      argp_error(state, "give --partitions or --partition-bytes, not both");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option table[] = {
    {"partitions", KEY_PARTITIONS, "N", 0, "At most N partitions, as equal as can be (32)", 0},
    {"partition-bytes", KEY_PARTITION_BYTES, "SIZE", 0,
     "Partitions of at most SIZE bytes, e.g. 64M", 0},
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

int main(int argc, char **argv) {
  struct qn_edge_partitions_options options = {0};
  const struct qn_builder builder = {.tool = "quern-partition",
                                     .layout = QN_LAYOUT_EDGE_PARTITIONS,
                                     .build = qn_edge_partitions_build,
                                     .options = &options,
                                     .vertex_memory = 4,
                                     .edge_output = 8};
  return qn_builder_main(&builder, table, parse, &options, documentation, argc, argv);
}
