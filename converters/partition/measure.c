#include "converters/partition/measure.h"

#include <inttypes.h>
#include <omp.h>

#include "converters/partition/edges.h"
#include "support/memory.h"
#include "support/sizes.h"
#include "support/threads.h"

/* ---- Sizes ------------------------------------------------------------------ */

static double ratio_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/* The largest in the average; 1 if all are empty. */
static double balance_of(const uint64_t *sizes, uint64_t num_parts) {
  double sum = 0, most = 0;
  for (uint64_t part = 0; part < num_parts; part++) {
    sum += (double)sizes[part];
    most = (double)sizes[part] > most ? (double)sizes[part] : most;
  }
  return sum > 0 ? most / (sum / (double)num_parts) : 1;
}

static uint64_t count_empty(const uint64_t *sizes, uint64_t num_parts) {
  uint64_t count = 0;
  for (uint64_t part = 0; part < num_parts; part++)
    count += sizes[part] == 0;
  return count;
}

/* ---- Of vertices ------------------------------------------------------------ */

/* The part of a column's vertex, which is one of those that there are, whatever the file has
 * become.
 */
static uint32_t part_of(const struct qn_part_column *parts, uint64_t num_parts, uint64_t i) {
  const uint32_t part = i < parts->count ? qn_part_get(parts, i) : 0;
  return part < num_parts ? part : 0;
}

static enum qn_status measure_sizes(const struct qn_neighbors *neighbors,
                                    const struct qn_part_column *parts, uint64_t num_parts,
                                    struct qn_partition_figures *figures, struct qn_error *error) {
  uint64_t *sizes, *edges = NULL;
  enum qn_status status = qn_pages_alloc(&sizes, num_parts, sizeof *sizes, "sizes of parts", error);
  if (!status)
    status = qn_pages_alloc(&edges, num_parts, sizeof *edges, "sizes of parts", error);
  for (uint64_t v = 0; v < parts->count && !status; v++) {
    const uint32_t part = part_of(parts, num_parts, v);
    sizes[part]++;
    for (unsigned side = 0; side < neighbors->num_rows; side++) {
      uint64_t count;
      qn_row_of(neighbors->rows[side], v, &count);
      edges[part] += count;
    }
  }
  if (!status) {
    figures->balance = balance_of(sizes, num_parts);
    figures->edge_balance = balance_of(edges, num_parts);
    figures->empty_parts = count_empty(sizes, num_parts);
  }
  qn_pages_free(sizes, num_parts, sizeof *sizes);
  qn_pages_free(edges, num_parts, sizeof *edges);
  return status;
}

/* What is counted of a row: its edges, those that leave the part, and the parts beside its own that
 * they lead to. `seen` [K] has v + 1 for parts that were met from v. */
struct row_counts {
  uint64_t edges, cut, halos;
};

static void count_row(const struct qn_neighbors *neighbors, bool directed,
                      const struct qn_part_column *parts, uint64_t num_parts, uint64_t v,
                      uint64_t *seen, struct row_counts *counts) {
  const uint32_t own = part_of(parts, num_parts, v);
  for (unsigned side = 0; side < neighbors->num_rows; side++) {
    uint64_t length;
    const uint32_t *columns = qn_row_of(neighbors->rows[side], v, &length);
    for (uint64_t i = 0; i < length; i++) {
      const bool counted = side == 0 && (directed || columns[i] >= v);
      const uint32_t part = part_of(parts, num_parts, columns[i]);
      counts->edges += counted;
      if (part == own)
        continue;
      counts->cut += counted;
      counts->halos += seen[part] != v + 1;
      seen[part] = v + 1;
    }
  }
}

enum qn_status qn_partition_measure_vertices(const struct qn_neighbors *neighbors, bool directed,
                                             const struct qn_part_column *parts, uint64_t num_parts,
                                             struct qn_partition_figures *figures,
                                             struct qn_error *error) {
  const uint64_t num_seen = qn_threads() * num_parts, count = parts->count;
  uint64_t *seen, edges = 0, cut = 0, halos = 0;
  *figures = (struct qn_partition_figures){.num_parts = num_parts};
  enum qn_status status = measure_sizes(neighbors, parts, num_parts, figures, error);
  if (status)
    return status;
  status = qn_pages_alloc(&seen, num_seen, sizeof *seen, "parts of neighbours", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : edges, cut, halos)
  for (uint64_t v = 0; v < count; v++) {
    struct row_counts counts = {0};
    count_row(neighbors, directed, parts, num_parts, v,
              seen + (uint64_t)omp_get_thread_num() * num_parts, &counts);
    edges += counts.edges;
    cut += counts.cut;
    halos += counts.halos;
  }
  qn_pages_free(seen, num_seen, sizeof *seen);
  figures->cut = cut;
  figures->whole = edges;
  figures->cut_ratio = ratio_of((double)cut, (double)edges);
  figures->replication = count ? 1 + (double)halos / (double)count : 1;
  return QN_OK;
}

/* ---- Of edges --------------------------------------------------------------- */

static void add_replica(struct qn_replicas *replicas, uint64_t v, uint32_t part) {
  unsigned char *byte = &replicas->bits[v * replicas->stride + part / 8];
  const unsigned char bit = (unsigned char)(1U << (part % 8));
  if (!(__atomic_load_n(byte, __ATOMIC_RELAXED) & bit))
    __atomic_fetch_or(byte, bit, __ATOMIC_RELAXED);
}

static void collect(const struct qn_graph *graph, const struct qn_part_column *parts,
                    struct qn_replicas *replicas, uint64_t *sizes) {
  const uint64_t num_parts = replicas->num_parts;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < graph->out.num_vertices; v++) {
    uint64_t *own = sizes + (uint64_t)omp_get_thread_num() * num_parts;
    uint64_t edge, last;
    qn_own_edges(graph, v, &edge, &last);
    for (; edge < last; edge++) {
      const uint32_t part = part_of(parts, num_parts, edge);
      const uint32_t other = graph->out.column_indices[edge];
      own[part]++;
      add_replica(replicas, v, part);
      add_replica(replicas, other, part);
    }
  }
  for (unsigned thread = 1; thread < qn_threads(); thread++)
    for (uint64_t part = 0; part < num_parts; part++)
      sizes[part] += sizes[thread * num_parts + part];
}

static void count_replicas(const struct qn_replicas *replicas,
                           struct qn_partition_figures *figures) {
  uint64_t all = 0, touched = 0, cut = 0;
#pragma omp parallel for schedule(static) reduction(+ : all, touched, cut)
  for (uint64_t v = 0; v < replicas->num_vertices; v++) {
    const uint64_t count = qn_replicas_count(replicas, v);
    all += count;
    touched += count > 0;
    cut += count > 1;
  }
  figures->cut = cut;
  figures->whole = touched;
  figures->cut_ratio = ratio_of((double)cut, (double)touched);
  figures->replication = touched ? (double)all / (double)touched : 1;
}

enum qn_status qn_partition_measure_edges(const struct qn_graph *graph,
                                          const struct qn_part_column *parts, uint64_t num_parts,
                                          struct qn_partition_figures *figures,
                                          struct qn_error *error) {
  const uint64_t num_sizes = qn_threads() * num_parts;
  struct qn_replicas replicas = {0};
  uint64_t *sizes;
  *figures = (struct qn_partition_figures){.of_edges = true, .num_parts = num_parts};
  enum qn_status status = qn_pages_alloc(&sizes, num_sizes, sizeof *sizes, "sizes of parts", error);
  if (!status)
    status = qn_replicas_create(graph->out.num_vertices, num_parts, &replicas, error);
  if (!status) {
    collect(graph, parts, &replicas, sizes);
    figures->balance = balance_of(sizes, num_parts);
    figures->empty_parts = count_empty(sizes, num_parts);
    count_replicas(&replicas, figures);
  }
  qn_replicas_destroy(&replicas);
  qn_pages_free(sizes, num_sizes, sizeof *sizes);
  return status;
}

/* ---- Of a property ---------------------------------------------------------- */

static enum qn_status measure_parts(const struct qn_graph *graph, bool of_edges,
                                    const struct qn_part_column *parts, uint64_t num_parts,
                                    struct qn_partition_figures *figures, struct qn_error *error) {
  struct qn_neighbors neighbors = {0};
  if (of_edges)
    return qn_partition_measure_edges(graph, parts, num_parts, figures, error);
  enum qn_status status = qn_neighbors_open(graph, &neighbors, error);
  if (!status)
    status = qn_partition_measure_vertices(&neighbors, graph->directedness != QN_UNDIRECTED, parts,
                                           num_parts, figures, error);
  qn_neighbors_close(&neighbors);
  return status;
}

enum qn_status qn_partition_measure(const struct qn_container *container,
                                    const struct qn_graph *graph, const char *column,
                                    struct qn_partition_figures *figures, struct qn_error *error) {
  struct qn_part_column parts;
  uint64_t num_parts;
  bool of_edges;
  enum qn_status status =
      qn_part_column_read(container, column, &parts, &num_parts, &of_edges, error);
  if (!status)
    status = measure_parts(graph, of_edges, &parts, num_parts, figures, error);
  qn_part_column_release(&parts);
  return status;
}

/* ---- Telling ---------------------------------------------------------------- */

json_t *qn_partition_figures_json(const struct qn_partition_figures *figures) {
  json_t *json = json_pack(
      "{s:s, s:I, s:I, s:I, s:f, s:f, s:f}", "of", figures->of_edges ? "edges" : "vertices",
      "parts", (json_int_t)figures->num_parts, "empty_parts", (json_int_t)figures->empty_parts,
      "cut", (json_int_t)figures->cut, "cut_ratio", figures->cut_ratio, "balance", figures->balance,
      "replication", figures->replication);
  if (json && !figures->of_edges)
    json_object_set_new(json, "edge_balance", json_real(figures->edge_balance));
  return json;
}

void qn_partition_figures_print(const struct qn_partition_figures *figures, FILE *stream) {
  char cut[32], whole[32];
  fprintf(stream, "  %" PRIu64 " parts of %s", figures->num_parts,
          figures->of_edges ? "edges" : "vertices");
  if (figures->empty_parts)
    fprintf(stream, ", %" PRIu64 " of them empty", figures->empty_parts);
  fprintf(stream, "\n  cut          %.4f: %s of %s %s\n", figures->cut_ratio,
          qn_count_text(figures->cut, cut, sizeof cut),
          qn_count_text(figures->whole, whole, sizeof whole),
          figures->of_edges ? "vertices are in several parts" : "edges are between two parts");
  fprintf(stream, "  balance      %.4f: the largest part in an average one", figures->balance);
  if (!figures->of_edges)
    fprintf(stream, "; %.4f by edges", figures->edge_balance);
  fprintf(stream, "\n  replication  %.4f parts a vertex\n", figures->replication);
}
