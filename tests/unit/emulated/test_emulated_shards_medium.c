/* CUDA programs on shards, in the emulator. */
#include "helpers/emulated_test.h"
#include "helpers/layout_views.h"

static void run_with(const struct qn_graph *graph, struct qn_shards_options options,
                     uint64_t seeds) {
  struct qn_shards view;
  assert_true(open_shards(graph, options, &view));
  compare_emulated(graph, QN_LAYOUT_SHARDS, &view, seeds);
  qn_shards_unmap(&view);
}

/* One shard that blocks of threads share; many of different replication factors, or of few
 * vertices: by turns, but both of an undirected graph, on which every program runs. */
static void every_size(const struct qn_graph *graph) {
  static unsigned turn;
  const bool both = graph->directedness == QN_UNDIRECTED;
  run_with(graph, (struct qn_shards_options){0}, 1);
  if (both || turn % 2 == 0)
    run_with(graph, (struct qn_shards_options){.shared_bytes = 512}, 1);
  if (both || turn % 2 == 1)
    run_with(graph, (struct qn_shards_options){.shard_vertices = 45}, 1);
  turn++;
}

TEST(all_shapes) {
  each_emulated_graph(every_size);
}

/* So few of many vertices are active at a time that they notify. */
TEST(long_searches) {
  struct qn_graph graph = path_graph(120);
  run_with(&graph, (struct qn_shards_options){.shared_bytes = 256}, 1);
  qn_graph_unmap(&graph);
  graph = random_undirected(1500, 2000, QN_WEIGHT_U32, 12);
  run_with(&graph, (struct qn_shards_options){0}, 1);
  qn_graph_unmap(&graph);
}

/* Sums of real numbers must not depend on the order of threads. */
TEST(sums_are_reproducible) {
  struct qn_graph graph = random_graph(700, 12000, QN_WEIGHT_F32, 1, 13);
  struct qn_shards view;
  assert_true(open_shards(&graph, (struct qn_shards_options){.shared_bytes = 2048}, &view));
  for (const struct qn_kernel *const *kernel = qn_kernels(); *kernel; kernel++) {
    if (!is_emulated(*kernel, QN_LAYOUT_SHARDS, &graph))
      continue;
    struct qn_run_result results[2];
    for (uint64_t seed = 0; seed < 2; seed++) {
      new_machine(5 * seed, 0);
      results[seed] = run_for_test(*kernel, &view, 3, NULL);
    }
    assert_memory_equal(results[0].values, results[1].values,
                        results[0].num_values * qn_result_bytes(results[0].type));
    qn_run_result_destroy(&results[0]);
    qn_run_result_destroy(&results[1]);
  }
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

/* Along a path of 200 edges labels go one edge an iteration, and further wherever a sender already
 * sends what it received in the same one. */
TEST(senders_send_what_they_received) {
  struct qn_graph graph = path_graph(201);
  struct qn_shards view;
  assert_true(open_shards(&graph, (struct qn_shards_options){.shard_vertices = 1}, &view));
  new_machine(0, 0);
  struct qn_run_result result =
      run_for_test(qn_kernel_find("cc", QN_LAYOUT_SHARDS, QN_CUDA, QN_WEIGHT_U32), &view, 0, NULL);
  for (uint64_t v = 0; v < result.num_values; v++)
    assert_true(engine_value(&result, v) == 0);
  assert_in_range(result.stats.iterations, 2, 180);
  qn_run_result_destroy(&result);
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

#ifndef SMALL_BLOCKS /* of whose size the host knows nothing */

TEST(device_failures) {
  struct qn_graph graph = random_undirected(60, 150, QN_WEIGHT_U32, 7);
  struct qn_shards view;
  assert_true(open_shards(&graph, (struct qn_shards_options){.shared_bytes = 256}, &view));
  fail_device_calls(QN_LAYOUT_SHARDS, &view);
  qn_shards_unmap(&view);
  qn_graph_unmap(&graph);
}

#endif

TEST_MAIN(scratch_create, scratch_remove)
