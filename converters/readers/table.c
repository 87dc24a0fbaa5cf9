/* The formats that quern-import reads. A new one is a file beside this one and a
 * line here. */
#include <stdio.h>
#include <string.h>

#include "converters/input.h"
#include "converters/reader.h"

extern const struct qn_reader qn_reader_adjacency;
extern const struct qn_reader qn_reader_dimacs;
extern const struct qn_reader qn_reader_edges;
extern const struct qn_reader qn_reader_metis;
extern const struct qn_reader qn_reader_npy;
extern const struct qn_reader qn_reader_galois;
extern const struct qn_reader qn_reader_gapbs;
extern const struct qn_reader qn_reader_matrix_market;
extern const struct qn_reader qn_reader_named_edges;

const struct qn_reader *const qn_readers[] = {
    &qn_reader_matrix_market,
    &qn_reader_adjacency,
    &qn_reader_named_edges,
    &qn_reader_npy,
    &qn_reader_galois,
    &qn_reader_gapbs,
    &qn_reader_dimacs,
    &qn_reader_metis,
    &qn_reader_edges,
    NULL,
};

/* "edges, matrix-market, ..." */
static void list_names(char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (int i = 0; qn_readers[i] && length < size; i++)
    length +=
        (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "", qn_readers[i]->name);
}

enum qn_status qn_reader_by_name(const char *name, const struct qn_reader **out,
                                 struct qn_error *error) {
  for (int i = 0; qn_readers[i]; i++) {
    if (strcmp(qn_readers[i]->name, name) == 0) {
      *out = qn_readers[i];
      return QN_OK;
    }
  }
  char names[512];
  list_names(names, sizeof names);
  return qn_fail(error, QN_USAGE, "unknown format '%s'; known are auto, %s", name, names);
}

enum qn_status qn_reader_detect(struct qn_input *input, const struct qn_read_options *options,
                                const struct qn_reader **out, struct qn_error *error) {
  const char *head;
  uint64_t bytes;
  int best = 0;
  *out = NULL;
  enum qn_status status = qn_input_peek(input, &head, &bytes, error);
  if (status)
    return status;
  for (int i = 0; qn_readers[i]; i++) {
    int sure = qn_readers[i]->detect(head, bytes, options);
    if (sure > best) {
      best = sure;
      *out = qn_readers[i];
    }
  }
  if (*out)
    return QN_OK;
  char names[512];
  list_names(names, sizeof names);
  qn_fail(error, QN_INVALID, "no known format of graphs; --format says which it is (%s)", names);
  return qn_error_in_file(error, qn_input_name(input));
}
