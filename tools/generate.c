/* quern-generate: synthetic graphs, as containers or as text. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/build_settings.h"
#include "converters/generate/run.h"
#include "converters/provenance.h"
#include "formats/container/figures.h"
#include "formats/set/files.h"
#include "formats/text/text_format.h"
#include "formats/text/text_output.h"
#include "support/atomic_file.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/memory_plan.h"
#include "support/options.h"
#include "support/output_stream.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/text/fold.h"
#include "support/text/terminal.h"
#include "support/threads.h"
#include "support/tool.h"
#include "tools/builder.h"
#include "tools/layout/making.h"
#include "tools/set_making.h"
#include <quern/layouts.h>

enum output_format { FORMAT_GRAPH, FORMAT_EDGES };

/* Of settings: for the generator, how to build, for a set. */
enum { NUM_TABLES = 3 };

struct options {
  struct qn_tool_options shared;
  struct qn_generate_options generate;
  struct qn_memory_options memory;
  struct qn_set_making making;
  enum output_format format;
  const char *output;
  struct qn_layout_making layout;
  bool model_given;
  struct qn_settings settings[NUM_TABLES];
};

/* Edge numbers are shared out in parts. */
#define PART_SLOTS ((uint64_t)1 << 16)

/* ---- Command line --------------------------------------------------------- */

enum { KEY_FORMAT = 0x3201 };

static const struct argp_option argp_options[] = {
    {"output", 'o', "FILE", 0, "Write to FILE, - for standard output (required)", 1},
    {"format", KEY_FORMAT, "graph|edges", 0,
     "A graph container, or a text edge list in the order of generation (default: graph)", 1},
    {0}};

static const char *const format_words[] = {"graph", "edges", NULL};

static void finish_command_line(struct argp_state *state, struct options *options) {
  const struct qn_build *build = &options->generate.build;
  struct qn_error error;
  if (!options->model_given)
    argp_error(state, "name a model: rmat, uniform, grid or powerlaw");
  if (!options->generate.scale_given && !options->generate.generator.num_vertices)
    argp_error(state, "say how large with --scale");
  if (!options->output)
    argp_error(state, "name the file to write with -o");
  qn_tool_check_output(&options->shared, options->output, state);
  bool shaped = build->undirected || build->transpose || build->self_loops || build->duplicates;
  if (options->format == FORMAT_EDGES && (options->memory.memory || options->memory.tmpdir))
    argp_error(state, "--memory and --tmpdir are for containers: text is written as it is made");
  if (options->format == FORMAT_EDGES && shaped)
    argp_error(state,
               "--undirected, --transpose, --self-loops and --duplicates are for containers");
  if (options->format == FORMAT_EDGES && options->layout.builder.tool)
    argp_error(state, "--layout is for containers");
  if (qn_generate_options_settle(&options->generate, &error))
    argp_error(state, "%s", error.message);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    for (int i = 0; i < NUM_TABLES; i++)
      state->child_inputs[i] = &options->settings[i];
    state->child_inputs[NUM_TABLES + 1] = &options->memory;
    state->child_inputs[NUM_TABLES + 2] = &options->layout;
    state->child_inputs[NUM_TABLES + 3] = &options->shared;
    return 0;
  case 'o':
    options->output = argument;
    return 0;
  case KEY_FORMAT:
    options->format =
        (enum output_format)qn_option_choice(state, "--format", format_words, argument);
    return 0;
  case ARGP_KEY_ARG:
    if (options->model_given)
      argp_error(state, "one model at a time; '%s' is too much", argument);
    options->generate.generator.model =
        (enum qn_model)qn_option_choice(state, NULL, qn_model_words, argument);
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
    "Generate a graph.\v"
    "Models:\n"
    "  rmat     skewed degrees, as in social networks (R-MAT, as in Graph500)\n"
    "  uniform  both endpoints of every edge uniformly random\n"
    "  grid     a rectangle of points with edges to their neighbours, like a road network\n"
    "  powerlaw endpoints drawn by a power law of degrees, of as many vertices and edges, and "
    "with as large a degree, as a graph that it stands for\n\n"
    "The same options give the same graph, whatever the number of threads. All but grid make "
    "self-loops and duplicates, as Graph500 does.\n\n"
    "Exit status: 0; 2 for a wrong command line or if FILE exists (see --force); 5 if writing or "
    "memory fails.\n\n"
    "Started by mpirun or srun as several ranks, each rank generates some of the edges, and "
    "together they write a set: the same files as with --parts alone.\n\n"
    "Example, a clean undirected graph with weights:\n"
    "  quern-generate rmat --scale 20 --weights 1,255 --undirected \\\n"
    "    --self-loops=remove --duplicates=remove -o rmat20.qrn\n"
    "One of the size and skew of a social network:\n"
    "  quern-generate powerlaw --vertices 4847571 --edges 68993773 \\\n"
    "    --max-degree 20333 -o twin.qrn";

/* ---- A container ---------------------------------------------------------- */

struct report {
  uint64_t num_vertices, num_edges;
  struct qn_generate_report container; /* of text: its provenance alone */
  json_t *layout;                      /* of what was made of the graph */
  double seconds;
};

static enum qn_status generate_set(const struct options *options, struct qn_generate_report *report,
                                   struct qn_error *error) {
  struct qn_part_building building = {options->layout.builder, options->memory};
  const struct qn_set_builder builder = {building.builder.tool, building.builder.layout,
                                         qn_build_part, &building};
  return qn_generate_set(&options->generate, &options->memory, "quern-generate",
                         options->making.ranks, &options->making.set,
                         building.builder.tool ? &builder : NULL, options->output,
                         options->shared.force, report, error);
}

static enum qn_status generate_layout(const struct options *options, struct report *report,
                                      struct qn_error *error) {
  struct qn_container *graph;
  enum qn_status status = qn_generate_run(&options->generate, &options->memory, "quern-generate",
                                          NULL, false, &report->container, &graph, error);
  return status ? status
                : qn_layout_making_build(&options->layout, &options->memory, graph, options->output,
                                         options->shared.force, report->layout, error);
}

static enum qn_status generate_container(const struct options *options, struct report *report,
                                         struct qn_error *error) {
  enum qn_status status = qn_layout_making_check(&options->layout, options->making.ranks, error);
  if (!status && options->making.ranks)
    status = generate_set(options, &report->container, error);
  else if (!status && options->layout.builder.tool)
    status = generate_layout(options, report, error);
  else if (!status)
    status =
        qn_generate_run(&options->generate, &options->memory, "quern-generate", options->output,
                        options->shared.force, &report->container, NULL, error);
  report->num_edges = report->container.info.num_edges;
  return status;
}

/* ---- Text ----------------------------------------------------------------- */

struct text_job {
  const struct qn_generator *generator;
  struct qn_generation *generation;
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
  enum { BATCH = 512 };
  struct text_job *job = (struct text_job *)context;
  const struct qn_generator *generator = job->generator;
  struct qn_generated edges[BATCH];
  uint64_t end = (part + 1) * PART_SLOTS, slots = qn_generator_slots(generator), made = 0;
  end = end < slots ? end : slots;
  for (uint64_t begin = part * PART_SLOTS; begin < end; begin += BATCH) {
    uint64_t next = end - begin < BATCH ? end : begin + BATCH;
    uint64_t count = qn_generate(job->generation, begin, next, edges);
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
  struct text_job job = {.generator = &options->generate.generator};
  struct qn_text_output *output;
  uint64_t slots = qn_generator_slots(&options->generate.generator);
  enum qn_status status =
      qn_provenance_create("quern-generate", &report->container.provenance, error);
  if (!status)
    status = qn_generation_create(job.generator, &job.generation, error);
  if (!status)
    status = qn_text_output_create(options->output, options->shared.force, &output, error);
  if (status) {
    qn_generation_destroy(job.generation);
    return status;
  }
  qn_progress_begin("generating", "edges", slots);
  status =
      qn_text_output_parts(output, (slots + PART_SLOTS - 1) / PART_SLOTS, format_part, &job, error);
  qn_progress_end();
  qn_generation_destroy(job.generation);
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
  json_t *json = json_pack("{s:o, s:o, s:I, s:I, s:f}", "output", qn_json_text(options->output),
                           "estimate", qn_memory_plan_json(&report->container.plan), "vertices",
                           (json_int_t)report->num_vertices, "edges", (json_int_t)report->num_edges,
                           "seconds", report->seconds);
  json_object_update(json, report->layout);
  qn_set_making_json(&options->making, report->container.set, json);
  return qn_provenance_print(json, report->container.provenance, error);
}

static void print_summary(const struct options *options, const struct report *report) {
  char vertices[32], edges[32], graph[QN_GRAPH_TEXT];
  struct qn_page page;
  FILE *stream = qn_page_begin(&page, qn_beside_output(options->output));
  if (options->format == FORMAT_GRAPH) {
    fprintf(stream, "%s: %s, in %.2f s\n", options->output,
            qn_ledger_graph_text(&report->container.ledger, &report->container.info, graph),
            report->seconds);
    qn_set_making_print(&options->making, report->container.set, stream);
    qn_ledger_print(&report->container.ledger, stream);
    if (json_object_size(report->layout))
      qn_figures_print(report->layout, qn_terminal_width(), stream);
  } else {
    fprintf(stream, "%s: %s vertices, %s edges, in %.2f s\n", options->output,
            qn_count_text(report->num_vertices, vertices, sizeof vertices),
            qn_count_text(report->num_edges, edges, sizeof edges), report->seconds);
  }
  qn_page_end(&page, 4);
}

static enum qn_status run(struct options *options, struct report *report, struct qn_error *error) {
  double begun = qn_seconds();
  report->num_vertices = options->generate.build.num_vertices;
  enum qn_status status = qn_set_making_begin(&options->making, &options->shared, error);
  if (!status && options->making.ranks && options->format == FORMAT_EDGES)
    status = qn_fail(error, QN_UNSUPPORTED,
                     "text is made by one process: generate it without --parts and mpirun");
  if (status)
    return status;
  status = options->format == FORMAT_GRAPH ? generate_container(options, report, error)
                                           : generate_text(options, report, error);
  if (status)
    return status;
  report->seconds = qn_seconds() - begun;
  if (options->shared.json)
    return print_json(options, report, error);
  if (!options->shared.quiet && qn_set_making_tells(&options->making))
    print_summary(options, report);
  return QN_OK;
}

int main(int argc, char **argv) {
  const struct argp generate_argp = qn_settings_argp(qn_generate_settings);
  const struct argp build_argp = qn_settings_argp(qn_build_settings);
  const struct argp set_argp = qn_settings_argp(qn_set_settings);
  const struct argp_child children[] = {{&generate_argp, 0, NULL, 0},
                                        {&build_argp, 0, NULL, 0},
                                        {&set_argp, 0, NULL, 0},
                                        {&qn_set_making_argp, 0, NULL, 0},
                                        {&qn_memory_argp, 0, NULL, 0},
                                        {&qn_layout_making_argp, 0, NULL, 0},
                                        {&qn_tool_output_argp, 0, NULL, 0},
                                        {0}};
  const struct argp argp = {argp_options,  parse_option, "rmat|uniform|grid|powerlaw",
                            documentation, children,     NULL,
                            NULL};
  struct options options = {.settings = {{qn_generate_settings, &options.generate},
                                         {qn_build_settings, &options.generate.build},
                                         {qn_set_settings, &options.making.set}},
                            .making.set.rows = QN_SET_ROWS_IN};
  struct report report = {.layout = json_object()};
  struct qn_error error;
  qn_generate_options_begin(&options.generate);
  qn_tool_parse("quern-generate", &argp, argc, argv, &options, &options.shared);
  qn_outputs_hold();
  enum qn_status status = run(&options, &report, &error);
  json_decref(report.container.provenance);
  json_decref(report.layout);
  qn_set_close(report.container.set);
  return qn_set_making_end(status, &error);
}
