/* The builder against a naive reference: every option, several thread counts, ids of all sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/build/build.h"
#include "helpers/random_numbers.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include <quern/graph.h>

static struct qn_error error;

struct edge {
  uint64_t source, destination;
  uint64_t weight; /* bits */
  uint64_t order;
};

struct edges {
  struct edge *items;
  uint64_t count;
  enum qn_weight_type type;
};

/* ---- The reference -------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static int by_ends(const void *a, const void *b) {
  const struct edge *x = a, *y = b;
  if (x->source != y->source)
    return x->source < y->source ? -1 : 1;
  if (x->destination != y->destination)
    return x->destination < y->destination ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

struct expected {
  uint64_t num_vertices;
  uint64_t *ids; /* NULL if dense */
  struct edges edges;
  struct qn_ledger ledger;
};

static float as_float(uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, 4);
  return value;
}

static uint64_t as_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

static double as_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

static uint64_t as_wide_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return bits;
}

/* Exact: x86's long double has 64 bits of mantissa. */
static long double value_of(enum qn_weight_type type, uint64_t bits) {
  return type == QN_WEIGHT_F32   ? (long double)as_float(bits)
         : type == QN_WEIGHT_F64 ? (long double)as_double(bits)
         : type == QN_WEIGHT_I64 ? (long double)(int64_t)bits
                                 : (long double)bits;
}

static uint64_t bits_of(enum qn_weight_type type, long double value) {
  return type == QN_WEIGHT_F32   ? as_bits((float)value)
         : type == QN_WEIGHT_F64 ? as_wide_bits((double)value)
         : type == QN_WEIGHT_I64 ? (uint64_t)(int64_t)value
                                 : (uint64_t)value;
}

static void number_vertices(struct expected *e, const struct qn_build *build) {
  struct edges *edges = &e->edges;
  uint64_t total = 2 * edges->count + build->num_extra_ids, n = 0, unique = 0;
  uint64_t *all = malloc(total * sizeof *all + 1);
  for (uint64_t i = 0; i < edges->count; i++) {
    all[n++] = edges->items[i].source;
    all[n++] = edges->items[i].destination;
  }
  for (uint64_t i = 0; i < build->num_extra_ids; i++)
    all[n++] = build->extra_ids[i];
  qsort(all, n, sizeof *all, by_number);
  for (uint64_t i = 0; i < n; i++)
    if (!unique || all[unique - 1] != all[i])
      all[unique++] = all[i];
  bool declared = build->num_vertices != QN_VERTICES_FROM_EDGES;
  bool gaps = unique && all[unique - 1] + 1 != unique;
  bool compact = gaps && (build->ids == QN_ID_COMPACT || (build->ids == QN_ID_AUTO && !declared));
  if (!compact) {
    e->num_vertices = declared && build->ids != QN_ID_COMPACT ? build->num_vertices
                      : unique                                ? all[unique - 1] + 1
                      : declared                              ? build->num_vertices
                                                              : 0;
    free(all);
    return;
  }
  for (uint64_t i = 0; i < edges->count; i++) {
    struct edge *edge = &edges->items[i];
    edge->source =
        (uint64_t)((uint64_t *)bsearch(&edge->source, all, unique, sizeof *all, by_number) - all);
    edge->destination =
        (uint64_t)((uint64_t *)bsearch(&edge->destination, all, unique, sizeof *all, by_number) -
                   all);
  }
  e->num_vertices = unique;
  e->ids = all;
}

static void merge(struct edges *edges, enum qn_duplicates duplicates) {
  uint64_t kept = 0;
  for (uint64_t i = 0, end; i < edges->count; i = end) {
    struct edge merged = edges->items[i];
    long double sum = value_of(edges->type, merged.weight), least = sum;
    for (end = i + 1; end < edges->count && edges->items[end].source == merged.source &&
                      edges->items[end].destination == merged.destination;
         end++) {
      long double weight = value_of(edges->type, edges->items[end].weight);
      sum += weight;
      least = weight < least ? weight : least;
    }
    if (duplicates != QN_DUPLICATES_REMOVE)
      merged.weight = bits_of(edges->type, duplicates == QN_DUPLICATES_SUM ? sum : least);
    edges->items[kept++] = merged;
  }
  edges->count = kept;
}

static struct expected expect(const struct edges *input, const struct qn_build *build) {
  struct expected e = {.edges = {.type = input->type}};
  e.edges.items = malloc((2 * input->count + 1) * sizeof *e.edges.items);
  e.edges.count = input->count;
  if (input->count > 0)
    memcpy(e.edges.items, input->items, input->count * sizeof *input->items);
  if (build->weights == QN_WEIGHTS_NONE)
    e.edges.type = QN_WEIGHT_NONE;
  if (build->weights == QN_WEIGHTS_F32 && input->type == QN_WEIGHT_U32) {
    e.edges.type = QN_WEIGHT_F32;
    for (uint64_t i = 0; i < input->count; i++)
      e.edges.items[i].weight = as_bits((float)e.edges.items[i].weight);
  }
  number_vertices(&e, build);
  e.ledger.edges_read = input->count;
  uint64_t kept = 0;
  for (uint64_t i = 0; i < input->count; i++) {
    struct edge edge = e.edges.items[i];
    edge.order = i;
    bool drop = build->self_loops == QN_SELF_LOOPS_REMOVE && edge.source == edge.destination;
    e.ledger.self_loops_removed += drop;
    if (!drop)
      e.edges.items[kept++] = edge;
  }
  e.edges.count = kept;
  for (uint64_t i = 0; build->undirected && i < kept; i++) {
    struct edge edge = e.edges.items[i];
    if (edge.source == edge.destination)
      continue;
    e.edges.items[e.edges.count++] =
        (struct edge){edge.destination, edge.source, edge.weight, edge.order};
    e.ledger.edges_added++;
  }
  qsort(e.edges.items, e.edges.count, sizeof *e.edges.items, by_ends);
  uint64_t before = e.edges.count;
  if (build->duplicates != QN_DUPLICATES_KEEP)
    merge(&e.edges, build->duplicates);
  e.ledger.duplicates_removed = before - e.edges.count;
  e.ledger.edges_written = e.edges.count;
  return e;
}

static void forget(struct expected *e) {
  free(e->edges.items);
  free(e->ids);
}

/* ---- The builder ---------------------------------------------------------- */

static void fill(struct qn_edge_list *list, const struct edges *edges, uint64_t parts) {
  enum qn_status statuses[64] = {0};
#pragma omp parallel for schedule(dynamic)
  for (uint64_t part = 0; part < parts; part++) {
    struct qn_edge_stream stream;
    uint64_t begin, end;
    qn_part_of(edges->count, parts, part, &begin, &end);
    qn_edge_stream_open(&stream, list, part);
    for (uint64_t i = begin; i < end; i++) {
      const struct edge *edge = &edges->items[i];
      if (edges->type == QN_WEIGHT_NONE)
        qn_edge_push(&stream, edge->source, edge->destination);
      else if (edges->type == QN_WEIGHT_U32)
        qn_edge_push_u32(&stream, edge->source, edge->destination, (uint32_t)edge->weight);
      else if (edges->type == QN_WEIGHT_I64)
        qn_edge_push_i64(&stream, edge->source, edge->destination, (int64_t)edge->weight);
      else if (edges->type == QN_WEIGHT_F64)
        qn_edge_push_f64(&stream, edge->source, edge->destination, as_double(edge->weight));
      else
        qn_edge_push_f32(&stream, edge->source, edge->destination, as_float(edge->weight));
    }
    struct qn_error mine;
    statuses[part] = qn_edge_stream_close(&stream, &mine);
  }
  for (uint64_t part = 0; part < parts; part++)
    assert_int_equal(statuses[part], QN_OK);
  assert_int_equal(qn_edge_list_count(list), edges->count);
}

/* How edges that go to disk are divided; no piles: they stay in memory. */
struct on_disk {
  unsigned num_piles;
  uint64_t edges_at_once;
};

static enum qn_status create_list(const struct qn_build *build, struct on_disk on_disk,
                                  struct qn_edge_list **list) {
  struct qn_spill_options options = {.undirected = build->undirected,
                                     .ids = QN_SPILL_IDS_UNLESS_DECLARED,
                                     .num_vertices = &build->num_vertices,
                                     .num_piles = on_disk.num_piles,
                                     .edges_at_once = on_disk.edges_at_once};
  if (build->ids == QN_ID_COMPACT)
    options.ids = QN_SPILL_IDS_COLLECT;
  qn_memory_limit_set(on_disk.num_piles ? (uint64_t)64 << 20 : 0, ".");
  if (on_disk.num_piles)
    return qn_edge_list_create_on_disk(&options, list, &error);
  enum qn_status status = qn_edge_list_create(list, &error);
  if (!status && qn_threads() > 1) /* with one, the builder looks for all ids itself */
    qn_edge_list_mark_ids(*list, build->ids == QN_ID_COMPACT ? NULL : &build->num_vertices);
  return status;
}

static enum qn_status build_file(const char *path, const struct edges *edges,
                                 const struct qn_build *build, struct on_disk on_disk,
                                 uint64_t parts, struct qn_ledger *ledger) {
  struct qn_edge_list *list;
  struct qn_writer *writer;
  memset(ledger, 0, sizeof *ledger);
  assert_int_equal(create_list(build, on_disk, &list), QN_OK);
  fill(list, edges, parts);
  assert_int_equal(qn_writer_create(path, true, &writer, &error), QN_OK);
  enum qn_status status = qn_build_graph(list, build, writer, ledger, &error);
  qn_edge_list_destroy(list);
  if (status)
    qn_writer_abort(writer);
  else
    assert_int_equal(qn_writer_commit(writer, &error), QN_OK);
  return status;
}

/* What cannot be built in memory cannot be built on disk, for the same reason. */
static enum qn_status build_bad(const struct edges *edges, const struct qn_build *build) {
  struct qn_ledger ledger;
  const char *path = scratch_path("bad.qrn");
  enum qn_status status = build_file(path, edges, build, (struct on_disk){16, 3}, 2, &ledger);
  char message[sizeof error.message];
  strcpy(message, error.message);
  assert_int_equal(build_file(path, edges, build, (struct on_disk){0, 0}, 1, &ledger), status);
  assert_string_equal(error.message, message);
  return status;
}

static uint64_t weight_bits(const struct qn_weights *weights, uint64_t edge) {
  return weights->type == QN_WEIGHT_NONE  ? 0
         : weights->type == QN_WEIGHT_U32 ? weights->u32[edge]
         : weights->type == QN_WEIGHT_I64 ? (uint64_t)weights->i64[edge]
         : weights->type == QN_WEIGHT_F64 ? as_wide_bits(weights->f64[edge])
                                          : as_bits(weights->f32[edge]);
}

static void compare(const char *path, const struct expected *e, const struct qn_build *build) {
  struct qn_graph graph;
  assert_int_equal(qn_graph_map(path, &graph, &error), QN_OK);
  assert_int_equal(qn_container_verify(graph.container, &error), QN_OK);
  if (qn_graph_check(graph.container, &graph, &error))
    fail_msg("%s", error.message);
  assert_int_equal(graph.out.num_vertices, e->num_vertices);
  assert_int_equal(graph.out.num_edges, e->edges.count);
  assert_int_equal(graph.out.weights.type, e->edges.type);
  assert_int_equal(graph.directedness, build->undirected);
  assert_int_equal(graph.has_transpose, build->undirected || build->transpose);
  assert_int_equal(graph.ids.kind, e->ids ? QN_IDS_NUMBERS : QN_IDS_DENSE);
  if (e->ids)
    assert_memory_equal(graph.ids.numbers, e->ids, e->num_vertices * 8);
  uint64_t edge = 0;
  for (uint64_t v = 0; v < e->num_vertices; v++) {
    if (graph.out.row_offsets[v] != edge)
      fail_msg("row %llu begins elsewhere", (unsigned long long)v);
    for (; edge < graph.out.row_offsets[v + 1]; edge++) {
      const struct edge *want = &e->edges.items[edge];
      if (want->source != v || want->destination != graph.out.column_indices[edge] ||
          (e->edges.type != QN_WEIGHT_NONE &&
           weight_bits(&graph.out.weights, edge) != want->weight))
        fail_msg("edge %llu differs", (unsigned long long)edge);
    }
  }
  qn_graph_unmap(&graph);
}

static void assert_same_files(const char *one, const char *two) {
  FILE *a = fopen(one, "rb"), *b = fopen(two, "rb");
  char x[4096], y[4096];
  size_t n;
  assert_non_null(a);
  assert_non_null(b);
  while ((n = fread(x, 1, sizeof x, a)) > 0) {
    assert_int_equal(fread(y, 1, sizeof y, b), n);
    assert_memory_equal(x, y, n);
  }
  assert_int_equal(fread(y, 1, sizeof y, b), 0);
  fclose(a);
  fclose(b);
}

static void check_ledger(const struct qn_ledger *ledger, const struct qn_ledger *want) {
  struct qn_ledger filled = *ledger;
  filled.records = filled.edges_read;
  assert_int_equal(qn_ledger_check(&filled, &error), QN_OK);
  assert_int_equal(ledger->edges_read, want->edges_read);
  assert_int_equal(ledger->edges_added, want->edges_added);
  assert_int_equal(ledger->self_loops_removed, want->self_loops_removed);
  assert_int_equal(ledger->duplicates_removed, want->duplicates_removed);
  assert_int_equal(ledger->edges_written, want->edges_written);
}

/* Build with one, two and five threads and differently cut streams, and on disk: by turns in one
 * go, in many, and with piles that are divided again and again. Right and the same bytes. */
static void check_build(const struct edges *edges, const struct qn_build *build) {
  static const unsigned threads[] = {1, 2, 5};
  static const struct on_disk ways[] = {{256, UINT64_MAX}, {16, 999}, {2, 1}};
  static unsigned turn;
  struct on_disk way = ways[turn++ % 3];
  struct expected e = expect(edges, build);
  char first[512], other[512];
  snprintf(first, sizeof first, "%s", scratch_path("first.qrn"));
  snprintf(other, sizeof other, "%s", scratch_path("other.qrn"));
  if (edges->count / 50 > way.edges_at_once) /* would take too long */
    way = ways[0];
  for (int t = 0; t < 4; t++) {
    struct qn_ledger ledger;
    struct on_disk on_disk = t == 3 ? way : (struct on_disk){0, 0};
    qn_threads_set(t == 3 ? 2 : threads[t]);
    if (build_file(t ? other : first, edges, build, on_disk, t == 0 ? 1 : 7 * (uint64_t)t, &ledger))
      fail_msg("%s", error.message);
    check_ledger(&ledger, &e.ledger);
    if (t)
      assert_same_files(first, other);
  }
  compare(first, &e, build);
  forget(&e);
}

/* ---- Graphs --------------------------------------------------------------- */

/* Sums of those of 8 bytes are exact, in any order, and 4 bytes hold none of them. */
static uint64_t random_weight(enum qn_weight_type type) {
  if (type == QN_WEIGHT_I64)
    return (uint64_t)((int64_t)(random_number() % 2000) - ((int64_t)1 << 40));
  if (type == QN_WEIGHT_F64)
    return as_wide_bits((double)(random_number() % 2000) / 16 - 1e9 + 0x1p-7);
  if (type == QN_WEIGHT_F32)
    return as_bits((float)(int64_t)(random_number() % 2000) / 16 - 40);
  return (uint32_t)(random_number() % 100);
}

/* `skew` squeezes ids towards 0; `stride` spreads them. */
static struct edges random_edges(uint64_t count, uint64_t range, bool skew, uint64_t stride,
                                 enum qn_weight_type type) {
  struct edges edges = {malloc(count * sizeof *edges.items + 1), count, type};
  for (uint64_t i = 0; i < count; i++) {
    uint64_t u = random_number() % range, v = random_number() % range;
    if (skew) {
      u &= random_number();
      v &= random_number();
    }
    edges.items[i] = (struct edge){u * stride, v * stride, random_weight(type), i};
  }
  return edges;
}

static void every_option(const struct edges *edges) {
  /* Where all take too long: every value of each, but not all together. */
  bool some = edges->count > 5000;
  for (int undirected = 0; undirected < 2; undirected++)
    for (int loops = 0; loops < 2; loops++)
      for (int duplicates = 0; duplicates < 4; duplicates++) {
        if (duplicates >= QN_DUPLICATES_MIN && edges->type == QN_WEIGHT_NONE)
          continue;
        if (some && (undirected + loops + duplicates) % 3 != 0)
          continue;
        struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES,
                                 .undirected = undirected,
                                 .transpose = duplicates % 2 == 0,
                                 .self_loops = loops,
                                 .duplicates = duplicates};
        check_build(edges, &build);
      }
}

TEST(random_graphs) {
  static const struct {
    uint64_t count, range;
    bool skew;
    uint64_t stride;
  } shapes[] = {{1, 1, false, 1},
                {3, 2, false, 1},
                {200, 20, false, 1},
                {5000, 300, true, 1},
                {20000, 100000, true, 3},
                {9000, 5000, false, 1u << 20},
                {3000, 200, true, 1ull << 45},
                {40000, 1u << 17, false, 1}};
  for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (enum qn_weight_type type = QN_WEIGHT_NONE; type <= QN_WEIGHT_F64; type++) {
      if (type > QN_WEIGHT_F32 && shapes[i].count > 3000)
        continue; /* enough of them */
      random_state = i;
      struct edges edges =
          random_edges(shapes[i].count, shapes[i].range, shapes[i].skew, shapes[i].stride, type);
      every_option(&edges);
      free(edges.items);
    }
}

/* Ids that are marked as they come when enough edges have come, and not before. */
TEST(ids_far_apart) {
  random_state = 78;
  struct edges edges = random_edges(700000, 1u << 17, false, 1u << 8, QN_WEIGHT_NONE);
  struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES};
  check_build(&edges, &build);
  free(edges.items);
}

TEST(id_choices) {
  random_state = 77;
  struct edges edges = random_edges(2000, 3000, false, 1, QN_WEIGHT_U32);
  uint64_t extra[] = {5000, 0, 7, 4999, 7};
  for (enum qn_id_choice ids = QN_ID_AUTO; ids <= QN_ID_COMPACT; ids++)
    for (int extras = 0; extras < 2; extras++)
      for (int declared = 0; declared < 2; declared++) {
        struct qn_build build = {.num_vertices = declared ? 6000 : QN_VERTICES_FROM_EDGES,
                                 .extra_ids = extras ? extra : NULL,
                                 .num_extra_ids = extras ? 5 : 0,
                                 .ids = ids,
                                 .transpose = true};
        check_build(&edges, &build);
      }
  free(edges.items);
}

TEST(large_ids) {
  struct edge items[] = {{UINT64_MAX, 0, 1, 0},
                         {UINT64_MAX - 1, UINT64_MAX, 2, 1},
                         {1ull << 32, (1ull << 32) - 1, 3, 2},
                         {5, 5, 4, 3},
                         {UINT64_MAX, 0, 5, 4}};
  struct edges edges = {items, 5, QN_WEIGHT_U32};
  every_option(&edges);
  struct qn_build keep = {.num_vertices = QN_VERTICES_FROM_EDGES, .ids = QN_ID_KEEP};
  assert_int_equal(build_bad(&edges, &keep), QN_INVALID);
  assert_non_null(strstr(error.message, "18446744073709551615"));
  struct edge edge32[] = {{0, UINT32_MAX - 1, 0, 0}, {UINT32_MAX, UINT32_MAX - 1, 0, 1}};
  struct edges largest = {edge32, 2, QN_WEIGHT_NONE};
  every_option(&largest);
  assert_int_equal(build_bad(&largest, &keep), QN_INVALID);
}

TEST(wide_keys) {
  random_state = 5;
  /* More vertices than 32-bit keys can hold: ids are kept. */
  for (enum qn_weight_type type = QN_WEIGHT_NONE; type <= QN_WEIGHT_U32; type++) {
    struct edges edges = random_edges(3000, 5000000, true, 1, type);
    struct qn_build build = {.num_vertices = 5000000, .undirected = true, .transpose = true};
    check_build(&edges, &build);
    free(edges.items);
  }
}

TEST(empty_graphs) {
  struct edges none = {NULL, 0, QN_WEIGHT_NONE};
  struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES, .transpose = true};
  check_build(&none, &build);
  build.undirected = true;
  check_build(&none, &build);
  build.num_vertices = 0;
  check_build(&none, &build);
  build.num_vertices = 1;
  check_build(&none, &build);
  build.num_vertices = 100000;
  build.undirected = false;
  check_build(&none, &build);
  struct edge loop = {0, 0, 9, 0};
  struct edges one = {&loop, 1, QN_WEIGHT_U32};
  every_option(&one);
}

TEST(star_and_path) {
  enum { LEAVES = 1000000, LENGTH = 100000 };
  struct edges edges = {malloc(LEAVES * sizeof *edges.items), LEAVES, QN_WEIGHT_NONE};
  for (uint64_t i = 0; i < LEAVES; i++)
    edges.items[i] = (struct edge){0, LEAVES - i, 0, i};
  struct qn_build clean = {.num_vertices = QN_VERTICES_FROM_EDGES,
                           .undirected = true,
                           .self_loops = QN_SELF_LOOPS_REMOVE,
                           .duplicates = QN_DUPLICATES_REMOVE};
  struct qn_build both = {.num_vertices = QN_VERTICES_FROM_EDGES, .transpose = true};
  check_build(&edges, &clean);
  check_build(&edges, &both);
  edges.count = LENGTH;
  for (uint64_t i = 0; i < LENGTH; i++)
    edges.items[i] = (struct edge){i, i + 1, 0, i};
  check_build(&edges, &clean);
  check_build(&edges, &both);
  free(edges.items);
}

/* Divided down to single vertices, single destinations, and edges that are all the same. */
TEST(many_of_the_same) {
  enum { COUNT = 60 };
  for (enum qn_weight_type type = QN_WEIGHT_NONE; type <= QN_WEIGHT_F64; type++) {
    random_state = 11;
    struct edges edges = random_edges(COUNT, 3, false, 1, type);
    for (unsigned i = 0; i < COUNT / 2; i++)
      edges.items[i].source = 1;
    every_option(&edges);
    free(edges.items);
  }
}

/* ---- Weights -------------------------------------------------------------- */

TEST(weight_choices) {
  random_state = 9;
  struct edges edges = random_edges(4000, 900, false, 1, QN_WEIGHT_U32);
  struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES, .weights = QN_WEIGHTS_F32};
  check_build(&edges, &build);
  build.weights = QN_WEIGHTS_U32;
  check_build(&edges, &build);
  build.weights = QN_WEIGHTS_NONE;
  check_build(&edges, &build);
  edges.type = QN_WEIGHT_F32;
  build.weights = QN_WEIGHTS_U32;
  assert_int_equal(build_bad(&edges, &build), QN_INVALID);
  edges.type = QN_WEIGHT_NONE;
  assert_int_equal(build_bad(&edges, &build), QN_INVALID);
  build.weights = QN_WEIGHTS_AUTO;
  build.duplicates = QN_DUPLICATES_SUM;
  assert_int_equal(build_bad(&edges, &build), QN_INVALID);
  free(edges.items);
}

TEST(sums_that_overflow) {
  struct edge items[] = {{7, 9, 4000000000u, 0}, {1, 2, 4000000000u, 1}, {7, 9, 1, 2},
                         {1, 2, 294967295u, 3},  {3, 2, 4294967295u, 4}, {3, 2, 1, 5}};
  struct edges edges = {items, 6, QN_WEIGHT_U32};
  struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES, .duplicates = QN_DUPLICATES_SUM};
  assert_int_equal(build_bad(&edges, &build), QN_INVALID);
  assert_non_null(strstr(error.message, "from 3 to 2"));
  build.weights = QN_WEIGHTS_F32;
  build.narrow_weights = true;
  check_build(&edges, &build);
  for (int i = 0; i < 6; i++)
    items[i].weight = as_bits(3e38f);
  edges.type = QN_WEIGHT_F32;
  assert_int_equal(build_bad(&edges, &build), QN_INVALID);
  assert_non_null(strstr(error.message, "from 1 to 2"));
}

TEST(contradictions) {
  struct qn_ids names = {.kind = QN_IDS_STRINGS};
  struct qn_build build = {.num_vertices = 3, .names = &names, .ids = QN_ID_COMPACT};
  assert_int_equal(qn_build_check(&build, &error), QN_USAGE);
  build = (struct qn_build){.num_vertices = QN_VERTICES_FROM_EDGES, .names = &names};
  assert_int_equal(qn_build_check(&build, &error), QN_USAGE);
  build = (struct qn_build){.weights = QN_WEIGHTS_NONE, .duplicates = QN_DUPLICATES_MIN};
  assert_int_equal(qn_build_check(&build, &error), QN_USAGE);
  struct edge item = {0, 3, 0, 0};
  struct edges edges = {&item, 1, QN_WEIGHT_NONE};
  for (enum qn_id_choice ids = QN_ID_AUTO; ids <= QN_ID_COMPACT; ids++) {
    build = (struct qn_build){.num_vertices = 3, .ids = ids};
    assert_int_equal(build_bad(&edges, &build), QN_INVALID);
    assert_non_null(strstr(error.message, "vertex 3 is beyond the 3"));
  }
}

/* Fail the n-th allocation for every n: an error, nothing left behind, nothing leaked. */
static void fail_every_allocation(const struct edges *edges, struct on_disk on_disk) {
  struct qn_build build = {.num_vertices = QN_VERTICES_FROM_EDGES, .transpose = true};
  uint64_t live = qn_memory_live();
  bool done = false;
  for (uint64_t n = 1; !done; n++) {
    struct qn_edge_list *list;
    struct qn_writer *writer;
    struct qn_ledger ledger = {0};
    assert_int_equal(create_list(&build, on_disk, &list), QN_OK);
    fill(list, edges, 3);
    assert_int_equal(qn_writer_create(scratch_path("failing.qrn"), true, &writer, &error), QN_OK);
    qn_memory_fail_nth(n);
    enum qn_status status = qn_build_graph(list, &build, writer, &ledger, &error);
    done = status == QN_OK;
    if (!done)
      assert_int_equal(status, QN_SYSTEM);
    qn_memory_fail_nth(0);
    qn_writer_abort(writer);
    qn_edge_list_destroy(list);
    assert_int_equal(qn_memory_live(), live);
    assert_true(n < 3000);
  }
}

TEST(failing_memory) {
  random_state = 3;
  qn_threads_set(2);
  struct edges edges = random_edges(30000, 1000, true, 1ull << 33, QN_WEIGHT_U32);
  fail_every_allocation(&edges, (struct on_disk){0, 0});
  fail_every_allocation(&edges, (struct on_disk){16, 5000});
  free(edges.items);
}

int main(void) {
  setenv("QUERN_NO_SYNC", "1", 1);
  return run_listed_tests(scratch_create, scratch_remove);
}
