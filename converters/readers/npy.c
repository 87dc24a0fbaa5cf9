/* NumPy arrays (.npy; numpy.lib.format) of pairs of ids: two rows, sources and destinations, as
 * DGL and PyTorch Geometric keep edges, or two columns. Whole numbers of any width and byte order.
 *
 *   u8[6]  "\x93NUMPY"
 *   u8     major version 1, 2 or 3; u8 minor
 *   u16    length of the header (u32 from version 2)
 *   text   {'descr': '<i8', 'fortran_order': False, 'shape': (2, 1000), }
 *   the numbers */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "converters/reader.h"
#include "converters/text_fields.h"
#include "converters/text_lines.h"
#include "converters/text_numbers.h"
#include "converters/whole_input.h"
#include "support/checked.h"
#include "support/progress.h"

#define SIGNATURE "\x93NUMPY"
/* Edges that one stream takes. */
#define PART_EDGES ((uint64_t)1 << 18)

struct npy {
  const char *file;
  const char *header, *header_end;
  char byte_order; /* '<', '>' or '|' */
  bool is_signed;
  unsigned width; /* bytes of a number */
  bool fortran_order;
  uint64_t rows, columns;
  uint64_t num_edges;
  const char *sources, *destinations;
  uint64_t stride; /* bytes from one edge's to the next one's */
};

static enum qn_status fail_at(const struct npy *npy, uint64_t offset, struct qn_error *error,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
static enum qn_status fail_at(const struct npy *npy, uint64_t offset, struct qn_error *error,
                              const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s", message);
  return qn_error_at_offset(error, npy->file, offset);
}

/* ---- Header --------------------------------------------------------------- */

/* What follows 'key': in the header, or NULL. */
static const char *value_of(const struct npy *npy, const char *key) {
  char quoted[32];
  int length = snprintf(quoted, sizeof quoted, "'%s':", key);
  const char *found =
      memmem(npy->header, (size_t)(npy->header_end - npy->header), quoted, (size_t)length);
  return found ? qn_skip_blanks(found + length, npy->header_end) : NULL;
}

static bool begins_with(const struct npy *npy, const char *at, const char *word) {
  size_t length = strlen(word);
  return at && (size_t)(npy->header_end - at) >= length && memcmp(at, word, length) == 0;
}

/* "'<i8'": byte order, kind, width. */
static bool parse_type(struct npy *npy) {
  const char *at = value_of(npy, "descr");
  if (!at || npy->header_end - at < 5 || at[0] != '\'' || at[4] != '\'')
    return false;
  npy->byte_order = at[1];
  npy->is_signed = at[2] == 'i';
  npy->width = (unsigned)(at[3] - '0');
  bool ordered = at[1] == '<' || at[1] == '>' || (at[1] == '|' && npy->width == 1);
  bool known = npy->width == 1 || npy->width == 2 || npy->width == 4 || npy->width == 8;
  return ordered && known && (at[2] == 'i' || at[2] == 'u');
}

static bool parse_order(struct npy *npy) {
  const char *at = value_of(npy, "fortran_order");
  npy->fortran_order = begins_with(npy, at, "True");
  return npy->fortran_order || begins_with(npy, at, "False");
}

static const char *parse_extent(const struct npy *npy, const char *at, uint64_t *extent) {
  const char *end = at;
  while (end < npy->header_end && qn_is_digit(*end))
    end++;
  return qn_parse_whole(at, end, extent) == QN_NUMBER_FINE ? qn_skip_blanks(end, npy->header_end)
                                                           : NULL;
}

/* "(rows, columns)" */
static bool parse_shape(struct npy *npy) {
  const char *at = value_of(npy, "shape"), *end = npy->header_end;
  if (!at || at == end || *at != '(' || !(at = parse_extent(npy, at + 1, &npy->rows)) ||
      at == end || *at != ',')
    return false;
  at = parse_extent(npy, qn_skip_blanks(at + 1, end), &npy->columns);
  return at && at < end && *at == ')';
}

/* Find the header; QN_INVALID unless all of it is there. */
static enum qn_status find_header(const struct qn_whole_input *whole, struct npy *npy,
                                  struct qn_error *error) {
  const unsigned char *bytes = (const unsigned char *)whole->data;
  if (whole->bytes < 10 || memcmp(bytes, SIGNATURE, 6) != 0)
    return fail_at(npy, 0, error, "this is no NumPy array: it does not begin with \\x93NUMPY");
  if (bytes[6] < 1 || bytes[6] > 3)
    return fail_at(npy, 6, error, "version %u of NumPy's format is unknown", bytes[6]);
  uint64_t begin = bytes[6] == 1 ? 10 : 12, length = bytes[8] | (uint64_t)bytes[9] << 8;
  if (bytes[6] > 1 && whole->bytes >= 12)
    length |= (uint64_t)bytes[10] << 16 | (uint64_t)bytes[11] << 24;
  if (whole->bytes < begin || length > whole->bytes - begin)
    return fail_at(npy, whole->bytes, error, "the file ends in the header");
  npy->header = whole->data + begin;
  npy->header_end = npy->header + length;
  return QN_OK;
}

static enum qn_status parse_header(const struct qn_whole_input *whole, struct npy *npy,
                                   struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  enum qn_status status = find_header(whole, npy, error);
  if (status)
    return status;
  uint64_t at = (uint64_t)(npy->header - whole->data);
  const char *type = value_of(npy, "descr");
  if (!parse_type(npy))
    return fail_at(npy, at, error, "expected whole numbers ('<i8', '<u4', ...); found %s",
                   type ? qn_text_quote(type, npy->header_end, quoted) : "no 'descr'");
  if (!parse_order(npy) || !parse_shape(npy) || (npy->rows != 2 && npy->columns != 2))
    return fail_at(npy, at, error,
                   "expected an array of two rows or two columns, the ends of edges; found %s",
                   qn_text_quote(npy->header, npy->header_end, quoted));
  return QN_OK;
}

/* Where both ends of the edges lie. An array of 2 x 2 is taken for two rows. */
static enum qn_status place_edges(const struct qn_whole_input *whole, struct npy *npy,
                                  struct qn_error *error) {
  bool two_rows = npy->rows == 2;
  uint64_t bytes, data_offset = (uint64_t)(npy->header_end - whole->data);
  npy->num_edges = two_rows ? npy->columns : npy->rows;
  if (!qn_mul_u64(npy->num_edges, 2 * npy->width, &bytes) || bytes != whole->bytes - data_offset)
    return fail_at(npy, data_offset, error,
                   "an array of %" PRIu64 " x %" PRIu64 " numbers of %u bytes should follow, but "
                   "there are %" PRIu64 " bytes",
                   npy->rows, npy->columns, npy->width, whole->bytes - data_offset);
  bool apart = two_rows != npy->fortran_order; /* all sources, then all destinations */
  npy->sources = npy->header_end;
  npy->destinations = npy->sources + (apart ? npy->num_edges : 1) * npy->width;
  npy->stride = (apart ? 1 : 2) * npy->width;
  return QN_OK;
}

/* ---- Edges ---------------------------------------------------------------- */

/* The number at `at`; false if it is negative. */
static inline bool load_id(const struct npy *npy, const char *at, uint64_t *id) {
  unsigned char bytes[8] = {0};
  for (unsigned i = 0; i < npy->width; i++)
    bytes[i] = (unsigned char)at[npy->byte_order == '>' ? npy->width - 1 - i : i];
  bool negative = npy->is_signed && bytes[npy->width - 1] >> 7;
  *id = qn_load_bytes((const char *)bytes);
  return !negative;
}

/* Push a part's edges; the first one at fault, or UINT64_MAX. */
static uint64_t push_part(const struct npy *npy, uint64_t index, struct qn_edge_stream *stream) {
  uint64_t edge = index * PART_EDGES;
  uint64_t last = edge + PART_EDGES < npy->num_edges ? edge + PART_EDGES : npy->num_edges;
  for (; edge < last; edge++) {
    uint64_t source, destination;
    if (!load_id(npy, npy->sources + edge * npy->stride, &source) ||
        !load_id(npy, npy->destinations + edge * npy->stride, &destination))
      return edge;
    qn_edge_push(stream, source, destination);
  }
  return UINT64_MAX;
}

static enum qn_status push_edges(const struct qn_whole_input *whole, const struct npy *npy,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_error *error) {
  uint64_t num_parts = (npy->num_edges + PART_EDGES - 1) / PART_EDGES, bad = UINT64_MAX, id;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t i = 0; i < num_parts; i++) {
    struct qn_edge_stream stream;
    struct qn_error own;
    qn_edge_stream_open(&stream, list, *sequence + i);
    uint64_t found = push_part(npy, i, &stream);
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    bad = found < bad ? found : bad;
    qn_progress_add(PART_EDGES * 2 * npy->width);
    if (failed) {
#pragma omp critical(npy_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *sequence += num_parts;
  if (status || bad == UINT64_MAX)
    return status;
  const char *at = npy->sources + bad * npy->stride;
  if (load_id(npy, at, &id))
    at = npy->destinations + bad * npy->stride;
  return fail_at(npy, (uint64_t)(at - whole->data), error, "edge %" PRIu64 " has a negative id",
                 bad);
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status read_npy(struct qn_input *input, const struct qn_read_options *options,
                               struct qn_edge_list *list, uint64_t *sequence,
                               struct qn_read_result *result, struct qn_error *error) {
  struct npy npy = {.file = qn_input_name(input)};
  struct qn_whole_input whole;
  (void)options;
  enum qn_status status = qn_whole_input_take(input, &whole, error);
  if (status)
    return status;
  status = parse_header(&whole, &npy, error);
  if (!status)
    status = place_edges(&whole, &npy, error);
  if (!status)
    status = push_edges(&whole, &npy, list, sequence, error);
  qn_whole_input_release(&whole);
  if (status)
    return status;
  snprintf(result->description, sizeof result->description,
           "%" PRIu64 " x %" PRIu64 ", %s numbers of %u bytes", npy.rows, npy.columns,
           npy.is_signed ? "signed" : "unsigned", npy.width);
  result->ledger.records += npy.num_edges;
  result->ledger.edges_read += npy.num_edges;
  return QN_OK;
}

static int detect_npy(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  return bytes >= 6 && memcmp(head, SIGNATURE, 6) == 0 ? 3 : 0;
}

const struct qn_reader qn_reader_npy = {
    .name = "npy",
    .detect = detect_npy,
    .read = read_npy,
};
