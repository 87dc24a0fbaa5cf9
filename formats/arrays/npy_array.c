#include "formats/arrays/npy_array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/checked.h"

/* What follows 'key': in the header, or NULL. */
static const char *value_of(const struct qn_npy *npy, const char *key) {
  char quoted[32];
  int length = snprintf(quoted, sizeof quoted, "'%s':", key);
  const char *found =
      memmem(npy->header, (size_t)(npy->header_end - npy->header), quoted, (size_t)length);
  return found ? qn_skip_blanks(found + length, npy->header_end) : NULL;
}

static bool begins_with(const struct qn_npy *npy, const char *at, const char *word) {
  size_t length = strlen(word);
  return at && (size_t)(npy->header_end - at) >= length && memcmp(at, word, length) == 0;
}

static const char *parse_extent(const struct qn_npy *npy, const char *at, uint64_t *extent) {
  const char *end = at;
  while (end < npy->header_end && qn_is_digit(*end))
    end++;
  return qn_parse_whole(at, end, extent) == QN_NUMBER_FINE ? qn_skip_blanks(end, npy->header_end)
                                                           : NULL;
}

/* "'<i8'": byte order, kind, width; that of U counts characters. */
static bool parse_type(struct qn_npy *npy) {
  const char *at = value_of(npy, "descr");
  uint64_t width;
  if (!at || npy->header_end - at < 5 || at[0] != '\'' || !strchr("<>|=", at[1]) ||
      !strchr("iufbSU", at[2]))
    return false;
  npy->big_endian = at[1] == '>';
  npy->type = at[2];
  const char *end = parse_extent(npy, at + 3, &width);
  if (!end || end == npy->header_end || *end != '\'' || width > 1 << 20)
    return false;
  npy->width = (unsigned)width * (npy->type == 'U' ? 4 : 1);
  bool power = width == 1 || width == 2 || width == 4 || width == 8;
  switch (npy->type) {
  case 'b':
    return width == 1;
  case 'f':
    return width == 2 || width == 4 || width == 8;
  case 'S':
  case 'U':
    return true;
  default:
    return power && (at[1] != '|' || width == 1);
  }
}

static bool parse_order(struct qn_npy *npy) {
  const char *at = value_of(npy, "fortran_order");
  npy->fortran_order = begins_with(npy, at, "True");
  return npy->fortran_order || begins_with(npy, at, "False");
}

/* "()", "(count,)" or "(rows, columns)" */
static bool parse_shape(struct qn_npy *npy) {
  const char *at = value_of(npy, "shape"), *end = npy->header_end;
  if (!at || at == end || *at != '(')
    return false;
  at = qn_skip_blanks(at + 1, end);
  npy->shape[0] = npy->shape[1] = 1;
  for (npy->dimensions = 0; at && at < end && *at != ')'; npy->dimensions++) {
    if (npy->dimensions == 2 || !(at = parse_extent(npy, at, &npy->shape[npy->dimensions])) ||
        at == end || (*at != ',' && *at != ')'))
      return false;
    if (*at == ',')
      at = qn_skip_blanks(at + 1, end);
  }
  return at && at < end;
}

/* Find the header; QN_INVALID unless all of it is there. */
static enum qn_status find_header(const char *data, uint64_t bytes, const char *file,
                                  struct qn_npy *npy, struct qn_error *error) {
  const unsigned char *at = (const unsigned char *)data;
  if (bytes < 10 || memcmp(at, QN_NPY_SIGNATURE, 6) != 0)
    return qn_binary_fail(file, 0, error,
                          "this is not a NumPy array: it does not begin with \\x93NUMPY");
  if (at[6] < 1 || at[6] > 3)
    return qn_binary_fail(file, 6, error, "version %u of NumPy's format is unknown", at[6]);
  uint64_t begin = at[6] == 1 ? 10 : 12, length = at[8] | (uint64_t)at[9] << 8;
  if (at[6] > 1 && bytes >= 12)
    length |= (uint64_t)at[10] << 16 | (uint64_t)at[11] << 24;
  if (bytes < begin || length > bytes - begin)
    return qn_binary_fail(file, bytes, error, "the file ends in the header");
  npy->header = data + begin;
  npy->header_end = npy->header + length;
  npy->data = npy->header_end;
  npy->offset = begin + length;
  return QN_OK;
}

enum qn_status qn_npy_parse(const char *data, uint64_t bytes, const char *file, struct qn_npy *npy,
                            struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  uint64_t expected;
  *npy = (struct qn_npy){0};
  enum qn_status status = find_header(data, bytes, file, npy, error);
  if (status)
    return status;
  uint64_t at = (uint64_t)(npy->header - data);
  const char *type = value_of(npy, "descr");
  if (!parse_type(npy))
    return qn_binary_fail(file, at, error, "expected numbers ('<i8', '<u4', ...); found %s",
                          type ? qn_text_quote(type, npy->header_end, quoted) : "no 'descr'");
  if (!parse_order(npy) || !parse_shape(npy))
    return qn_binary_fail(file, at, error, "expected an array of at most two dimensions; found %s",
                          qn_text_quote(npy->header, npy->header_end, quoted));
  if (!qn_mul_u64(npy->shape[0], npy->shape[1], &npy->count) ||
      !qn_mul_u64(npy->count, npy->width, &expected) || expected != bytes - npy->offset)
    return qn_binary_fail(file, npy->offset, error,
                          "an array of %" PRIu64 " x %" PRIu64
                          " elements of %u bytes should follow, but there are %" PRIu64 " bytes",
                          npy->shape[0], npy->shape[1], npy->width, bytes - npy->offset);
  return QN_OK;
}

bool qn_npy_numbers(const struct qn_npy *npy, const char *name, struct qn_number_array *numbers) {
  *numbers = (struct qn_number_array){.name = name,
                                      .data = npy->data,
                                      .count = npy->count,
                                      .kind = npy->type == 'i'   ? QN_NUMBERS_SIGNED
                                              : npy->type == 'f' ? QN_NUMBERS_REAL
                                                                 : QN_NUMBERS_UNSIGNED,
                                      .width = npy->width,
                                      .big_endian = npy->big_endian,
                                      .stays = npy->stays};
  return strchr("iufb", npy->type) != NULL && !(npy->type == 'f' && npy->width == 2);
}

bool qn_npy_text(const struct qn_npy *npy, char *text, uint64_t size) {
  unsigned step = npy->type == 'U' ? 4 : 1, count = npy->width / step, i;
  if (!strchr("SU", npy->type) || npy->count != 1 || count >= size)
    return false;
  for (i = 0; i < count; i++) {
    const char *at = npy->data + (uint64_t)i * step;
    text[i] = at[npy->big_endian && step == 4 ? 3 : 0];
    if (!text[i])
      break;
  }
  text[i] = 0;
  return true;
}
