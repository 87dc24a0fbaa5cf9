#include "converters/transform/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "converters/build/build_estimate.h"
#include "converters/graph/order.h"
#include "converters/provenance.h"
#include "converters/transform/carry.h"
#include "support/context.h"
#include "support/json_text.h"
#include "support/progress.h"
#include "support/threads.h"
#include <quern/metadata.h>

/* ---- Options --------------------------------------------------------------- */

static const char *const relabel_words[] = {"none", "degree", "random", "rcm",
                                            "llp",  "gorder", "metis",  NULL};
static const char *const in_edges_words[] = {"as-is", "also", "no", NULL};

static enum qn_status set_weights(void *target, const char *text, struct qn_error *error) {
  struct qn_transform_options *options = target;
  return qn_random_weights_parse(text, true, &options->transform.weights, error);
}

/* A word, or a file of groups. */
static enum qn_status set_relabel(void *target, const char *text, struct qn_error *error) {
  struct qn_transform_options *options = target;
  int chosen = QN_RELABEL_NONE;
  enum qn_status status = qn_word_parse(relabel_words, text, &chosen, error);
  options->transform.relabel = (enum qn_relabel)chosen;
  if (!status || access(text, F_OK))
    return status;
  options->transform.relabel = QN_RELABEL_GROUPS;
  options->transform.relabel_file = text;
  return QN_OK;
}

static enum qn_status set_seed(void *target, const char *text, struct qn_error *error) {
  struct qn_transform_options *options = target;
  options->seed_given = true;
  return qn_whole_parse(text, 0, UINT64_MAX, &options->transform.relabel_seed, error);
}

#define FIELD(name) offsetof(struct qn_transform_options, name)
/* The groups are the order of the steps. */
const struct qn_setting qn_transform_settings[] = {
    {"transpose", QN_SETTING_SWITCH, FIELD(transform.transpose), .group = 4,
     .help = "2. Reverse every edge"},
    {"remove-self-loops", QN_SETTING_SWITCH, FIELD(transform.remove_self_loops), .group = 5,
     .help = "3. Remove edges from a vertex to itself"},
    {"symmetrize", QN_SETTING_SWITCH, FIELD(transform.symmetrize), .group = 6,
     .help = "4. Add the reverse of every edge; mark the graph undirected"},
    {"remove-duplicates", QN_SETTING_SWITCH, FIELD(transform.remove_duplicates), .group = 7,
     .help = "5. Of edges with the same endpoints keep only the first"},
    {"random-weights", QN_SETTING_OWN, .set = set_weights, .argument = "LO,HI,SEED", .group = 8,
     .help = "6. Uniformly random weights: integers from LO to HI, or reals if either has a "
             "decimal point; both directions of an undirected edge get the same"},
    {"narrow-weights", QN_SETTING_SWITCH, FIELD(transform.narrow_weights), .group = 8,
     .help = "6. Round weights of 8 bytes to f32, and say by how much"},
    {"relabel", QN_SETTING_OWN, .words = relabel_words, .set = set_relabel,
     .argument = "degree|random|rcm|llp|gorder|metis|FILE", .group = 9,
     .help =
         "7. Renumber the vertices: by descending degree, randomly, by reverse Cuthill-McKee, by "
         "layered label propagation (which compresses and caches well), by Gorder, by METIS "
         "(libmetis.so.5, loaded only for this), or those of one group in FILE (lines \"id "
         "group\", such as quern-run leiden -o writes) beside one another; original ids are kept"},
    {"seed", QN_SETTING_OWN, .set = set_seed, .argument = "S", .group = 10,
     .help = "Choose another random numbering (default: 1)"},
    {"strict", QN_SETTING_SWITCH, FIELD(strict), .group = 10,
     .help = "Refuse, instead of warning, where something unclear changes what the graph means"},
    {"in-edges", QN_SETTING_CHOICE, FIELD(in_edges), .words = in_edges_words, .argument = "also|no",
     .group = 10,
     .help = "Store the in-edges of a directed graph as well, or not (default: as in the input)"},
    {0}};

/* Does the numbering depend on a seed? */
static bool is_by_chance(const struct qn_transform *transform) {
  return transform->relabel == QN_RELABEL_RANDOM || transform->relabel == QN_RELABEL_LLP;
}

void qn_transform_options_begin(struct qn_transform_options *options) {
  *options = (struct qn_transform_options){.transform.relabel_seed = 1};
  qn_part_begin(&options->part);
}

enum qn_status qn_transform_options_settle(const struct qn_transform_options *options,
                                           struct qn_error *error) {
  if (options->seed_given && !is_by_chance(&options->transform))
    return qn_fail(error, QN_USAGE, "--seed is for --relabel=random and llp");
  if (options->transform.narrow_weights && options->transform.weights.type != QN_WEIGHT_NONE)
    return qn_fail(error, QN_USAGE,
                   "--random-weights takes 4 bytes each: there is nothing to narrow");
  return qn_part_settle(&options->part, error);
}

bool qn_transform_options_are_any(const struct qn_transform_options *options) {
  const struct qn_transform *transform = &options->transform;
  return transform->transpose || transform->remove_self_loops || transform->symmetrize ||
         transform->remove_duplicates || transform->weights.type != QN_WEIGHT_NONE ||
         transform->narrow_weights || transform->relabel != QN_RELABEL_NONE ||
         options->in_edges != QN_IN_EDGES_AS_IS || options->part.part != QN_PART_ALL;
}

/* ---- Transforming ---------------------------------------------------------- */

static enum qn_status record_weights(const struct qn_random_weights *weights, json_t *provenance,
                                     struct qn_error *error) {
  if (weights->type == QN_WEIGHT_NONE)
    return QN_OK;
  json_t *value = weights->type == QN_WEIGHT_U32
                      ? json_sprintf("%" PRIu32 ",%" PRIu32 ",%" PRIu64, weights->low_whole,
                                     weights->high_whole, weights->seed)
                      : json_sprintf("%.9g,%.9g,%" PRIu64, (double)weights->low,
                                     (double)weights->high, weights->seed);
  return qn_provenance_option(provenance, "random_weights", value, error);
}

static enum qn_status record_options(const struct qn_transform *transform, json_t *provenance,
                                     struct qn_error *error) {
  const struct {
    const char *key;
    bool value;
  } switches[] = {{"transpose", transform->transpose},
                  {"remove_self_loops", transform->remove_self_loops},
                  {"symmetrize", transform->symmetrize},
                  {"remove_duplicates", transform->remove_duplicates},
                  {"narrow_weights", transform->narrow_weights},
                  {"in_edges", transform->store_in_edges}};
  for (unsigned i = 0; i < sizeof switches / sizeof switches[0]; i++) {
    enum qn_status status =
        qn_provenance_option(provenance, switches[i].key, json_boolean(switches[i].value), error);
    if (status)
      return status;
  }
  enum qn_status status = record_weights(&transform->weights, provenance, error);
  if (!status)
    status = qn_provenance_option(provenance, "relabel",
                                  json_string(transform->relabel == QN_RELABEL_GROUPS
                                                  ? "groups"
                                                  : relabel_words[transform->relabel]),
                                  error);
  if (!status && transform->relabel_file)
    status =
        qn_provenance_option(provenance, "groups", qn_json_text(transform->relabel_file), error);
  if (!status && is_by_chance(transform))
    status = qn_provenance_option(provenance, "seed",
                                  json_sprintf("%" PRIu64, transform->relabel_seed), error);
  return status;
}

/* What the input says of itself goes on into the output's metadata. */
static enum qn_status record_source(const struct qn_container *container, json_t *provenance,
                                    struct qn_error *error) {
  json_t *inherited;
  enum qn_status status = qn_container_metadata(container, &inherited, error);
  if (status)
    return status;
  char identity[20];
  snprintf(identity, sizeof identity, "%016" PRIx64, qn_container_info(container)->header_checksum);
  json_t *source = json_pack("{s:s, s:o*}", "identity", identity, "metadata", inherited);
  if (!source || json_object_set_new(provenance, "source", source))
    return qn_fail_memory(error, "metadata", 0);
  return QN_OK;
}

static enum qn_status write_container(const struct qn_transform_options *options,
                                      const struct qn_container *container,
                                      const struct qn_graph *graph, struct qn_writer *writer,
                                      struct qn_transform_report *report, struct qn_error *error) {
  struct qn_transform transform = options->transform;
  const struct qn_graph *whole = graph;
  struct qn_subgraph part = {0};
  bool had_in_edges = graph->has_transpose && graph->directedness == QN_DIRECTED;
  transform.store_in_edges =
      options->in_edges == QN_IN_EDGES_AS_IS ? had_in_edges : options->in_edges == QN_IN_EDGES_ALSO;
  enum qn_status status;
  if ((status = record_options(&transform, report->provenance, error)) ||
      (status = record_source(container, report->provenance, error)))
    return status;
  if (options->part.part != QN_PART_ALL) {
    status = qn_part_create(&options->part, graph, report->provenance, &part, error);
    graph = &part.graph;
  }
  report->ledger.edges_left_out = part.edges_left_out;
  if (!status)
    status = qn_transform_graph(graph, &transform, writer, &report->ledger, error);
  qn_subgraph_destroy(&part);
  if (!status)
    qn_ledger_note_parallel(&report->ledger, "--remove-duplicates");
  if (!status && options->strict)
    status = qn_notes_refuse_warnings(error);
  if (!status)
    status = qn_provenance_ledger(report->provenance, &report->ledger, error);
  if (!status)
    status = qn_transform_carry(options, container, whole, writer, error);
  report->info = *qn_writer_info(writer);
  return status ? status : qn_writer_metadata(writer, report->provenance, error);
}

/* What finding an order takes beside numberings: in-edges, rows of both directions together, and
 * what each thread has. */
static uint64_t order_bytes(enum qn_relabel relabel, const struct qn_container *container) {
  const struct qn_container_info *info = qn_container_info(container);
  const bool both_ways =
      relabel == QN_RELABEL_RCM || relabel == QN_RELABEL_LLP || relabel == QN_RELABEL_GORDER;
  uint64_t bytes = qn_threads() * (relabel == QN_RELABEL_LLP      ? QN_LLP_THREAD_BYTES
                                   : relabel == QN_RELABEL_GORDER ? QN_GORDER_THREAD_BYTES
                                                                  : 0);
  if (both_ways && info->directedness == QN_DIRECTED &&
      !qn_container_section(container, "in_row_offsets"))
    bytes += 8 * info->num_vertices + 4 * info->num_edges;
  if (relabel == QN_RELABEL_LLP)
    bytes += (info->directedness == QN_DIRECTED ? 8 : 4) * info->num_edges;
  return bytes;
}

/* By the sizes in the header. */
enum qn_status qn_transform_plan(const struct qn_transform_options *options,
                                 const struct qn_container *container,
                                 const struct qn_memory_options *memory, const char *output,
                                 struct qn_memory_plan *plan, struct qn_error *error) {
  const struct qn_transform *transform = &options->transform;
  const struct qn_container_info *info = qn_container_info(container);
  bool drawn = transform->weights.type != QN_WEIGHT_NONE;
  unsigned weight_bytes = drawn ? 4 : qn_weight_bytes(info->weight_type);
  struct qn_build build = {
      .undirected = transform->symmetrize && info->directedness == QN_DIRECTED,
      .transpose = options->in_edges != QN_IN_EDGES_NO && info->directedness == QN_DIRECTED,
  };
  struct qn_expected_edges edges = {
      .num_edges = info->num_edges,
      .most_edges = info->num_edges,
      .num_vertices = info->num_vertices,
      .weight_bytes = weight_bytes,
      .most_weight_bytes = weight_bytes,
      .given_vertices = true,
  };
  struct qn_work_estimate estimate = qn_build_estimate(&build, &edges);
  /* Degrees, both numberings, ids, and sorting. */
  if (transform->relabel != QN_RELABEL_NONE)
    estimate.kept = 48 * info->num_vertices;
  estimate.kept += order_bytes(transform->relabel, container);
  bool restored = info->layout != QN_LAYOUT_GRAPH;
  uint64_t graph_bytes =
      8 * info->num_vertices + (4 + qn_weight_bytes(info->weight_type)) * info->num_edges;
  if (transform->relabel == QN_RELABEL_METIS) /* its copy of the graph, and coarser ones */
    estimate.kept += (info->directedness == QN_UNDIRECTED ? 20 : 40) * info->num_edges;
  estimate.usual += estimate.kept + (restored ? graph_bytes : 0);
  estimate.most += estimate.kept + (restored ? 2 * graph_bytes : 0);
  estimate.least += estimate.kept;
  if (options->part.part != QN_PART_ALL) { /* groups and numbers of vertices, and the part itself */
    estimate.usual += 12 * info->num_vertices;
    estimate.most += 12 * info->num_vertices + graph_bytes;
  }
  if (qn_container_section(container, "properties")) { /* qn_transform_carry */
    uint64_t numbers = 16 * info->num_edges + 8 * info->num_vertices;
    estimate.usual += numbers;
    estimate.most += 2 * numbers;
    estimate.temporary += numbers;
    estimate.output += info->file_bytes;
  }
  estimate.temporary += restored || transform->relabel == QN_RELABEL_DEGREE ? 2 * graph_bytes : 0;
  return qn_memory_plan_make(memory, output, &estimate, plan, error);
}

enum qn_status qn_transform_run(const struct qn_transform_options *options,
                                const struct qn_container *container, const struct qn_graph *graph,
                                const char *tool, const char *path, bool replace,
                                struct qn_transform_report *report, struct qn_container **out,
                                struct qn_error *error) {
  struct qn_writer *writer = NULL;
  *report = (struct qn_transform_report){0};
  enum qn_status status = qn_provenance_create(tool, &report->provenance, error);
  if (!status)
    status = qn_writer_create(path, replace, &writer, error);
  if (!status)
    status = write_container(options, container, graph, writer, report, error);
  if (!status)
    status = qn_context_check(error);
  return qn_writer_end(writer, status, path, out, error);
}
