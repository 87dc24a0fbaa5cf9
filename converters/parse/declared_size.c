#include "converters/parse/declared_size.h"

#include <inttypes.h>

#include "formats/text/vertex_names.h"
#include "support/input/input.h"
#include "support/memory.h"

/* More vertices than this, and than 64 times the edges, are too many. */
#define MAX_HOLLOW_VERTICES ((uint64_t)1 << 24)
/* An edge of a text takes two bytes at least: a digit, and what ends the number. */
#define LEAST_EDGE_BYTES 2

uint64_t qn_credible_edges(const struct qn_input *text, uint64_t announced) {
  uint64_t most = text ? qn_input_most_bytes(text) / LEAST_EDGE_BYTES + 1 : UINT64_MAX;
  return announced < most ? announced : most;
}

bool qn_is_hollow(uint64_t num_vertices, uint64_t num_edges) {
  return num_vertices > MAX_HOLLOW_VERTICES && num_vertices / 64 > num_edges;
}

static enum qn_status fail_at_header(const struct qn_declared_size *size, struct qn_error *error) {
  return size->line ? qn_error_at_line(error, size->file, size->line, 1)
                    : qn_error_in_file(error, size->file);
}

enum qn_status qn_declare_from_zero(const struct qn_declared_size *size,
                                    const struct qn_read_options *options,
                                    struct qn_read_result *result, struct qn_error *error) {
  uint64_t num_vertices = size->num_vertices;
  if (options->compact)
    return QN_OK;
  uint64_t num_edges = qn_credible_edges(size->text, size->num_edges);
  if (num_vertices > UINT32_MAX || qn_is_hollow(num_vertices, num_edges)) {
    qn_fail(error, QN_INVALID,
            "%" PRIu64 " vertices for %" PRIu64 " edges%s are too many; --ids=compact numbers only "
            "the vertices that have edges",
            num_vertices, num_edges, num_edges < size->num_edges ? QN_NO_MORE_EDGES : "");
    return fail_at_header(size, error);
  }
  if (result->num_vertices != QN_VERTICES_FROM_EDGES) {
    qn_fail(error, QN_INVALID,
            "only one input that declares its vertices can be imported at a time");
    return fail_at_header(size, error);
  }
  result->num_vertices = num_vertices;
  return QN_OK;
}

enum qn_status qn_declare_from_one(const struct qn_declared_size *size,
                                   const struct qn_read_options *options,
                                   struct qn_read_result *result, uint64_t *first_id,
                                   struct qn_error *error) {
  *first_id = options->compact ? 1 : 0;
  enum qn_status status = qn_declare_from_zero(size, options, result, error);
  if (!status && !options->compact)
    status = qn_names_from_one(size->num_vertices, &result->names, &result->names_memory, error);
  return status;
}

void qn_release_declared(struct qn_read_result *result) {
  qn_free(result->names_memory);
  result->names_memory = NULL;
}

enum qn_status qn_declared_edges_check(const struct qn_declared_size *size, uint64_t found,
                                       const char *what, struct qn_error *error) {
  if (found == size->num_edges)
    return QN_OK;
  qn_fail(error, QN_INVALID, "%" PRIu64 " %s are announced here, but %" PRIu64 " follow",
          size->num_edges, what, found);
  return fail_at_header(size, error);
}

enum qn_status qn_counts_check(const struct qn_claims *claims, uint64_t found, const char *file,
                               struct qn_error *error) {
  const uint64_t fewest = 3; /* with less, an edge is as likely */
  if (claims->edges_said < fewest || claims->edges_said != found - 1 ||
      claims->above != claims->is_above)
    return QN_OK;
  qn_fail(error, QN_INVALID,
          "this line may say that %" PRIu64 " vertices and %" PRIu64 " edges follow, and so many "
          "edges do; --header=yes passes over it, --header=no takes it as an edge",
          claims->vertices_said, claims->edges_said);
  return qn_error_at_line(error, file, claims->first_line, 1);
}
