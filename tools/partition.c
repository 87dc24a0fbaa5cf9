/* quern-partition: a graph as edge partitions, to be streamed through a device. */
#include <argp.h>

#include "partitioner/edge_partitions.h"
#include "support/options.h"

struct options {
  struct qn_builder_options common;
  struct qn_edge_partitions_options layout;
};

enum { KEY_PARTITIONS = 'p', KEY_PARTITION_BYTES = 0x1001 };

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->common;
    return 0;
  case KEY_PARTITIONS:
    options->layout.num_partitions =
        qn_option_number(state, "--partitions", argument, 1, UINT64_MAX);
    return 0;
  case KEY_PARTITION_BYTES:
    options->layout.partition_bytes = qn_option_size(state, "--partition-bytes", argument, 1);
    return 0;
  case ARGP_KEY_END:
    if (options->layout.num_partitions && options->layout.partition_bytes)
      argp_error(state, "give --partitions or --partition-bytes, not both");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

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
  static const struct argp_option own[] = {
      {"partitions", KEY_PARTITIONS, "N", 0, "At most N partitions, as equal as can be (32)", 0},
      {"partition-bytes", KEY_PARTITION_BYTES, "SIZE", 0,
       "Partitions of at most SIZE bytes, e.g. 64M", 0},
      {0}};
  static const struct argp_child children[] = {{&qn_builder_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {own,  parse, "GRAPH -o FILE", documentation, children,
                                   NULL, NULL};
  struct options options = {0};
  qn_tool_parse("quern-partition", &argp, argc, argv, &options, &options.common.shared);
  struct qn_builder builder = {.tool = "quern-partition",
                               .layout = QN_LAYOUT_EDGE_PARTITIONS,
                               .build = qn_edge_partitions_build,
                               .options = &options.layout,
                               .vertex_memory = 4,
                               .edge_output = 8};
  return qn_builder_main(&builder, &options.common);
}
