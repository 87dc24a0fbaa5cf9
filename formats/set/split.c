/* A graph cut into the parts of a set. */
#include <string.h>

#include "formats/set/blocks.h"
#include "formats/set/columns.h"
#include "formats/set/vertices.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include <quern/transpose.h>

static const char *const balance_words[] = {"both", "edges", "vertices", NULL};

static enum qn_status set_balance(void *target, const char *text, struct qn_error *error) {
  struct qn_set_options *options = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(balance_words, text, &chosen, error);
  options->balance = (enum qn_set_balance)chosen;
  options->balance_given = true;
  return status;
}

static enum qn_status set_rows(void *target, const char *text, struct qn_error *error) {
  struct qn_set_options *options = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(qn_set_rows_words, text, &chosen, error);
  options->rows = (enum qn_set_rows)chosen;
  options->rows_given = true;
  return status;
}

const struct qn_setting qn_set_settings[] = {
    {"parts", QN_SETTING_NUMBER, offsetof(struct qn_set_options, num_parts), .least = 1,
     .most = QN_SET_MAX_PARTS, .argument = "N", .group = QN_SET_GROUP,
     .help =
         "Make FILE a folder: a set of N containers, each with the rows of a range of vertices"},
    {"block-vertices", QN_SETTING_NUMBER, offsetof(struct qn_set_options, block_vertices),
     .least = 1, .most = UINT32_MAX, .argument = "N", .group = QN_SET_GROUP,
     .help = "Make FILE a set whose containers are blocks: edges between N vertices and N others"},
    {"balance", QN_SETTING_OWN, .words = balance_words, .set = set_balance, .group = QN_SET_GROUP,
     .help = "What to balance between the ranges (default: both together)"},
    {"rows", QN_SETTING_OWN, .words = qn_set_rows_words, .set = set_rows, .argument = "in|out",
     .group = QN_SET_GROUP,
     .help = "A row has the edges into its vertex, which quern-run walks, or those out of it "
             "(default: in; in an undirected graph they are the same)"},
    {0}};

enum qn_status qn_set_options_settle(const struct qn_set_options *options, struct qn_error *error) {
  if (options->num_parts && options->block_vertices)
    return qn_fail(error, QN_USAGE, "--parts and --block-vertices are two ways to cut: choose one");
  if (options->balance_given && options->block_vertices)
    return qn_fail(error, QN_USAGE, "--balance is for --parts; blocks have as many vertices each");
  return (options->balance_given || options->rows_given) && !qn_set_is_asked(options)
             ? qn_fail(error, QN_USAGE, "--balance and --rows are for --parts")
             : QN_OK;
}

struct splitting {
  const struct qn_container *container; /* of the graph */
  const struct qn_graph *graph;
  const struct qn_csr *rows;  /* those that are cut */
  struct qn_graph transposed; /* where they are, if the graph stores none */
  struct qn_properties properties;
  struct qn_graph numbered; /* `transposed`, weighted by the numbers of its edges in the graph */
  const char *tool;
  struct qn_set *set;
  struct qn_set_writer *writer;
};

/* ---- Ranges ------------------------------------------------------------------- */

/* What the rows before `vertex` cost. */
static uint64_t cost_before(const struct qn_csr *rows, enum qn_set_balance balance,
                            uint64_t vertex) {
  return qn_set_cost(balance, vertex, rows->row_offsets[vertex]);
}

/* Where part `index` begins: at the first vertex before which its share of the cost lies. */
static uint64_t range_begin(const struct qn_csr *rows, enum qn_set_balance balance, uint64_t index,
                            uint64_t num_parts) {
  uint64_t wanted = qn_set_share(cost_before(rows, balance, rows->num_vertices), index, num_parts);
  uint64_t low = 0, high = rows->num_vertices;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (cost_before(rows, balance, middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct qn_set_piece rows_of(const struct qn_csr *rows, uint64_t begin, uint64_t end) {
  const uint64_t first = rows->row_offsets[begin];
  const char *weights = rows->weights.data;
  return (struct qn_set_piece){
      .begin = begin,
      .end = end,
      .row_offsets = rows->row_offsets + begin,
      .columns = rows->column_indices + first,
      .weights = weights ? weights + first * qn_weight_bytes(rows->weights.type) : NULL};
}

static enum qn_status cut_blocks(struct splitting *splitting, uint64_t width,
                                 struct qn_error *error) {
  struct qn_set *set = splitting->set;
  uint64_t *num_edges = NULL;
  enum qn_status status = qn_set_cut(set, width, error);
  if (!status)
    status = qn_alloc_zeroed(&num_edges, set->num_parts, sizeof *num_edges, "blocks", error);
  for (uint64_t first = 0, end; !status && first < set->num_parts; first = end) {
    const struct qn_set_part *block = &set->parts[first];
    const struct qn_set_piece rows = rows_of(splitting->rows, block->begin, block->end);
    end = qn_set_row_end(set, first);
    qn_set_count_edges(set, first, end, &rows, num_edges);
  }
  for (uint64_t i = 0; !status && i < set->num_parts; i++)
    set->parts[i].num_edges = num_edges[i];
  qn_free(num_edges);
  return status;
}

static enum qn_status cut(struct splitting *splitting, const struct qn_set_options *options,
                          struct qn_error *error) {
  struct qn_set *set = splitting->set;
  const struct qn_csr *rows = splitting->rows;
  if (options->block_vertices)
    return cut_blocks(splitting, options->block_vertices, error);
  enum qn_status status = qn_set_one_range(set, error);
  if (!status)
    status = qn_alloc_zeroed(&set->parts, options->num_parts, sizeof *set->parts, "parts of a set",
                             error);
  if (status)
    return status;
  set->num_parts = options->num_parts;
  for (uint64_t i = 0; i < set->num_parts; i++) {
    struct qn_set_part *part = &set->parts[i];
    part->begin = i == 0 ? 0 : set->parts[i - 1].end;
    part->end = i + 1 == set->num_parts ? rows->num_vertices
                : options->bounds       ? options->bounds[i + 1]
                                  : range_begin(rows, options->balance, i + 1, set->num_parts);
    part->columns_end = set->num_vertices;
    part->num_edges = rows->row_offsets[part->end] - rows->row_offsets[part->begin];
  }
  return QN_OK;
}

/* ---- Files ---------------------------------------------------------------------- */

static void fill_degrees(const void *context, uint64_t begin, uint64_t end, uint64_t *degrees) {
  const uint64_t *offsets = ((const struct splitting *)context)->graph->out.row_offsets;
#pragma omp parallel for schedule(static)
  for (uint64_t v = begin; v < end; v++)
    degrees[v - begin] = offsets[v + 1] - offsets[v];
}

/* What the graph's container says of itself, byte for byte. */
static enum qn_status copy_metadata(const void *context, struct qn_writer *writer,
                                    struct qn_error *error) {
  static const char *const names[] = {"metadata", NULL};
  const struct splitting *splitting = context;
  const struct qn_section *section = qn_container_section(splitting->container, names[0]);
  if (!section)
    return QN_OK;
  enum qn_status status = qn_container_verify_sections(splitting->container, names, error);
  struct qn_section_spec spec = qn_section_spec_of(section);
  spec.ancillary = true;
  return status ? status : qn_writer_section_from(writer, &spec, section->data, error);
}

static enum qn_status write_vertices(struct splitting *splitting, struct qn_error *error) {
  const struct qn_set_vertices vertices = {.ids = &splitting->graph->ids,
                                           .properties = &splitting->properties,
                                           .fill_degrees = fill_degrees,
                                           .write_metadata = copy_metadata,
                                           .context = splitting};
  return qn_set_write_all_vertices(splitting->set, &vertices, splitting->writer, error);
}

static bool has_edge_values(const struct splitting *splitting) {
  return splitting->properties.of_edges.count > 0;
}

/* The numbers [first, first + count) of edges of the rows that are cut, in the graph. */
static void fill_records(const struct splitting *splitting, uint64_t first, uint64_t count,
                         uint64_t *records) {
  const int64_t *numbers = splitting->numbered.out.weights.data;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i++)
    records[i] = numbers ? (uint64_t)numbers[first + i] : first + i;
}

static enum qn_status write_piece(struct splitting *splitting, uint64_t index,
                                  const struct qn_set_piece *piece, const uint64_t *records,
                                  struct qn_error *error) {
  const struct qn_set_edge_values values = {&splitting->properties, records};
  const char *path;
  enum qn_status status = qn_set_writer_part(splitting->writer, index, &path, error);
  return status ? status
                : qn_set_write_part(splitting->set, index, piece, 1,
                                    has_edge_values(splitting) ? &values : NULL, splitting->tool,
                                    path, false, error);
}

static enum qn_status write_part(struct splitting *splitting, uint64_t index,
                                 struct qn_error *error) {
  const struct qn_csr *rows = splitting->rows;
  const struct qn_set_part *part = &splitting->set->parts[index];
  const uint64_t first = rows->row_offsets[part->begin];
  const uint64_t count = rows->row_offsets[part->end] - first;
  struct qn_set_piece piece = rows_of(rows, part->begin, part->end);
  struct qn_set_cut_rows cut = {0};
  uint64_t *records = NULL;
  enum qn_status status = QN_OK;
  if (has_edge_values(splitting))
    status = qn_bulk_alloc(&records, count, sizeof *records, "numbers of edges", error);
  if (records)
    fill_records(splitting, first, count, records);
  const bool whole = qn_set_is_whole(splitting->set, part);
  if (!status && !whole)
    status = qn_set_cut_rows(splitting->set, index, &piece, 1, records, &cut, error);
  if (!status)
    status = write_piece(splitting, index, whole ? &piece : &cut.piece,
                         whole ? records : cut.records, error);
  qn_set_cut_rows_release(&cut);
  qn_pages_free(records, count, sizeof *records);
  return status;
}

/* ---- The whole ------------------------------------------------------------------ */

static bool is_property(const char *name) {
  return strcmp(name, "properties") == 0 || strncmp(name, "property_", 9) == 0;
}

/* Sections beside those of a graph are left out, and the user is told. */
static bool tell_losses(const struct qn_container *container, bool properties) {
  static const char *const kept[] = {"row_offsets",    "column_indices",    "weights",
                                     "in_row_offsets", "in_column_indices", "in_weights",
                                     "original_ids",   "id_offsets",        "id_bytes",
                                     "metadata",       "chunk_hashes"};
  bool lost = false;
  for (uint32_t i = 0; i < qn_container_info(container)->num_sections; i++) {
    const char *name = qn_container_section_at(container, i)->name;
    bool known = properties && is_property(name);
    for (size_t j = 0; j < sizeof kept / sizeof kept[0]; j++)
      known = known || strcmp(name, kept[j]) == 0;
    if (!known)
      qn_note(QN_NOTE_NOT_KEPT, "a set does not keep the section %s", name);
    lost = lost || !known;
  }
  return lost;
}

static void describe_graph(struct splitting *splitting, const struct qn_set_options *options) {
  const struct qn_graph *graph = splitting->graph;
  struct qn_set *set = splitting->set;
  set->version = QN_SET_VERSION;
  set->num_vertices = graph->out.num_vertices;
  set->num_edges = graph->out.num_edges;
  set->weight_type = graph->out.weights.type;
  set->directedness = graph->directedness;
  set->in_edges = graph->directedness == QN_DIRECTED && graph->has_transpose;
  set->rows = graph->directedness == QN_DIRECTED ? options->rows : QN_SET_ROWS_OUT;
  set->layout = QN_LAYOUT_GRAPH;
  set->fingerprint = qn_csr_fingerprint(&graph->out, false);
  set->has_origin =
      splitting->container && qn_container_info(splitting->container)->layout == QN_LAYOUT_GRAPH &&
      !tell_losses(splitting->container, qn_properties_are_any(&splitting->properties));
  if (set->has_origin)
    set->origin = qn_container_info(splitting->container)->header_checksum;
}

static enum qn_status find_rows(struct splitting *splitting, struct qn_error *error) {
  const struct qn_graph *graph = splitting->graph;
  splitting->rows = &graph->out;
  if (splitting->set->rows == QN_SET_ROWS_OUT)
    return QN_OK;
  if (graph->has_transpose && !has_edge_values(splitting)) {
    splitting->rows = &graph->in;
    return QN_OK;
  }
  splitting->rows = &splitting->transposed.out;
  enum qn_status status = qn_graph_create_transpose(&graph->out, &splitting->transposed, error);
  if (!status && has_edge_values(splitting))
    status = qn_set_number_transpose(&graph->out, &splitting->numbered, error);
  return status;
}

static enum qn_status write_files(struct splitting *splitting, struct qn_error *error) {
  struct qn_set *set = splitting->set;
  enum qn_status status = write_vertices(splitting, error);
  if (!status)
    status = qn_set_identity(set, &set->identity, error);
  qn_progress_begin("writing parts", "edges", set->num_edges);
  for (uint64_t i = 0; !status && i < set->num_parts; i++) {
    status = write_part(splitting, i, error);
    if (!status)
      status = qn_context_check(error);
  }
  qn_progress_end();
  return status;
}

enum qn_status qn_set_split(const struct qn_container *container, const struct qn_graph *graph,
                            const struct qn_set_options *options, const char *tool,
                            const char *path, bool force, struct qn_set **out,
                            struct qn_error *error) {
  struct splitting splitting = {.container = container, .graph = graph, .tool = tool};
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&splitting.set, 1, sizeof *splitting.set, "a set", error);
  if (status)
    return status;
  status = qn_set_writer_create(path, force, &splitting.writer, error);
  if (!status && container)
    status = qn_properties_view(container, &splitting.properties, error);
  if (!status) {
    describe_graph(&splitting, options);
    status = find_rows(&splitting, error);
  }
  if (!status)
    status = cut(&splitting, options, error);
  if (!status)
    status = write_files(&splitting, error);
  qn_graph_unmap(&splitting.transposed);
  qn_graph_unmap(&splitting.numbered);
  qn_properties_release(&splitting.properties);
  if (!status)
    status = qn_set_writer_commit(splitting.writer, splitting.set, tool, error);
  else
    qn_set_writer_abort(splitting.writer);
  if (status)
    qn_set_close(splitting.set);
  else
    *out = splitting.set;
  return status;
}
