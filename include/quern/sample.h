/* Batches for training graph neural networks: neighbours of some vertices, hop by hop; graphs that
 * vertices induce; random walks; pairs that no edge joins.
 *
 *   const int64_t fanouts[] = {15, 10, 5};
 *   const uint64_t num_vertices = V;
 *   const struct qn_sampler_edges edges = {
 *       .size = sizeof edges, .session = session, .rows = QN_ROWS_IN, .fanouts = fanouts};
 *   const struct qn_sampler_shape shape = {
 *       .size = sizeof shape, .num_vertex_types = 1, .num_vertices = &num_vertices,
 *       .num_edge_types = 1, .edges = &edges, .num_hops = 3, .seed = 1};
 *   if (qn_sampler_create(&shape, NULL, &sampler, &error)) ...
 *   const struct qn_seeds seeds = {.size = sizeof seeds, .vertices = vertices, .count = 1024};
 *   const struct qn_batch_seeds asked = {.size = sizeof asked, .number = 0, .seeds = &seeds};
 *   if (qn_sampler_sample(sampler, QN_SAMPLE_NEIGHBORS, &asked, 1, NULL, &batch, &error)) ...
 *   struct qn_batch_edges found = {.size = sizeof found};
 *   if (qn_batch_edges(batch, 0, &found, &error)) ...
 *   qn_batch_close(batch);
 *   qn_sampler_close(sampler);
 *
 * A sampler has types of vertices, each numbered from 0, and types of edges between them; a graph
 * without types has one of both. It reads rows where they are mapped, and nothing but what a batch
 * needs. What a file holds is not checked (see qn_session_verify), but bounded: QN_INVALID if a row
 * or a vertex does not lie within the graph. A file that is overwritten or cut meanwhile is
 * QN_SYSTEM; so that it raises no SIGBUS the first sampler of a process handles that signal, and
 * leaves to whoever handled it before what is not its own.
 *
 * Random numbers are functions of the sampler's seed, a batch's number, and what they are for: the
 * same batch comes from any number of threads, and whatever else is sampled. */
#ifndef QUERN_SAMPLE_H
#define QUERN_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/job.h>
#include <quern/lookup.h>
#include <quern/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_sampler;
struct qn_batch;

/* ---- Samplers ------------------------------------------------------------- */

/* A type of edges, which are followed from *centers*, whose rows these are, to *neighbours*: with
 * QN_ROWS_IN against their direction, as messages come to a vertex. */
struct qn_sampler_edges {
  uint64_t size;              /* sizeof(struct qn_sampler_edges), set before the call */
  struct qn_session *session; /* may be closed before the sampler */
  enum qn_rows rows;
  uint32_t center_type, neighbor_type;
  uint64_t first_center, first_neighbor; /* vertices of the session that are 0 of these types */
  const int64_t *fanouts; /* [num_hops] of each center so many edges, or fewer where there are no
                             more; 0: none; -1: all */
  const int64_t *times;   /* [E] of edges in the order of qn_session_out_edges; NULL: none */
  /* In place of a session the folder of a set, whose rows are sampled where its files have them, in
   * 8 bytes of memory a vertex. QN_UNSUPPORTED: it has types or generations, or rows in the other
   * direction. */
  const char *set;
  /* Rows of plain graphs that are mapped, and outgrow memory: neighbours (of any time) are read
   * from the file, many at a time, past the system's cache where it allows that. At most so many
   * bytes keep what was read of late. */
  bool read;
  uint64_t cache_bytes;
};

enum qn_sampler_flags {
  QN_SAMPLER_REPLACE = 1,  /* with replacement: an edge may be taken more than once */
  QN_SAMPLER_DISJOINT = 2, /* each seed has a tree of its own; for times it must be */
  QN_SAMPLER_NUMBERS = 4,  /* numbers of edges are wanted */
};

struct qn_sampler_shape {
  uint64_t size; /* sizeof(struct qn_sampler_shape), set before the call */
  uint32_t num_vertex_types, num_edge_types;
  const uint64_t *num_vertices; /* [num_vertex_types] */
  /* [num_vertex_types] of each type [num_vertices], or NULL; NULL: none. Times of vertices and
   * edges are borrowed until the sampler and its batches are closed. */
  const int64_t *const *times;
  const struct qn_sampler_edges *edges; /* [num_edge_types] */
  uint32_t num_hops;                    /* at most 255 */
  uint32_t flags;                       /* of enum qn_sampler_flags */
  uint64_t seed;
};

/* Rows that are not stored are prepared as qn_session_out_edges and qn_session_in_edges do.
 * QN_USAGE: a fan-out is less than -1, or types or numbers do not fit. */
enum qn_status qn_sampler_create(const struct qn_sampler_shape *shape, const struct qn_job *job,
                                 struct qn_sampler **out, struct qn_error *error);
/* NULL is allowed; batches remain valid. */
void qn_sampler_close(struct qn_sampler *sampler);

/* ---- Batches -------------------------------------------------------------- */

struct qn_seeds {
  uint64_t size; /* sizeof(struct qn_seeds), set before the call */
  uint64_t count;
  const int64_t *vertices; /* [count] of their type */
  const int64_t *times;    /* [count] only what is no newer is sampled; NULL: all */
};

/* What a batch begins with. */
struct qn_batch_seeds {
  uint64_t size;                /* sizeof(struct qn_batch_seeds), set before the call */
  uint64_t number;              /* of the batch */
  const struct qn_seeds *seeds; /* [num_vertex_types] */
};

enum qn_sample_kind {
  /* Hop by hop some of the edges of every vertex that was new in the hop before. A seed that is
   * given twice is sampled twice. */
  QN_SAMPLE_NEIGHBORS = 0,
  /* The seeds, each once, and all edges between them. */
  QN_SAMPLE_INDUCED = 1,
};

/* `count` batches, each by one thread, a single one by all: batches[i] of asked[i]. Close them.
 * QN_USAGE: a seed is not a vertex. After a failure there is none. */
enum qn_status qn_sampler_sample(struct qn_sampler *sampler, enum qn_sample_kind kind,
                                 const struct qn_batch_seeds *asked, uint64_t count,
                                 const struct qn_job *job, struct qn_batch **batches,
                                 struct qn_error *error);
/* NULL is allowed. The arrays of the batch are gone then. */
void qn_batch_close(struct qn_batch *batch);

/* The vertices of a type: the seeds, and then hop by hop those that are new. */
struct qn_batch_vertices {
  uint64_t size; /* sizeof(struct qn_batch_vertices), set before the call */
  uint64_t count;
  const int64_t *vertices;
  const int64_t *trees; /* [count] the seed, counted over all types, that each is of; NULL unless
                           disjoint */
  const int64_t *hops;  /* [num_hops + 1] how many are seeds, and then new in each hop */
};
enum qn_status qn_batch_vertices(const struct qn_batch *batch, uint32_t type,
                                 struct qn_batch_vertices *vertices, struct qn_error *error);

/* The edges of a type, between places in the vertices of its types. */
struct qn_batch_edges {
  uint64_t size; /* sizeof(struct qn_batch_edges), set before the call */
  uint64_t count;
  const int64_t *neighbors;
  const int64_t *centers;
  const int64_t *numbers; /* in the order of qn_session_out_edges; NULL unless wanted */
  const int64_t *hops;    /* [num_hops] how many are of each */
};
enum qn_status qn_batch_edges(const struct qn_batch *batch, uint32_t type,
                              struct qn_batch_edges *edges, struct qn_error *error);

/* ---- Walks and pairs ------------------------------------------------------ */

struct qn_walks {
  uint64_t size;         /* sizeof(struct qn_walks), set before the call */
  uint64_t number;       /* of the batch */
  uint64_t count;        /* of walks */
  const int64_t *starts; /* [count] */
  uint64_t length;       /* steps of each, below 2^32 */
  double restart;        /* from 0 to 1: how likely a step leads back to the start */
  double p, q;           /* of node2vec, positive, or 0 for 1 */
};
/* `walks` is [count][length + 1], each from its start on; what follows a vertex without edges is
 * -1. Of a sampler with one type of vertices, along its edges of type 0. */
enum qn_status qn_sampler_walk(struct qn_sampler *sampler, const struct qn_walks *asked,
                               const struct qn_job *job, int64_t *walks, struct qn_error *error);

/* Pairs without an edge of a type between them: `centers` [count] as they are given, or, with NULL,
 * random ones; and each with a random vertex of the neighbours' type, -1 if after many tries none
 * was found. */
enum qn_status qn_sampler_non_edges(struct qn_sampler *sampler, uint32_t edge_type, uint64_t number,
                                    const int64_t *centers, uint64_t count,
                                    const struct qn_job *job, int64_t *found_centers,
                                    int64_t *found_neighbors, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
