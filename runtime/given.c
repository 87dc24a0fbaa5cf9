/* What a run is given beside the graph: its sources and target, and numbers of vertices. */
#include "runtime/dispatch.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "converters/graph/number_file.h"
#include "formats/graph/weight_value.h"
#include "support/memory.h"
#include "support/random.h"

/* What is divided by less may leave f64. */
#define LEAST_STRENGTH 1e-280
/* How many vertices are sampled, unless somebody says otherwise. */
#define DEFAULT_SAMPLES 256
/* The choice of samples, among what a seed is for. */
#define STREAM_SAMPLES 0x5A4D
#define ANY_SOURCES                                                                                \
  (QN_KERNEL_SOURCE | QN_KERNEL_SOURCES | QN_KERNEL_SEEDS | QN_KERNEL_WALKS | QN_KERNEL_FANOUTS)

/* ---- Sources ------------------------------------------------------------------------ */

/* The vertex of the largest out-degree; of several the first in original order. */
static uint32_t default_source(const struct qn_run_input *input) {
  uint64_t best_degree = 0;
  uint32_t best = UINT32_MAX; /* position */
#pragma omp parallel
  {
    uint64_t degree = 0;
    uint32_t position = UINT32_MAX;
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < input->info->num_vertices; i++) {
      uint64_t vertex = input->order ? input->order[i] : i;
      uint64_t this_degree = input->layout->out_degree(input->view, vertex);
      if (position == UINT32_MAX || this_degree > degree) {
        degree = this_degree;
        position = (uint32_t)i;
      }
    }
#pragma omp critical
    if (position != UINT32_MAX && (best == UINT32_MAX || degree > best_degree ||
                                   (degree == best_degree && position < best))) {
      best_degree = degree;
      best = position;
    }
  }
  return input->order ? input->order[best] : best;
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

static enum qn_status read_sources(const struct qn_run_input *input, const char *path,
                                   struct qn_run *run, struct qn_error *error) {
  struct qn_vertex_list list = {0};
  enum qn_status status = check_meant(input, path, error);
  if (!status)
    status = qn_vertex_list_read(path, &input->ids, &list, error);
  if (!status && list.weighted && !(run->kernel->traits & QN_KERNEL_SEEDS))
    status = qn_fail(error, QN_USAGE, "%s has no weights of sources, which %s has",
                     run->kernel->algorithm, path);
  if (!status && list.count > UINT32_MAX)
    status = qn_fail(error, QN_UNSUPPORTED, "%s names more than 2^32 - 1 sources", path);
  if (status) {
    qn_vertex_list_destroy(&list);
    return status;
  }
  run->sources = list.vertices;
  run->source_weights = list.weights;
  run->num_sources = (uint32_t)list.count;
  return QN_OK;
}

static enum qn_status find_sources(const struct qn_run_input *input,
                                   const struct qn_run_options *options, struct qn_run *run,
                                   struct qn_error *error) {
  if (!(run->kernel->traits & ANY_SOURCES))
    return QN_OK;
  if (options->sources_file)
    return read_sources(input, options->sources_file, run, error);
  if (input->info->num_vertices == 0 && options->num_sources == 0)
    return QN_OK; /* every result of an empty graph is empty */
  if (options->num_sources == 0 && run->kernel->traits & QN_KERNEL_WALKS)
    return QN_OK; /* all of them */
  run->num_sources = options->num_sources ? options->num_sources : 1;
  enum qn_status status =
      qn_alloc(&run->sources, run->num_sources, sizeof *run->sources, "sources", error);
  if (status)
    return status;
  if (options->num_sources == 0)
    run->sources[0] = default_source(input);
  for (uint32_t i = 0; !status && i < options->num_sources; i++)
    status = qn_ids_find(&input->ids, options->sources[i], &run->sources[i], error);
  return status;
}

/* ---- Numbers of vertices ---------------------------------------------------------------- */

static enum qn_status create_given(const struct qn_run_input *input, struct qn_run *run,
                                   struct qn_error *error) {
  run->num_given = input->info->num_vertices;
  return qn_pages_alloc(&run->given, run->num_given, 8, "numbers of vertices", error);
}

static enum qn_status read_vector(const struct qn_run_input *input, const char *path,
                                  struct qn_run *run, struct qn_error *error) {
  enum qn_status status = create_given(input, run, error);
  return status ? status : qn_numbers_read(path, &input->ids, run->given, error);
}

/* Each source's part of the sum of their weights. */
static enum qn_status share_sources(const struct qn_run_input *input, struct qn_run *run,
                                    struct qn_error *error) {
  double sum = 0;
  enum qn_status status = create_given(input, run, error);
  for (uint32_t i = 0; !status && i < run->num_sources; i++)
    sum += run->source_weights ? run->source_weights[i] : 1;
  if (!status && !isfinite(sum))
    status = qn_fail(error, QN_UNSUPPORTED, "the sum of the sources' weights is too large");
  double *shares = run->given;
  for (uint32_t i = 0; !status && i < run->num_sources; i++)
    shares[run->sources[i]] += (run->source_weights ? run->source_weights[i] : 1) / sum;
  return status;
}

/* The sum of the weights of each vertex's out-edges, in the order of its row. */
static enum qn_status sum_weights(const struct qn_run_input *input, struct qn_run *run,
                                  struct qn_error *error) {
  struct qn_graph graph = {0};
  enum qn_status status = create_given(input, run, error);
  if (!status)
    status = input->layout->restore(input->container, &graph, error);
  double *strengths = run->given;
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
static enum qn_status number_samples(const struct qn_run_input *input,
                                     const struct qn_run_options *options, struct qn_run *run,
                                     struct qn_error *error) {
  const uint64_t num_vertices = input->info->num_vertices;
  const uint64_t key =
      qn_random_key(options->seed < 0 ? 0 : (uint64_t)options->seed, STREAM_SAMPLES);
  uint64_t wanted = options->samples < 0 ? DEFAULT_SAMPLES : (uint64_t)options->samples;
  if (wanted == 0 || wanted > num_vertices)
    wanted = num_vertices;
  if (wanted > UINT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "%s looks at 2^32 - 1 samples at most",
                   run->kernel->algorithm);
  enum qn_status status = create_given(input, run, error);
  double *numbers = run->given;
  for (uint64_t i = 0; !status && i < num_vertices && run->num_samples < wanted; i++)
    if (qn_random_below(qn_random_at(key, i), num_vertices - i) < wanted - run->num_samples)
      numbers[input->order ? input->order[i] : i] = ++run->num_samples;
  return status;
}

enum qn_status qn_run_find_given(const struct qn_run_input *input,
                                 const struct qn_run_options *options, struct qn_run *run,
                                 struct qn_error *error) {
  const uint64_t traits = run->kernel->traits;
  enum qn_status status = find_sources(input, options, run, error);
  run->target = UINT32_MAX;
  if (!status && options->target)
    status = qn_ids_find(&input->ids, options->target, &run->target, error);
  if (!status && traits & QN_KERNEL_VECTOR)
    status = read_vector(input, options->vector, run, error);
  if (!status && traits & QN_KERNEL_SEEDS)
    status = share_sources(input, run, error);
  if (!status && traits & QN_KERNEL_STRENGTHS)
    status = sum_weights(input, run, error);
  if (!status && traits & QN_KERNEL_PAIRS && options->pairs)
    status = qn_pair_list_read(options->pairs, &input->ids, &run->pairs, error);
  if (!status && traits & QN_KERNEL_SAMPLES)
    status = number_samples(input, options, run, error);
  return status;
}
