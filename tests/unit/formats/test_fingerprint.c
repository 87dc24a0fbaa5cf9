/* Fingerprints of edges: equal to the definition, and they tell the smallest asymmetry. */
#include "helpers/memory_graph.h"
#include "helpers/test.h"
#include <quern/fingerprint.h>

static const enum qn_weight_type weight_types[] = {QN_WEIGHT_NONE, QN_WEIGHT_U32, QN_WEIGHT_F32};

static uint64_t defined(const struct qn_csr *csr, bool reverse) {
  uint64_t sum = 0;
  for (uint32_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++) {
      uint32_t other = csr->column_indices[e];
      unsigned weight_bytes = qn_weight_bytes(csr->weights.type);
      uint64_t bits = weight_bytes ? qn_weight_load(csr->weights.data, weight_bytes, e) : 0;
      uint64_t edge = reverse ? qn_mix_source(other) * qn_mix_destination(v)
                              : qn_mix_source(v) * qn_mix_destination(other);
      sum += edge * qn_mix_weight_of(bits, weight_bytes);
    }
  return sum;
}

TEST(as_defined) {
  for (uint64_t seed = 0; seed < 30; seed++) {
    struct test_edges edges = test_random_edges(1 + 37 * (uint32_t)seed, 60 * seed, seed & 1, seed);
    struct qn_csr csr = test_csr(&edges, weight_types[seed % 3], false);
    struct qn_csr transpose = test_csr(&edges, weight_types[seed % 3], true);
    assert_true(qn_csr_fingerprint(&csr, false) == defined(&csr, false));
    assert_true(qn_csr_fingerprint(&csr, true) == defined(&csr, true));
    assert_true(qn_csr_fingerprint(&csr, false) == qn_csr_fingerprint(&transpose, true));
    test_csr_free(&csr);
    test_csr_free(&transpose);
    free(edges.list);
  }
}

static bool is_symmetric(const struct test_edges *edges, enum qn_weight_type type) {
  struct qn_csr csr = test_csr(edges, type, false);
  bool symmetric = qn_csr_is_symmetric(&csr);
  assert_true(symmetric == (defined(&csr, false) == defined(&csr, true)));
  test_csr_free(&csr);
  return symmetric;
}

/* The first edge at or after `index` that is no loop. */
static struct test_edge *proper_edge(const struct test_edges *edges, uint64_t index) {
  while (edges->list[index].source == edges->list[index].destination)
    index++;
  return &edges->list[index];
}

/* Rows of every length around the width of vectors come with 40 vertices and 20 to 2400 edges. */
TEST(one_edge_tells) {
  for (uint64_t seed = 1; seed < 60; seed++)
    for (unsigned t = 0; t < 3; t++) {
      struct test_edges edges = test_random_edges(40, 20 * seed, seed & 1, seed);
      test_symmetrize(&edges);
      assert_true(is_symmetric(&edges, weight_types[t]));
      struct test_edge *edge = proper_edge(&edges, seed % 10), kept = *edge;
      edge->destination = (edge->destination + 1) % 40;
      assert_false(is_symmetric(&edges, weight_types[t]));
      *edge = kept;
      edge->weight += 1;
      assert_true(is_symmetric(&edges, weight_types[t]) == (weight_types[t] == QN_WEIGHT_NONE));
      *edge = edges.list[--edges.count];
      if (edges.list[edges.count].source != edges.list[edges.count].destination)
        assert_false(is_symmetric(&edges, weight_types[t]));
      free(edges.list);
    }
}

/* Every vertex of a ring has as many in-edges as out-edges, at the same distances. */
TEST(rings_tell) {
  for (uint32_t length = 3; length < 100; length++) {
    struct test_edges edges = {.num_vertices = length};
    for (uint32_t v = 0; v < length; v++)
      test_edge_add(&edges, v, (v + 1) % length, 1);
    assert_false(is_symmetric(&edges, QN_WEIGHT_NONE));
    test_symmetrize(&edges);
    assert_true(is_symmetric(&edges, QN_WEIGHT_NONE));
    free(edges.list);
  }
}

TEST_MAIN(NULL, NULL)
