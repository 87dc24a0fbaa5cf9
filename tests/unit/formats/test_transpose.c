/* Transposing: against a naive one, back to where it began, on any number of threads. */
#include "formats/graph/transposition.h"
#include "helpers/random_graph.h"
#include "helpers/test.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/transpose.h>

static struct qn_error error;

/* Reverses the edges one by one and sorts them: stable by the order of the rows walked. */
static struct qn_graph naive_transpose(const struct qn_csr *csr) {
  struct test_edge *edges = malloc((csr->num_edges + 1) * sizeof *edges);
  assert_non_null(edges);
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++) {
      edges[e] = (struct test_edge){.source = csr->column_indices[e], .destination = (uint32_t)v};
      if (csr->weights.type == QN_WEIGHT_U32)
        edges[e].weight = csr->weights.u32[e];
      if (csr->weights.type == QN_WEIGHT_F32)
        edges[e].weight = (uint32_t)csr->weights.f32[e];
    }
  struct qn_graph graph =
      graph_from_edges(edges, csr->num_edges, csr->num_vertices, csr->weights.type);
  free(edges);
  return graph;
}

static void check_graph(struct qn_graph graph) {
  struct qn_graph expected = naive_transpose(&graph.out), transposed, back;
  for (unsigned threads = 1; threads <= 5; threads += 2) {
    qn_threads_set(threads);
    assert_int_equal(qn_graph_create_transpose(&graph.out, &transposed, &error), QN_OK);
    assert_true(same_csr(&transposed.out, &expected.out));
    assert_int_equal(qn_graph_create_transpose(&transposed.out, &back, &error), QN_OK);
    assert_true(same_csr(&back.out, &graph.out));
    qn_graph_unmap(&transposed);
    qn_graph_unmap(&back);
  }
  qn_threads_set(0);
  qn_graph_unmap(&expected);
  qn_graph_unmap(&graph);
}

TEST(extremes) {
  check_graph(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE));
  check_graph(graph_from_edges(NULL, 0, 5, QN_WEIGHT_U32));
  check_graph(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_F32));
  check_graph(random_graph(1, 1000, QN_WEIGHT_U32, 0, 1));
  check_graph(random_graph(2, 100000, QN_WEIGHT_U32, 0, 2));
}

/* Vertex counts around the sizes of buckets. */
TEST(bucket_borders) {
  static const uint64_t counts[] = {63, 64, 65, 1023, 1024, 1025, 32767, 32768, 32769, 65537};
  for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++)
    check_graph(random_graph(counts[i], 3 * counts[i], QN_WEIGHT_U32, i % 3, i));
}

TEST(skewed_and_sparse) {
  check_graph(random_graph(100, 50000, QN_WEIGHT_F32, 3, 3));
  check_graph(random_graph(3000000, 2000, QN_WEIGHT_NONE, 0, 4));
  check_graph(random_graph(200000, 300000, QN_WEIGHT_U32, 1, 6));
}

/* Rows are as wide as shown, and shown again by a second visit. */
static void add_columns(const struct qn_csr_rows *rows, void *context) {
  uint64_t sum = 0, begin = rows->row_offsets[0];
  assert_int_equal(rows->first % 1024, 0);
  for (uint64_t edge = begin; edge < rows->row_offsets[rows->last - rows->first]; edge++)
    sum += rows->columns[edge - begin] + ((const uint32_t *)rows->weights)[edge - begin];
#pragma omp atomic
  *(uint64_t *)context += sum;
}

TEST(two_visits) {
  struct qn_graph graph = random_graph(70000, 200000, QN_WEIGHT_U32, 2, 7), transposed;
  struct qn_transposition work = {0};
  uint64_t expected = 0, sums[2] = {0}, *offsets = malloc(8 * 70001);
  assert_non_null(offsets);
  assert_int_equal(qn_graph_create_transpose(&graph.out, &transposed, &error), QN_OK);
  for (uint64_t edge = 0; edge < graph.out.num_edges; edge++)
    expected += transposed.out.column_indices[edge] + transposed.out.weights.u32[edge];
  assert_int_equal(qn_transposition_create(&graph.out, offsets, &work, &error), QN_OK);
  assert_memory_equal(offsets, transposed.out.row_offsets, 8 * 70001);
  assert_int_equal(qn_transposition_visit(&work, false, add_columns, &sums[0], &error), QN_OK);
  assert_int_equal(qn_transposition_visit(&work, true, add_columns, &sums[1], &error), QN_OK);
  assert_int_equal(sums[0], expected);
  assert_int_equal(sums[1], expected);
  qn_transposition_destroy(&work);
  qn_graph_unmap(&transposed);
  qn_graph_unmap(&graph);
  free(offsets);
}

TEST(allocation_failures) {
  struct qn_graph graph = random_graph(1000, 5000, QN_WEIGHT_U32, 0, 5), transposed;
  uint64_t live = qn_memory_live();
  for (uint64_t n = 1;; n++) {
    qn_memory_fail_nth(n);
    enum qn_status status = qn_graph_create_transpose(&graph.out, &transposed, &error);
    qn_memory_fail_nth(0);
    if (!status)
      break;
    assert_int_equal(status, QN_SYSTEM);
    assert_int_equal(qn_memory_live(), live);
  }
  qn_graph_unmap(&transposed);
  qn_graph_unmap(&graph);
}

TEST_MAIN(NULL, NULL)
