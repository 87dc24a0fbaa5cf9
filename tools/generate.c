/* quern-generate: synthetic graphs, as containers or as text. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/build/build.h"
#include "converters/build/build_estimate.h"
#include "converters/build_settings.h"
#include "converters/graph/generate.h"
#include "converters/provenance.h"
#include "converters/text/text_format.h"
#include "converters/text/text_output.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/memory_plan.h"
#include "support/options.h"
#include "support/output_stream.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"
#include "tools/build_options.h"
#include <quern/layouts.h>
#include <quern/metadata.h>

enum output_format { FORMAT_GRAPH, FORMAT_EDGES };

struct options {
  struct qn_tool_options shared;
  struct qn_build build;
  struct qn_generator generator;
  struct qn_memory_options memory;
  enum output_format format;
  const char *output;
  bool model_given, scale_given, degree_given, permute_given;
};

/* Edge numbers are shared out in parts. */
#define PART_SLOTS ((uint64_t)1 << 16)

/* By one thread, on the slow side. */
#define GENERATED_PER_SECOND 20e6

/* ---- Command line --------------------------------------------------------- */

enum {
  KEY_SCALE = 0x3201,
  KEY_DEGREE,
  KEY_SEED,
  KEY_WEIGHTS,
  KEY_FORMAT,
  KEY_PERMUTE,
  KEY_PROBABILITIES,
};

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "Write to FILE, - for standard output (required)", 1},
    {"scale", KEY_SCALE, "N", 0, "2^N vertices (required; at most 31)", 1},
    {"degree", KEY_DEGREE, "D", 0,
     "D edges a vertex on average (default: 16; grid: 4, or 8 with diagonals)", 1},
    {"seed", KEY_SEED, "S", 0, "Another seed gives another graph (default: 1)", 1},
    {"weights", KEY_WEIGHTS, "LO,HI", 0,
     "Uniformly random weights: whole numbers from LO to HI, or reals if either has a point", 1},
    {"permute", KEY_PERMUTE, "yes|no", 0,
     "Number the vertices randomly (default: yes for rmat, no for others)", 1},
    {"probabilities", KEY_PROBABILITIES, "A,B,C", 0, "Of rmat (default: 0.57,0.19,0.19)", 1},
    {"format", KEY_FORMAT, "graph|edges", 0,
     "A graph container, or a text edge list in the order of generation (default: graph)", 1},
    {0}};

static const char *const model_words[] = {"rmat", "uniform", "grid", NULL};
static const char *const format_words[] = {"graph", "edges", NULL};
static const char *const permute_words[] = {"no", "yes", NULL};

static void parse_probabilities(struct argp_state *state, const char *text,
                                struct qn_generator *generator) {
  int used = 0;
  if (sscanf(text, "%lf,%lf,%lf%n", &generator->a, &generator->b, &generator->c, &used) != 3 ||
      text[used])
    argp_error(state, "--probabilities: '%s' is not three numbers A,B,C", text);
}

static void finish_command_line(struct argp_state *state, struct options *options) {
  struct qn_generator *generator = &options->generator;
  struct qn_error error;
  if (!options->model_given)
    argp_error(state, "name a model: rmat, uniform or grid");
  if (!options->scale_given)
    argp_error(state, "say how large with --scale");
  if (!options->output)
    argp_error(state, "name the file to write with -o");
  if (!options->degree_given)
    generator->degree = generator->model == QN_MODEL_GRID ? 4 : 16;
  if (!options->permute_given)
    generator->permute = generator->model == QN_MODEL_RMAT;
  qn_tool_check_output(&options->shared, options->output, state);
  bool shaped = options->build.undirected || options->build.transpose ||
                options->build.self_loops || options->build.duplicates;
  if (options->format == FORMAT_EDGES && (options->memory.memory || options->memory.tmpdir))
    argp_error(state, "--memory and --tmpdir are for containers: text is written as it is made");
  if (options->format == FORMAT_EDGES && shaped)
    argp_error(state,
               "--undirected, --transpose, --self-loops and --duplicates are for containers");
  if (qn_generator_check(generator, &error) || qn_build_check(&options->build, &error))
    argp_error(state, "%s", error.message);
  options->build.num_vertices = (uint64_t)1 << generator->scale;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  struct qn_generator *generator = &options->generator;
  struct qn_error error;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &options->build;
    state->child_inputs[1] = &options->memory;
    state->child_inputs[2] = &options->shared;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case KEY_SCALE:
    generator->scale = (unsigned)qn_option_number(state, "--scale", argument, 0, QN_MAX_SCALE);
    options->scale_given = true;
    return 0;
  case KEY_DEGREE:
    generator->degree = qn_option_number(state, "--degree", argument, 0, UINT32_MAX);
    options->degree_given = true;
    return 0;
  case KEY_SEED:
    generator->seed = qn_option_number(state, "--seed", argument, 0, UINT64_MAX);
    return 0;
  case KEY_WEIGHTS:
    if (qn_random_weights_parse(argument, false, &generator->weights, &error))
      argp_error(state, "--weights: %s", error.message);
    return 0;
  case KEY_FORMAT:
    options->format =
        (enum output_format)qn_option_choice(state, "--format", format_words, argument);
    return 0;
  case KEY_PERMUTE:
    generator->permute = qn_option_choice(state, "--permute", permute_words, argument);
    options->permute_given = true;
    return 0;
  case KEY_PROBABILITIES:
    parse_probabilities(state, argument, generator);
    return 0;
  case ARGP_KEY_ARG:
    if (options->model_given)
      argp_error(state, "one model at a time; '%s' is too much", argument);
    generator->model = (enum qn_model)qn_option_choice(state, NULL, model_words, argument);
    options->model_given = true;
    return 0;
  case ARGP_KEY_END:
    finish_command_line(state, options);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char documentation[] =
    "Generate a graph of 2^N vertices.\v"
    "Models:\n"
    "  rmat     skewed degrees, as in social networks (R-MAT, as in Graph500)\n"
    "  uniform  both ends of every edge uniformly random\n"
    "  grid     a rectangle of points with edges to their neighbours, as of roads\n\n"
    "The same options give the same graph, whatever the number of threads. rmat and uniform make "
    "self loops and duplicates, as Graph500 does.\n\n"
    "Exit status: 0; 2 for a wrong command line or if FILE exists (see --force); 5 if writing or "
    "memory fails.\n\n"
    "Example, a clean undirected graph with weights:\n"
    "  quern-generate rmat --scale 20 --weights 1,255 --undirected \\\n"
    "    --self-loops=remove --duplicates=remove -o rmat20.qrn";

/* ---- A container ---------------------------------------------------------- */

static void push_edges(struct qn_edge_stream *stream, enum qn_weight_type type,
                       const struct qn_generated *edges, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    if (type == QN_WEIGHT_NONE)
      qn_edge_push(stream, edges[i].source, edges[i].destination);
    else
      qn_edge_push_weighted(stream, edges[i].source, edges[i].destination, type, edges[i].weight);
}

static enum qn_status fill_part(const struct qn_generator *generator, struct qn_edge_list *list,
                                uint64_t part, struct qn_error *error) {
  enum { BATCH = 1024 };
  struct qn_generated edges[BATCH];
  struct qn_edge_stream stream;
  uint64_t end = (part + 1) * PART_SLOTS, slots = qn_generator_slots(generator);
  end = end < slots ? end : slots;
  qn_edge_stream_open(&stream, list, part);
  for (uint64_t begin = part * PART_SLOTS; begin < end; begin += BATCH) {
    uint64_t next = end - begin < BATCH ? end : begin + BATCH;
    push_edges(&stream, generator->weights.type, edges, qn_generate(generator, begin, next, edges));
  }
  qn_progress_add(PART_SLOTS);
  return qn_edge_stream_close(&stream, error);
}

static enum qn_status fill_list(const struct qn_generator *generator, struct qn_edge_list *list,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t slots = qn_generator_slots(generator);
  qn_progress_begin("generating", "edges", slots);
#pragma omp parallel for schedule(dynamic)
  for (uint64_t part = 0; part < (slots + PART_SLOTS - 1) / PART_SLOTS; part++) {
    enum qn_status before;
    struct qn_error failure;
#pragma omp atomic read
    before = status;
    enum qn_status after = before ? before : fill_part(generator, list, part, &failure);
    if (!before && after) {
#pragma omp critical
      {
        *error = failure;
        status = after;
      }
    }
  }
  qn_progress_end();
  return status;
}

static enum qn_status record_options(const struct options *options, json_t *provenance,
                                     struct qn_error *error) {
  const struct qn_generator *generator = &options->generator;
  const struct qn_random_weights *weights = &generator->weights;
  enum qn_status status;
  if ((status = qn_provenance_option(provenance, "model",
                                     json_string(model_words[generator->model]), error)) ||
      (status = qn_provenance_option(provenance, "scale", json_integer(generator->scale), error)) ||
      (status = qn_provenance_option(provenance, "degree",
                                     json_integer((json_int_t)generator->degree), error)) ||
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

struct report {
  uint64_t num_vertices, num_edges;
  struct qn_container_info info; /* of a container */
  struct qn_ledger ledger;
  struct qn_memory_plan plan;
  json_t *provenance;
  double seconds;
};

static enum qn_status finish_container(struct qn_writer *writer, struct report *report,
                                       struct qn_error *error) {
  report->info = *qn_writer_info(writer);
  report->num_edges = report->info.num_edges;
  enum qn_status status = qn_ledger_check(&report->ledger, error);
  if (!status)
    status = qn_provenance_ledger(report->provenance, &report->ledger, error);
  return status ? status : qn_writer_metadata(writer, report->provenance, error);
}

static enum qn_status make_plan(const struct options *options, struct qn_memory_plan *plan,
                                struct qn_error *error) {
  uint64_t slots = qn_generator_slots(&options->generator);
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
  return qn_memory_plan_make(&options->memory, options->output, &estimate, plan, error);
}

static enum qn_status create_list(const struct options *options, const struct qn_memory_plan *plan,
                                  struct qn_edge_list **list, struct qn_error *error) {
  struct qn_spill_options spill = {.undirected = options->build.undirected,
                                   .ids = QN_SPILL_IDS_IGNORE};
  return plan->on_disk ? qn_edge_list_create_on_disk(&spill, list, error)
                       : qn_edge_list_create(list, error);
}

static enum qn_status generate_container(const struct options *options, struct report *report,
                                         struct qn_error *error) {
  struct qn_writer *writer = NULL;
  struct qn_edge_list *list = NULL;
  enum qn_status status = make_plan(options, &report->plan, error);
  if (!status)
    status = qn_writer_create(options->output, options->shared.force, &writer, error);
  if (!status)
    status = record_options(options, report->provenance, error);
  if (!status)
    status = create_list(options, &report->plan, &list, error);
  if (!status)
    status = fill_list(&options->generator, list, error);
  if (!status) {
    report->ledger.records = qn_edge_list_count(list);
    status = qn_build_graph(list, &options->build, writer, &report->ledger, error);
  }
  if (!status)
    status = finish_container(writer, report, error);
  if (!status) {
    status = qn_writer_commit(writer, error);
    writer = NULL;
  }
  qn_writer_abort(writer);
  qn_edge_list_destroy(list);
  return status;
}

/* ---- Text ----------------------------------------------------------------- */

struct text_job {
  const struct qn_generator *generator;
  uint64_t num_edges; /* atomic */
};

static char *put_edge(char *p, enum qn_weight_type type, const struct qn_generated *edge) {
  p = qn_put_u64(p, edge->source);
  *p++ = ' ';
  p = qn_put_u64(p, edge->destination);
  if (type != QN_WEIGHT_NONE) {
    float real;
    memcpy(&real, &edge->weight, sizeof real);
    *p++ = ' ';
    p = type == QN_WEIGHT_U32 ? qn_put_u64(p, edge->weight) : qn_put_f32(p, real);
  }
  *p++ = '\n';
  return p;
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  enum { BATCH = 1024 };
  struct text_job *job = (struct text_job *)context;
  const struct qn_generator *generator = job->generator;
  struct qn_generated edges[BATCH];
  uint64_t end = (part + 1) * PART_SLOTS, slots = qn_generator_slots(generator), made = 0;
  end = end < slots ? end : slots;
  for (uint64_t begin = part * PART_SLOTS; begin < end; begin += BATCH) {
    uint64_t next = end - begin < BATCH ? end : begin + BATCH;
    uint64_t count = qn_generate(generator, begin, next, edges);
    char *p = qn_text_buffer_reserve(buffer, count * 3 * (QN_MAX_NUMBER_TEXT + 1));
    if (!p)
      return;
    for (uint64_t i = 0; i < count; i++)
      p = put_edge(p, generator->weights.type, &edges[i]);
    qn_text_buffer_advance(buffer, p);
    made += count;
  }
#pragma omp atomic
  job->num_edges += made;
  qn_progress_add(PART_SLOTS);
}

static enum qn_status generate_text(const struct options *options, struct report *report,
                                    struct qn_error *error) {
  struct text_job job = {.generator = &options->generator};
  struct qn_text_output *output;
  uint64_t slots = qn_generator_slots(&options->generator);
  enum qn_status status =
      qn_text_output_create(options->output, options->shared.force, &output, error);
  if (status)
    return status;
  qn_progress_begin("generating", "edges", slots);
  status =
      qn_text_output_parts(output, (slots + PART_SLOTS - 1) / PART_SLOTS, format_part, &job, error);
  qn_progress_end();
  if (status) {
    qn_text_output_abort(output);
    return status;
  }
  report->num_edges = job.num_edges;
  return qn_text_output_commit(output, error);
}

/* ---- Report --------------------------------------------------------------- */

static enum qn_status print_json(const struct options *options, const struct report *report,
                                 struct qn_error *error) {
  json_t *json =
      json_pack("{s:o, s:o, s:I, s:I, s:f}", "output", qn_json_text(options->output), "estimate",
                qn_memory_plan_json(&report->plan), "vertices", (json_int_t)report->num_vertices,
                "edges", (json_int_t)report->num_edges, "seconds", report->seconds);
  return qn_provenance_print(json, report->provenance, error);
}

static void print_summary(const struct options *options, const struct report *report) {
  char vertices[32], edges[32], graph[QN_GRAPH_TEXT];
  FILE *stream = qn_beside_output(options->output);
  if (options->format == FORMAT_GRAPH) {
    fprintf(stream, "%s: %s, in %.2f s\n", options->output,
            qn_ledger_graph_text(&report->ledger, &report->info, graph), report->seconds);
    qn_ledger_print(&report->ledger, stream);
    return;
  }
  fprintf(stream, "%s: %s vertices, %s edges, in %.2f s\n", options->output,
          qn_count_text(report->num_vertices, vertices, sizeof vertices),
          qn_count_text(report->num_edges, edges, sizeof edges), report->seconds);
}

static enum qn_status run(const struct options *options, struct report *report,
                          struct qn_error *error) {
  double begun = qn_seconds();
  report->num_vertices = options->build.num_vertices;
  enum qn_status status = qn_provenance_create("quern-generate", &report->provenance, error);
  if (!status)
    status = options->format == FORMAT_GRAPH ? generate_container(options, report, error)
                                             : generate_text(options, report, error);
  if (status)
    return status;
  report->seconds = qn_seconds() - begun;
  if (options->shared.json)
    return print_json(options, report, error);
  if (!options->shared.quiet)
    print_summary(options, report);
  return QN_OK;
}

int main(int argc, char **argv) {
  static const struct argp_child children[] = {{&qn_build_argp, 0, NULL, 0},
                                               {&qn_memory_argp, 0, NULL, 0},
                                               {&qn_tool_output_argp, 0, NULL, 0},
                                               {0}};
  static const struct argp argp = {
      argp_options, parse_option, "rmat|uniform|grid", documentation, children, NULL, NULL};
  struct options options = {.generator = {.seed = 1, .a = 0.57, .b = 0.19, .c = 0.19}};
  struct report report = {0};
  struct qn_error error;
  qn_tool_parse("quern-generate", &argp, argc, argv, &options, &options.shared);
  qn_outputs_hold();
  enum qn_status status = run(&options, &report, &error);
  json_decref(report.provenance);
  return qn_tool_exit(status, &error);
}
