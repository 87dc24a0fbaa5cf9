#include "support/sizes.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int suffix_shift(char letter) {
  switch (toupper((unsigned char)letter)) {
  case 'K':
    return 10;
  case 'M':
    return 20;
  case 'G':
    return 30;
  case 'T':
    return 40;
  default:
    return -1;
  }
}

enum qn_status qn_size_parse(const char *text, uint64_t *bytes, struct qn_error *error) {
  size_t digits = strspn(text, "0123456789.");
  char number[64];
  if (digits == 0 || digits >= sizeof number)
    goto bad;
  memcpy(number, text, digits);
  number[digits] = '\0';

  const char *rest = text + digits;
  int shift = 0;
  if (*rest && (shift = suffix_shift(*rest)) >= 0)
    rest++;
  else
    shift = 0;
  if (shift && *rest == 'i')
    rest++;
  if (*rest == 'B' || *rest == 'b')
    rest++;
  if (*rest)
    goto bad;

  if (!strchr(number, '.')) {
    uint64_t value = 0;
    if (qn_number_parse(number, UINT64_MAX >> shift, &value, NULL))
      goto bad;
    *bytes = value << shift;
    return QN_OK;
  }
  double value = 0;
  if (qn_real_parse(number, &value, NULL) || value * (double)((uint64_t)1 << shift) >= 0x1p64)
    goto bad;
  *bytes = (uint64_t)(value * (double)((uint64_t)1 << shift));
  return QN_OK;
bad:
  return qn_fail(error, QN_USAGE, "'%.64s' is not a size; write for example 512M or 4G", text);
}

char *qn_size_text(uint64_t bytes, char *text, size_t size) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  unsigned unit = 0;
  double value = (double)bytes;
  while (value >= 1024 && unit < 6) {
    value /= 1024;
    unit++;
  }
  snprintf(text, size, unit ? "%.2f %s" : "%.0f %s", value, units[unit]);
  return text;
}

char *qn_count_text(uint64_t count, char *text, size_t size) {
  char plain[24];
  size_t length = (size_t)snprintf(plain, sizeof plain, "%" PRIu64, count);
  size_t out = 0;
  for (size_t i = 0; i < length && out + 2 < size; i++) {
    if (i && (length - i) % 3 == 0)
      text[out++] = ',';
    text[out++] = plain[i];
  }
  text[out] = '\0';
  return text;
}

enum qn_status qn_number_parse(const char *text, uint64_t max, uint64_t *value,
                               struct qn_error *error) {
  char *end;
  errno = 0;
  unsigned long long parsed = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
  if (!isdigit((unsigned char)*text) || *end || errno || parsed > max)
    return qn_fail(error, QN_USAGE, "'%.64s' is not an integer from 0 to %" PRIu64, text, max);
  *value = parsed;
  return QN_OK;
}

enum qn_status qn_real_parse(const char *text, double *value, struct qn_error *error) {
  char *end;
  errno = 0;
  double parsed = strtod(text, &end);
  if (end == text || *end || isspace((unsigned char)*text) || !isfinite(parsed))
    return qn_fail(error, QN_USAGE, "'%.64s' is not a finite number", text);
  *value = parsed;
  return QN_OK;
}
