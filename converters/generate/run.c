#include "converters/generate/run.h"

#include <inttypes.h>
#include <stdio.h>

#include "converters/build/build_estimate.h"
#include "converters/build_settings.h"
#include "converters/distributed/distributed.h"
#include "converters/generate/blocks.h"
#include "converters/provenance.h"
#include "support/context.h"
#include "support/progress.h"
#include "support/threads.h"
#include <quern/metadata.h>

/* Edge numbers are shared out in parts. */
#define PART_SLOTS ((uint64_t)1 << 16)

/* By one thread, on the slow side. */
#define GENERATED_PER_SECOND 20e6

/* ---- Options --------------------------------------------------------------- */

const char *const qn_model_words[] = {"rmat", "uniform", "grid", "powerlaw", NULL};
static const char *const permute_words[] = {"no", "yes", NULL};

static enum qn_status set_scale(void *target, const char *text, struct qn_error *error) {
  struct qn_generate_options *options = target;
  uint64_t scale = 0;
  enum qn_status status = qn_whole_parse(text, 0, QN_MAX_WIDE_SCALE, &scale, error);
  options->generator.scale = (unsigned)scale;
  options->scale_given = true;
  return status;
}

static enum qn_status set_degree(void *target, const char *text, struct qn_error *error) {
  struct qn_generate_options *options = target;
  options->degree_given = true;
  return qn_whole_parse(text, 0, UINT32_MAX, &options->generator.degree, error);
}

static enum qn_status set_weights(void *target, const char *text, struct qn_error *error) {
  struct qn_generate_options *options = target;
  return qn_random_weights_parse(text, false, &options->generator.weights, error);
}

static enum qn_status set_permute(void *target, const char *text, struct qn_error *error) {
  struct qn_generate_options *options = target;
  int chosen = 0;
  enum qn_status status = qn_word_parse(permute_words, text, &chosen, error);
  options->generator.permute = chosen == 1;
  options->permute_given = true;
  return status;
}

static enum qn_status set_exponent(void *target, const char *text, struct qn_error *error) {
  struct qn_generate_options *options = target;
  options->law_given = true;
  return qn_amount_parse(text, &options->generator.exponent, error);
}

static enum qn_status set_max_degree(void *target, const char *text, struct qn_error *error) {
  struct qn_generate_options *options = target;
  options->law_given = true;
  return qn_whole_parse(text, 1, (uint64_t)1 << 40, &options->generator.max_degree, error);
}

static enum qn_status set_probabilities(void *target, const char *text, struct qn_error *error) {
  struct qn_generator *generator = &((struct qn_generate_options *)target)->generator;
  int used = 0;
  if (sscanf(text, "%lf,%lf,%lf%n", &generator->a, &generator->b, &generator->c, &used) != 3 ||
      text[used])
    return qn_fail(error, QN_USAGE, "'%s' is not three numbers A,B,C", text);
  return QN_OK;
}

#define FIELD(name) offsetof(struct qn_generate_options, name)
const struct qn_setting qn_generate_settings[] = {
    {"scale", QN_SETTING_OWN, .set = set_scale, .argument = "N", .group = 1,
     .help = "2^N vertices (required; at most 31, or 40 with --block-vertices)"},
    {"vertices", QN_SETTING_NUMBER, FIELD(generator.num_vertices), .least = 1,
     .most = (uint64_t)1 << QN_MAX_SCALE, .argument = "V", .group = 1,
     .help = "V vertices, any number, in place of --scale; of powerlaw"},
    {"degree", QN_SETTING_OWN, .set = set_degree, .argument = "D", .group = 1,
     .help = "D edges a vertex on average (default: 16; grid: 4, or 8 with diagonals)"},
    {"edges", QN_SETTING_NUMBER, FIELD(generator.num_edges), .least = 1, .most = (uint64_t)1 << 40,
     .argument = "E", .group = 1, .help = "E edges in all, in place of --degree; not of grids"},
    {"seed", QN_SETTING_NUMBER, FIELD(generator.seed), .most = UINT64_MAX, .argument = "S",
     .group = 1, .help = "Another seed gives another graph (default: 1)"},
    {"weights", QN_SETTING_OWN, .set = set_weights, .argument = "LO,HI", .group = 1,
     .help = "Uniformly random weights: integers from LO to HI, or reals if either has a decimal "
             "point"},
    {"permute", QN_SETTING_OWN, .words = permute_words, .set = set_permute, .argument = "yes|no",
     .group = 1, .help = "Number the vertices randomly (default: yes for rmat and powerlaw)"},
    {"probabilities", QN_SETTING_OWN, .set = set_probabilities, .argument = "A,B,C", .group = 1,
     .help = "Of rmat (default: 0.57,0.19,0.19)"},
    {"exponent", QN_SETTING_OWN, .set = set_exponent, .argument = "G", .group = 1,
     .help = "Of powerlaw: vertices of degree D become fewer as D^-G (default: 2.5)"},
    {"max-degree", QN_SETTING_OWN, .set = set_max_degree, .argument = "D", .group = 1,
     .help = "Of powerlaw: edges from the largest vertex, and to it, on average over seeds "
             "(default: by Zipf's law)"},
    {0}};

void qn_generate_options_begin(struct qn_generate_options *options) {
  *options = (struct qn_generate_options){
      .generator = {.seed = 1, .a = 0.57, .b = 0.19, .c = 0.19, .exponent = 2.5}};
}

enum qn_status qn_generate_options_settle(struct qn_generate_options *options,
                                          struct qn_error *error) {
  struct qn_generator *generator = &options->generator;
  if (options->scale_given ? generator->num_vertices > 0 : !generator->num_vertices)
    return qn_fail(error, QN_USAGE, "say how large with %s",
                   options->scale_given ? "either --scale or --vertices" : "--scale");
  if (options->law_given && generator->model != QN_MODEL_POWER_LAW)
    return qn_fail(error, QN_USAGE, "--exponent and --max-degree are of powerlaw");
  if (generator->num_edges && options->degree_given)
    return qn_fail(error, QN_USAGE, "--edges is in place of --degree: give one of them");
  if (!options->degree_given)
    generator->degree = generator->model == QN_MODEL_GRID ? 4 : 16;
  if (!options->permute_given)
    generator->permute =
        generator->model == QN_MODEL_RMAT || generator->model == QN_MODEL_POWER_LAW;
  enum qn_status status = qn_generator_check(generator, error);
  if (!status)
    status = qn_build_check(&options->build, error);
  options->build.num_vertices = qn_generator_vertices(generator);
  return status;
}

/* ---- Edges ----------------------------------------------------------------- */

static void push_edges(struct qn_edge_stream *stream, enum qn_weight_type type,
                       const struct qn_generated *edges, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    if (type == QN_WEIGHT_NONE)
      qn_edge_push(stream, edges[i].source, edges[i].destination);
    else
      qn_edge_push_weighted(stream, edges[i].source, edges[i].destination, type, edges[i].weight);
}

static enum qn_status fill_part(const struct qn_generator *generator,
                                const struct qn_generation *generation, struct qn_edge_list *list,
                                uint64_t part, struct qn_error *error) {
  enum { BATCH = 512 };
  struct qn_generated edges[BATCH];
  struct qn_edge_stream stream;
  uint64_t end = (part + 1) * PART_SLOTS, slots = qn_generator_slots(generator);
  end = end < slots ? end : slots;
  qn_edge_stream_open(&stream, list, part);
  for (uint64_t begin = part * PART_SLOTS; begin < end; begin += BATCH) {
    uint64_t next = end - begin < BATCH ? end : begin + BATCH;
    push_edges(&stream, generator->weights.type, edges,
               qn_generate(generation, begin, next, edges));
  }
  qn_progress_add(PART_SLOTS);
  return qn_edge_stream_close(&stream, error);
}

/* The parts of rank `rank` of `num_ranks`, one behind the other. */
static enum qn_status fill_list(const struct qn_generator *generator, unsigned rank,
                                unsigned num_ranks, struct qn_edge_list *list,
                                struct qn_error *error) {
  struct qn_generation *generation;
  enum qn_status status = qn_generation_create(generator, &generation, error);
  uint64_t slots = qn_generator_slots(generator), first, end;
  if (status)
    return status;
  qn_part_of((slots + PART_SLOTS - 1) / PART_SLOTS, num_ranks, rank, &first, &end);
  qn_progress_begin("generating", "edges", slots / num_ranks);
#pragma omp parallel for schedule(dynamic)
  for (uint64_t part = first; part < end; part++) {
    enum qn_status before;
    struct qn_error failure;
#pragma omp atomic read
    before = status;
    enum qn_status after = before ? before : qn_context_check(&failure);
    if (!after)
      after = fill_part(generator, generation, list, part, &failure);
    if (!before && after) {
#pragma omp critical
      {
        *error = failure;
        status = after;
      }
    }
  }
  qn_progress_end();
  qn_generation_destroy(generation);
  return status;
}

/* Of a graph that is built as a whole. */
static enum qn_status check_scale(const struct qn_generate_options *options,
                                  struct qn_error *error) {
  return options->generator.scale <= QN_MAX_SCALE
             ? QN_OK
             : qn_fail(error, QN_USAGE,
                       "scale %u is more than %d: only sets of blocks (--block-vertices) have so "
                       "many vertices, made by one process, directed, without weights and with "
                       "all loops and duplicates",
                       options->generator.scale, QN_MAX_SCALE);
}

/* ---- A container ----------------------------------------------------------- */

static enum qn_status record_options(const struct qn_generate_options *options, json_t *provenance,
                                     struct qn_error *error) {
  const struct qn_generator *generator = &options->generator;
  const struct qn_random_weights *weights = &generator->weights;
  enum qn_status status;
  if ((status = qn_provenance_option(provenance, "model",
                                     json_string(qn_model_words[generator->model]), error)) ||
      (status = qn_provenance_option(
           provenance, generator->num_vertices ? "vertices" : "scale",
           json_integer(
               (json_int_t)(generator->num_vertices ? generator->num_vertices : generator->scale)),
           error)) ||
      (status = qn_provenance_option(
           provenance, generator->num_edges ? "edges" : "degree",
           json_integer(
               (json_int_t)(generator->num_edges ? generator->num_edges : generator->degree)),
           error)) ||
      (status = qn_provenance_option(provenance, "seed", json_sprintf("%" PRIu64, generator->seed),
                                     error)) ||
      (status =
           qn_provenance_option(provenance, "permute", json_boolean(generator->permute), error)) ||
      (status = qn_provenance_build(provenance, &options->build, error)))
    return status;
  if (generator->model == QN_MODEL_RMAT &&
      (status = qn_provenance_option(provenance, "probabilities",
                                     json_pack("[f,f,f]", generator->a, generator->b, generator->c),
                                     error)))
    return status;
  if (generator->model == QN_MODEL_POWER_LAW &&
      (status =
           qn_provenance_option(provenance, "exponent", json_real(generator->exponent), error)))
    return status;
  if (generator->max_degree &&
      (status = qn_provenance_option(provenance, "max-degree",
                                     json_integer((json_int_t)generator->max_degree), error)))
    return status;
  if (weights->type == QN_WEIGHT_U32)
    return qn_provenance_option(
        provenance, "weights",
        json_pack("[I,I]", (json_int_t)weights->low_whole, (json_int_t)weights->high_whole), error);
  if (weights->type == QN_WEIGHT_F32)
    return qn_provenance_option(provenance, "weights",
                                json_pack("[f,f]", (double)weights->low, (double)weights->high),
                                error);
  return QN_OK;
}

/* By `shares` ranks, each of which keeps edges twice: those that it makes, and those of its rows;
 * or block by block, if `blocks` says how they are cut. */
static enum qn_status make_plan(const struct qn_generate_options *options,
                                const struct qn_memory_options *memory, const char *output,
                                unsigned shares, const struct qn_set_options *blocks, bool packed,
                                struct qn_memory_plan *plan, struct qn_error *error) {
  uint64_t slots = qn_generator_slots(&options->generator);
  if (shares)
    slots = slots / shares * 2 + 2;
  struct qn_expected_edges edges = {
      .num_edges = slots,
      .most_edges = slots,
      .num_vertices = options->build.num_vertices,
      .weight_bytes = qn_weight_bytes(options->generator.weights.type),
      .most_weight_bytes = qn_weight_bytes(options->generator.weights.type),
      .given_vertices = true,
      .seconds_to_read = (double)slots / GENERATED_PER_SECOND / qn_threads(),
  };
  struct qn_work_estimate estimate = qn_build_estimate(&options->build, &edges);
  if (blocks)
    qn_generate_blocks_estimate(options, blocks, packed, &estimate);
  return qn_memory_plan_make(memory, output, &estimate, plan, error);
}

static enum qn_status create_list(const struct qn_generate_options *options,
                                  const struct qn_memory_plan *plan, struct qn_edge_list **list,
                                  struct qn_error *error) {
  struct qn_spill_options spill = {.undirected = options->build.undirected,
                                   .ids = QN_SPILL_IDS_IGNORE};
  return plan->on_disk ? qn_edge_list_create_on_disk(&spill, list, error)
                       : qn_edge_list_create(list, error);
}

static enum qn_status finish(struct qn_writer *writer, struct qn_generate_report *report,
                             struct qn_error *error) {
  report->info = *qn_writer_info(writer);
  enum qn_status status = qn_ledger_check(&report->ledger, error);
  if (!status)
    status = qn_provenance_ledger(report->provenance, &report->ledger, error);
  return status ? status : qn_writer_metadata(writer, report->provenance, error);
}

enum qn_status qn_generate_run(const struct qn_generate_options *options,
                               const struct qn_memory_options *memory, const char *tool,
                               const char *path, bool replace, struct qn_generate_report *report,
                               struct qn_container **out, struct qn_error *error) {
  struct qn_writer *writer = NULL;
  struct qn_edge_list *list = NULL;
  *report = (struct qn_generate_report){0};
  enum qn_status status = qn_provenance_create(tool, &report->provenance, error);
  if (!status)
    status = check_scale(options, error);
  if (!status)
    status = make_plan(options, memory, path, 0, NULL, false, &report->plan, error);
  if (!status)
    status = qn_writer_create(path, replace, &writer, error);
  if (!status)
    status = record_options(options, report->provenance, error);
  if (!status)
    status = create_list(options, &report->plan, &list, error);
  if (!status)
    qn_build_expect(list, &options->build, writer);
  if (!status)
    status = fill_list(&options->generator, 0, 1, list, error);
  if (!status) {
    report->ledger.records = qn_edge_list_count(list);
    status = qn_build_graph(list, &options->build, writer, &report->ledger, error);
  }
  if (!status)
    status = finish(writer, report, error);
  qn_edge_list_destroy(list);
  if (!status)
    status = qn_context_check(error);
  return qn_writer_end(writer, status, path, out, error);
}

/* ---- A set ------------------------------------------------------------------- */

static enum qn_status write_set_metadata(void *context, struct qn_writer *writer,
                                         struct qn_error *error) {
  struct qn_generate_report *report = context;
  enum qn_status status = qn_provenance_ledger(report->provenance, &report->ledger, error);
  return status ? status : qn_writer_metadata(writer, report->provenance, error);
}

/* Ranks that keep edges elsewhere would not understand one another. */
static enum qn_status check_plans(const struct qn_collective *ranks,
                                  const struct qn_memory_plan *plan, struct qn_error *error) {
  uint64_t places[] = {plan->on_disk, !plan->on_disk};
  enum qn_status status = ranks->combine(places, 2, QN_COMBINE_MOST, error);
  return status || !(places[0] && places[1])
             ? status
             : qn_fail(error, QN_USAGE,
                       "some ranks sort in memory and some on disk: give all the same --memory");
}

static enum qn_status write_blocks_metadata(const void *context, struct qn_writer *writer,
                                            struct qn_error *error) {
  return write_set_metadata((void *)context, writer, error);
}

static enum qn_status generate_blocks(const struct qn_generate_options *options,
                                      const struct qn_set_options *set,
                                      const struct qn_set_builder *builder, const char *path,
                                      bool replace, struct qn_generate_report *report,
                                      struct qn_error *error) {
  const struct qn_generate_blocks_job job = {.options = options,
                                             .set = set,
                                             .builder = builder,
                                             .path = path,
                                             .replace = replace,
                                             .write_metadata = write_blocks_metadata,
                                             .context = report};
  enum qn_status status = qn_generate_blocks(&job, &report->ledger, &report->set, error);
  if (!status)
    report->info = qn_set_info(report->set);
  return status;
}

enum qn_status qn_generate_set(const struct qn_generate_options *options,
                               const struct qn_memory_options *memory, const char *tool,
                               const struct qn_collective *ranks, const struct qn_set_options *set,
                               const struct qn_set_builder *builder, const char *path, bool replace,
                               struct qn_generate_report *report, struct qn_error *error) {
  struct qn_edge_list *list = NULL;
  const bool by_blocks = ranks->num_ranks == 1 && qn_generate_takes_blocks(options, set);
  *report = (struct qn_generate_report){0};
  enum qn_status status = qn_provenance_create(tool, &report->provenance, error);
  if (!status && builder && !by_blocks)
    status = qn_fail(
        error, QN_USAGE,
        "--layout packed is for --block-vertices, by one process, of a directed graph without "
        "weights of which all edges are kept; quern-pack packs any set");
  if (!status)
    status = make_plan(options, memory, path, ranks->num_ranks, by_blocks ? set : NULL,
                       builder != NULL, &report->plan, error);
  if (!status)
    status = check_plans(ranks, &report->plan, error);
  if (!status)
    status = record_options(options, report->provenance, error);
  if (!status && by_blocks)
    return generate_blocks(options, set, builder, path, replace, report, error);
  if (!status)
    status = check_scale(options, error);
  if (!status)
    status = create_list(options, &report->plan, &list, error);
  if (!status)
    status = fill_list(&options->generator, ranks->rank, ranks->num_ranks, list, error);
  if (!status) {
    const struct qn_distributed_job job = {.ranks = ranks,
                                           .list = list,
                                           .build = &options->build,
                                           .set = set,
                                           .path = path,
                                           .replace = replace,
                                           .write_metadata = write_set_metadata,
                                           .context = report};
    report->ledger.records = qn_edge_list_count(list);
    status = qn_distributed(&job, &report->ledger, &report->set, error);
  }
  if (!status)
    report->info = qn_set_info(report->set);
  qn_edge_list_destroy(list);
  return status ? status : qn_context_check(error);
}
