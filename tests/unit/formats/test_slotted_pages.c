/* Slotted pages: built and restored at every extreme, the vectors of the specification, the same
 * bytes from any number of threads, and every rule broken once. */
#include <math.h>

#include "helpers/round_trip.h"
#include "helpers/sample_graph.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "helpers/vector.h"
#include "partitioner/slotted_pages.h"

static struct qn_error error;

static const struct qn_page_address ADDRESSES[] = {{2, 2}, {3, 3}, {2, 4}, {4, 2}};

/* ---- Building, restoring --------------------------------------------------- */

static enum qn_status build(const char *path, const struct qn_graph *graph,
                            struct qn_page_address address, uint64_t page_bytes) {
  struct qn_page_options options = {.address = address, .page_bytes = page_bytes};
  return build_layout(QN_LAYOUT_SLOTTED_PAGES, &options, graph, path, &error);
}

static void check_build(const struct qn_graph *graph, struct qn_page_address address,
                        uint64_t page_bytes) {
  struct qn_page_options options = {.address = address, .page_bytes = page_bytes};
  check_round_trip(QN_LAYOUT_SLOTTED_PAGES, &options, graph);
}

/* A graph in every address width, with the default, a small and the smallest page. */
static void check_graph(struct qn_graph graph) {
  for (unsigned i = 0; i < 4; i++) {
    uint64_t least = qn_page_bytes_minimum(ADDRESSES[i], graph.out.weights.type);
    struct qn_page_format smallest =
        qn_page_format_of(ADDRESSES[i], (uint32_t)least, graph.out.weights.type);
    check_build(&graph, ADDRESSES[i], 0);
    check_build(&graph, ADDRESSES[i], 4 * least);
    if (qn_page_count(&graph.out, &smallest) <= qn_page_count_limit(ADDRESSES[i]))
      check_build(&graph, ADDRESSES[i], least);
  }
  check_build(&graph, (struct qn_page_address){0, 0}, 0);
  qn_graph_unmap(&graph);
}

TEST(extremes) {
  check_graph(graph_from_edges(NULL, 0, 0, QN_WEIGHT_NONE));
  check_graph(graph_from_edges(NULL, 0, 0, QN_WEIGHT_F32));
  check_graph(graph_from_edges(NULL, 0, 1, QN_WEIGHT_NONE));
  check_graph(graph_from_edges(NULL, 0, 5000, QN_WEIGHT_U32));
  check_graph(graph_from_edges((struct test_edge[]){{.weight = 3}}, 1, 1, QN_WEIGHT_F32));
}

TEST(random_graphs) {
  check_graph(random_graph(1, 1000, QN_WEIGHT_U32, 0, 1));
  check_graph(random_graph(2, 3000, QN_WEIGHT_NONE, 0, 2));
  check_graph(random_graph(700, 5000, QN_WEIGHT_NONE, 0, 3));
  check_graph(random_graph(700, 5000, QN_WEIGHT_F32, 3, 4));
  check_graph(random_graph(700, 5000, QN_WEIGHT_I64, 3, 4));
  check_graph(random_undirected(700, 5000, QN_WEIGHT_F64, 4));
  check_graph(random_graph(3000, 20000, QN_WEIGHT_U32, 3, 5));
}

/* A vertex whose edges exactly fill a page stays small; one more edge makes it large. */
TEST(page_borders) {
  for (unsigned i = 0; i < 4; i++) {
    struct qn_page_format format = qn_page_format_of(ADDRESSES[i], 128, QN_WEIGHT_NONE);
    uint64_t most = qn_page_edge_limit(&format);
    for (uint64_t degree = most - 1; degree <= 2 * most + 1; degree++) {
      struct test_edge edges[64];
      assert_true(degree <= 64);
      for (uint64_t e = 0; e < degree; e++)
        edges[e] = (struct test_edge){.source = 1, .destination = (uint32_t)e % 3};
      struct qn_graph graph = graph_from_edges(edges, degree, 3, QN_WEIGHT_NONE);
      check_build(&graph, ADDRESSES[i], 128);
      qn_graph_unmap(&graph);
    }
  }
}

TEST(hub) {
  enum { EDGES = 1000000 };
  struct test_edge *edges = calloc(EDGES, sizeof *edges);
  assert_non_null(edges);
  for (uint32_t e = 0; e < EDGES; e++)
    edges[e] = (struct test_edge){.source = 7, .destination = e / 2, .weight = e};
  struct qn_graph graph = graph_from_edges(edges, EDGES, EDGES / 2 + 10, QN_WEIGHT_U32);
  check_build(&graph, (struct qn_page_address){2, 2}, 0);
  check_build(&graph, (struct qn_page_address){3, 3}, 4096);
  qn_graph_unmap(&graph);
  free(edges);
}

TEST(ids_and_directedness_survive) {
  static const uint64_t numbers[] = {3, 1, UINT64_MAX};
  struct test_edge edges[] = {{0, 1, 5, 0}, {1, 0, 5, 0}, {2, 2, 1, 0}};
  struct qn_graph graph = graph_from_edges(edges, 3, 3, QN_WEIGHT_U32);
  struct qn_slotted_pages view;
  graph.directedness = QN_UNDIRECTED;
  graph.ids = (struct qn_ids){.kind = QN_IDS_NUMBERS, .num_vertices = 3, .numbers = numbers};
  check_build(&graph, ADDRESSES[0], 0);
  assert_int_equal(build(scratch_path("ids.qrn"), &graph, ADDRESSES[1], 0), QN_OK);
  assert_int_equal(qn_slotted_pages_map(scratch_path("ids.qrn"), &view, &error), QN_OK);
  assert_memory_equal(view.ids.numbers, numbers, sizeof numbers);
  assert_false(view.ids.ascending);
  qn_slotted_pages_unmap(&view);
  qn_graph_unmap(&graph);
}

TEST(allocation_failures) {
  struct qn_graph graph = random_graph(300, 2000, QN_WEIGHT_U32, 2, 5);
  struct qn_page_options options = {.address = ADDRESSES[0], .page_bytes = 256};
  fail_every_allocation(QN_LAYOUT_SLOTTED_PAGES, &options, &graph);
  qn_graph_unmap(&graph);
}

/* ---- Options that cannot be met -------------------------------------------- */

static void expect_refusal(const struct qn_graph *graph, struct qn_page_address address,
                           uint64_t page_bytes, const char *message) {
  enum qn_status status = build(scratch_path("refused.qrn"), graph, address, page_bytes);
  assert_int_equal(status, QN_USAGE);
  if (!strstr(error.message, message))
    fail_msg("expected '%s' in: %s", message, error.message);
  assert_int_not_equal(access(scratch_path("refused.qrn"), F_OK), 0);
}

TEST(refusals) {
  struct qn_graph graph = random_graph(70000, 10, QN_WEIGHT_NONE, 0, 1);
  expect_refusal(&graph, ADDRESSES[0], 16,
                 "4 too small for one vertex with one edge; use "
                 "--page-size 20 or more");
  expect_refusal(&graph, ADDRESSES[0], 30, "not a multiple of 4; use --page-size 32");
  expect_refusal(&graph, ADDRESSES[0], 1310724, "4 larger than slot numbers of 2 bytes");
  expect_refusal(&graph, ADDRESSES[0], 1310724,
                 "use --page-size 1310720 or less, or --address 3,3, "
                 "or --address 2,4");
  expect_refusal(&graph, ADDRESSES[0], 20,
                 "the graph takes 70000 pages of 20 bytes, 4465 more than page ids of 2 bytes can "
                 "name (65535); use --page-size 40, or --address 3,3, or --address 4,2");
  expect_refusal(&graph, (struct qn_page_address){1, 5}, 0, "use --address 2,2, 3,3, 2,4 or 4,2");
  expect_refusal(&graph, (struct qn_page_address){0, 0}, 18, "use --page-size 20");
  expect_refusal(&graph, (struct qn_page_address){0, 0}, (uint64_t)1 << 32,
                 "use --page-size 4294967292 or less");
  check_build(&graph, (struct qn_page_address){0, 0}, 20);
  qn_graph_unmap(&graph);
}

/* ---- Vectors of the specification ------------------------------------------ */

static void check_vector(const char *name, const struct qn_graph *graph,
                         struct qn_page_address address, uint64_t page_bytes) {
  struct qn_page_options options = {.address = address, .page_bytes = page_bytes};
  build_vector(QN_LAYOUT_SLOTTED_PAGES, &options, graph, scratch_path(name));
  assert_int_equal(verify_container(scratch_path(name), &error), QN_OK);
  expect_same_graph(scratch_path(name), graph);
  assert_vector(name, scratch_path(name));
}

/* GTS, Figure 1: v0, v1, v2 on a small page, v3 on two large ones; v3 leads to v2 among others. */
static struct qn_graph figure_1(void) {
  struct test_edge edges[17] = {{0, 1, 0, 0}, {0, 3, 0, 0}, {1, 2, 0, 0}, {2, 3, 0, 0}};
  for (uint32_t v = 0, e = 4; v < 14; v++)
    if (v != 3)
      edges[e++] = (struct test_edge){3, v, 0, 0};
  return graph_from_edges(edges, 17, 14, QN_WEIGHT_NONE);
}

TEST(figure_1_vector) {
  struct qn_graph graph = figure_1();
  struct qn_slotted_pages view;
  check_vector("slotted-pages-figure-1.qrn", &graph, ADDRESSES[0], 60);
  assert_int_equal(qn_slotted_pages_map(scratch_path("slotted-pages-figure-1.qrn"), &view, &error),
                   QN_OK);
  /* The paper's Figure 12: p0 begins with v0, p1 and p2 are large pages of v3. */
  assert_memory_equal(view.start_vids, ((uint32_t[]){0, 3, 3, 4, 8, 12, 14}), 28);
  assert_memory_equal(view.lp_ranges, ((int32_t[]){-1, 1, 0, -1, -1, -1}), 24);
  /* v2 is r2 = (page 0, slot 2). */
  struct qn_page_record record = qn_page_record(&view.format, qn_page_at(&view, 1), 0);
  assert_int_equal(record.num_edges, 11);
  assert_int_equal(qn_load_physical_id(record.ids + 8, 4), 2u << 16);
  qn_slotted_pages_unmap(&view);
  qn_graph_unmap(&graph);
}

static struct qn_graph sample(void) {
  struct sample plain = sample_graph();
  struct qn_graph graph;
  assert_int_equal(write_sample(scratch_path("sample.qrn"), &plain, &error), QN_OK);
  assert_int_equal(qn_graph_map(scratch_path("sample.qrn"), &graph, &error), QN_OK);
  return graph;
}

TEST(sample_vector) {
  struct qn_graph graph = sample();
  check_vector("slotted-pages-sample.qrn", &graph, ADDRESSES[1], 24);
  qn_graph_unmap(&graph);
}

/* ---- Every rule broken once ------------------------------------------------ */

/* Changes of a container's sections; checksums are not looked at by the layout's check. */
struct damage {
  const char *rule;
  const char *section;
  size_t offset;
  unsigned width;
  uint64_t value;
};

static void expect_violation(const char *path, const char *rule) {
  struct qn_container *container;
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  const struct qn_layout_operations *operations;
  assert_int_equal(qn_layout_operations(container, &operations, &error), QN_OK);
  enum qn_status status = operations->verify(container, &error);
  if (status != QN_INVALID || strncmp(error.message, rule, strlen(rule)) ||
      error.message[strlen(rule)] != ':')
    fail_msg("expected %s, got status %d: %s", rule, status, status ? error.message : "");
  qn_container_unmap(container);
}

static size_t section_offset(const char *path, const char *name) {
  struct qn_container *container;
  assert_int_equal(qn_container_map(path, 0, &container, &error), QN_OK);
  const struct qn_section *section = qn_container_section(container, name);
  assert_non_null(section);
  size_t offset = section->offset;
  qn_container_unmap(container);
  return offset;
}

static void expect_damages(const char *path, const struct damage *damages, size_t count) {
  size_t size;
  for (size_t i = 0; i < count; i++) {
    const struct damage *damage = &damages[i];
    size_t at = section_offset(path, damage->section) + damage->offset;
    uint8_t *bytes = read_file(path, &size);
    assert_true(at + damage->width <= size);
    memcpy(bytes + at, &damage->value, damage->width);
    write_file(scratch_path("damaged.qrn"), bytes, size);
    free(bytes);
    print_message("%s: %s + %zu = %#llx\n", damage->rule, damage->section, damage->offset,
                  (unsigned long long)damage->value);
    expect_violation(scratch_path("damaged.qrn"), damage->rule);
  }
}

/* On Figure 1: pages of 60 bytes; p0 has 3 slots, p1 and p2 are v3's, p3 begins with v4. */
static const struct damage figure_1_damages[] = {
    {"SP-2", "start_vids", 0, 4, 1},
    {"SP-2", "start_vids", 24, 4, 13},
    {"SP-3", "lp_ranges", 0, 4, (uint32_t)-2},
    {"SP-3", "lp_ranges", 0, 4, 0},
    {"SP-3", "lp_ranges", 4, 4, 2},
    {"SP-3", "lp_ranges", 8, 4, 1},
    {"SP-3", "lp_ranges", 20, 4, 1},
    {"SP-3", "lp_ranges", 20, 4, INT32_MAX},
    {"SP-4", "start_vids", 4, 4, 2},
    {"SP-4", "start_vids", 8, 4, 4},
    {"SP-4", "start_vids", 12, 4, 3},
    {"SP-4", "start_vids", 16, 4, 3},
    {"SP-5", "edge_offsets", 0, 8, 1},
    {"SP-5", "edge_offsets", 8, 8, 16},
    {"SP-5", "edge_offsets", 8, 8, UINT64_MAX},
    {"SP-5", "edge_offsets", 48, 8, 16},
    {"SP-5", "start_vids", 16, 4, 9},
    {"SP-6", "pages", 50, 2, 1},
    {"SP-6", "pages", 44, 2, 1ull << 15},
    {"SP-6", "pages", 60 + 54, 1, 1},
    {"SP-7", "pages", 56, 4, 1},
    {"SP-7", "pages", 46, 4, 8},
    {"SP-8", "pages", 0, 4, 5},
    {"SP-8", "pages", 0, 4, UINT32_MAX},
    {"SP-8", "pages", 60, 4, 10},
    {"SP-9", "pages", 4, 2, 6},
    {"SP-9", "pages", 4, 2, 0xFFFF},
    {"SP-9", "pages", 4, 2, 2},
    {"SP-9", "pages", 6, 2, 3},
    {"SP-9", "pages", 4, 4, UINT32_MAX},
    {"SP-10", "pages", 60 + 4, 4, 5 | 1 << 16},
    {"SP-10", "pages", 60 + 6, 2, 2},
    {"SP-12", "pages", 28, 1, 1},
    {"SP-12", "pages", 180 + 17, 1, 1},
};

TEST(rules) {
  struct qn_graph graph = figure_1();
  assert_int_equal(build(scratch_path("figure.qrn"), &graph, ADDRESSES[0], 60), QN_OK);
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("figure.qrn"));
  expect_damages(path, figure_1_damages, sizeof figure_1_damages / sizeof figure_1_damages[0]);
  qn_graph_unmap(&graph);
}

/* More vertices without edges than a slot number of 2 bytes counts, on the largest page. */
TEST(slots_run_out) {
  struct qn_graph graph = graph_from_edges(NULL, 0, 200000, QN_WEIGHT_NONE);
  struct qn_slotted_pages view;
  check_build(&graph, (struct qn_page_address){2, 2}, 1310720);
  assert_int_equal(build(scratch_path("slots.qrn"), &graph, ADDRESSES[0], 1310720), QN_OK);
  assert_int_equal(qn_slotted_pages_map(scratch_path("slots.qrn"), &view, &error), QN_OK);
  assert_int_equal(view.num_pages, 4);
  assert_int_equal(view.start_vids[1], 65536);
  qn_slotted_pages_unmap(&view);
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("slots.qrn"));
  const struct damage damage = {"SP-4", "start_vids", 4, 4, 65537};
  expect_damages(path, &damage, 1);
  qn_graph_unmap(&graph);
}

/* An order that is broken only from one large page to the next. */
TEST(order_across_pages) {
  struct qn_graph graph = figure_1();
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("figure.qrn"));
  assert_int_equal(build(path, &graph, ADDRESSES[0], 60), QN_OK);
  /* v3's last page begins with v12 = (page 5, slot 0); v11 = (page 4, slot 3) came before. */
  const struct damage damage = {"SP-10", "pages", 124, 4, 4 | 2u << 16};
  expect_damages(path, &damage, 1);
  assert_non_null(strstr(error.message, "page 2: edge 0 of vertex 3 leads to vertex 10 after 11"));
  qn_graph_unmap(&graph);
}

/* v3's large pages with an edge moved from the first, which must be full, to the last. */
TEST(large_pages_are_full) {
  struct qn_graph graph = figure_1();
  const char *path = scratch_path("figure.qrn");
  size_t size, at, edge_offsets;
  assert_int_equal(build(path, &graph, ADDRESSES[0], 60), QN_OK);
  at = section_offset(path, "pages");
  edge_offsets = section_offset(path, "edge_offsets");
  uint8_t *bytes = read_file(path, &size);
  uint8_t *first = bytes + at + 60, *last = first + 60;
  memmove(last + 8, last + 4, 8);
  memcpy(last + 4, first + 44, 4);
  memset(first + 44, 0, 4);
  first[0]--;
  last[0]++;
  bytes[edge_offsets + 16]--;
  write_file(scratch_path("damaged.qrn"), bytes, size);
  expect_violation(scratch_path("damaged.qrn"), "SP-11");
  free(bytes);
  qn_graph_unmap(&graph);
}

TEST(weights_are_finite) {
  struct qn_graph graph = random_graph(10, 30, QN_WEIGHT_F32, 0, 1);
  assert_int_equal(build(scratch_path("nan.qrn"), &graph, ADDRESSES[0], 4096), QN_OK);
  uint64_t degree = graph.out.row_offsets[1];
  assert_true(degree > 0);
  const struct damage damage = {"SP-13", "pages", 4 + 4 * degree, 4, 0x7FC00000};
  char path[512];
  snprintf(path, sizeof path, "%s", scratch_path("nan.qrn"));
  expect_damages(path, &damage, 1);
  qn_graph_unmap(&graph);
}

TEST(undirected_means_symmetric) {
  struct test_edge edges[] = {{0, 1, 5, 0}, {1, 0, 6, 0}};
  for (uint32_t difference = 0; difference < 2; difference++) {
    edges[1].weight = 5 + difference;
    struct qn_graph graph = graph_from_edges(edges, 2, 2, QN_WEIGHT_U32);
    graph.directedness = QN_UNDIRECTED;
    assert_int_equal(build(scratch_path("sym.qrn"), &graph, ADDRESSES[2], 0), QN_OK);
    if (difference)
      expect_violation(scratch_path("sym.qrn"), "SP-14");
    else
      expect_same_graph(scratch_path("sym.qrn"), &graph);
    qn_graph_unmap(&graph);
  }
}

/* Header parameters that make no sense, in an otherwise empty container. */
TEST(parameters) {
  static const uint64_t bad[][5] = {
      {16, 2, 2, 0, 0},     {22, 2, 2, 0, 0},   {1310724, 2, 2, 0, 0},
      {64, 2, 3, 0, 0},     {64, 5, 1, 0, 0},   {64, UINT64_MAX, 2, 0, 0},
      {64, 2, 2, 65536, 0}, {64, 258, 2, 0, 0}, {64, 2, 2, 0, 1},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct qn_writer *writer;
    struct qn_slotted_pages_arrays arrays;
    struct qn_page_format format = qn_page_format_of(ADDRESSES[0], 64, QN_WEIGHT_NONE);
    assert_int_equal(qn_writer_create(scratch_path("bad.qrn"), true, &writer, &error), QN_OK);
    assert_int_equal(qn_slotted_pages_write(writer, &format, 0, &arrays, &error), QN_OK);
    memcpy(qn_writer_info(writer)->parameters, bad[i], sizeof bad[i]);
    assert_int_equal(qn_writer_commit(writer, &error), QN_OK);
    expect_violation(scratch_path("bad.qrn"), bad[i][4] ? "C-6" : "SP-1");
  }
}

TEST_MAIN(scratch_create, scratch_remove)
