/* bench_directions FILE...: what rules for the direction of a search on blocked CSR are worth
 * (GraphCage, section 3.3): for bfs, sssp and bc which way each iteration goes by each rule, the
 * edges that it walks, and, where there is a device, the time.
 *
 *   shares       push from few vertices along few edges: what the engine does for bfs, and
 *   edges        push along few edges, from however many vertices: for others (sweep/push.cuh)
 *   working set  push while an accumulator for each edge of the active vertices fits the cache
 *   push, pull   always
 *
 * The searches are done here first, on the CPU: so who is active in which iteration, and what every
 * rule says, is known. Then the device's run is led along that way: before each iteration its
 * request is given the direction, so all rules are measured without what asking them costs. The
 * first iteration, from one vertex, is always a push. A device that has other active vertices is an
 * error. bc leads itself: only what --direction says is measured.
 *
 * Edges of pulls: bfs leaves a row at the first edge that has a sender, as the lanes of a warp do
 * (edges/warp_rows.cuh), bc leaves out the rows of visited vertices, sssp walks all. */
#include <math.h>
#include <stdio.h>

#include "bench/programs/trials.h"
#include "kernels/cuda/device/device.h"
#include "runtime/placement.h"
#include "support/memory.h"
#include <quern/blocked_csr.h>

enum { MAX_STEPS = 4096, MAX_CACHES = 8, NUM_RULES = 4 + MAX_CACHES };
enum { UNIT_EDGES = 8, LONG_ROW = 32 }; /* QN_UNIT_EDGES, QN_LONG_ROW */

struct options {
  struct trials trials;
  uint64_t caches[MAX_CACHES];
  unsigned num_caches;
};

/* An iteration, whichever way it goes. */
struct step {
  uint64_t active;
  uint64_t edges, units; /* that begin at active vertices; in pieces of eight */
  uint64_t pulled;       /* edges that a pull looks at */
  double paths;          /* bc: all that is sent */
};

struct search {
  const char *algorithm;
  uint32_t accumulator_bytes;
  bool leads_itself;  /* its first iteration, too */
  struct step *steps; /* [MAX_STEPS] */
  unsigned num_steps;
};

struct rule {
  const char *name;
  enum qn_direction direction;
  bool by_vertices;     /* and by the edges that begin at them */
  uint64_t cache_bytes; /* 0: no working set */
};

struct directions {
  const struct options *options;
  const char *file;
  const struct qn_blocked_csr *view;
  const struct qn_csr *out;
  uint32_t source;
  struct qn_store *store; /* on the device, NULL: there is none */
  uint64_t l2_bytes;
  json_t *rows;
};

/* ---- The searches ------------------------------------------------------------------- */

static enum qn_status add_step(struct search *search, struct step step, struct qn_error *error) {
  if (search->num_steps == MAX_STEPS)
    return qn_fail(error, QN_UNSUPPORTED, "%s takes more than %d iterations", search->algorithm,
                   MAX_STEPS);
  search->steps[search->num_steps++] = step;
  return QN_OK;
}

/* Hops of all vertices, and in how many ways the shortest paths come there. */
static void find_levels(const struct directions *of, uint32_t *levels, double *paths) {
  const struct qn_csr *out = of->out;
  uint64_t found = 1;
  memset(levels, 0xff, out->num_vertices * sizeof *levels);
  memset(paths, 0, out->num_vertices * sizeof *paths);
  levels[of->source] = 0;
  paths[of->source] = 1;
  for (uint32_t level = 0; found > 0; level++) {
    found = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : found)
    for (uint64_t u = 0; u < out->num_vertices; u++) {
      if (__atomic_load_n(&levels[u], __ATOMIC_RELAXED) != level)
        continue;
      for (uint64_t edge = out->row_offsets[u]; edge < out->row_offsets[u + 1]; edge++) {
        const uint32_t v = out->column_indices[edge];
        uint32_t unknown = UINT32_MAX;
        found += __atomic_compare_exchange_n(&levels[v], &unknown, level + 1, false,
                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        if (unknown != UINT32_MAX && unknown != level + 1)
          continue;
#pragma omp atomic
        paths[v] += paths[u];
      }
    }
  }
}

/* Edges of a row that bfs looks at. */
static uint64_t edges_to_first(const struct qn_blocking *pull, uint64_t begin, uint64_t end,
                               const uint32_t *levels, uint32_t level) {
  const uint64_t lanes = end - begin >= LONG_ROW ? 32 : 1;
  uint64_t looked = 0;
  for (uint64_t lane = 0; lane < lanes; lane++)
    for (uint64_t edge = begin + lane; edge < end; edge += lanes) {
      looked++;
      if (levels[pull->columns[edge]] == level)
        break;
    }
  return looked;
}

/* Edges of the rows of vertices that the levels before have not reached. */
static uint64_t open_edges(const struct directions *of, const uint32_t *levels, uint32_t level,
                           bool first_suffices) {
  const struct qn_blocking *pull = &of->view->pull;
  uint64_t sum = 0;
  for (uint64_t block = 0; block < pull->num_blocks; block++) {
    const uint32_t *offsets = qn_block_offsets(pull, block);
    const uint64_t first = pull->block_rows[block], first_edge = pull->block_edges[block];
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : sum)
    for (uint64_t row = 0; row < pull->block_rows[block + 1] - first; row++) {
      const uint64_t begin = first_edge + offsets[row], end = first_edge + offsets[row + 1];
      if (levels[pull->id_map[first + row]] > level)
        sum += first_suffices ? edges_to_first(pull, begin, end, levels, level) : end - begin;
    }
  }
  return sum;
}

static enum qn_status search_levels(const struct directions *of, struct search *search,
                                    bool first_suffices, struct qn_error *error) {
  const uint64_t num_vertices = of->out->num_vertices, *offsets = of->out->row_offsets;
  uint32_t *levels = NULL;
  double *paths = NULL;
  enum qn_status status = qn_alloc(&levels, num_vertices, sizeof *levels, "levels", error);
  if (!status)
    status = qn_alloc(&paths, num_vertices, sizeof *paths, "path counts", error);
  if (!status)
    find_levels(of, levels, paths);
  for (uint32_t level = 0; !status; level++) {
    uint64_t active = 0, edges = 0, units = 0;
    double sent = 0;
#pragma omp parallel for reduction(+ : active, edges, units, sent)
    for (uint64_t u = 0; u < num_vertices; u++)
      if (levels[u] == level) {
        const uint64_t degree = offsets[u + 1] - offsets[u];
        active++;
        edges += degree;
        units += (degree + UNIT_EDGES - 1) / UNIT_EDGES;
        sent += paths[u] * (double)degree;
      }
    if (active == 0)
      break;
    const uint64_t pulled = open_edges(of, levels, level, first_suffices);
    status = add_step(
        search, (struct step){active, edges, units, pulled, first_suffices ? 0 : sent}, error);
  }
  qn_free(levels);
  qn_free(paths);
  return status;
}

static double weight_of(const struct qn_weights *weights, uint64_t edge) {
  return weights->type == QN_WEIGHT_F32   ? (double)weights->f32[edge]
         : weights->type == QN_WEIGHT_U32 ? (double)weights->u32[edge]
                                          : 1;
}

/* Distances are not negative, so their bits are in order, too. */
static void keep_least(double *at, double distance) {
  double old;
  __atomic_load(at, &old, __ATOMIC_RELAXED);
  while (distance < old &&
         !__atomic_compare_exchange(at, &old, &distance, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

/* One iteration of sssp: what `active` vertices send, and who is active then. */
static struct step send_distances(const struct directions *of, double *distances, double *next,
                                  uint8_t *active) {
  const struct qn_csr *out = of->out;
  uint64_t count = 0, edges = 0, units = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : count, edges, units)
  for (uint64_t u = 0; u < out->num_vertices; u++) {
    if (!active[u])
      continue;
    const uint64_t begin = out->row_offsets[u], end = out->row_offsets[u + 1];
    count++;
    edges += end - begin;
    units += (end - begin + UNIT_EDGES - 1) / UNIT_EDGES;
    for (uint64_t edge = begin; edge < end; edge++)
      keep_least(&next[out->column_indices[edge]], distances[u] + weight_of(&out->weights, edge));
  }
#pragma omp parallel for
  for (uint64_t v = 0; v < out->num_vertices; v++) {
    active[v] = next[v] < distances[v];
    distances[v] = next[v];
  }
  return (struct step){count, edges, units, out->num_edges, 0};
}

static enum qn_status search_distances(const struct directions *of, struct search *search,
                                       struct qn_error *error) {
  const uint64_t num_vertices = of->out->num_vertices;
  double *distances = NULL, *next = NULL;
  uint8_t *active = NULL;
  enum qn_status status = qn_alloc(&distances, num_vertices, sizeof *distances, "distances", error);
  if (!status)
    status = qn_alloc(&next, num_vertices, sizeof *next, "distances", error);
  if (!status)
    status = qn_alloc_zeroed(&active, num_vertices, sizeof *active, "active vertices", error);
  for (uint64_t v = 0; v < num_vertices && !status; v++)
    distances[v] = next[v] = v == of->source ? 0 : INFINITY;
  if (!status)
    active[of->source] = 1;
  for (bool finished = false; !status && !finished;) {
    const struct step sent = send_distances(of, distances, next, active);
    finished = sent.active == 0;
    if (!finished)
      status = add_step(search, sent, error);
  }
  qn_free(distances);
  qn_free(next);
  qn_free(active);
  return status;
}

/* ---- The rules ------------------------------------------------------------------------ */

/* As sweep_choose and sweep_few_edges (sweep/push.cuh). */
static bool shares_push(const struct directions *of, const struct step *step, bool by_vertices) {
  const uint64_t num_vertices = of->out->num_vertices;
  const uint64_t few_edges = of->out->num_edges / (by_vertices ? 8 : 4);
  return (!by_vertices || step->active <= num_vertices / 20) &&
         (step->active <= num_vertices / 1024 ||
          step->units * UNIT_EDGES <= few_edges + step->active * (UNIT_EDGES / 2));
}

static bool pushes(const struct directions *of, const struct search *search,
                   const struct rule *rule, unsigned i) {
  const struct step *step = &search->steps[i];
  if (step->paths >= 0x1p53)
    return false;
  if ((i == 0 && !search->leads_itself) || rule->direction == QN_DIRECTION_PUSH)
    return true;
  if (rule->direction == QN_DIRECTION_PULL)
    return false;
  return rule->cache_bytes ? step->edges * search->accumulator_bytes <= rule->cache_bytes
                           : shares_push(of, step, rule->by_vertices);
}

/* ---- On a device ------------------------------------------------------------------------ */

/* A run whose request is told the direction of each iteration. */
struct led_run {
  const struct directions *of;
  const struct search *search;
  const struct rule *rule;
  struct qn_run_request request;
  struct qn_device_run device;
  bool strayed;
};

static void lead(void *user, const struct qn_iteration *iteration) {
  struct led_run *run = user;
  const unsigned i = iteration->iteration;
  run->strayed |=
      i >= run->search->num_steps || iteration->num_active != run->search->steps[i].active;
  if (i + 1 < run->search->num_steps)
    run->request.direction =
        pushes(run->of, run->search, run->rule, i + 1) ? QN_DIRECTION_PUSH : QN_DIRECTION_PULL;
}

/* Median seconds, or 0 where this is not measured. */
static enum qn_status time_rule(const struct directions *of, const struct search *search,
                                const struct rule *rule, double *seconds, struct qn_error *error) {
  const struct qn_kernel *kernel =
      qn_kernel_find(search->algorithm, QN_LAYOUT_BLOCKED_CSR, QN_CUDA, of->out->weights.type);
  double samples[MAX_TRIALS];
  struct led_run run = {.of = of, .search = search, .rule = rule};
  *seconds = 0;
  if (!kernel || (search->leads_itself && (rule->by_vertices || rule->cache_bytes)))
    return QN_OK;
  for (uint64_t trial = 0; trial < of->options->trials.count; trial++) {
    struct qn_run_result result;
    run.request = qn_run_request_for(kernel, of->view);
    run.request.inputs.sources = &of->source;
    run.request.inputs.num_sources = 1;
    run.request.delta = INFINITY; /* nobody waits: the rules are compared over the same iterations */
    run.device = (struct qn_device_run){.store = of->store};
    run.request.device = &run.device;
    if (search->leads_itself)
      run.request.direction = rule->direction;
    else
      run.request.hooks.on_iteration = lead, run.request.hooks.user = &run;
    enum qn_status status = kernel->run(&run.request, &result, error);
    if (status)
      return status;
    samples[trial] = run.device.report.figures.kernel_seconds;
    qn_run_result_destroy(&result);
    if (run.strayed)
      return qn_fail(error, QN_NEGATIVE, "%s by %s: the device has other active vertices",
                     search->algorithm, rule->name);
  }
  *seconds = median(samples, of->options->trials.count);
  return QN_OK;
}

/* ---- The table -------------------------------------------------------------------------- */

static enum qn_status report_rule(const struct directions *of, const struct search *search,
                                  const struct rule *rule, struct qn_error *error) {
  uint64_t pushed = 0, pulled = 0;
  char way[64] = "";
  double seconds = 0;
  for (unsigned i = 0; i < search->num_steps; i++) {
    const bool push = pushes(of, search, rule, i);
    *(push ? &pushed : &pulled) += push ? search->steps[i].edges : search->steps[i].pulled;
    if (i + 1 < sizeof way)
      way[i] = push ? '>' : '<', way[i + 1] = '\0';
  }
  enum qn_status status = of->store ? time_rule(of, search, rule, &seconds, error) : QN_OK;
  if (status)
    return status;
  trials_table(&of->options->trials, "%-6s %-12s %8llu %-20s %14llu %14llu %10.3f\n",
               search->algorithm, rule->name, (unsigned long long)rule->cache_bytes >> 10, way,
               (unsigned long long)pushed, (unsigned long long)pulled, 1e3 * seconds);
  json_array_append_new(
      of->rows,
      json_pack("{s:s, s:s, s:s, s:I, s:s, s:I, s:I, s:I, s:f}", "file", of->file, "algorithm",
                search->algorithm, "rule", rule->name, "cache_bytes", (json_int_t)rule->cache_bytes,
                "way", way, "edges", (json_int_t)of->out->num_edges, "pushed_edges",
                (json_int_t)pushed, "pulled_edges", (json_int_t)pulled, "seconds", seconds));
  return QN_OK;
}

static enum qn_status report(const struct directions *of, const struct search *searches,
                             unsigned num_searches, struct qn_error *error) {
  const uint64_t of_device[] = {of->l2_bytes / 8, of->l2_bytes, of->l2_bytes * 8};
  const uint64_t *caches = of->options->num_caches ? of->options->caches : of_device;
  const unsigned num_caches = of->options->num_caches ? of->options->num_caches : 3;
  struct rule rules[NUM_RULES] = {{"shares", QN_DIRECTION_AUTO, true, 0},
                                  {"edges", QN_DIRECTION_AUTO, false, 0},
                                  {"push", QN_DIRECTION_PUSH, false, 0},
                                  {"pull", QN_DIRECTION_PULL, false, 0}};
  enum qn_status status = QN_OK;
  for (unsigned i = 0; i < num_caches; i++)
    rules[4 + i] = (struct rule){"working set", QN_DIRECTION_AUTO, false, caches[i]};
  for (unsigned search = 0; search < num_searches; search++)
    for (unsigned rule = 0; rule < 4 + num_caches && !status; rule++)
      status = report_rule(of, &searches[search], &rules[rule], error);
  return status;
}

static enum qn_status search_all(const struct directions *of, struct qn_error *error) {
  struct search searches[] = {
      {"bfs", 4, false, NULL, 0}, {"sssp", 8, false, NULL, 0}, {"bc", 8, true, NULL, 0}};
  enum qn_status status = QN_OK;
  for (unsigned i = 0; i < 3 && !status; i++)
    status =
        qn_alloc(&searches[i].steps, MAX_STEPS, sizeof *searches[i].steps, "iterations", error);
  if (!status)
    status = search_levels(of, &searches[0], true, error);
  if (!status)
    status = search_distances(of, &searches[1], error);
  if (!status)
    status = search_levels(of, &searches[2], false, error);
  if (!status)
    status = report(of, searches, 3, error);
  for (unsigned i = 0; i < 3; i++)
    qn_free(searches[i].steps);
  return status;
}

/* Prepare what the searches walk; `made` is to be unmapped. */
static enum qn_status prepare(struct directions *of, struct qn_graph *made,
                              struct qn_error *error) {
  const struct qn_blocked_csr *view = of->view;
  const enum qn_weight_type type = view->pull.weights.type;
  if (!view->has_pull || view->num_vertices == 0 ||
      (type != QN_WEIGHT_NONE && type != QN_WEIGHT_F32 && type != QN_WEIGHT_U32))
    return qn_fail(error, QN_UNSUPPORTED,
                   "%s: pull blocks are wanted, of vertices, and weights of 32 bits, if any",
                   of->file);
  for (uint64_t v = 1; v < view->num_vertices; v++)
    if (view->out_degrees[v] > view->out_degrees[of->source])
      of->source = (uint32_t)v;
  of->out = view->has_out ? &view->out : &made->out;
  return view->has_out ? QN_OK : qn_blocked_csr_out_edges(view, made, error);
}

static enum qn_status bench_file(const void *user, const char *file, json_t *rows,
                                 struct qn_error *error) {
  const struct options *options = user;
  struct qn_run_input input;
  struct qn_placement placement = {0};
  struct qn_graph made = {0};
  struct qn_cuda_device device = {0};
  struct directions of = {.options = options, .file = file, .rows = rows};
  enum qn_status status = qn_run_input_open(file, false, &input, error);
  if (status)
    return status;
  if (input.info->layout != QN_LAYOUT_BLOCKED_CSR)
    status = qn_fail(error, QN_UNSUPPORTED, "%s is no blocked CSR; make it with quern-block", file);
  of.view = input.view;
  if (!status && qn_cuda_open(0, &device, error) == QN_OK)
    status = qn_placement_create(&input, NULL, &placement, error);
  else if (!status && options->num_caches == 0)
    status = error->status;
  of.store = placement.store;
  of.l2_bytes = device.l2_bytes;
  if (!status && of.store)
    of.view = placement.input.view;
  if (!status)
    status = prepare(&of, &made, error);
  trials_table(&options->trials, "\n%s\n%-6s %-12s %8s %-20s %14s %14s %10s\n", file, "", "rule",
               "KiB", "way", "pushed", "pulled", "ms");
  if (!status)
    status = search_all(&of, error);
  qn_graph_unmap(&made);
  qn_placement_destroy(&placement);
  qn_run_input_close(&input);
  return status;
}

enum key { KEY_CACHE = KEY_FREE };

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  if (key != KEY_CACHE)
    return trials_parse(key, argument, state, &options->trials);
  if (options->num_caches == MAX_CACHES)
    argp_error(state, "--cache: at most %d", MAX_CACHES);
  options->caches[options->num_caches++] = qn_option_size(state, "--cache", argument, 1);
  return 0;
}

int main(int argc, char **argv) {
  static const struct argp_option option_list[] = {
      TRIALS_OPTIONS,
      {"cache", KEY_CACHE, "BYTES", 0,
       "Of the working set, may be repeated (default: an eighth of the device's, it, eight times "
       "it)",
       0},
      {0}};
  static const struct argp_child children[] = {{&qn_tool_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {
      option_list, parse, "FILE...", "Compare rules for the direction of searches on blocked CSR.",
      children,    NULL,  NULL};
  struct options options = {0};
  qn_tool_parse("bench_directions", &argp, argc, argv, &options, &options.trials.shared);
  return trials_run(&options.trials, &options, bench_file);
}
