/* WebGraph's compressed graphs: NAME.graph with the lists of successors as BVGraph codes them,
 * NAME.offsets with the lengths of their codes, and NAME.properties that describes them.
 *
 * A reference may lead to a list that has one itself, but chains of them are bounded: what is best
 * for a list depends on the lists before it. So rounds of parts of the graph are measured by all
 * threads, with all references that are possible; one thread chooses; and all write. The bytes are
 * those of one thread that goes through the whole graph. Weights become labels, where they can. */
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>

#include "converters/arrays/bit_stream.h"
#include "converters/arrays/bv_encode.h"
#include "converters/output/losses.h"
#include "converters/output/output_folder.h"
#include "converters/output/writer.h"
#include "converters/writers/webgraph_labels.h"
#include "formats/graph/statistics.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"

/* Edges and vertices of a part, parts of a round. */
#define PART_WORK ((uint64_t)8 << 10)
#define ROUND_PARTS 128

/* Lists of a list and those in the window before it. */
#define LISTS (QN_BV_WINDOW + 1)

/* ---- What is written ------------------------------------------------------ */

struct part {
  uint64_t first, end;                 /* vertices */
  uint64_t graph_begin, offsets_begin; /* bits in the streams' bytes */
};

struct thread {
  struct qn_bv_encoder encoder;
  struct qn_bv_list *lists; /* of a part and of the window before it */
  uint64_t lists_capacity;
  uint32_t *unique; /* ids of lists that have some more than once */
  uint64_t unique_capacity;
  enum qn_status status;
  struct qn_error error;
};

struct job {
  const struct qn_csr *csr;
  bool has_parallel;
  struct part parts[ROUND_PARTS];
  uint64_t num_parts, first; /* of the round; its first vertex */
  uint64_t (*bits)[LISTS];   /* of each vertex of a round, by reference */
  uint8_t *backs;            /* the reference that was chosen */
  uint8_t chains[LISTS];     /* how many references follow each other, of the last vertices */
  struct qn_bit_stream graph, offsets;
  struct thread *threads;
  uint64_t arcs, distances, references; /* sums: of lists, of references, of chains */
};

/* ---- Lists of a part ------------------------------------------------------ */

static enum qn_status reserve_lists(struct thread *thread, uint64_t count, uint64_t num_edges) {
  enum qn_status status = QN_OK;
  if (count > thread->lists_capacity) {
    status = qn_realloc(&thread->lists, count, sizeof *thread->lists, "lists", &thread->error);
    thread->lists_capacity = status ? thread->lists_capacity : count;
  }
  if (!status && num_edges > thread->unique_capacity) {
    status = qn_realloc(&thread->unique, num_edges, sizeof *thread->unique, "lists without repeats",
                        &thread->error);
    thread->unique_capacity = status ? thread->unique_capacity : num_edges;
  }
  return status;
}

static uint64_t copy_unique(const uint32_t *ids, uint64_t count, uint32_t *unique) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < count; i++) {
    unique[kept] = ids[i];
    kept += i + 1 == count || ids[i + 1] != ids[i];
  }
  return kept;
}

/* The list of the part's first vertex, before which are those of the window. */
static const struct qn_bv_list *take_lists(const struct job *job, const struct part *part,
                                           struct thread *thread) {
  const struct qn_csr *csr = job->csr;
  uint64_t begin = part->first < QN_BV_WINDOW ? 0 : part->first - QN_BV_WINDOW;
  uint64_t at = csr->row_offsets[begin], num_edges = csr->row_offsets[part->end] - at;
  thread->status = reserve_lists(thread, part->end - begin, job->has_parallel ? num_edges : 0);
  if (thread->status)
    return NULL;
  uint32_t *unique = thread->unique;
  for (uint64_t v = begin; v < part->end; v++) {
    uint64_t edge = csr->row_offsets[v];
    struct qn_bv_list list = {csr->column_indices + edge, csr->row_offsets[v + 1] - edge};
    if (job->has_parallel) {
      list.count = copy_unique(list.ids, list.count, unique);
      list.ids = unique;
      unique += list.count;
    }
    thread->lists[v - begin] = list;
  }
  return thread->lists + (part->first - begin);
}

/* ---- Measuring, choosing, coding ------------------------------------------ */

static unsigned window_of(uint64_t vertex) {
  return vertex < QN_BV_WINDOW ? (unsigned)vertex : QN_BV_WINDOW;
}

static void measure_part(struct job *job, struct part *part, struct thread *thread) {
  const struct qn_bv_list *lists = take_lists(job, part, thread);
  for (uint64_t v = part->first; v < part->end && !thread->status; v++)
    thread->status = qn_bv_measure(&thread->encoder, v, lists + (v - part->first), window_of(v),
                                   job->bits[v - job->first], &thread->error);
}

/* The reference that saves most, the nearest of them. */
static unsigned choose_reference(const struct job *job, uint64_t vertex) {
  const uint64_t *bits = job->bits[vertex - job->first];
  unsigned best = 0;
  for (unsigned back = 1; back <= window_of(vertex); back++)
    if (bits[back] < bits[best] && job->chains[(vertex - back) % LISTS] < QN_BV_LONGEST_CHAIN)
      best = back;
  return best;
}

static void choose_part(struct job *job, struct part *part) {
  part->graph_begin = job->graph.end;
  part->offsets_begin = job->offsets.end;
  for (uint64_t v = part->first; v < part->end; v++) {
    unsigned back = choose_reference(job, v);
    uint64_t bits = job->bits[v - job->first][back];
    uint8_t chain = back ? (uint8_t)(job->chains[(v - back) % LISTS] + 1) : 0;
    job->backs[v - job->first] = (uint8_t)back;
    job->chains[v % LISTS] = chain;
    job->distances += back;
    job->references += chain;
    job->graph.end += bits;
    job->offsets.end += qn_gamma_bits(bits);
  }
}

static void code_part(struct job *job, struct part *part, struct thread *thread) {
  const struct qn_bv_list *lists = take_lists(job, part, thread);
  struct qn_bit_writer graph = qn_bit_writer_at(job->graph.bytes, part->graph_begin);
  struct qn_bit_writer offsets = qn_bit_writer_at(job->offsets.bytes, part->offsets_begin);
  uint64_t arcs = 0;
  for (uint64_t v = part->first; v < part->end && !thread->status; v++) {
    const struct qn_bv_list *list = lists + (v - part->first);
    unsigned back = job->backs[v - job->first];
    qn_put_gamma(&offsets, job->bits[v - job->first][back]);
    thread->status = qn_bv_put(&thread->encoder, v, list, back, &graph, &thread->error);
    arcs += list->count;
  }
  qn_bit_writer_end(&graph);
  qn_bit_writer_end(&offsets);
  __atomic_fetch_add(&job->arcs, arcs, __ATOMIC_RELAXED);
  qn_progress_add(part->end - part->first);
}

/* All threads do parts of the round. */
static enum qn_status each_part(struct job *job,
                                void (*work)(struct job *, struct part *, struct thread *),
                                struct qn_error *error) {
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t i = 0; i < job->num_parts; i++) {
    struct thread *thread = &job->threads[omp_get_thread_num()];
    if (!thread->status)
      work(job, &job->parts[i], thread);
  }
  for (unsigned i = 0; i < qn_threads(); i++)
    if (job->threads[i].status) {
      *error = job->threads[i].error;
      return job->threads[i].status;
    }
  return QN_OK;
}

/* ---- Rounds --------------------------------------------------------------- */

/* The first vertex, not before `least`, with so many edges and vertices before it. */
static uint64_t vertex_at(const struct qn_csr *csr, uint64_t least, uint64_t work) {
  uint64_t most = csr->num_vertices;
  while (least < most) {
    uint64_t middle = least + (most - least) / 2;
    if (csr->row_offsets[middle] + middle < work)
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}

static void cut_round(struct job *job, uint64_t first) {
  const struct qn_csr *csr = job->csr;
  job->first = first;
  job->num_parts = 0;
  while (job->num_parts < ROUND_PARTS && first < csr->num_vertices) {
    struct part *part = &job->parts[job->num_parts++];
    part->first = first;
    part->end = vertex_at(csr, first + 1, csr->row_offsets[first] + first + PART_WORK);
    first = part->end;
  }
}

static enum qn_status do_round(struct job *job, struct qn_error *error) {
  enum qn_status status = each_part(job, measure_part, error);
  for (uint64_t i = 0; i < job->num_parts && !status; i++)
    choose_part(job, &job->parts[i]);
  if (!status)
    status = qn_bit_stream_make_room(&job->graph, error);
  if (!status)
    status = qn_bit_stream_make_room(&job->offsets, error);
  if (!status)
    status = each_part(job, code_part, error);
  if (!status)
    status = qn_bit_stream_write(&job->graph, error);
  return status ? status : qn_bit_stream_write(&job->offsets, error);
}

static enum qn_status do_rounds(struct job *job, struct qn_error *error) {
  enum qn_status status = qn_bit_stream_make_room(&job->graph, error);
  if (!status)
    status = qn_bit_stream_begin_lengths(&job->offsets, error);
  qn_progress_begin("writing", "vertices", job->csr->num_vertices);
  for (uint64_t v = 0; v < job->csr->num_vertices && !status;) {
    cut_round(job, v);
    status = do_round(job, error);
    v = job->parts[job->num_parts - 1].end;
  }
  qn_progress_end();
  if (!status)
    status = qn_bit_stream_end(&job->graph, error);
  return status ? status : qn_bit_stream_end(&job->offsets, error);
}

/* A part has no more vertices than work, or one. */
static enum qn_status code_graph(struct job *job, struct qn_error *error) {
  const uint64_t most = (PART_WORK + 1) * ROUND_PARTS;
  uint64_t count = job->csr->num_vertices < most ? job->csr->num_vertices : most;
  enum qn_status status =
      qn_alloc_zeroed(&job->threads, qn_threads(), sizeof *job->threads, "threads", error);
  if (!status)
    status = qn_alloc(&job->backs, count, sizeof *job->backs, "references", error);
  if (!status)
    status = qn_pages_alloc(&job->bits, count, sizeof *job->bits, "lengths of lists", error);
  if (!status)
    status = do_rounds(job, error);
  for (unsigned i = 0; job->threads && i < qn_threads(); i++) {
    qn_bv_encoder_free(&job->threads[i].encoder);
    qn_free(job->threads[i].lists);
    qn_free(job->threads[i].unique);
  }
  qn_pages_free(job->bits, count, sizeof *job->bits);
  qn_free(job->backs);
  qn_free(job->threads);
  qn_free(job->graph.bytes);
  qn_free(job->offsets.bytes);
  return status;
}

/* ---- Files ---------------------------------------------------------------- */

/* The numbers of nodes that do not fit into an i32 are those of WebGraph's larger sister. */
static void print_properties(FILE *text, const char *name, const void *context) {
  const struct job *job = context;
  (void)name;
  double nodes = (double)job->csr->num_vertices, arcs = (double)job->arcs;
  double bits = (double)qn_bit_stream_bits(&job->graph);
  fprintf(text, "#BVGraph properties\ngraphclass=it.unimi.dsi.%swebgraph.BVGraph\nversion=0\n",
          job->csr->num_vertices > INT32_MAX ? "big." : "");
  fprintf(text, "nodes=%" PRIu64 "\narcs=%" PRIu64 "\n", job->csr->num_vertices, job->arcs);
  fprintf(text, "windowsize=%d\nmaxrefcount=%d\nminintervallength=%d\nzetak=%d\n", QN_BV_WINDOW,
          QN_BV_LONGEST_CHAIN, QN_BV_LEAST_INTERVAL, QN_BV_ZETA);
  fprintf(text, "compressionflags=\n");
  if (job->arcs)
    fprintf(text, "bitsperlink=%.3f\n", bits / arcs);
  if (job->csr->num_vertices)
    fprintf(text, "bitspernode=%.3f\navgref=%.3f\navgdist=%.3f\n", bits / nodes,
            (double)job->references / nodes, (double)job->distances / nodes);
}

static enum qn_status write_webgraph(const struct qn_graph *graph,
                                     const struct qn_write_options *options,
                                     struct qn_output_folder *folder, uint64_t *written,
                                     struct qn_error *error) {
  struct job *job;
  enum qn_status status = qn_alloc_zeroed(&job, 1, sizeof *job, "an export", error);
  (void)options;
  if (status)
    return status;
  const bool labelled = qn_weights_are_labels(&graph->out);
  job->csr = &graph->out;
  job->has_parallel = qn_csr_count_parallel(&graph->out, false) > 0;
  status = qn_output_folder_begin_own(folder, ".graph", &job->graph.output, error);
  if (!status)
    status = qn_output_folder_begin_own(folder, ".offsets", &job->offsets.output, error);
  if (!status)
    status = code_graph(job, error);
  *written = job->arcs;
  if (!status)
    status = qn_output_folder_end(folder, job->graph.output, labelled ? "graphs" : "edges",
                                  labelled ? 1 : job->arcs, error);
  if (!status)
    status = qn_output_folder_end(folder, job->offsets.output, "offsets",
                                  graph->out.num_vertices + 1, error);
  if (!status)
    status = qn_output_folder_describe(folder, ".properties", print_properties, job, error);
  if (!status && labelled)
    status = qn_arc_labels_write(&graph->out, job->arcs, folder, error);
  qn_free(job);
  return status;
}

const struct qn_graph_writer qn_graph_writer_webgraph = {
    .name = "webgraph",
    .losses = QN_LOSES_IDS | QN_LOSES_BUT_LABELS | QN_LOSES_ONE_WAY | QN_LOSES_PARALLEL,
    .write_folder = write_webgraph,
};
