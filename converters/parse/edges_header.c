#include "converters/parse/edges_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/parse/declared_size.h"
#include "converters/parse/text_lines.h"
#include "formats/text/text_fields.h"
#include "support/input/input.h"

static const char BEGIN[] = "# Quern edges: ";

static const struct {
  const char *text;
  bool undirected, both_ways;
} kinds[] = {
    {"directed; ", false, false},
    {"undirected, each edge once; ", true, false},
    {"undirected, each edge both ways; ", true, true},
};

enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

int qn_edges_header_text(const struct qn_edges_header *header, char text[QN_EDGES_HEADER_TEXT]) {
  char vertices[48] = "ids are numbers";
  unsigned kind = header->undirected + (header->undirected && header->both_ways);
  if (header->ids == QN_IDS_DENSE)
    snprintf(vertices, sizeof vertices, "%" PRIu64 " vertices from 0", header->num_vertices);
  else if (header->ids == QN_IDS_STRINGS)
    snprintf(vertices, sizeof vertices, "ids are names");
  return snprintf(text, QN_EDGES_HEADER_TEXT, "%s%s%s; %" PRIu64 " edges\n", BEGIN,
                  kinds[kind].text, vertices, header->num_edges);
}

/* Skip `text` at *p; false, *p as it was, if something else is there. */
static bool skip(const char **p, const char *text) {
  size_t length = strlen(text);
  if (strncmp(*p, text, length) != 0)
    return false;
  *p += length;
  return true;
}

/* A number in the plainest spelling. */
static bool skip_count(const char **p, uint64_t *count) {
  int length = 0;
  if (**p < '0' || **p > '9' || sscanf(*p, "%19" SCNu64 "%n", count, &length) != 1)
    return false;
  *p += length;
  return true;
}

static bool parse_vertices(const char **p, struct qn_edges_header *header) {
  header->ids = QN_IDS_NUMBERS;
  if (skip(p, "ids are numbers; "))
    return true;
  header->ids = QN_IDS_STRINGS;
  if (skip(p, "ids are names; "))
    return true;
  header->ids = QN_IDS_DENSE;
  return skip_count(p, &header->num_vertices) && skip(p, " vertices from 0; ");
}

/* The line without its end, NULL if it is something else. */
static const char *header_end(const char *head, uint64_t bytes) {
  if (bytes < strlen(BEGIN) || memcmp(head, BEGIN, strlen(BEGIN)) != 0)
    return NULL;
  const char *end = memchr(head, '\n', bytes);
  end = end ? end : head + bytes;
  return end - (end[-1] == '\r');
}

static bool parse_header(const char *line, uint64_t length, struct qn_edges_header *header) {
  char text[QN_EDGES_HEADER_TEXT];
  unsigned kind = 0;
  if (length >= sizeof text)
    return false;
  snprintf(text, sizeof text, "%.*s", (int)length, line);
  const char *p = text + strlen(BEGIN);
  while (kind < NUM_KINDS && !skip(&p, kinds[kind].text))
    kind++;
  if (kind == NUM_KINDS || !parse_vertices(&p, header) || !skip_count(&p, &header->num_edges) ||
      !skip(&p, " edges") || *p)
    return false;
  header->undirected = kinds[kind].undirected;
  header->both_ways = kinds[kind].both_ways;
  return true;
}

bool qn_edges_header_has_names(const char *head, uint64_t bytes) {
  struct qn_edges_header header;
  const char *end = header_end(head, bytes);
  return end && parse_header(head, (uint64_t)(end - head), &header) && header.ids == QN_IDS_STRINGS;
}

bool qn_edges_header_peek(struct qn_input *input, struct qn_edges_header *header,
                          enum qn_status *status, struct qn_error *error) {
  const char *head;
  char quoted[QN_QUOTE_BYTES];
  uint64_t bytes;
  *header = (struct qn_edges_header){0};
  *status = qn_input_peek(input, &head, &bytes, error);
  const char *end = *status ? NULL : header_end(head, bytes);
  if (!end)
    return false;
  if (parse_header(head, (uint64_t)(end - head), header))
    return true;
  qn_fail(error, QN_INVALID,
          "expected a header as quern-export --header writes it, such as '%sdirected; ids are "
          "numbers; 5 edges'; found %s",
          BEGIN, qn_text_quote(head, end, quoted));
  *status = qn_error_at_line(error, qn_input_name(input), 1, 1);
  return false;
}

/* What the header says becomes part of what the reader has found. */
static enum qn_status heed(const struct qn_edges_header *header,
                           const struct qn_declared_size *size,
                           const struct qn_read_options *options, struct qn_read_result *result,
                           struct qn_error *error) {
  result->symmetric |= header->undirected && !header->both_ways;
  result->already_symmetric |= header->both_ways;
  result->check_symmetric |= header->both_ways;
  if (header->ids != QN_IDS_DENSE || options->strings)
    return QN_OK;
  return qn_declare_from_zero(size, options, result, error);
}

enum qn_status qn_read_announced(
    struct qn_input *input, const struct qn_read_options *options, struct qn_edge_list *list,
    uint64_t *sequence, struct qn_read_result *result,
    enum qn_status (*read)(struct qn_input *, const struct qn_read_options *, struct qn_edge_list *,
                           uint64_t *, struct qn_read_result *, struct qn_error *),
    struct qn_error *error) {
  uint64_t before = result->ledger.edges_read + result->ledger.rejected;
  struct qn_edges_header header;
  enum qn_status status;
  bool announced = qn_edges_header_peek(input, &header, &status, error);
  const struct qn_declared_size size = {qn_input_name(input), input, 1, header.num_vertices,
                                        header.num_edges};
  if (!status && announced)
    status = heed(&header, &size, options, result, error);
  if (!status)
    status = read(input, options, list, sequence, result, error);
  if (status || !announced)
    return status;
  uint64_t begin, end;
  if (qn_input_part(input, &begin, &end)) {
    result->claims.announced = true;
    result->claims.announced_edges = header.num_edges;
    return QN_OK;
  }
  uint64_t found = result->ledger.edges_read + result->ledger.rejected - before;
  return qn_declared_edges_check(&size, found, "edges", error);
}
