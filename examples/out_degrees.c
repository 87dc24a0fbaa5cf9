/* Reads a graph container with libquern and shows the vertex with most out-edges.
 *
 *   cc out_degrees.c $(pkg-config --cflags --libs quern) -o out_degrees
 *   ./out_degrees graph.qrn
 */
#include <inttypes.h>
#include <stdio.h>

#include <quern/graph.h>

int main(int argc, char **argv) {
  struct qn_graph graph;
  struct qn_error error;
  char text[2048], id[32];
  uint64_t most = 0, length;
  if (argc != 2) {
    fprintf(stderr, "usage: %s GRAPH.qrn\n", argv[0]);
    return 2;
  }
  /* The arrays lie in the mapping of the file; qn_graph_check makes sure that they may be
   * indexed without further checks. */
  enum qn_status status = qn_graph_map(argv[1], &graph, &error);
  if (!status)
    status = qn_graph_check(graph.container, &graph, &error);
  if (status) {
    fprintf(stderr, "%s\n", qn_error_text(&error, text, sizeof text));
    return (int)status;
  }
  const uint64_t *offsets = graph.out.row_offsets;
  for (uint64_t v = 1; v < graph.out.num_vertices; v++)
    if (offsets[v + 1] - offsets[v] > offsets[most + 1] - offsets[most])
      most = v;
  printf("%" PRIu64 " vertices, %" PRIu64 " edges\n", graph.out.num_vertices, graph.out.num_edges);
  if (graph.out.num_vertices > 0) {
    const char *name = qn_ids_text(&graph.ids, most, id, &length);
    printf("%.*s has %" PRIu64 " out-edges\n", (int)length, name,
           offsets[most + 1] - offsets[most]);
  }
  qn_graph_unmap(&graph);
  return 0;
}
