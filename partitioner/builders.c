#include "partitioner/builders.h"

#include <string.h>

#include "support/suggest.h"

static const char *const blocked_words[] = {"pull", "push", "both", NULL};
static const char *const direction_words[] = {"in", "out", "both", NULL};

/* ---- Blocked CSR ---------------------------------------------------------- */

static enum qn_status set_blocked_directions(void *target, const char *text,
                                             struct qn_error *error) {
  static const uint32_t directions[] = {QN_BLOCKED_PULL, QN_BLOCKED_PUSH,
                                        QN_BLOCKED_PULL | QN_BLOCKED_PUSH};
  int chosen = 0;
  enum qn_status status = qn_word_parse(blocked_words, text, &chosen, error);
  ((struct qn_blocked_csr_options *)target)->directions = directions[chosen];
  return status;
}

static enum qn_status settle_blocked_csr(const void *target, struct qn_error *error) {
  const struct qn_blocked_csr_options *options = target;
  return options->block_vertices && options->l2_bytes
             ? qn_fail(error, QN_USAGE, "give --block-vertices or --l2-bytes, not both")
             : QN_OK;
}

#define FIELD(name) offsetof(struct qn_blocked_csr_options, name)
static const struct qn_setting blocked_csr_settings[] = {
    {"direction", QN_SETTING_OWN, .words = blocked_words, .set = set_blocked_directions,
     .letter = 'd', .argument = "DIRECTION", .group = 1,
     .help = "pull: blocks of sources, for programs that gather; push: blocks of destinations; "
             "both (default: pull)"},
    {"block-vertices", QN_SETTING_NUMBER, FIELD(block_vertices), .least = 1, .most = UINT32_MAX,
     .argument = "N", .group = 1, .help = "Vertices of a block (default: by --l2-bytes)"},
    {"l2-bytes", QN_SETTING_SIZE, FIELD(l2_bytes), .least = 1, .argument = "SIZE|device[:N]",
     .group = 1,
     .help = "Size of the cache to block for, or that of CUDA device N (default 0): a block's "
             "vertex values take about a third of it (default: 60M, for 4194304 vertices a block)"},
    {"out-edges", QN_SETTING_SWITCH, FIELD(out_edges), .group = 1,
     .help = "Store the out-edges as plain CSR too, so that traversals (bfs, sssp, ...) need not "
             "derive them when they start"},
    {0}};
#undef FIELD

/* ---- Edge partitions ------------------------------------------------------ */

static enum qn_status settle_edge_partitions(const void *target, struct qn_error *error) {
  const struct qn_edge_partitions_options *options = target;
  const int given = (options->num_partitions != 0) + (options->partition_bytes != 0) +
                    (options->device_memory != 0);
  return given > 1 ? qn_fail(error, QN_USAGE,
                             "give --partitions, --partition-bytes or --device-memory, not %s",
                             given == 2 ? "both" : "all")
                   : QN_OK;
}

#define FIELD(name) offsetof(struct qn_edge_partitions_options, name)
static const struct qn_setting edge_partitions_settings[] = {
    {"partitions", QN_SETTING_NUMBER, FIELD(num_partitions), .least = 1, .most = UINT64_MAX,
     .letter = 'p', .argument = "N",
     .help = "At most N partitions, as equal in size as possible (default: 32)"},
    {"partition-bytes", QN_SETTING_SIZE, FIELD(partition_bytes), .least = 1, .argument = "SIZE",
     .help = "Partitions of at most SIZE bytes, e.g. 64M"},
    {"device-memory", QN_SETTING_SIZE, FIELD(device_memory), .least = 1,
     .argument = "SIZE|device[:N]",
     .help = "Make partitions so small that 32 of them fit into SIZE, or into the memory of CUDA "
             "device N (default 0), besides 24 bytes a vertex"},
    {0}};
#undef FIELD

/* ---- Hybrid --------------------------------------------------------------- */

static enum qn_status set_hybrid_directions(void *target, const char *text,
                                            struct qn_error *error) {
  static const uint32_t directions[] = {QN_HYBRID_IN, QN_HYBRID_OUT, QN_HYBRID_IN | QN_HYBRID_OUT};
  int chosen = 0;
  enum qn_status status = qn_word_parse(direction_words, text, &chosen, error);
  ((struct qn_hybrid_options *)target)->directions = directions[chosen];
  return status;
}

#define FIELD(name) offsetof(struct qn_hybrid_options, name)
static const struct qn_setting hybrid_settings[] = {
    {"direction", QN_SETTING_OWN, .words = direction_words, .set = set_hybrid_directions,
     .letter = 'd', .argument = "DIRECTION", .group = 1,
     .help = "in: the in-edges of every vertex, which programs gather along; out: the out-edges; "
             "both: then searches can push too (default: in). An undirected graph is stored once"},
    {"width", QN_SETTING_NUMBER, FIELD(width), .most = UINT32_MAX, .argument = "K", .group = 1,
     .help = "Entries of a row in the ELL part (default: as many as a third of the rows have)"},
    {0}};
#undef FIELD

/* ---- Packed --------------------------------------------------------------- */

static enum qn_status set_packed_directions(void *target, const char *text,
                                            struct qn_error *error) {
  static const uint32_t directions[] = {QN_PACKED_IN, QN_PACKED_OUT, QN_PACKED_IN | QN_PACKED_OUT};
  int chosen = 0;
  enum qn_status status = qn_word_parse(direction_words, text, &chosen, error);
  ((struct qn_packed_options *)target)->directions = directions[chosen];
  return status;
}

static const struct qn_setting packed_settings[] = {
    {"direction", QN_SETTING_OWN, .words = direction_words, .set = set_packed_directions,
     .letter = 'd', .argument = "DIRECTION", .group = 1,
     .help = "in: the in-edges of every vertex, which programs gather along; out: the out-edges, "
             "which searches push along; both (default: both). An undirected graph is stored once"},
    {0}};

/* ---- Shards --------------------------------------------------------------- */

static enum qn_status settle_shards(const void *target, struct qn_error *error) {
  const struct qn_shards_options *options = target;
  return options->shard_vertices && options->shared_bytes
             ? qn_fail(error, QN_USAGE, "give --shard-vertices or --shared-memory, not both")
             : QN_OK;
}

#define FIELD(name) offsetof(struct qn_shards_options, name)
static const struct qn_setting shards_settings[] = {
    {"shard-vertices", QN_SETTING_NUMBER, FIELD(shard_vertices), .least = 1, .most = UINT64_MAX,
     .argument = "N",
     .help = "Shards of N destinations each (at most 65536), however much memory their "
             "accumulators take"},
    {"shared-memory", QN_SETTING_SIZE, FIELD(shared_bytes), .least = 1, .argument = "SIZE",
     .help = "Shards whose accumulators of 4 bytes, replicated, fit into SIZE (default: 112K)"},
    {"page-bytes", QN_SETTING_SIZE, FIELD(page_bytes), .least = 1, .argument = "SIZE",
     .help = "Pages of at most SIZE bytes (default: 64M)"},
    {0}};
#undef FIELD

/* ---- Slotted pages -------------------------------------------------------- */

static enum qn_status set_address(void *target, const char *text, struct qn_error *error) {
  struct qn_page_address *address = &((struct qn_page_options *)target)->address;
  if (text[0] >= '0' && text[0] <= '9' && text[1] == ',' && text[2] >= '0' && text[2] <= '9' &&
      !text[3]) {
    *address = (struct qn_page_address){(uint8_t)(text[0] - '0'), (uint8_t)(text[2] - '0')};
    if (qn_page_address_valid(*address))
      return QN_OK;
  }
  return qn_fail(error, QN_USAGE, "unknown split '%s'; expected 2,2, 3,3, 2,4 or 4,2", text);
}

#define FIELD(name) offsetof(struct qn_page_options, name)
static const struct qn_setting slotted_pages_settings[] = {
    {"address", QN_SETTING_OWN, .set = set_address, .argument = "P,Q",
     .help = "Bytes of page id and slot number: 2,2 3,3 2,4 or 4,2"},
    {"page-size", QN_SETTING_SIZE, FIELD(page_bytes), .least = 1, .argument = "SIZE",
     .help = "Bytes of a page, a multiple of 4"},
    {0}};
#undef FIELD

/* ---- The table ------------------------------------------------------------ */

const struct qn_builder qn_builders[] = {{.tool = "quern-block",
                                          .layout = QN_LAYOUT_BLOCKED_CSR,
                                          .build = qn_blocked_csr_build,
                                          .settings = blocked_csr_settings,
                                          .settle = settle_blocked_csr,
                                          .edge_output = 8,
                                          .expected = 4},
                                         {.tool = "quern-partition",
                                          .layout = QN_LAYOUT_EDGE_PARTITIONS,
                                          .build = qn_edge_partitions_build,
                                          .settings = edge_partitions_settings,
                                          .settle = settle_edge_partitions,
                                          .vertex_memory = 4,
                                          .edge_output = 8,
                                          .expected = 8},
                                         {.tool = "quern-hybrid",
                                          .layout = QN_LAYOUT_HYBRID,
                                          .build = qn_hybrid_build,
                                          .settings = hybrid_settings,
                                          .edge_output = 8,
                                          .expected = 8},
                                         {.tool = "quern-pack",
                                          .layout = QN_LAYOUT_PACKED,
                                          .build = qn_packed_build,
                                          .settings = packed_settings,
                                          .edge_output = 4,
                                          .expected = 1},
                                         {.tool = "quern-shard",
                                          .layout = QN_LAYOUT_SHARDS,
                                          .build = qn_shards_build,
                                          .settings = shards_settings,
                                          .settle = settle_shards,
                                          .edge_output = 14,
                                          .expected = 6},
                                         {.tool = "quern-page",
                                          .layout = QN_LAYOUT_SLOTTED_PAGES,
                                          .build = qn_slotted_pages_build,
                                          .settings = slotted_pages_settings,
                                          .vertex_memory = 8,
                                          .edge_output = 6,
                                          .expected = 4},
                                         {0}};

const struct qn_builder *qn_builder_find(enum qn_layout layout) {
  for (const struct qn_builder *builder = qn_builders; builder->tool; builder++)
    if (builder->layout == layout)
      return builder;
  return NULL;
}

enum qn_status qn_builder_named(const char *layout, const struct qn_builder **out,
                                struct qn_error *error) {
  char suggested[QN_SUGGESTION_TEXT];
  struct qn_suggestion suggestion = qn_suggestion_for(layout);
  for (*out = qn_builders; (*out)->tool; (*out)++) {
    if (strcmp(qn_layout_name((*out)->layout), layout) == 0)
      return QN_OK;
    qn_suggestion_offer(&suggestion, qn_layout_name((*out)->layout));
  }
  return qn_fail(error, QN_USAGE, "there is no builder of a layout '%s'%s", layout,
                 qn_suggestion_text(&suggestion, suggested));
}

struct qn_builder qn_builder_with(const struct qn_builder *builder,
                                  union qn_builder_options *options) {
  struct qn_builder with = *builder;
  *options = (union qn_builder_options){0};
  if (builder->layout == QN_LAYOUT_HYBRID)
    options->hybrid.width = QN_HYBRID_AUTO_WIDTH;
  with.options = options;
  return with;
}
