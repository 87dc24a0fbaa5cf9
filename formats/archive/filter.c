/* The filters, both ways. Decoders believe nothing: every read is bounded by the
 * bytes that are there, and all of them must be used. */
#include "formats/archive/filter.h"

#include <string.h>

#include "formats/container/varint.h"
#include "support/multiversion.h"

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
  case QN_FILTER_ROWS:
  case QN_FILTER_PAGE_GAPS:
  case QN_FILTER_PAGE_ROWS:
  case QN_FILTER_REFERENCES:
    break;
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
  case QN_FILTER_ROWS:
  case QN_FILTER_PAGE_GAPS:
  case QN_FILTER_PAGE_ROWS:
  case QN_FILTER_REFERENCES:
    break;
  }
  return count * element_bytes;
}

/* Decoders work in blocks that stay in the first cache. */
enum { BLOCK = 256 };

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* ---- Delta: differences between neighbours, modulo 2^64, as varints -------- */

static uint64_t encode_delta(const uint64_t *elements, uint64_t count, uint8_t *out) {
  uint8_t *next = out;
  uint64_t before = 0;
  for (uint64_t i = 0; i < count; i++) {
    next = qn_put_varint(next, elements[i] - before);
    before = elements[i];
  }
  return (uint64_t)(next - out);
}

static bool decode_delta(const uint8_t *in, uint64_t bytes, uint64_t *elements, uint64_t count) {
  const uint8_t *end = in + bytes;
  uint64_t before = 0;
  for (uint64_t done = 0; in && done < count; done += BLOCK) {
    uint64_t n = least(count - done, BLOCK);
    in = qn_get_varints_u64(in, end, elements + done, n);
    for (uint64_t i = 0; in && i < n; i++)
      elements[done + i] = before += elements[done + i];
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

/* Words [begin, begin + n) of `count` in four byte planes. */
QN_VECTOR_CLONES
static void get_plane_words(const uint8_t *planes, uint64_t count, uint64_t begin, uint64_t n,
                            uint32_t *words) {
  const uint8_t *p0 = planes + begin, *p1 = p0 + count, *p2 = p1 + count, *p3 = p2 + count;
  for (uint64_t i = 0; i < n; i++)
    words[i] = p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 | (uint32_t)p3[i] << 24;
}

/* All elements of 8 bytes likewise: two words each. */
QN_VECTOR_CLONES
static void join_plane_pairs(const uint32_t *low, const uint32_t *high, uint64_t n,
                             uint64_t *elements) {
  for (uint64_t i = 0; i < n; i++)
    elements[i] = low[i] | (uint64_t)high[i] << 32;
}

static void decode_shuffle_8(const uint8_t *in, uint64_t count, uint64_t *elements) {
  uint32_t low[BLOCK], high[BLOCK];
  for (uint64_t done = 0; done < count; done += BLOCK) {
    uint64_t n = least(count - done, BLOCK);
    get_plane_words(in, count, done, n, low);
    get_plane_words(in + 4 * count, count, done, n, high);
    join_plane_pairs(low, high, n, elements + done);
  }
}

static void decode_shuffle(uint32_t element_bytes, const uint8_t *in, uint64_t count,
                           void *elements) {
  uint8_t *out = elements;
  if (element_bytes == 4) {
    get_plane_words(in, count, 0, count, elements);
    return;
  }
  if (element_bytes == 8) {
    decode_shuffle_8(in, count, elements);
    return;
  }
  for (uint64_t done = 0; done < count; done += BLOCK) {
    uint64_t end = done + least(count - done, BLOCK);
    for (uint32_t plane = 0; plane < element_bytes; plane++)
      for (uint64_t i = done; i < end; i++)
        out[i * element_bytes + plane] = in[plane * count + i];
  }
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
    next = qn_put_varint(next, token_at(elements, i));
  uint32_t token_bytes = (uint32_t)(next - out - 4);
  memcpy(out, &token_bytes, 4);
  uint32_t start = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (!begins_run(elements, i))
      continue;
    next = qn_put_varint(next, zigzag(elements[i] - start));
    start = elements[i];
  }
  return (uint64_t)(next - out);
}

/* The tokens of a block and the codes of the runs that begin in it. One more code is read, but not
 * used. */
struct tokens {
  uint32_t words[BLOCK];
  uint32_t codes[BLOCK + 1];
};

static uint64_t count_starts(const uint32_t *tokens, uint64_t count) {
  uint64_t starts = 0;
  for (uint64_t i = 0; i < count; i++)
    starts += tokens[i] == 0;
  return starts;
}

/* Where a run begins is as good as random, so there is no branch: an element is what it adds to
 * the one before, which counts for nothing at a start. */
static void join_tokens(struct tokens *tokens, uint64_t count, uint64_t num_starts, uint32_t *start,
                        uint32_t *element, uint32_t *elements) {
  for (uint64_t i = 0; i < num_starts; i++)
    tokens->codes[i] = *start += unzigzag(tokens->codes[i]);
  uint32_t current = *element;
  uint64_t run = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t token = tokens->words[i], inside = 0 - (uint32_t)(token != 0);
    uint32_t added = tokens->codes[run] ^ ((tokens->codes[run] ^ (token - 1)) & inside);
    run += token == 0;
    elements[i] = current = (current & inside) + added;
  }
  *element = current;
}

static bool decode_gaps(const uint8_t *in, uint64_t bytes, uint32_t *elements, uint64_t count) {
  uint32_t token_bytes, start = 0, element = 0;
  struct tokens block = {.words = {0}};
  if (bytes < 4)
    return false;
  memcpy(&token_bytes, in, 4);
  if (token_bytes > bytes - 4)
    return false;
  const uint8_t *tokens = in + 4, *starts = tokens + token_bytes, *tokens_end = starts;
  const uint8_t *end = in + bytes;
  for (uint64_t done = 0; done < count; done += BLOCK) {
    uint64_t n = least(count - done, BLOCK);
    tokens = qn_get_varints_u32(tokens, tokens_end, block.words, n);
    if (!tokens)
      return false;
    uint64_t num_starts = count_starts(block.words, n);
    starts = qn_get_varints_u32(starts, end, block.codes, num_starts);
    if (!starts)
      return false;
    join_tokens(&block, n, num_starts, &start, &element, elements + done);
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
  struct tokens block = {.words = {0}};
  if (bytes < 4)
    return false;
  memcpy(&num_starts, in, 4);
  if (bytes != 4 + 4 * count + 4 * (uint64_t)num_starts)
    return false;
  const uint8_t *tokens = in + 4, *starts = tokens + 4 * count;
  uint64_t run = 0;
  for (uint64_t done = 0; done < count; done += BLOCK) {
    uint64_t n = least(count - done, BLOCK);
    get_plane_words(tokens, count, done, n, block.words);
    uint64_t here = count_starts(block.words, n);
    if (here > num_starts - run)
      return false;
    get_plane_words(starts, num_starts, run, here, block.codes);
    join_tokens(&block, n, here, &start, &element, elements + done);
    run += here;
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
  case QN_FILTER_ROWS:
  case QN_FILTER_PAGE_GAPS:
  case QN_FILTER_PAGE_ROWS:
  case QN_FILTER_REFERENCES:
    return 0;
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
  case QN_FILTER_ROWS:
  case QN_FILTER_PAGE_GAPS:
  case QN_FILTER_PAGE_ROWS:
  case QN_FILTER_REFERENCES:
    return false;
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
