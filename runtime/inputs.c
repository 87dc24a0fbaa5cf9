#include "runtime/inputs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "formats/container/view.h"
#include "formats/graph/weight_value.h"
#include "kernels/work_division/all_degrees.h"
#include "support/memory.h"
#include "support/random.h"

/* What is divided by less may leave f64. */
#define LEAST_STRENGTH 1e-280
/* The choice of samples, among what a seed is for. */
#define STREAM_SAMPLES 0x5A4D

const struct qn_input_option qn_input_options[] = {
    {"source", "ID",
     "Source vertex, by its original id; may be repeated (default: the vertex of the largest "
     "out-degree)",
     QN_ANY_SOURCES},
    {"sources", "FILE|ID,ID,...",
     "Several sources, or a file that names one a line, in a second column with its weight where "
     "weights count",
     QN_ANY_SOURCES},
    {"target", "ID", "The vertex where the path ends", QN_INPUT_TARGET},
    {"pairs", "FILE", "Pairs of vertices, lines \"id id\" (default: the endpoints of every edge)",
     QN_INPUT_PAIRS},
    {"groups", "FILE",
     "Groups of vertices, lines \"id group\", as -o of another run writes them (default: every "
     "vertex is a group of its own)",
     QN_INPUT_GROUPS},
    {"vector", "FILE",
     "A number for each vertex: lines \"id number\" (the other vertices have 0), or an array "
     "(.npy) "
     "of V numbers in original order",
     QN_INPUT_VECTOR},
    {NULL, NULL, NULL, 0}};

/* What is looked for, and where it goes. */
struct finding {
  const struct qn_run_input *input;
  const struct qn_run_options *options;
  const struct qn_algorithm *algorithm;
  const struct qn_arguments *arguments;
  struct qn_run_inputs *found;
};

static const char *said(const struct finding *finding, const char *name) {
  const struct qn_said_option *row = qn_run_options_said(finding->options, name);
  return row ? row->value : NULL;
}

/* ---- Sources ------------------------------------------------------------------------ */

/* The vertex of the largest out-degree; of several the first in original order. `degrees` are those
 * of all, or NULL. */
static uint64_t largest_degree(const struct qn_run_input *input, const uint64_t *degrees) {
  uint64_t best_degree = 0;
  uint64_t best = UINT64_MAX; /* position */
#pragma omp parallel
  {
    uint64_t degree = 0;
    uint64_t position = UINT64_MAX;
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < input->info->num_vertices; i++) {
      uint64_t vertex = input->order ? input->order[i] : i;
      uint64_t this_degree =
          degrees ? degrees[vertex] : input->layout->out_degree(input->view, vertex);
      if (position == UINT64_MAX || this_degree > degree) {
        degree = this_degree;
        position = i;
      }
    }
#pragma omp critical
    if (position != UINT64_MAX && (best == UINT64_MAX || degree > best_degree ||
                                   (degree == best_degree && position < best))) {
      best_degree = degree;
      best = position;
    }
  }
  return input->order ? input->order[best] : best;
}

static enum qn_status default_source(const struct qn_run_input *input, uint64_t *source,
                                     struct qn_error *error) {
  uint64_t *degrees = NULL;
  enum qn_status status =
      input->set ? QN_OK
                 : qn_all_degrees_create(&degrees, input->layout->layout, input->view, error);
  if (!status)
    *source = largest_degree(input, degrees);
  qn_pages_free(degrees, input->info->num_vertices, sizeof *degrees);
  return status;
}

static bool is_file(const struct qn_said_option *row) {
  return strcmp(row->name, "sources") == 0 && access(row->value, F_OK) == 0;
}

/* The file that sources are read from; NULL: none. */
static const char *sources_file(const struct qn_run_options *options) {
  const struct qn_said_option *row = qn_run_options_said(options, "sources");
  return row && is_file(row) ? row->value : NULL;
}

/* What is both a file's name and a vertex's id is neither. */
static enum qn_status check_meant(const struct qn_run_input *input, const char *path,
                                  struct qn_error *error) {
  uint32_t vertex;
  if (qn_ids_find(&input->ids, path, &vertex, NULL))
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "--sources %s: a file has this name and a vertex this id; say ./%s or --source %s",
                 path, path, path);
}

static enum qn_status read_sources(const struct finding *finding, const char *path,
                                   struct qn_error *error) {
  struct qn_vertex_list list = {0};
  enum qn_status status = check_meant(finding->input, path, error);
  if (!status)
    status = qn_vertex_list_read(path, &finding->input->ids, &list, error);
  if (!status && list.weighted && finding->algorithm->initial != QN_INITIAL_SEEDS)
    status = qn_fail(error, QN_USAGE, "%s has no weights of sources, which %s has",
                     finding->algorithm->name, path);
  if (!status && list.count > UINT32_MAX)
    status = qn_fail(error, QN_UNSUPPORTED, "%s names more than 2^32 - 1 sources", path);
  if (status) {
    qn_vertex_list_destroy(&list);
    return status;
  }
  finding->found->sources = list.vertices;
  finding->found->source_weights = list.weights;
  finding->found->num_sources = (uint32_t)list.count;
  return QN_OK;
}

static enum qn_status add_source(const struct finding *finding, const char *id, size_t length,
                                 struct qn_error *error) {
  struct qn_run_inputs *found = finding->found;
  char *copy;
  enum qn_status status = qn_realloc(&found->sources, (uint64_t)found->num_sources + 1,
                                     sizeof *found->sources, "sources", error);
  if (!status)
    status = qn_alloc(&copy, length + 1, 1, "a source", error);
  if (status)
    return status;
  memcpy(copy, id, length);
  copy[length] = '\0';
  status = qn_ids_find(&finding->input->ids, copy, &found->sources[found->num_sources], error);
  found->num_sources += !status;
  qn_free(copy);
  return status;
}

/* Ids with commas between them. */
static enum qn_status add_sources(const struct finding *finding, const char *list,
                                  struct qn_error *error) {
  const char *const whole = list;
  enum qn_status status = QN_OK;
  for (bool more = true; more && !status;) {
    const size_t length = strcspn(list, ",");
    status = add_source(finding, list, length, error);
    if (status == QN_USAGE || status == QN_INVALID)
      status =
          qn_fail(error, status, "--sources: there is no file '%s', and '%.*s' is not a vertex",
                  whole, (int)length, list);
    more = list[length] != '\0';
    list += length + more;
  }
  return status;
}

uint32_t qn_run_options_sources(const struct qn_run_options *options) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < options->num_said; i++) {
    const struct qn_said_option *row = &options->said[i];
    if (strcmp(row->name, "source") == 0)
      count++;
    else if (strcmp(row->name, "sources") == 0 && !is_file(row))
      for (const char *rest = row->value; rest; rest = strchr(rest + 1, ','))
        count++;
  }
  return count;
}

static enum qn_status add_said_sources(const struct finding *finding, struct qn_error *error) {
  const struct qn_run_options *options = finding->options;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; !status && i < options->num_said; i++) {
    const struct qn_said_option *row = &options->said[i];
    if (strcmp(row->name, "source") == 0)
      status = add_source(finding, row->value, strlen(row->value), error);
    else if (strcmp(row->name, "sources") == 0)
      status = add_sources(finding, row->value, error);
  }
  return status;
}

/* All vertices are sources of walks, and every result of an empty graph is empty. */
static enum qn_status choose_source(const struct finding *finding, struct qn_error *error) {
  struct qn_run_inputs *found = finding->found;
  if (finding->algorithm->shape == QN_SHAPE_WALKS || finding->input->info->num_vertices == 0)
    return QN_OK;
  uint64_t source = 0;
  enum qn_status status = qn_alloc(&found->sources, 1, sizeof *found->sources, "sources", error);
  if (!status)
    status = default_source(finding->input, &source, error);
  if (!status)
    found->sources[found->num_sources++] = (uint32_t)source;
  return status;
}

/* The one source of a set of 2^32 vertices or more, which have no other names than their numbers.
 */
static enum qn_status find_wide_source(const struct finding *finding, struct qn_error *error) {
  const uint32_t count = qn_run_options_sources(finding->options);
  const struct qn_said_option *said = qn_run_options_said(finding->options, "source");
  const uint64_t num_vertices = finding->input->info->num_vertices;
  struct qn_run_inputs *found = finding->found;
  found->is_wide = true;
  if (count == 0 && !sources_file(finding->options))
    return default_source(finding->input, &found->wide_source, error);
  if (count != 1 || !said)
    return qn_fail(error, QN_UNSUPPORTED,
                   "a set of 2^32 vertices or more takes one source: --source ID");
  if (finding->input->ids.kind != QN_IDS_DENSE)
    return qn_ids_find_any(&finding->input->ids, said->value, &found->wide_source, error);
  if (qn_number_parse(said->value, num_vertices - 1, &found->wide_source, NULL))
    return qn_fail(error, QN_USAGE,
                   "'%.64s' is not a vertex: those of this set are called 0 to %" PRIu64,
                   said->value, num_vertices - 1);
  return QN_OK;
}

static enum qn_status find_sources(const struct finding *finding, struct qn_error *error) {
  const char *file = sources_file(finding->options);
  if (!(finding->algorithm->inputs & QN_ANY_SOURCES))
    return QN_OK;
  if (finding->input->info->num_vertices > UINT32_MAX)
    return find_wide_source(finding, error);
  if (file && qn_run_options_sources(finding->options) > 0)
    return qn_fail(error, QN_USAGE, "--sources FILE replaces other sources");
  if (file)
    return read_sources(finding, file, error);
  return qn_run_options_sources(finding->options) > 0 ? add_said_sources(finding, error)
                                                      : choose_source(finding, error);
}

/* ---- A target, pairs, groups ------------------------------------------------------------------
 */

static enum qn_status find_target(const struct finding *finding, struct qn_error *error) {
  const char *id = said(finding, "target");
  if (!(finding->algorithm->inputs & QN_INPUT_TARGET) || !id)
    return QN_OK;
  finding->found->has_target = true;
  return qn_ids_find(&finding->input->ids, id, &finding->found->target, error);
}

static enum qn_status find_pairs(const struct finding *finding, struct qn_error *error) {
  const char *path = said(finding, "pairs");
  return finding->algorithm->inputs & QN_INPUT_PAIRS && path
             ? qn_pair_list_read(path, &finding->input->ids, &finding->found->pairs, error)
             : QN_OK;
}

static enum qn_status find_groups(const struct finding *finding, struct qn_error *error) {
  const char *path = said(finding, "groups");
  return finding->algorithm->inputs & QN_INPUT_GROUPS && path
             ? qn_vertex_file_read(path, &finding->input->ids, true, &finding->found->groups, NULL,
                                   NULL, error)
             : QN_OK;
}

/* ---- Numbers of vertices ---------------------------------------------------------------- */

static enum qn_status create_given(const struct finding *finding, struct qn_error *error) {
  struct qn_run_inputs *found = finding->found;
  found->num_initial = finding->input->info->num_vertices;
  return qn_pages_alloc(&found->initial, found->num_initial, 8, "numbers of vertices", error);
}

static enum qn_status read_vector(const struct finding *finding, struct qn_error *error) {
  enum qn_status status = create_given(finding, error);
  return status ? status
                : qn_numbers_read(said(finding, "vector"), &finding->input->ids,
                                  finding->found->initial, error);
}

/* Each source's part of the sum of their weights. */
static enum qn_status share_sources(const struct finding *finding, struct qn_error *error) {
  const struct qn_run_inputs *found = finding->found;
  const double *weights = found->source_weights;
  double sum = 0;
  enum qn_status status = create_given(finding, error);
  for (uint32_t i = 0; !status && i < found->num_sources; i++)
    sum += weights ? weights[i] : 1;
  if (!status && !isfinite(sum))
    status = qn_fail(error, QN_UNSUPPORTED, "the sum of the sources' weights is too large");
  double *shares = found->initial;
  for (uint32_t i = 0; !status && i < found->num_sources; i++)
    shares[found->sources[i]] += (weights ? weights[i] : 1) / sum;
  return status;
}

/* The sum of the weights of each vertex's out-edges, in the order of its row. */
static enum qn_status sum_weights(const struct finding *finding, struct qn_error *error) {
  const struct qn_run_input *input = finding->input;
  struct qn_graph graph = {0};
  enum qn_status status = create_given(finding, error);
  if (!status)
    status = input->layout->restore(input->container, &graph, error);
  double *strengths = finding->found->initial;
  const struct qn_csr *csr = &graph.out;
  bool within = true;
#pragma omp parallel for schedule(dynamic, 4096) reduction(&& : within)
  for (uint64_t v = 0; v < (status ? 0 : csr->num_vertices); v++) {
    for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
      strengths[v] += qn_weight_value(&csr->weights, edge);
    within =
        within && isfinite(strengths[v]) && (strengths[v] == 0 || strengths[v] > LEAST_STRENGTH);
  }
  qn_graph_unmap(&graph);
  if (!status && !within)
    status = qn_fail(error, QN_UNSUPPORTED,
                     "the sum of the weights of the edges that leave a vertex is infinite, or "
                     "below 1e-280");
  return status;
}

/* Choose vertices, each set of so many as likely as any other, and number them from 1 in original
 * order (Knuth: The Art of Computer Programming, volume 2, 3.4.2, algorithm S). */
static enum qn_status number_samples(const struct finding *finding, struct qn_error *error) {
  const struct qn_run_input *input = finding->input;
  struct qn_run_inputs *found = finding->found;
  const struct qn_run_request request = {.algorithm = finding->algorithm,
                                         .arguments = *finding->arguments};
  const uint64_t num_vertices = input->info->num_vertices;
  const uint64_t key = qn_random_key(qn_argument(&request, "seed").whole, STREAM_SAMPLES);
  uint64_t wanted = qn_argument(&request, "samples").whole;
  wanted = wanted < num_vertices ? wanted : num_vertices;
  enum qn_status status = create_given(finding, error);
  double *numbers = found->initial;
  for (uint64_t i = 0; !status && i < num_vertices && found->num_samples < wanted; i++)
    if (qn_random_below(qn_random_at(key, i), num_vertices - i) < wanted - found->num_samples)
      numbers[input->order ? input->order[i] : i] = ++found->num_samples;
  return status;
}

static enum qn_status find_given(const struct finding *finding, struct qn_error *error) {
  switch (finding->algorithm->initial) {
  case QN_INITIAL_VECTOR:
    return read_vector(finding, error);
  case QN_INITIAL_SEEDS:
    return share_sources(finding, error);
  case QN_INITIAL_STRENGTHS:
    return sum_weights(finding, error);
  case QN_INITIAL_SAMPLES:
    return number_samples(finding, error);
  default:
    return QN_OK;
  }
}

enum qn_status qn_run_inputs_find(const struct qn_run_input *input,
                                  const struct qn_run_options *options,
                                  const struct qn_algorithm *algorithm,
                                  const struct qn_arguments *arguments,
                                  struct qn_run_inputs *inputs, struct qn_error *error) {
  static enum qn_status (*const steps[])(const struct finding *, struct qn_error *) = {
      find_sources, find_target, find_pairs, find_groups, find_given};
  const struct finding finding = {input, options, algorithm, arguments, inputs};
  enum qn_status status = QN_OK;
  for (size_t i = 0; !status && i < sizeof steps / sizeof *steps; i++)
    status = steps[i](&finding, error);
  return status;
}

static bool names_file(const struct qn_said_option *row) {
  for (const struct qn_input_option *option = qn_input_options; option->name; option++)
    if (strcmp(option->name, row->name) == 0)
      return strcmp(option->unit, "FILE") == 0 || is_file(row);
  return false;
}

uint32_t qn_run_options_files(const struct qn_run_options *options, const char **files,
                              uint32_t most) {
  uint32_t count = 0;
  if (options->program && most > 0)
    files[count++] = options->program;
  for (uint32_t i = 0; i < options->num_said && count < most; i++)
    if (names_file(&options->said[i]))
      files[count++] = options->said[i].value;
  return count;
}

struct qn_inputs qn_run_inputs_told(const struct qn_run_inputs *inputs) {
  return (struct qn_inputs){.sources = inputs->sources,
                            .num_sources = inputs->num_sources,
                            .wide_source = inputs->is_wide ? &inputs->wide_source : NULL,
                            .target = inputs->has_target ? &inputs->target : NULL,
                            .groups = inputs->groups.of,
                            .pairs = inputs->pairs.count ? inputs->pairs.vertices[0] : NULL,
                            .num_pairs = inputs->pairs.count,
                            .initial = inputs->initial,
                            .num_samples = inputs->num_samples};
}

void qn_run_inputs_destroy(struct qn_run_inputs *inputs) {
  qn_vertex_groups_destroy(&inputs->groups);
  qn_pair_list_destroy(&inputs->pairs);
  qn_pages_free(inputs->initial, inputs->num_initial, 8);
  qn_free(inputs->source_weights);
  qn_free(inputs->sources);
  *inputs = (struct qn_run_inputs){0};
}
