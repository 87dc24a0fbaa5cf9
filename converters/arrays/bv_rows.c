/* A part of the graph is some consecutive lists. The first thread scans the graph, and lets the
 * others have parts as it goes; when it is done it takes parts itself. */
#include "converters/arrays/bv_rows.h"

#include <inttypes.h>
#include <omp.h>
#include <pthread.h>

#include "converters/arrays/binary_rows.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/threads.h"

#define PART_BITS ((uint64_t)1 << 18)

struct job {
  struct qn_bv_graph graph; /* with places */
  struct qn_bv_scan scan;
  uint64_t *row_offsets;
  uint32_t *columns;
  uint64_t *ends;         /* of parts, as far as they are known: [num_parts] nodes */
  pthread_mutex_t mutex;  /* guards what follows */
  pthread_cond_t changed; /* there are more parts, or there will be no more */
  uint64_t num_parts, next_part;
  bool is_scanned, stops, is_far;
  enum qn_status scan_status;
  struct qn_error scan_error;
  uint64_t bad_node; /* the first one that failed; UINT64_MAX: none did */
  enum qn_status status;
  struct qn_error error;
};

/* ---- Parts ------------------------------------------------------------------- */

/* No part before the failed one is left to be taken then. */
static void note_failure(struct job *job, uint64_t node, enum qn_status status, bool is_far,
                         const struct qn_error *error) {
  pthread_mutex_lock(&job->mutex);
  job->stops = true;
  job->is_far |= is_far;
  if (node < job->bad_node || !job->status) {
    job->bad_node = node;
    job->status = status;
    job->error = *error;
  }
  pthread_cond_broadcast(&job->changed);
  pthread_mutex_unlock(&job->mutex);
}

/* A part that is known, if it has to be waited for; false if there are no more. */
static bool take_part(struct job *job, uint64_t *first, uint64_t *end) {
  pthread_mutex_lock(&job->mutex);
  while (!job->stops && !job->is_scanned && job->next_part == job->num_parts)
    pthread_cond_wait(&job->changed, &job->mutex);
  bool is_there = !job->stops && job->next_part < job->num_parts;
  if (is_there) {
    *first = job->next_part ? job->ends[job->next_part - 1] : 0;
    *end = job->ends[job->next_part++];
  }
  pthread_mutex_unlock(&job->mutex);
  return is_there;
}

/* The list of the node before the next one ends at the decoder's place. */
static enum qn_status check_end(const struct qn_bv_graph *graph,
                                const struct qn_bv_decoder *decoder, uint64_t expected,
                                struct qn_error *error) {
  const uint64_t place = qn_bv_place(decoder);
  return place == expected ? QN_OK
                           : qn_binary_fail(graph->file, place / 8, error,
                                            "node %" PRIu64 ": its list ends at bit %" PRIu64
                                            ", but by the offsets at bit %" PRIu64,
                                            qn_bv_node(decoder) - 1, place, expected);
}

static enum qn_status decode_list(const struct job *job, struct qn_bv_decoder *decoder,
                                  uint64_t node, struct qn_error *error) {
  const uint64_t first = job->row_offsets[node];
  uint64_t degree;
  enum qn_status status = qn_bv_degree(decoder, &degree, error);
  if (!status && degree != job->row_offsets[node + 1] - first)
    status = qn_binary_fail(job->graph.file, qn_bv_place(decoder) / 8, error,
                            "node %" PRIu64 ": the file has changed", node);
  if (!status)
    status = qn_bv_list(decoder, job->columns + first, error);
  return status
             ? status
             : check_end(&job->graph, decoder, qn_bv_place_of(job->graph.places, node + 1), error);
}

static void decode_part(struct job *job, struct qn_bv_decoder *decoder, uint64_t first,
                        uint64_t end) {
  struct qn_error error;
  enum qn_status status = qn_context_check(&error);
  uint64_t node = first;
  qn_bv_seek(decoder, first, job->row_offsets[first]);
  for (; node < end && !status; node++)
    status = decode_list(job, decoder, node, &error);
  if (status)
    note_failure(job, node ? node - 1 : 0, status, qn_bv_is_far(decoder), &error);
  qn_progress_add(job->row_offsets[end] - job->row_offsets[first]);
}

/* ---- The scan ---------------------------------------------------------------- */

/* Lists up to the one that made no sense are parts, too. */
static void scan_parts(struct job *job) {
  const uint64_t nodes = job->graph.properties.nodes;
  uint64_t published = 0;
  bool stops = false;
  while (job->scan.node < nodes && !job->scan_status && !stops) {
    job->scan_status = qn_bv_scan_on(&job->scan, PART_BITS, &job->scan_error);
    pthread_mutex_lock(&job->mutex);
    if (job->scan.node > published)
      job->ends[job->num_parts++] = published = job->scan.node;
    stops = job->stops;
    pthread_cond_broadcast(&job->changed);
    pthread_mutex_unlock(&job->mutex);
  }
  pthread_mutex_lock(&job->mutex);
  job->is_scanned = true;
  pthread_cond_broadcast(&job->changed);
  pthread_mutex_unlock(&job->mutex);
}

/* What is wrong with the list that the scan has ended at, before which all is sound: what one
 * thread alone would have found. */
static enum qn_status explain_scan(struct job *job, struct qn_error *error) {
  struct qn_bv_decoder *decoder;
  const uint32_t *ids;
  uint64_t count, node = job->scan.node;
  enum qn_status status = qn_bv_create(&job->graph, &decoder, error);
  if (status)
    return status;
  qn_bv_seek(decoder, node, job->row_offsets[node]);
  status = qn_bv_next(decoder, &ids, &count, error);
  if (!status && job->scan.is_end_bad)
    status = check_end(&job->graph, decoder, job->scan.end, error);
  qn_bv_destroy(decoder);
  if (!status)
    *error = job->scan_error;
  return job->scan_status;
}

/* ---- The whole --------------------------------------------------------------- */

static void work(struct job *job, bool scans) {
  struct qn_bv_decoder *decoder;
  struct qn_error error;
  uint64_t first, end;
  enum qn_status status = qn_bv_create(&job->graph, &decoder, &error);
  if (status)
    note_failure(job, 0, status, false, &error);
  if (scans)
    scan_parts(job);
  while (!status && take_part(job, &first, &end))
    decode_part(job, decoder, first, end);
  qn_bv_destroy(decoder);
}

/* In the order of the lists, as one thread can without places. */
static enum qn_status decode_in_order(const struct qn_bv_graph *graph,
                                      const struct qn_bv_offsets *offsets, uint64_t *row_offsets,
                                      uint32_t *columns, struct qn_error *error) {
  enum { SOME_NODES = 65536 };
  struct qn_bv_decoder *decoder;
  struct qn_bv_scan scan;
  const uint64_t nodes = graph->properties.nodes;
  uint64_t place = 0, arcs = 0, degree;
  enum qn_status status = qn_bv_create(graph, &decoder, error);
  if (!status)
    status = qn_bv_scan_begin(&scan, graph, offsets, NULL, row_offsets, error);
  for (uint64_t node = 0; node < nodes && !status; node++) {
    if (!(status = qn_bv_degree(decoder, &degree, error)))
      status = qn_bv_list(decoder, columns + arcs, error);
    scan.node = node;
    if (!status && offsets->data && !(status = qn_bv_scan_end_of_list(&scan, place, &place, error)))
      status = check_end(graph, decoder, place, error);
    row_offsets[node + 1] = arcs += degree;
    if ((node + 1) % SOME_NODES == 0 && !status) {
      qn_progress_add(arcs - row_offsets[node + 1 - SOME_NODES]);
      status = qn_context_check(error);
    }
  }
  if (!status)
    status = qn_bv_end(decoder, error);
  if (!status)
    status = qn_bv_scan_end(&scan, error);
  qn_bv_destroy(decoder);
  return status;
}

static enum qn_status decode_parts(struct job *job, struct qn_error *error) {
  const uint64_t nodes = job->graph.properties.nodes;
#pragma omp parallel
  work(job, omp_get_thread_num() == 0);
  job->is_far |= job->scan.is_far;
  if (job->status || job->is_far) {
    *error = job->error;
    return job->status;
  }
  if (job->scan_status)
    return explain_scan(job, error);
  enum qn_status status = qn_bv_check_end(&job->graph, job->row_offsets[nodes],
                                          qn_bv_place_of(job->graph.places, nodes), error);
  return status ? status : qn_bv_scan_end(&job->scan, error);
}

static enum qn_status run(struct job *job, const struct qn_bv_offsets *offsets,
                          struct qn_error *error) {
  const uint64_t nodes = job->graph.properties.nodes;
  const uint64_t num_firsts = nodes / QN_BV_PLACES + 1;
  struct qn_bv_places places = {0};
  enum qn_status status =
      qn_alloc(&job->ends, 8 * job->graph.bytes / PART_BITS + 2, sizeof *job->ends, "parts", error);
  if (!status)
    status =
        qn_bulk_alloc(&places.behind, nodes + 1, sizeof *places.behind, "places of lists", error);
  if (!status)
    status =
        qn_bulk_alloc(&places.firsts, num_firsts, sizeof *places.firsts, "places of lists", error);
  if (!status) {
    job->graph.places = &places;
    status = qn_bv_scan_begin(&job->scan, &job->graph, offsets, &places, job->row_offsets, error);
  }
  if (!status)
    status = decode_parts(job, error);
  qn_pages_free(places.behind, nodes + 1, sizeof *places.behind);
  qn_pages_free(places.firsts, num_firsts, sizeof *places.firsts);
  qn_free(job->ends);
  return status;
}

enum qn_status qn_bv_rows(const struct qn_bv_graph *graph, const struct qn_bv_offsets *offsets,
                          uint64_t *row_offsets, uint32_t *columns, struct qn_error *error) {
  struct job job = {.graph = *graph,
                    .row_offsets = row_offsets,
                    .columns = columns,
                    .mutex = PTHREAD_MUTEX_INITIALIZER,
                    .changed = PTHREAD_COND_INITIALIZER};
  enum qn_status status = qn_threads() > 1 ? run(&job, offsets, error) : QN_OK;
  if (qn_threads() > 1 && !job.is_far)
    return status;
  job.graph.places = NULL;
  return decode_in_order(&job.graph, offsets, row_offsets, columns, error);
}
