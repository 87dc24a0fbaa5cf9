/* A search of a small undirected graph, and each rule of the Graph500 benchmark broken in turn, by
 * its parents or by what it says of the vertices. */
#include <math.h>
#include <string.h>

#include "converters/graph/tree_check.h"
#include "formats/vertices/parents_file.h"
#include "helpers/test.h"
#include <quern/job.h>

enum { V = 6, NONE = QN_NO_PARENT };

/* 0 - 1 (2), 0 - 2 (7), 1 - 2 (4), 2 - 3 (1), and 4 - 5 (1) apart. */
static const uint64_t offsets[V + 1] = {0, 2, 4, 7, 8, 9, 10};
static const uint32_t columns[] = {1, 2, 0, 2, 0, 1, 3, 2, 5, 4};
static const uint32_t whole[] = {2, 7, 2, 4, 7, 4, 1, 1, 1, 1};
static const float real[] = {2, 7, 2, 4, 7, 4, 1, 1, 1, 1};

static const uint32_t by_hops[V] = {0, 0, 0, 2, NONE, NONE};
static const uint32_t by_weights[V] = {0, 0, 1, 2, NONE, NONE};
static const uint32_t hops[V] = {0, 1, 1, 2, UINT32_MAX, UINT32_MAX};
static const uint64_t distances[V] = {0, 2, 6, 7, UINT64_MAX, UINT64_MAX};

static struct qn_graph graph_of(enum qn_weight_type type) {
  const void *data = type == QN_WEIGHT_U32 ? (const void *)whole : real;
  return (struct qn_graph){.directedness = QN_UNDIRECTED,
                           .out = {.num_vertices = V,
                                   .num_edges = 10,
                                   .row_offsets = offsets,
                                   .column_indices = columns,
                                   .weights = {.type = type, .data = data}}};
}

/* The rules that are broken, a bit each. */
static unsigned broken(enum qn_weight_type type, const uint32_t *parents, enum qn_type value_type,
                       const void *data) {
  const struct qn_graph graph = graph_of(type);
  const struct qn_tree_values values = {.u32 = value_type == QN_TYPE_U32 ? data : NULL,
                                        .u64 = value_type == QN_TYPE_U64 ? data : NULL,
                                        .f64 = value_type == QN_TYPE_F64 ? data : NULL};
  struct qn_tree_report report;
  struct qn_error error;
  unsigned rules = 0;
  assert_int_equal(qn_tree_check(&graph, parents, data ? &values : NULL, value_type != QN_TYPE_U32,
                                 &report, &error),
                   QN_OK);
  for (int rule = 1; rule < QN_TREE_RULES; rule++)
    rules |= (report.faults[rule].count > 0) << rule;
  assert_int_equal(qn_tree_is_right(&report), rules == 0);
  return rules;
}

TEST(right_searches_are_taken) {
  const double reals[V] = {0, 2, 6, 7, INFINITY, INFINITY};
  assert_int_equal(broken(QN_WEIGHT_U32, by_hops, QN_TYPE_U32, hops), 0);
  assert_int_equal(broken(QN_WEIGHT_U32, by_weights, QN_TYPE_U64, distances), 0);
  assert_int_equal(broken(QN_WEIGHT_F32, by_weights, QN_TYPE_F64, reals), 0);
  assert_int_equal(broken(QN_WEIGHT_U32, by_hops, QN_TYPE_U32, NULL), 0);
}

TEST(wrong_parents_break_their_rule) {
  const uint32_t cycle[V] = {0, 0, 3, 2, NONE, NONE}, other_root[V] = {0, 0, 0, 3, NONE, NONE};
  const uint32_t longer[V] = {0, 0, 1, 2, NONE, NONE}, partial[V] = {0, 0, 0, NONE, NONE, NONE};
  const uint32_t stranger[V] = {0, 0, 0, 1, NONE, NONE};
  assert_int_equal(broken(QN_WEIGHT_U32, cycle, QN_TYPE_U32, NULL), 1 << 1);
  assert_int_equal(broken(QN_WEIGHT_U32, other_root, QN_TYPE_U32, NULL), 1 << 1);
  assert_int_equal(broken(QN_WEIGHT_U32, longer, QN_TYPE_U32, NULL), 1 << 3);
  assert_int_equal(broken(QN_WEIGHT_U32, by_hops, QN_TYPE_U64, NULL), 1 << 3);
  assert_int_equal(broken(QN_WEIGHT_U32, partial, QN_TYPE_U32, NULL), 1 << 4);
  assert_int_equal(broken(QN_WEIGHT_U32, stranger, QN_TYPE_U32, NULL), 1 << 5);
}

TEST(wrong_values_break_the_second_rule) {
  for (unsigned vertex = 0; vertex < V; vertex++) {
    uint32_t wrong_hops[V];
    uint64_t wrong_distances[V];
    memcpy(wrong_hops, hops, sizeof hops);
    memcpy(wrong_distances, distances, sizeof distances);
    wrong_hops[vertex]++;
    wrong_distances[vertex]--;
    assert_int_equal(broken(QN_WEIGHT_U32, by_hops, QN_TYPE_U32, wrong_hops), 1 << 2);
    assert_int_equal(broken(QN_WEIGHT_U32, by_weights, QN_TYPE_U64, wrong_distances), 1 << 2);
  }
}

TEST_MAIN(NULL, NULL)
