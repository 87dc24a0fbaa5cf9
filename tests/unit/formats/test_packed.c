/* Packed rows: the example byte by byte, round trips at the extremes, every rule broken once, and
 * tiles of any bytes. */
#include <math.h>

#include "formats/layouts/packed_tile.h"
#include "helpers/round_trip.h"
#include "helpers/sample_graph.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "helpers/vector.h"
#include "partitioner/packed.h"
#include "partitioner/packed_tile.h"

static struct qn_error error;

enum { IN = QN_PACKED_IN, OUT = QN_PACKED_OUT, BOTH = IN | OUT };

static void round_trip(const struct qn_graph *graph, uint32_t directions) {
  struct qn_packed_options options = {.directions = directions};
  check_round_trip(QN_LAYOUT_PACKED, &options, graph);
}

/* Every direction; frees the graph. */
static void round_trips(struct qn_graph graph) {
  for (uint32_t directions = IN; directions <= BOTH; directions++)
    round_trip(&graph, directions);
  qn_graph_unmap(&graph);
}

/* ---- The example ------------------------------------------------------------- */

static struct qn_graph example_graph(void) {
  struct test_edge edges[] = {
      {.source = 0, .destination = 1}, {.source = 0, .destination = 2},
      {.source = 0, .destination = 3}, {.source = 1, .destination = 0},
      {.source = 3, .destination = 1}, {.source = 3, .destination = 4},
      {.source = 3, .destination = 4},
  };
  return graph_from_edges(edges, 7, 5, QN_WEIGHT_NONE);
}

TEST(example) {
  const char *path = scratch_path("packed-example.qrn");
  struct qn_packed_options options = {.directions = OUT};
  struct qn_graph graph = example_graph();
  struct qn_packed view;
  struct qn_packed_tile *tile = malloc(sizeof *tile);
  assert_non_null(tile);
  build_vector(QN_LAYOUT_PACKED, &options, &graph, path);
  assert_vector("packed-example.qrn", path);
  assert_int_equal(qn_packed_map(path, &view, &error), QN_OK);
  assert_false(view.has_in);
  assert_int_equal(view.out.num_tiles, 1);
  qn_packed_decode(&view.out, 0, tile);
  assert_int_equal(tile->num_rows, 5);
  assert_memory_equal(tile->begins, ((uint32_t[]){0, 3, 4, 4, 7, 7}), 24);
  assert_memory_equal(tile->columns, ((uint32_t[]){1, 2, 3, 0, 1, 4, 4}), 28);
  for (uint64_t v = 0; v < 5; v++)
    assert_int_equal(qn_packed_out_degree(&view, v), ((uint64_t[]){3, 1, 0, 3, 0})[v]);
  qn_packed_unmap(&view);
  qn_graph_unmap(&graph);
  free(tile);
}

TEST(sample_vector) {
  struct sample sample = sample_graph();
  struct qn_graph graph;
  struct qn_packed_options options = {.directions = IN};
  assert_int_equal(write_sample(scratch_path("graph.qrn"), &sample, &error), QN_OK);
  assert_int_equal(qn_graph_map(scratch_path("graph.qrn"), &graph, &error), QN_OK);
  build_vector(QN_LAYOUT_PACKED, &options, &graph, scratch_path("packed-sample.qrn"));
  expect_same_graph(scratch_path("packed-sample.qrn"), &graph);
  qn_graph_unmap(&graph);
  assert_vector("packed-sample.qrn", scratch_path("packed-sample.qrn"));
}

/* As specs/packed.md has it: a dictionary of two. */
static struct qn_graph weighted_example(void) {
  static const float weights[] = {5, 5, 2.5F, 5, 2.5F, 2.5F, 5};
  struct qn_graph graph = example_graph(), weighted;
  struct qn_graph_arrays arrays;
  assert_int_equal(qn_graph_create(5, 7, QN_WEIGHT_F32, &weighted, &arrays, &error), QN_OK);
  memcpy(arrays.row_offsets, graph.out.row_offsets, 6 * sizeof *arrays.row_offsets);
  memcpy(arrays.column_indices, graph.out.column_indices, 7 * sizeof *arrays.column_indices);
  memcpy(arrays.weights, weights, sizeof weights);
  qn_graph_unmap(&graph);
  return weighted;
}

TEST(weights_vector) {
  struct qn_packed_options options = {.directions = OUT};
  struct qn_graph graph = weighted_example();
  build_vector(QN_LAYOUT_PACKED, &options, &graph, scratch_path("packed-weights.qrn"));
  assert_vector("packed-weights.qrn", scratch_path("packed-weights.qrn"));
  expect_same_graph(scratch_path("packed-weights.qrn"), &graph);
  qn_graph_unmap(&graph);
}

/* ---- Round trips --------------------------------------------------------------- */

TEST(tiny_graphs) {
  round_trips(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE));
  round_trips(graph_from_edges(NULL, 0, 5, QN_WEIGHT_F32));
  round_trips(graph_from_edges(NULL, 0, 2048, QN_WEIGHT_NONE));
  round_trips(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_U32));
  round_trips(example_graph());
}

TEST(random_graphs) {
  round_trips(random_graph(3, 10000, QN_WEIGHT_U32, 0, 1)); /* multi-edges with their weights */
  round_trips(random_graph(1023, 1000, QN_WEIGHT_NONE, 0, 2));
  round_trips(random_graph(1024, 9000, QN_WEIGHT_F32, 1, 3));
  round_trips(random_graph(1024, 9000, QN_WEIGHT_I64, 1, 3));
  round_trips(random_undirected(3000, 9000, QN_WEIGHT_F64, 5));
  round_trips(random_graph(1025, 9000, QN_WEIGHT_U32, 2, 4));
  round_trips(random_undirected(2049, 3000, QN_WEIGHT_U32, 5));
}

/* Weights of every type that take codes of 0 to 32 bits, or none: in a row, as the edges are made.
 */
TEST(coded_weights) {
  static const struct {
    enum qn_weight_type type;
    uint64_t first, step, modulus;
    enum qn_packed_weights kind;
    unsigned bits;
  } cases[] = {
      {QN_WEIGHT_U32, 7, 0, 1, QN_PACKED_SUMS, 0},
      {QN_WEIGHT_U32, 4000000000, 1, 255, QN_PACKED_SUMS, 8},
      {QN_WEIGHT_U32, 0, 68000, 1 << 20, QN_PACKED_PLAIN, 32},
      {QN_WEIGHT_U32, 5, 1000000, 1000, QN_PACKED_DICTIONARY, 10},
      {QN_WEIGHT_I64, UINT64_MAX - 2, 1, 1000, QN_PACKED_SUMS, 10},
      {QN_WEIGHT_I64, 0, 1ull << 60, 16, QN_PACKED_DICTIONARY, 4},
      {QN_WEIGHT_I64, 1ull << 63, 400000, 10000, QN_PACKED_SUMS, 32},
      {QN_WEIGHT_F32, 0, 1 << 20, 900, QN_PACKED_DICTIONARY, 10},
      {QN_WEIGHT_F64, 0, 1ull << 50, 3, QN_PACKED_DICTIONARY, 2},
  };
  enum { COUNT = 9000 };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct qn_graph plain = random_graph(1100, COUNT, QN_WEIGHT_NONE, 0, i), graph;
    struct qn_graph_arrays arrays;
    struct qn_packed view;
    assert_int_equal(plain.out.num_edges, COUNT);
    assert_int_equal(qn_graph_create(1100, COUNT, cases[i].type, &graph, &arrays, &error), QN_OK);
    memcpy(arrays.row_offsets, plain.out.row_offsets, 1101 * sizeof *arrays.row_offsets);
    memcpy(arrays.column_indices, plain.out.column_indices, COUNT * sizeof *arrays.column_indices);
    for (uint64_t e = 0; e < COUNT; e++) {
      const uint64_t weight = cases[i].first + e * 7 % cases[i].modulus * cases[i].step;
      if (qn_weight_bytes(cases[i].type) == 4)
        ((uint32_t *)arrays.weights)[e] = (uint32_t)weight;
      else
        ((uint64_t *)arrays.weights)[e] = weight;
    }
    round_trip(&graph, BOTH);
    assert_int_equal(qn_packed_map(scratch_path("layout.qrn"), &view, &error), QN_OK);
    assert_int_equal(view.in.codes.kind, cases[i].kind);
    if (view.in.codes.kind != QN_PACKED_PLAIN)
      assert_int_equal(view.out.codes.bits, cases[i].bits);
    qn_packed_unmap(&view);
    qn_graph_unmap(&plain);
    round_trip(&graph, IN);
    round_trip(&graph, OUT);
    qn_graph_unmap(&graph);
  }
}

TEST(large_graph) {
  struct qn_graph graph = random_graph(100001, 1000000, QN_WEIGHT_U32, 1, 5);
  round_trip(&graph, BOTH);
  qn_graph_unmap(&graph);
}

/* One row of 10^6 entries among short ones: tiles that are of that row alone. */
TEST(hub) {
  uint64_t degree = 1000000;
  struct test_edge *edges = calloc(2 * degree, sizeof *edges);
  assert_non_null(edges);
  for (uint32_t i = 0; i < degree; i++) {
    edges[2 * i] = (struct test_edge){.source = 70, .destination = i % 2000, .weight = i};
    edges[2 * i + 1] = (struct test_edge){.source = i % 3000, .destination = 71, .weight = i};
  }
  struct qn_graph graph = graph_from_edges(edges, 2 * degree, 3000, QN_WEIGHT_U32);
  free(edges);
  round_trip(&graph, BOTH);
  qn_graph_unmap(&graph);
}

/* Rows that end where tiles do. */
TEST(full_rows) {
  struct test_edge *edges = calloc(3 * 2048, sizeof *edges);
  assert_non_null(edges);
  for (uint32_t i = 0; i < 3 * 2048; i++)
    edges[i] = (struct test_edge){.source = 2 * (i / 2048), .destination = i % 2048};
  struct qn_graph graph = graph_from_edges(edges, 3 * 2048, 2048, QN_WEIGHT_NONE);
  free(edges);
  round_trips(graph);
}

TEST(ids_are_kept) {
  uint64_t numbers[] = {900, 5, UINT64_MAX, 17, 18};
  struct qn_graph graph = example_graph();
  graph.ids = (struct qn_ids){.kind = QN_IDS_NUMBERS, .num_vertices = 5, .numbers = numbers};
  round_trip(&graph, IN);
  qn_graph_unmap(&graph);
}

TEST(undirected_is_stored_once) {
  struct qn_graph graph = random_undirected(100, 300, QN_WEIGHT_NONE, 6);
  struct qn_packed view;
  round_trip(&graph, BOTH);
  assert_int_equal(qn_packed_map(scratch_path("layout.qrn"), &view, &error), QN_OK);
  assert_true(view.has_in && view.has_out);
  assert_ptr_equal(view.in.words, view.out.words);
  assert_null(qn_container_section(view.container, "in_words"));
  qn_packed_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST(allocation_failures) {
  struct qn_graph graph = example_graph();
  struct qn_packed_options options = {.directions = BOTH};
  fail_every_allocation(QN_LAYOUT_PACKED, &options, &graph);
  qn_graph_unmap(&graph);
}

/* ---- Tiles ---------------------------------------------------------------------- */

/* Running sums and what rows add to them are the columns. */
static void check_sums(const struct qn_packed_rows *rows, const struct qn_packed_tile *tile) {
  struct qn_packed_tile *sums = malloc(sizeof *sums);
  uint32_t *bases = malloc(QN_PACKED_RANGE * sizeof *bases);
  assert_true(sums && bases);
  qn_packed_decode_sums(rows, 0, sums, bases);
  assert_int_equal(sums->num_edges, tile->num_edges);
  assert_int_equal(sums->num_rows, tile->num_rows);
  assert_memory_equal(sums->begins, tile->begins, (tile->num_rows + 1) * sizeof *tile->begins);
  for (uint32_t row = 0; row < tile->num_rows; row++)
    for (uint32_t edge = tile->begins[row]; edge < tile->begins[row + 1]; edge++) {
      const uint32_t column = sums->columns[edge] + bases[row];
      const uint32_t most = (uint32_t)(rows->num_columns - 1);
      assert_int_equal(column < most ? column : most, tile->columns[edge]);
    }
  free(bases);
  free(sums);
}

/* Rows that are looked at one by one, the last one first, have the columns. */
static void check_search(const struct qn_packed_rows *rows, const struct qn_packed_tile *tile) {
  struct qn_packed_tile *begins = malloc(sizeof *begins);
  struct qn_packed_search search;
  uint32_t columns[QN_PACKED_GROUP];
  assert_non_null(begins);
  qn_packed_search_begin(rows, 0, begins, &search);
  assert_int_equal(begins->num_rows, tile->num_rows);
  assert_memory_equal(begins->begins, tile->begins, (tile->num_rows + 1) * sizeof *tile->begins);
  for (uint32_t row = tile->num_rows; row-- > 0;) {
    struct qn_packed_place place = {
        .row = row, .edge = begins->begins[row], .end = begins->begins[row + 1]};
    while (place.edge < place.end) {
      const uint32_t first = place.edge, count = qn_packed_search_next(&search, &place, columns);
      assert_true(count > 0 && count <= QN_PACKED_GROUP && place.edge == first + count);
      assert_memory_equal(columns, tile->columns + first, count * sizeof *columns);
    }
    assert_int_equal(place.edge, place.end);
  }
  free(begins);
}

/* Pack and decode a tile of one row of any columns: more widths than codes, and the widest. */
TEST(widths) {
  const uint64_t num_vertices = UINT32_MAX;
  struct qn_tile_packing *packing = calloc(1, sizeof *packing);
  struct qn_packed_tile *tile = malloc(sizeof *tile);
  uint32_t *columns = calloc(QN_PACKED_TILE, sizeof *columns);
  uint32_t *words = calloc(2 * QN_PACKED_TILE, sizeof *words);
  assert_true(packing && tile && columns && words);
  for (uint32_t row = 0; row < 2; row++) { /* far before its neighbours, and far behind */
    uint32_t count = 0, column = 0;
    for (unsigned width = 0; width < 31; width++)
      for (int i = 0; i < 40; i++)
        columns[count++] = column += i == 17 ? (uint32_t)1 << width : width % 3;
    columns[count++] = UINT32_MAX - 1;
    *packing = (struct qn_tile_packing){.first_row = row ? UINT32_MAX - 1 : 0,
                                        .first_vertex = row ? UINT32_MAX - 1 : 0,
                                        .num_rows = 1,
                                        .num_edges = count,
                                        .lengths = {count}};
    const uint64_t num_words = qn_tile_pack(packing, columns);
    memset(words, 0, 2 * QN_PACKED_TILE * sizeof *words);
    qn_tile_write(packing, words);
    const struct qn_packed_rows rows = {
        .num_vertices = num_vertices,
        .num_columns = num_vertices,
        .num_edges = count,
        .num_tiles = 1,
        .num_words = num_words + QN_PACKED_PADDING,
        .tile_rows = (uint32_t[]){packing->first_row, packing->first_row + 1},
        .tile_edges = (uint64_t[]){0, count},
        .tile_starts = (uint64_t[]){0, num_words},
        .words = words,
    };
    qn_packed_decode(&rows, 0, tile);
    assert_int_equal(tile->begins[1], count);
    assert_memory_equal(tile->columns, columns, count * sizeof *columns);
    check_sums(&rows, tile);
    check_search(&rows, tile);
  }
  free(words);
  free(columns);
  free(tile);
  free(packing);
}

/* Whatever the bytes are, a decoder stays within them and within the tile. */
TEST(any_bytes) {
  struct qn_packed_tile *tile = malloc(sizeof *tile);
  uint64_t seed = 1;
  assert_non_null(tile);
  for (int round = 0; round < 20000; round++) {
    uint64_t numbers[8];
    for (int i = 0; i < 8; i++)
      numbers[i] = seed = seed * 6364136223846793005u + 1442695040888963407u, numbers[i] >>= 33;
    const uint64_t num_words = QN_PACKED_PADDING + numbers[0] % 300;
    uint32_t *words = malloc(num_words * sizeof *words); /* ASan looks behind its end */
    assert_non_null(words);
    for (uint64_t i = 0; i < num_words; i++)
      words[i] = (uint32_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 32);
    const struct qn_packed_rows rows = {
        .num_vertices = 1 + numbers[1] % 3000,
        .num_columns = 1 + numbers[2] % 4000,
        .first_row = (uint32_t)numbers[0],
        .num_edges = numbers[2] % 5000,
        .num_tiles = 1,
        .num_words = num_words,
        .tile_rows = (uint32_t[]){(uint32_t)numbers[3] % 3100, (uint32_t)numbers[4] % 4000},
        .tile_edges = (uint64_t[]){numbers[5] % 6000, numbers[6] % 6000},
        .tile_starts = (uint64_t[]){numbers[7] % 400, round % 2 ? UINT64_MAX : numbers[0] % 300},
        .words = words,
    };
    qn_packed_decode(&rows, 0, tile);
    assert_true(tile->num_rows <= QN_PACKED_RANGE && tile->num_edges <= QN_PACKED_TILE);
    for (uint32_t row = 0; row < tile->num_rows; row++) {
      assert_true(tile->begins[row] <= tile->begins[row + 1]);
      qn_packed_length(&rows, 0, tile->first_row + row);
    }
    assert_true(tile->begins[tile->num_rows] <= tile->num_edges);
    for (uint32_t edge = 0; edge < tile->num_edges; edge++)
      assert_true(tile->columns[edge] < rows.num_columns);
    check_sums(&rows, tile);
    check_search(&rows, tile);
    free(words);
  }
  free(tile);
}

/* ---- Rules ---------------------------------------------------------------------- */

TEST(broken_example) {
  static const struct broken_rule broken[] = {
      {"PK-1", {{NULL, 0, 0}}},
      {"PK-1", {{NULL, 0, 4}}},
      {"PK-1", {{NULL, 0, 1}}},
      {"PK-1", {{NULL, 0, 3}}},
      {"C-6", {{NULL, 2, 1}}},
      {"PK-2", {{"out_tile_rows", 0, 1}}},
      {"PK-2", {{"out_tile_rows", 1, 4}}},
      {"PK-3", {{"out_tile_edges", 0, 1}}},
      {"PK-3", {{"out_tile_edges", 1, 8}}},
      {"PK-4", {{"out_tile_starts", 0, 1}}},
      {"PK-4", {{"out_tile_starts", 1, 5}}},
      {"PK-4", {{"out_words", 13, 1}}},
      {"PK-5", {{"out_words", 0, 0x202}}},
      {"PK-5", {{"out_words", 0, 0x2100}}},
      {"PK-5", {{"out_words", 4, 0x110D}}}, /* lengths of 13 bits */
      {"PK-6", {{"out_words", 0, 0x1400}}},
      {"PK-6", {{"out_words", 0, 0}}}, /* bits that nobody asks for */
      {"PK-6", {{"out_words", 4, 0x10000 + 0x1102}}},
      {"PK-6", {{"out_words", 5, 0x010F56C7}}},
      {"PK-6", {{"out_words", 5, 0x008F56C7}}},
      {"PK-6", {{"out_words", 5, 0x004F56C7}}},
      {"PK-7", {{"out_words", 5, 0x000F56D7}}},
      {"PK-7", {{"out_words", 5, 0x000F56C3}}},
      {"PK-8", {{"out_words", 5, 0x000F57C7}}},
      {"PK-8", {{"out_words", 5, 0x000E56C7}}}, /* row 3 begins with 4, and goes on to 7 */
      {"PK-12", {{"undirected", 0, 1}}},
  };
  struct qn_packed_options options = {.directions = OUT};
  struct qn_graph graph = example_graph();
  expect_rules(QN_LAYOUT_PACKED, &options, &graph, broken, sizeof broken / sizeof broken[0]);
}

/* Places of several tiles: rows 0 and 1500 with 2100 and 3 edges. */
TEST(broken_places) {
  static const struct broken_rule broken[] = {
      {"PK-2", {{"out_tile_rows", 1, 3000}}},        {"PK-2", {{"out_tile_rows", 1, 1025}}},
      {"PK-2", {{"out_tile_rows", 2, 1025}}},        {"PK-2", {{"out_tile_rows", 3, 1}}},
      {"PK-3", {{"out_tile_edges", 1, 2047}}},       {"PK-3", {{"out_tile_edges", 1, 2101}}},
      {"PK-3", {{"out_tile_edges", 1, UINT64_MAX}}}, {"PK-4", {{"out_tile_starts", 1, UINT64_MAX}}},
  };
  struct test_edge *edges = calloc(2103, sizeof *edges);
  assert_non_null(edges);
  for (uint32_t i = 0; i < 2103; i++)
    edges[i] = (struct test_edge){.source = i < 2100 ? 0 : 1500, .destination = i};
  struct qn_graph graph = graph_from_edges(edges, 2103, 3000, QN_WEIGHT_NONE);
  free(edges);
  struct qn_packed_options options = {.directions = OUT};
  expect_rules(QN_LAYOUT_PACKED, &options, &graph, broken, sizeof broken / sizeof broken[0]);
}

TEST(broken_agreement) {
  uint32_t infinite;
  float value = INFINITY;
  memcpy(&infinite, &value, 4);
  const struct broken_rule broken[] = {
      {"PK-9", {{"in_weights", 0, infinite}}},
      {"PK-9", {{"out_weights", 3, infinite}}},
      {"PK-11", {{"out_weights", 0, 0x40400000}}},
      {"PK-1", {{"undirected", 0, 1}}},
  };
  struct test_edge edges[] = {{.source = 0, .destination = 3, .weight = 1},
                              {.source = 0, .destination = 4, .weight = 2},
                              {.source = 2, .destination = 1, .weight = 3},
                              {.source = 4, .destination = 0, .weight = 4}};
  struct qn_graph graph = graph_from_edges(edges, 4, 5, QN_WEIGHT_F32);
  struct qn_packed_options options = {.directions = BOTH};
  expect_rules(QN_LAYOUT_PACKED, &options, &graph, broken, sizeof broken / sizeof broken[0]);
}

TEST(broken_degrees) {
  static const struct broken_rule broken[] = {{"PK-10", {{"out_degrees", 0, 4}}}};
  struct qn_graph graph = example_graph();
  struct qn_packed_options options = {.directions = IN};
  expect_rules(QN_LAYOUT_PACKED, &options, &graph, broken, 1);
}

TEST(broken_weights) {
  static const struct broken_rule broken[] = {
      {"PK-13", {{NULL, 1, 0}}},
      {"PK-13", {{NULL, 1, 1}}},
      {"PK-13", {{NULL, 1, 3}}},
      {"PK-14", {{"weight_values", 0, 0x40C00000}}},
      {"PK-15", {{"out_weights", 0, 0xCB}}},
      {"PK-15", {{"out_weights", 2, 1}}},
      {"PK-9", {{"weight_values", 1, 0x7F800000}}},
  };
  struct qn_packed_options options = {.directions = OUT};
  struct qn_graph graph = weighted_example();
  expect_rules(QN_LAYOUT_PACKED, &options, &graph, broken, sizeof broken / sizeof broken[0]);
}

int main(void) {
  setenv("QUERN_NO_SYNC", "1", 1);
  return run_listed_tests(NULL, NULL);
}
