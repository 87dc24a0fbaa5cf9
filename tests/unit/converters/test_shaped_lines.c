/* Lines of one shape against the C library's numbers: every length, sign and spelling that ends a
 * shape, at every place of a block, and nothing read beyond what is readable. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/parse/shaped_lines.h"
#include "formats/text/shortest_float.h"
#include "formats/text/text_numbers.h"
#include "helpers/random_numbers.h"
#include "helpers/test.h"

enum { MOST_LINES = 700, LINE_BYTES = 200 };

/* What a line should become; `odd` if it has no shape, or not that of the others. */
struct expected {
  uint32_t begin; /* in the text */
  bool odd;
  uint64_t pair;
  double weight; /* exact: whole ones have fewer than 54 bits */
  bool narrow;   /* it fits in 4 bytes */
};

struct round {
  struct qn_line_form form;
  bool real, carriage_return;
  uint32_t num_quoted; /* columns in quotes, the first ones */
  uint32_t most; /* digits of a fraction; 0: weights are decimals of floats, or near to some */
  char separator;
  char *text;
  uint32_t bytes, num_lines;
  struct expected lines[MOST_LINES + 1];
  uint32_t next; /* line */
  uint64_t taken;
  bool checks_limits;
};

static int put_digits(char *out, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    out[i] = (char)('0' + random_below(10));
  return (int)count;
}

/* The shortest decimal of a float, perhaps with zeros behind it; one in many is another number. */
static int put_decimal(char *out) {
  static const uint32_t powers[] = {1,      10,      100,      1000,      10000,
                                    100000, 1000000, 10000000, 100000000, 1000000000};
  uint32_t bits = 0x38000000 + random_below(0x0a000000); /* 3e-5 to 32 */
  float value;
  if (random_below(3) == 0)
    bits = 0x3f000000 + random_below(0x0c000000); /* 0.5 to 8e6 */
  if (random_below(100) == 0)
    bits = (bits & 0xff800000) + random_below(4) - random_below(4); /* near a power of two */
  memcpy(&value, &bits, sizeof value);
  struct qn_decimal decimal = qn_shortest_decimal(value);
  uint64_t digits = decimal.digits;
  int fraction = -decimal.exponent, zeros = random_below(4) ? 0 : (int)random_below(7);
  for (; fraction < 1; fraction++)
    digits *= 10;
  if (random_below(600) == 0)
    digits += random_below(2) ? 1 : digits > 1 ? (uint64_t)-1 : 1;
  if (fraction > 9)
    return snprintf(out, 64, "0.%0*" PRIu64, fraction, digits);
  return snprintf(out, 64, "%" PRIu64 ".%0*" PRIu64 "%.*s", digits / powers[fraction], fraction,
                  digits % powers[fraction], zeros, "000000");
}

/* Weights of `most` digits. */
static int put_weight(char *out, bool real, uint32_t most, struct expected *expected) {
  enum qn_weight_type type;
  uint64_t bits;
  if (!real) {
    uint64_t weight = random_number() >> (most > 8 ? 12 + random_below(50) : 32 + random_below(32));
    int length =
        sprintf(out, "%.*s%" PRIu64, weight >> 40 ? 0 : (int)random_below(3), "000", weight);
    expected->weight = (double)weight;
    expected->narrow = weight <= UINT32_MAX;
    return length;
  }
  int length = most ? 0 : put_decimal(out);
  if (most) {
    length = put_digits(out, 1 + (random_below(4) ? 0 : random_below(14)));
    out[length++] = '.';
    length += put_digits(out + length, 1 + random_below(most));
    out[length] = 0;
  }
  expected->weight = strtod(out, NULL);
  assert_true(qn_parse_weight(out, out + length, &type, &bits) <= QN_WEIGHT_ROUNDED);
  expected->narrow = type == QN_WEIGHT_F32;
  return length;
}

/* The first is odd only as an id. */
static const char *const ODD_FIELDS[] = {
    "123456789", "-1", "+1", "1e3", "1.5e-3", ".5",   "5.",   "nan", "inf", "x",     "",
    " 7",        "7 ", "#",  "7:",  "1..5",   "-0.5", "1.5f", "0x1", "--1", "\"7\"", "1.2.3"};

static const char *odd_field(bool id) {
  return ODD_FIELDS[!id + random_below(sizeof ODD_FIELDS / sizeof *ODD_FIELDS - 1)];
}

/* A line of the round's form, or (`odd`) with one field of another. */
static int put_line(struct round *round, char *out, struct expected *expected) {
  const struct qn_regular_columns *columns = &round->form.columns;
  uint32_t odd_column = expected->odd ? random_below(columns->num_columns) : UINT32_MAX;
  int length = sprintf(out, "%s", round->form.prefix);
  for (uint32_t c = 0; c < columns->num_columns; c++) {
    char *field = out + length;
    if (c)
      *field++ = round->separator;
    bool quoted = round->form.quotes && c < round->num_quoted && c != odd_column;
    if (quoted)
      *field++ = '"';
    char *end = field;
    if (c == odd_column) {
      end += sprintf(field, "%s", odd_field(c == columns->source || c == columns->destination));
      if (round->form.quotes && *field == '"')
        *field = 'x'; /* in quotes it would not be odd */
    } else if (c == columns->weight)
      end += put_weight(field, round->real, round->most, expected);
    else
      end += put_digits(field, 1 + random_below(8));
    *end = 0;
    if (c == columns->source)
      expected->pair |= strtoul(field, NULL, 10);
    if (c == columns->destination)
      expected->pair |= (uint64_t)strtoul(field, NULL, 10) << 32;
    if (quoted)
      *end++ = '"';
    length = (int)(end - out);
  }
  return length + sprintf(out + length, round->carriage_return ? "\r\n" : "\n");
}

static const struct qn_line_form FORMS[] = {
    {"", " \t,;", {2, 0, 1, UINT32_MAX, {' ', ' '}}, false},
    {"", " \t,;", {3, 0, 1, 2, {' ', ' '}}, false},
    {"", " \t,;", {4, 0, 1, 2, {' ', ' '}}, false},
    {"", " \t,;", {4, 2, 0, 3, {' ', ' '}}, false},
    {"", " \t,;", {3, 1, 2, UINT32_MAX, {' ', ' '}}, false},
    {"", " \t,;", {3, 0, 2, 1, {' ', ' '}}, false},
    {"a ", " ", {3, 0, 1, 2, {' ', ' '}}, false},
    {"a ", " ", {3, 0, 1, UINT32_MAX, {' ', ' '}}, false},
    {"", " \t,;", {6, 1, 4, 5, {' ', ' '}}, false},
    {"edge ", " ", {2, 0, 1, UINT32_MAX, {' ', ' '}}, false},
    {"", " \t,;", {2, 0, 1, UINT32_MAX, {' ', ' '}}, true},
    {"", ",", {3, 0, 1, 2, {' ', ' '}}, true},
    {"", ";", {3, 2, 1, UINT32_MAX, {' ', ' '}}, true},
    {"", ",", {3, 2, 1, 0, {' ', ' '}}, true},
    {"", ",", {4, 0, 3, 2, {' ', ' '}}, true},
    {"", ",", {4, 0, 1, 3, {' ', ' '}}, true},
    {"", ",", {7, 3, 5, 6, {' ', ' '}}, false},
};

static void make_round(struct round *round) {
  static char text[MOST_LINES * LINE_BYTES];
  memset(round, 0, sizeof *round);
  round->form = FORMS[random_below(sizeof FORMS / sizeof *FORMS)];
  round->real = round->form.columns.weight != UINT32_MAX && random_below(2);
  round->carriage_return = random_below(4) == 0;
  round->num_quoted = 2 + random_below(3);
  round->most = random_below(2) ? 15 : 1 + random_below(6);
  if (round->real && random_below(2))
    round->most = 0;
  round->separator = round->form.separators[random_below((uint32_t)strlen(round->form.separators))];
  round->num_lines = 1 + random_below(MOST_LINES);
  uint32_t one_of = 1u << random_below(12);
  for (uint32_t i = 0; i < round->num_lines; i++) {
    struct expected *expected = &round->lines[i];
    expected->begin = round->bytes;
    expected->odd = one_of < 2000 && random_below(one_of) == 0;
    round->bytes += (uint32_t)put_line(round, text + round->bytes, expected);
  }
  round->lines[round->num_lines].begin = round->bytes;
  round->text = malloc(round->bytes); /* as long as the text: what is read beyond is found out */
  memcpy(round->text, text, round->bytes);
}

static double weight_at(const struct qn_shaped_lines *lines, uint32_t i) {
  const void *weights = lines->weights;
  return lines->weight_type == QN_WEIGHT_U32   ? ((const uint32_t *)weights)[i]
         : lines->weight_type == QN_WEIGHT_I64 ? (double)((const int64_t *)weights)[i]
         : lines->weight_type == QN_WEIGHT_F32 ? qn_decimal_of_f32(((const float *)weights)[i])
                                               : ((const double *)weights)[i];
}

static uint32_t take_some(struct qn_text_part *part, const void *context,
                          const struct qn_shaped_lines *lines) {
  struct round *round = (struct round *)(uintptr_t)context;
  bool weighted = round->form.columns.weight != UINT32_MAX;
  uint32_t count = random_below(8) ? lines->count : random_below(lines->count + 1);
  assert_true(round->text + round->lines[round->next].begin == part->cursor);
  bool narrow = true;
  for (uint32_t i = 0; i < lines->count; i++)
    narrow &= round->lines[round->next + i].narrow;
  assert_int_equal(lines->weight_type, !weighted     ? QN_WEIGHT_NONE
                                       : round->real ? (narrow ? QN_WEIGHT_F32 : QN_WEIGHT_F64)
                                                     : (narrow ? QN_WEIGHT_U32 : QN_WEIGHT_I64));
  for (uint32_t i = 0; i < count; i++) {
    const struct expected *expected = &round->lines[round->next++];
    assert_false(expected->odd);
    assert_true(lines->pairs[i] == expected->pair);
    if (weighted && weight_at(lines, i) != expected->weight)
      fail_msg("weight %.17g", expected->weight);
  }
  round->taken += count;
  return count;
}

static bool is_fast(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi");
#else
  return false;
#endif
}

/* A line that is not taken is passed over. */
static void read_round(struct round *round) {
  struct qn_text_part part = {.begin = round->text, .cursor = round->text};
  part.readable_end = round->text + round->bytes;
  part.end = round->text + round->lines[round->num_lines - random_below(round->num_lines)].begin;
  while (part.cursor < part.end) {
    uint64_t before = round->taken;
    qn_take_shaped_lines(&part, &round->form, take_some, round);
    assert_true(part.cursor <= part.end);
    assert_true(part.edges == round->taken);
    if (round->taken == before) {
      round->next++;
      part.cursor = round->text + round->lines[round->next].begin;
    }
  }
}

TEST(shapes) {
  static struct round round;
  uint64_t lines = 0, odd = 0, taken = 0;
  for (int i = 0; i < 3000; i++) {
    make_round(&round);
    read_round(&round);
    for (uint32_t l = 0; l < round.next; l++)
      odd += round.lines[l].odd;
    lines += round.next;
    taken += round.taken;
    free(round.text);
  }
  /* Left are lines at the end, long ones, and those whose weight lies between two floats. */
  assert_true(is_fast() ? taken > (lines - odd) / 10 * 7 : taken == 0);
}

/* ---- Vertices from 1 ------------------------------------------------------ */

TEST(numbered) {
  struct qn_shaped_lines lines = {.weight_type = QN_WEIGHT_U32};
  struct qn_edge_list *list;
  struct qn_error error;
  for (int i = 0; i < 20000; i++) {
    struct qn_numbered_ends ends = {1 + random_below(50), 1 + random_below(50), random_below(2),
                                    random_below(2) * 100};
    struct qn_text_part part = {.edges = 0};
    uint32_t good = 0;
    if (i % 100 == 0)
      ends.first_destination = UINT32_MAX - 10;
    lines.count = 1 + random_below(QN_SHAPED_LINES);
    for (uint32_t l = 0; l < lines.count; l++) {
      uint64_t odd = random_below(300) == 0,
               u = random_below(2) || !odd ? 1 + random_below((uint32_t)ends.sources) : 0;
      uint64_t v = odd ? random_below(2) * (ends.destinations + 1)
                       : 1 + random_below((uint32_t)ends.destinations);
      lines.pairs[l] = u | v << 32;
      good += good == l && u >= 1 && u <= ends.sources && v >= 1 && v <= ends.destinations;
    }
    if (ends.first_destination + ends.destinations > UINT32_MAX)
      good = 0;
    assert_int_equal(qn_edge_list_create(&list, &error), QN_OK);
    qn_edge_stream_open(&part.stream, list, 0);
    assert_int_equal(qn_push_numbered_lines(&part, &ends, &lines), good);
    assert_int_equal(part.stream.count, good);
    for (uint32_t l = 0; l < good; l++) {
      uint64_t u = (uint32_t)lines.pairs[l] - 1 + ends.first_source;
      uint64_t v = (lines.pairs[l] >> 32) - 1 + ends.first_destination;
      assert_true(part.stream.pairs[l] == (u | v << 32));
    }
    assert_int_equal(qn_edge_stream_close(&part.stream, &error), QN_OK);
    qn_edge_list_destroy(list);
  }
}

TEST_MAIN(NULL, NULL)
