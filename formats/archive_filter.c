/* The filters, both ways. Decoders believe nothing: every read is bounded by the
 * bytes that are there, and all of them must be used. */
#include "formats/archive_filter.h"

#include <string.h>

bool qn_filter_applies(enum qn_filter filter, uint32_t element_bytes) {
  switch (filter) {
  case QN_FILTER_NONE:
    return true;
  case QN_FILTER_DELTA:
    return element_bytes == 8;
  case QN_FILTER_SHUFFLE:
    return element_bytes > 1;
  case QN_FILTER_GAPS:
  case QN_FILTER_GAP_PLANES:
    return element_bytes == 4;
  }
  return false;
}

uint64_t qn_filter_bound(enum qn_filter filter, uint32_t element_bytes, uint64_t count) {
  switch (filter) {
  case QN_FILTER_DELTA:
    return count * 10;
  case QN_FILTER_GAPS:
    return 4 + count * 6; /* a run start takes a token of one byte and five more */
  case QN_FILTER_GAP_PLANES:
    return 4 + count * 8;
  case QN_FILTER_NONE:
  case QN_FILTER_SHUFFLE:
    break;
  }
  return count * element_bytes;
}

static uint8_t *put_varint(uint8_t *out, uint64_t value) {
  while (value >= 0x80) {
    *out++ = (uint8_t)value | 0x80;
    value >>= 7;
  }
  *out++ = (uint8_t)value;
  return out;
}

/* NULL past the end, and for encodings of more than 64 bits. */
static const uint8_t *get_varint(const uint8_t *in, const uint8_t *end, uint64_t *value) {
  uint64_t result = 0;
  for (unsigned shift = 0; in < end && shift < 64; shift += 7) {
    uint8_t byte = *in++;
    if (shift == 63 && byte > 1)
      return NULL;
    result |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *value = result;
      return in;
    }
  }
  return NULL;
}

/* ---- Delta: differences between neighbours, modulo 2^64, as varints -------- */

static uint64_t encode_delta(const uint64_t *elements, uint64_t count, uint8_t *out) {
  uint8_t *next = out;
  uint64_t before = 0;
  for (uint64_t i = 0; i < count; i++) {
    next = put_varint(next, elements[i] - before);
    before = elements[i];
  }
  return (uint64_t)(next - out);
}

static bool decode_delta(const uint8_t *in, uint64_t bytes, uint64_t *elements, uint64_t count) {
  const uint8_t *end = in + bytes;
  uint64_t before = 0, difference;
  for (uint64_t i = 0; i < count; i++) {
    if (in < end && *in < 0x80)
      difference = *in++;
    else if (!(in = get_varint(in, end, &difference)))
      return false;
    before += difference;
    elements[i] = before;
  }
  return in == end;
}

/* ---- Shuffle: all first bytes, all second bytes, ... ------------------------ */

static void encode_shuffle(uint32_t element_bytes, const uint8_t *elements, uint64_t count,
                           uint8_t *out) {
  for (uint32_t plane = 0; plane < element_bytes; plane++)
    for (uint64_t i = 0; i < count; i++)
      out[plane * count + i] = elements[i * element_bytes + plane];
}

static void decode_shuffle(uint32_t element_bytes, const uint8_t *in, uint64_t count,
                           uint8_t *elements) {
  for (uint32_t plane = 0; plane < element_bytes; plane++)
    for (uint64_t i = 0; i < count; i++)
      elements[i * element_bytes + plane] = in[plane * count + i];
}

/* ---- Gaps: sorted runs as token 0 for a run's start, gap + 1 inside --------- */

static uint32_t zigzag(uint32_t difference) {
  return difference << 1 ^ (uint32_t) - (int32_t)(difference >> 31);
}

static uint32_t unzigzag(uint32_t code) {
  return code >> 1 ^ (uint32_t) - (int32_t)(code & 1);
}

/* A new run begins where elements descend. A gap of 2^32 - 1 has no token, so it begins one too. */
static bool begins_run(const uint32_t *elements, uint64_t i) {
  return i == 0 || elements[i] < elements[i - 1] || elements[i] - elements[i - 1] == UINT32_MAX;
}

static uint32_t token_at(const uint32_t *elements, uint64_t i) {
  return begins_run(elements, i) ? 0 : elements[i] - elements[i - 1] + 1;
}

static uint64_t encode_gaps(const uint32_t *elements, uint64_t count, uint8_t *out) {
  uint8_t *next = out + 4;
  for (uint64_t i = 0; i < count; i++)
    next = put_varint(next, token_at(elements, i));
  uint32_t token_bytes = (uint32_t)(next - out - 4);
  memcpy(out, &token_bytes, 4);
  uint32_t start = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (!begins_run(elements, i))
      continue;
    next = put_varint(next, zigzag(elements[i] - start));
    start = elements[i];
  }
  return (uint64_t)(next - out);
}

static const uint8_t *next_start(const uint8_t *starts, const uint8_t *end, uint32_t *start) {
  uint64_t code;
  starts = get_varint(starts, end, &code);
  if (!starts || code > UINT32_MAX)
    return NULL;
  *start += unzigzag((uint32_t)code);
  return starts;
}

static bool decode_gaps(const uint8_t *in, uint64_t bytes, uint32_t *elements, uint64_t count) {
  uint32_t token_bytes, start = 0, element = 0;
  if (bytes < 4)
    return false;
  memcpy(&token_bytes, in, 4);
  if (token_bytes > bytes - 4)
    return false;
  const uint8_t *tokens = in + 4, *starts = tokens + token_bytes, *tokens_end = starts;
  const uint8_t *end = in + bytes;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t token;
    if (tokens < tokens_end && *tokens < 0x80)
      token = *tokens++;
    else if (!(tokens = get_varint(tokens, tokens_end, &token)) || token > UINT32_MAX)
      return false;
    if (token == 0) {
      if (!(starts = next_start(starts, end, &start)))
        return false;
      element = start;
    } else {
      element += (uint32_t)token - 1;
    }
    elements[i] = element;
  }
  return tokens == tokens_end && starts == end;
}

/* ---- Gap planes: the same tokens and starts as byte planes ------------------ */

static void put_plane_word(uint8_t *planes, uint64_t count, uint64_t i, uint32_t word) {
  planes[i] = (uint8_t)word;
  planes[count + i] = (uint8_t)(word >> 8);
  planes[2 * count + i] = (uint8_t)(word >> 16);
  planes[3 * count + i] = (uint8_t)(word >> 24);
}

static uint32_t plane_word(const uint8_t *planes, uint64_t count, uint64_t i) {
  return planes[i] | (uint32_t)planes[count + i] << 8 | (uint32_t)planes[2 * count + i] << 16 |
         (uint32_t)planes[3 * count + i] << 24;
}

static uint64_t encode_gap_planes(const uint32_t *elements, uint64_t count, uint8_t *out) {
  uint32_t num_starts = 0, start = 0;
  for (uint64_t i = 0; i < count; i++)
    num_starts += begins_run(elements, i);
  memcpy(out, &num_starts, 4);
  uint8_t *tokens = out + 4, *starts = tokens + 4 * count;
  uint64_t run = 0;
  for (uint64_t i = 0; i < count; i++) {
    put_plane_word(tokens, count, i, token_at(elements, i));
    if (!begins_run(elements, i))
      continue;
    put_plane_word(starts, num_starts, run++, zigzag(elements[i] - start));
    start = elements[i];
  }
  return 4 + 4 * count + 4 * (uint64_t)num_starts;
}

static bool decode_gap_planes(const uint8_t *in, uint64_t bytes, uint32_t *elements,
                              uint64_t count) {
  uint32_t num_starts, start = 0, element = 0;
  if (bytes < 4)
    return false;
  memcpy(&num_starts, in, 4);
  if (bytes != 4 + 4 * count + 4 * (uint64_t)num_starts)
    return false;
  const uint8_t *tokens = in + 4, *starts = tokens + 4 * count;
  uint64_t run = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t token = plane_word(tokens, count, i);
    if (token == 0) {
      if (run == num_starts)
        return false;
      start += unzigzag(plane_word(starts, num_starts, run++));
      element = start;
    } else {
      element += token - 1;
    }
    elements[i] = element;
  }
  return run == num_starts;
}

uint64_t qn_filter_encode(enum qn_filter filter, uint32_t element_bytes, const void *elements,
                          uint64_t count, uint8_t *out) {
  switch (filter) {
  case QN_FILTER_DELTA:
    return encode_delta(elements, count, out);
  case QN_FILTER_GAPS:
    return encode_gaps(elements, count, out);
  case QN_FILTER_GAP_PLANES:
    return encode_gap_planes(elements, count, out);
  case QN_FILTER_SHUFFLE:
    encode_shuffle(element_bytes, elements, count, out);
    break;
  case QN_FILTER_NONE:
    memcpy(out, elements, count * element_bytes);
    break;
  }
  return count * element_bytes;
}

bool qn_filter_decode(enum qn_filter filter, uint32_t element_bytes, const uint8_t *in,
                      uint64_t bytes, void *elements, uint64_t count) {
  switch (filter) {
  case QN_FILTER_DELTA:
    return decode_delta(in, bytes, elements, count);
  case QN_FILTER_GAPS:
    return decode_gaps(in, bytes, elements, count);
  case QN_FILTER_GAP_PLANES:
    return decode_gap_planes(in, bytes, elements, count);
  case QN_FILTER_NONE:
  case QN_FILTER_SHUFFLE:
    break;
  }
  if (bytes != count * element_bytes)
    return false;
  if (filter == QN_FILTER_SHUFFLE)
    decode_shuffle(element_bytes, in, count, elements);
  else
    memcpy(elements, in, bytes);
  return true;
}
