/* From a graph in memory through a layout's container and back. */
#pragma once

#include "helpers/forge.h"
#include "helpers/random_graph.h"
#include "partitioner/builders.h"
#include "support/memory.h"
#include "support/threads.h"

/* Build `path` from a graph in memory, which stays the caller's. */
static inline enum qn_status build_layout(enum qn_layout layout, const void *options,
                                          const struct qn_graph *graph, const char *path,
                                          struct qn_error *error) {
  struct qn_builder builder = *qn_builder_find(layout);
  struct qn_source source = {.graph = *graph};
  builder.options = options;
  return qn_builder_run(&builder, &source, path, true, NULL, error);
}

/* The container without metadata, whose bytes do not change with the program's version: a vector.
 */
static inline void build_vector(enum qn_layout layout, const void *options,
                                const struct qn_graph *graph, const char *path) {
  struct qn_source source = {.graph = *graph};
  struct qn_writer *writer;
  struct qn_error error;
  json_t *used = NULL;
  assert_int_equal(qn_writer_create(path, true, &writer, &error), QN_OK);
  qn_builder_header(&source, layout, writer);
  assert_int_equal(qn_builder_find(layout)->build(&source, options, writer, &used, &error), QN_OK);
  assert_int_equal(qn_ids_write(writer, &graph->ids, &error), QN_OK);
  assert_int_equal(qn_writer_commit(writer, &error), QN_OK);
  json_decref(used);
}

/* The graph that a layout's container holds; to be unmapped before the container. */
static inline enum qn_status restore_graph(const char *path, struct qn_container **container,
                                           struct qn_graph *restored, struct qn_error *error) {
  const struct qn_layout_operations *operations;
  enum qn_status status = qn_container_map(path, 0, container, error);
  if (!status)
    status = qn_layout_operations(*container, &operations, error);
  if (!status)
    status = operations->restore(*container, restored, error);
  return status;
}

static inline void expect_same_graph(const char *path, const struct qn_graph *graph) {
  struct qn_container *container;
  struct qn_graph restored;
  struct qn_error error;
  assert_int_equal(restore_graph(path, &container, &restored, &error), QN_OK);
  assert_true(same_csr(&restored.out, &graph->out));
  assert_int_equal(restored.directedness, graph->directedness);
  assert_int_equal(restored.ids.kind, graph->ids.kind);
  if (graph->ids.kind == QN_IDS_NUMBERS)
    assert_memory_equal(restored.ids.numbers, graph->ids.numbers, 8 * graph->out.num_vertices);
  qn_graph_unmap(&restored);
  qn_container_unmap(container);
}

/* The graph goes into a container that keeps every rule, is the same for 1, 2 and 5 threads, and
 * gives the graph back. The container is left at scratch_path("layout.qrn"). */
static inline void check_round_trip(enum qn_layout layout, const void *options,
                                    const struct qn_graph *graph) {
  struct qn_error error = {0};
  uint8_t *first = NULL;
  size_t first_size = 0;
  for (unsigned threads = 5; threads > 0; threads /= 2) {
    qn_threads_set(threads);
    enum qn_status status =
        build_layout(layout, options, graph, scratch_path("layout.qrn"), &error);
    if (!status)
      status = verify_container(scratch_path("layout.qrn"), &error);
    if (status)
      fail_msg("status %d: %s", status, error.message);
    expect_same_graph(scratch_path("layout.qrn"), graph);
    size_t size;
    uint8_t *bytes = read_file(scratch_path("layout.qrn"), &size);
    if (first) {
      assert_int_equal(size, first_size);
      assert_memory_equal(bytes, first, size);
      free(first);
    }
    first = bytes;
    first_size = size;
  }
  free(first);
  qn_threads_set(0);
}

/* Let each allocation fail in turn while the graph is put into a container, this is checked, and
 * the graph is given back: an error each time, nothing leaked, nothing left behind. */
static inline void fail_every_allocation(enum qn_layout layout, const void *options,
                                         const struct qn_graph *graph) {
  const uint64_t live = qn_memory_live();
  enum qn_status status = QN_SYSTEM;
  uint64_t n = 0;
  while (status) {
    const char *path = scratch_path("fail.qrn");
    struct qn_container *container = NULL;
    struct qn_graph restored = {0};
    struct qn_error error;
    qn_memory_fail_nth(++n);
    status = build_layout(layout, options, graph, path, &error);
    const bool built = !status;
    if (!status)
      status = verify_container(path, &error);
    if (!status)
      status = restore_graph(path, &container, &restored, &error);
    qn_memory_fail_nth(0);
    qn_graph_unmap(&restored);
    qn_container_unmap(container);
    assert_int_equal(qn_memory_live(), live);
    assert_true(status == QN_OK || status == QN_SYSTEM);
    assert_int_equal(access(path, F_OK) == 0, built);
    unlink(path);
  }
  assert_true(n > 5);
}

/* Build the graph, which is freed, and break rules of its container. */
static inline void expect_rules(enum qn_layout layout, const void *options, struct qn_graph *graph,
                                const struct broken_rule *broken, size_t count) {
  struct qn_error error;
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("rules.qrn"));
  assert_int_equal(build_layout(layout, options, graph, path, &error), QN_OK);
  qn_graph_unmap(graph);
  expect_all_refused(path, broken, count);
}
