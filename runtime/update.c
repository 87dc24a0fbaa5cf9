#include "runtime/update.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/graph/weight_value.h"
#include "formats/vertices/number_file.h"
#include "formats/vertices/vertex_file.h"
#include "runtime/run.h"
#include "runtime/sets/changes.h"
#include "support/memory.h"

static const char *const suited[] = {"cc", "bfs", "sssp", "pagerank"};

bool qn_update_suits(const char *algorithm) {
  for (size_t i = 0; i < sizeof suited / sizeof *suited; i++)
    if (strcmp(suited[i], algorithm) == 0)
      return true;
  return false;
}

static bool is_named(const struct qn_run *run, const char *name) {
  return strcmp(run->algorithm->name, name) == 0;
}

/* ---- Whether it is sound ---------------------------------------------------------------- */

static enum qn_status check(const struct qn_run_input *input,
                            const struct qn_update_options *options, const struct qn_run *run,
                            struct qn_update *update, struct qn_error *error) {
  const struct qn_set *set = input->set ? input->set->set : NULL;
  if (!qn_update_suits(run->algorithm->name))
    return qn_fail(error, QN_USAGE,
                   "--from continues from results of cc, bfs, sssp and pagerank, not of %s",
                   run->algorithm->name);
  if (!set || !input->set->changes)
    return qn_fail(error, QN_USAGE,
                   "--from is for a set with generations, which is walked where it lies");
  if (is_named(run, "sssp") && qn_argument_is_said(run->algorithm, &run->arguments, "cutoff"))
    return qn_fail(error, QN_USAGE, "--from needs distances to all vertices: leave --cutoff out");
  if (run->inputs.num_sources > 1)
    return qn_fail(error, QN_USAGE, "--from is of one source, not %u", run->inputs.num_sources);
  update->generation = options->is_given ? options->generation : set->num_generations - 1;
  if (update->generation > set->num_generations)
    return qn_fail(error, QN_USAGE, "%s has %" PRIu64 " generations, not %" PRIu64, set->path,
                   set->num_generations, update->generation);
  for (uint64_t i = update->generation; i < set->num_generations; i++) {
    if (set->generations[i].removed > 0)
      return qn_fail(error, QN_UNSUPPORTED,
                     "generation %" PRIu64 " removed edges, after which no run continues from an "
                     "earlier result: leave --from out",
                     i + 1);
    update->added_edges += set->generations[i].added;
  }
  const uint64_t known = update->generation ? set->generations[update->generation - 1].num_vertices
                                            : set->base.num_vertices;
  update->added_vertices = set->num_vertices - known;
  return QN_OK;
}

/* What the vertices of that generation are called. */
static struct qn_ids known_ids(const struct qn_run_input *input, const struct qn_update *update) {
  struct qn_ids ids = input->ids;
  ids.num_vertices -= update->added_vertices;
  if (ids.num_vertices == input->set->set->base.num_vertices)
    ids.ascending |= input->set->changes->changed.graph.ids.ascending;
  return ids;
}

static enum qn_status fail_result(const struct qn_update_options *options,
                                  const struct qn_update *update, struct qn_error *error) {
  qn_fail(error, QN_INVALID,
          "this is not the result of such a run on generation %" PRIu64
          " (--from-generation says of which it is)",
          update->generation);
  return qn_error_in_file(error, options->result), QN_INVALID;
}

/* ---- Components --------------------------------------------------------------------------- */

static bool is_array(const char *path) {
  const size_t length = strlen(path);
  return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

/* Vertices with the same label hang below the first of them. */
static void hang_below_first(uint32_t *parent, uint64_t known, const uint32_t *labels,
                             uint32_t *first) {
  memset(first, 0xff, known * sizeof *first);
  for (uint64_t v = 0; v < known; v++) {
    if (first[labels[v]] == UINT32_MAX)
      first[labels[v]] = (uint32_t)v;
    parent[v] = first[labels[v]];
  }
}

static enum qn_status read_labels(const struct qn_update_options *options,
                                  const struct qn_update *update, const struct qn_ids *ids,
                                  uint32_t *labels, struct qn_error *error) {
  struct qn_vertex_groups groups = {0};
  double *numbers = NULL;
  enum qn_status status = QN_OK;
  if (is_array(options->result)) {
    status = qn_pages_alloc(&numbers, ids->num_vertices, sizeof *numbers, "a result", error);
    if (!status)
      status = qn_result_numbers_read(options->result, ids, numbers, error);
    for (uint64_t v = 0; !status && v < ids->num_vertices; v++) {
      if (!(numbers[v] < (double)ids->num_vertices) || numbers[v] != floor(numbers[v]))
        status = fail_result(options, update, error);
      else
        labels[v] = (uint32_t)numbers[v];
    }
  } else {
    status = qn_vertex_file_read(options->result, ids, true, &groups, NULL, NULL, error);
    for (uint64_t v = 0; !status && v < ids->num_vertices; v++) {
      labels[v] = groups.of[v];
      if (labels[v] >= ids->num_vertices)
        status = fail_result(options, update, error);
    }
    qn_vertex_groups_destroy(&groups);
  }
  qn_pages_free(numbers, ids->num_vertices, sizeof *numbers);
  return status;
}

static enum qn_status take_components(const struct qn_update_options *options,
                                      struct qn_update *update, const struct qn_ids *ids,
                                      struct qn_error *error) {
  const uint64_t known = ids->num_vertices;
  uint32_t *labels = NULL, *first = NULL, *parent = update->values;
  enum qn_status status = qn_pages_alloc(&labels, known, sizeof *labels, "labels", error);
  if (!status)
    status = qn_pages_alloc(&first, known, sizeof *first, "labels", error);
  if (!status)
    status = read_labels(options, update, ids, labels, error);
  if (!status)
    hang_below_first(parent, known, labels, first);
  for (uint64_t v = known; !status && v < update->num_vertices; v++)
    parent[v] = (uint32_t)v;
  qn_pages_free(first, known, sizeof *first);
  qn_pages_free(labels, known, sizeof *labels);
  return status;
}

/* ---- Searches and ranks --------------------------------------------------------------------- */

static void put_value(const struct qn_update *update, enum qn_result_type type, uint64_t v,
                      double number) {
  switch (type) {
  case QN_RESULT_U32:
    ((uint32_t *)update->values)[v] = isinf(number) ? UINT32_MAX : (uint32_t)number;
    break;
  case QN_RESULT_U64:
    ((uint64_t *)update->values)[v] = isinf(number) ? UINT64_MAX : (uint64_t)number;
    break;
  case QN_RESULT_F32:
    ((float *)update->values)[v] = (float)number;
    break;
  default:
    ((double *)update->values)[v] = number;
  }
}

/* Hops and sums of whole weights are whole; the source, and of hops nothing else, has 0. */
static bool are_distances(const struct qn_run *run, const double *numbers, uint64_t known) {
  const uint32_t source = run->inputs.sources[0];
  const bool hops = is_named(run, "bfs"), whole = run->kernel->result != QN_RESULT_F64;
  bool good = source < known && numbers[source] == 0;
#pragma omp parallel for schedule(static) reduction(&& : good)
  for (uint64_t v = 0; v < known; v++)
    good = good && (!hops || numbers[v] != 0 || v == source) &&
           (!whole || isinf(numbers[v]) ||
            (numbers[v] == floor(numbers[v]) && (!hops || numbers[v] < (double)known)));
  return good;
}

/* Does an edge lead nearer than its end is? As programs have it: sums of whole numbers are whole,
 * and here exact, and those of others are rounded once. */
static bool leads_nearer(const double *numbers, const struct qn_weights *weights, bool hops,
                         uint64_t u, uint64_t v, uint64_t edge) {
  const double weight =
      hops || weights->type == QN_WEIGHT_NONE ? 1 : qn_weight_value(weights, edge);
  return numbers[u] + weight < numbers[v];
}

/* Vertices with such an edge send again. */
static void find_active(const struct qn_run_changes *changes, struct qn_update *update,
                        const double *numbers, bool hops) {
  const struct qn_csr *added = &changes->added;
  uint64_t started = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : started)
  for (uint64_t word = 0; word < qn_state_words(added->num_vertices); word++) {
    uint64_t bits = 0;
    for (uint64_t u = word * 64; u < word * 64 + 64 && u < added->num_vertices; u++) {
      bool nearer = false;
      for (uint64_t e = added->row_offsets[u]; e < added->row_offsets[u + 1] && !nearer; e++)
        nearer = leads_nearer(numbers, &added->weights, hops, u, added->column_indices[e], e);
      bits |= (uint64_t)nearer << (u % 64);
    }
    update->active[word] = bits;
    started += (uint64_t)__builtin_popcountll(bits);
  }
  update->num_started = started;
}

static enum qn_status take_distances(const struct qn_run_input *input,
                                     const struct qn_update_options *options,
                                     const struct qn_run *run, struct qn_update *update,
                                     double *numbers, uint64_t known, struct qn_error *error) {
  if (run->inputs.num_sources != 1 || !are_distances(run, numbers, known))
    return fail_result(options, update, error);
  for (uint64_t v = known; v < update->num_vertices; v++)
    numbers[v] = INFINITY;
  enum qn_status status = qn_pages_alloc(&update->active, qn_state_words(update->num_vertices),
                                         sizeof *update->active, "active vertices", error);
  if (!status)
    find_active(input->set->changes, update, numbers, is_named(run, "bfs"));
  return status;
}

/* Ranks sum to 1, or less where some are dropped; new vertices begin with an equal share. */
static enum qn_status take_ranks(const struct qn_update_options *options, struct qn_update *update,
                                 double *numbers, uint64_t known, struct qn_error *error) {
  const double share = (double)known / (double)update->num_vertices;
  double sum = 0;
  for (uint64_t v = 0; v < known; v++)
    sum += numbers[v];
  if (!(sum <= 1.001))
    return fail_result(options, update, error);
  for (uint64_t v = 0; v < update->num_vertices; v++)
    numbers[v] = v < known ? numbers[v] * share : 1.0 / (double)update->num_vertices;
  update->num_started = update->num_vertices;
  return QN_OK;
}

static enum qn_status take_numbers(const struct qn_run_input *input,
                                   const struct qn_update_options *options,
                                   const struct qn_run *run, struct qn_update *update,
                                   const struct qn_ids *ids, struct qn_error *error) {
  double *numbers;
  enum qn_status status =
      qn_pages_alloc(&numbers, update->num_vertices, sizeof *numbers, "a result", error);
  if (status)
    return status;
  status = qn_result_numbers_read(options->result, ids, numbers, error);
  if (!status)
    status = is_named(run, "pagerank")
                 ? take_ranks(options, update, numbers, ids->num_vertices, error)
                 : take_distances(input, options, run, update, numbers, ids->num_vertices, error);
  for (uint64_t v = 0; !status && v < update->num_vertices; v++)
    put_value(update, run->kernel->result, v, numbers[v]);
  qn_pages_free(numbers, update->num_vertices, sizeof *numbers);
  return status;
}

/* ---- The run ----------------------------------------------------------------------------------
 */

static bool never_due(void *user, uint64_t iterations) {
  (void)user;
  (void)iterations;
  return false;
}

static void count_active(void *user, const struct qn_iteration *iteration) {
  struct qn_update *update = user;
  update->num_active += iteration->num_active;
  if (update->on_iteration)
    update->on_iteration(update->user, iteration);
}

static void attach(const struct qn_run_input *input, struct qn_run *run, struct qn_update *update) {
  struct qn_run_request *request = &run->request;
  update->state = (struct qn_run_state){.num_vertices = update->num_vertices,
                                        .value_bytes = qn_result_bytes(run->kernel->result),
                                        .values = update->values,
                                        .active = update->active};
  update->goes_on = (struct qn_checkpointing){.resume = &update->state, .is_due = never_due};
  update->on_iteration = request->hooks.on_iteration;
  update->user = request->hooks.user;
  request->hooks.on_iteration = count_active;
  request->hooks.user = update;
  request->hooks.checkpointing = &update->goes_on;
  /* The base is the first part, if it has rows. */
  input->set->view->num_known_parts = input->set->set->base.num_vertices > 0;
}

enum qn_status qn_update_begin(const struct qn_run_input *input,
                               const struct qn_update_options *options, struct qn_run *run,
                               struct qn_update **out, struct qn_error *error) {
  struct qn_update *update;
  enum qn_status status = qn_alloc_zeroed(&update, 1, sizeof *update, "an old result", error);
  if (status)
    return status;
  *out = update;
  status = check(input, options, run, update, error);
  if (status)
    return status;
  const struct qn_ids ids = known_ids(input, update);
  update->num_vertices = input->info->num_vertices;
  update->bytes = qn_result_bytes(run->kernel->result);
  status =
      qn_pages_alloc(&update->values, update->num_vertices, update->bytes, "an old result", error);
  if (!status)
    status = is_named(run, "cc") ? take_components(options, update, &ids, error)
                                 : take_numbers(input, options, run, update, &ids, error);
  if (!status)
    attach(input, run, update);
  return status;
}

void qn_update_end(struct qn_update *update) {
  if (!update)
    return;
  qn_pages_free(update->values, update->num_vertices, update->bytes);
  qn_pages_free(update->active, qn_state_words(update->num_vertices), sizeof *update->active);
  qn_free(update);
}
