/* Numbers in text against the C library, and edge lists in random spellings against what was
 * written. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/edges/edge_blocks.h"
#include "converters/format.h"
#include "converters/parse/real_lines.h"
#include "formats/text/text_format.h"
#include "formats/text/text_numbers.h"
#include "helpers/random_numbers.h"
#include "helpers/scratch.h"
#include "helpers/test.h"
#include "support/input/input.h"
#include "support/progress.h"
#include "support/threads.h"

static struct qn_error error;
/* Of any magnitude. */
static uint64_t random_id(void) {
  return random_number() >> (random_number() % 64);
}

/* ---- Numbers -------------------------------------------------------------- */

TEST(short_numbers) {
  for (int i = 0; i < 300000; i++) {
    char text[64];
    uint64_t number = random_id(), parsed = 0;
    int zeros = (int)(random_number() % 4) * (int)(random_number() % 4);
    int length = snprintf(text, sizeof text, "%.*s%" PRIu64, zeros, "000000000000", number);
    memset(text + length, "\t ,\n/:a\xff"[i % 8], sizeof text - (size_t)length);
    const char *p = text;
    bool fine = qn_parse_short_number(&p, &parsed);
    assert_int_equal(fine, length <= 16);
    if (fine) {
      assert_int_equal(parsed, number);
      assert_ptr_equal(p, text + length);
    }
    assert_int_equal(qn_parse_whole(text, text + length, &parsed), QN_NUMBER_FINE);
    assert_int_equal(parsed, number);
  }
  static const char *const none[] = {"", "-", "-1", "+1", "1x", "x", "1.0", " 1", "1e3", "0x1"};
  uint64_t value;
  for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
    assert_int_equal(qn_parse_whole(none[i], none[i] + strlen(none[i]), &value), QN_NUMBER_NONE);
  const char *large = "18446744073709551616", *largest = "18446744073709551615";
  assert_int_equal(qn_parse_whole(large, large + 20, &value), QN_NUMBER_TOO_LARGE);
  assert_int_equal(qn_parse_whole(largest, largest + 20, &value), QN_NUMBER_FINE);
  assert_true(value == UINT64_MAX);
}

static void check_weight(const char *text) {
  enum qn_weight_type type, expected_type = QN_WEIGHT_F64;
  uint64_t bits, expected = 0;
  enum qn_weight_kind kind = qn_parse_weight(text, text + strlen(text), &type, &bits);
  double wide = strtod(text, NULL);
  float narrow = strtof(text, NULL);
  char shortest[QN_MAX_NUMBER_TEXT + 1] = "";
  if (isfinite(narrow))
    *qn_put_f32(shortest, narrow) = '\0';
  long long whole = strtoll(text, NULL, 10);
  if (!strpbrk(text, ".eE") && strcmp(text, "-0")) {
    expected_type = whole >= 0 && whole <= UINT32_MAX ? QN_WEIGHT_U32 : QN_WEIGHT_I64;
    expected = (uint64_t)whole;
  } else if (isfinite(narrow) && strtod(shortest, NULL) == wide) {
    expected_type = QN_WEIGHT_F32;
    memcpy(&expected, &narrow, sizeof narrow);
  } else {
    memcpy(&expected, &wide, sizeof wide);
  }
  assert_int_equal(kind, QN_WEIGHT_FINE);
  if (type != expected_type || bits != expected)
    fail_msg("%s: type %d, bits %016" PRIx64 ", expected %d, %016" PRIx64, text, type, bits,
             expected_type, expected);
}

static int put_digits(char *out, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    out[i] = (char)('0' + random_number() % 10);
  return (int)count;
}

/* What is parsed at once must be what the C library makes of it, and ordinary lines must be. */
TEST(real_lines) {
  unsigned at_once = 0, regular_lines = 0, halfway = 0; /* between two floats */
  for (int i = 0; i < 300000; i++) {
    char text[256] = "";
    unsigned first = 1 + (unsigned)(random_number() % 9),
             second = 1 + (unsigned)(random_number() % 9);
    unsigned whole = 1 + (unsigned)(random_number() % 8),
             fraction = (unsigned)(random_number() % 9);
    bool times = random_number() % 2, odd = random_number() % 8 == 0;
    int length = put_digits(text, first);
    text[length++] = odd && random_number() % 2 ? ':' : "\t ,;"[random_number() % 4];
    length += put_digits(text + length, second);
    text[length++] = ' ';
    const char *weight = text + length;
    length += put_digits(text + length, whole);
    text[length++] = '.';
    length += put_digits(text + length, fraction);
    const char *weight_end = text + length;
    if (times)
      length += snprintf(text + length, 32, " %" PRIu64, random_number() % 1000000);
    text[length++] = odd ? "e\r x"[random_number() % 4] : '\n';
    memset(text + length, '7', sizeof text - (size_t)length - 1);

    struct qn_real_line line;
    bool regular = !odd && first <= 8 && second <= 8 && fraction && whole + fraction <= 15;
    bool parsed = qn_parse_real_line(text, times, &line);
    regular_lines += regular;
    at_once += parsed;
    assert_true(regular || !parsed);
    if (parsed) {
      enum qn_weight_type type;
      uint64_t bits;
      assert_int_equal(qn_parse_weight(weight, weight_end, &type, &bits), QN_WEIGHT_FINE);
      assert_true(line.type == type && line.weight == bits);
      assert_true((uint32_t)line.numbers == strtoul(text, NULL, 10));
      assert_true(line.numbers >> 32 == strtoul(text + first + 1, NULL, 10));
      assert_int_equal(line.bytes, length);
    }

    const char *p = weight;
    enum qn_weight_type type, expected_type;
    uint64_t bits, expected;
    if (qn_parse_short_weight(&p, &type, &bits)) {
      assert_ptr_equal(p, weight_end);
      assert_int_equal(qn_parse_weight(weight, weight_end, &expected_type, &expected),
                       QN_WEIGHT_FINE);
      assert_true(type == expected_type && bits == expected);
    } else {
      halfway += fraction > 0 && whole < 8;
    }
  }
  assert_true(at_once + at_once / 200 > regular_lines && halfway < 3000);
}

TEST(weights) {
  static const struct {
    const char *text;
    enum qn_weight_kind kind;
  } odd[] = {{"", QN_WEIGHT_NO_NUMBER},
             {".", QN_WEIGHT_NO_NUMBER},
             {"-", QN_WEIGHT_NO_NUMBER},
             {"1e", QN_WEIGHT_NO_NUMBER},
             {"1e+", QN_WEIGHT_NO_NUMBER},
             {"1.2.3", QN_WEIGHT_NO_NUMBER},
             {"0x10", QN_WEIGHT_NO_NUMBER},
             {"1f", QN_WEIGHT_NO_NUMBER},
             {"--1", QN_WEIGHT_NO_NUMBER},
             {"nano", QN_WEIGHT_NO_NUMBER},
             {"nan", QN_WEIGHT_NOT_FINITE},
             {"-Infinity", QN_WEIGHT_NOT_FINITE},
             {"+inf", QN_WEIGHT_NOT_FINITE},
             {"1.8e308", QN_WEIGHT_TOO_LARGE},
             {"-1e999", QN_WEIGHT_TOO_LARGE},
             {"9223372036854775809", QN_WEIGHT_ROUNDED},
             {"-9223372036854775809", QN_WEIGHT_ROUNDED},
             {"9007199254740993.0", QN_WEIGHT_ROUNDED},
             {"+09007199254740992.5", QN_WEIGHT_ROUNDED},
             {"9007199254740992.", QN_WEIGHT_FINE},
             {"-009007199254740994.00", QN_WEIGHT_FINE},
             {"9223372036854775808", QN_WEIGHT_FINE},
             {"1e30", QN_WEIGHT_FINE}};
  enum qn_weight_type type;
  uint64_t bits;
  for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
    assert_int_equal(qn_parse_weight(odd[i].text, odd[i].text + strlen(odd[i].text), &type, &bits),
                     odd[i].kind);
  static const char *const reals[] = {"4294967296",
                                      "-1",
                                      "-0",
                                      "1.",
                                      ".5",
                                      "+.5e-3",
                                      "1E10",
                                      "1e-50",
                                      "1.17e-38",
                                      "3.4028235e38",
                                      "16777217.0",
                                      "0.1",
                                      "9007199254740993",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "3.5e38",
                                      "1.7976931348623157e308",
                                      "4.9e-324",
                                      "0.333251953125",
                                      "16777216.5",
                                      "1.00000005960464478",
                                      "1.0000000596046447",
                                      "8589934593.5",
                                      "0.000000000000001"};
  for (unsigned i = 0; i < sizeof reals / sizeof *reals; i++)
    check_weight(reals[i]);
  char text[64];
  for (int i = 0; i < 300000; i++) {
    static const char *const formats[] = {"%.1f", "%.3f",  "%.6f", "%.7f",
                                          "%.9g", "%.17g", "%e",   "%.16e"};
    double value = (double)(int64_t)random_number() / pow(2, (double)(random_number() % 90));
    snprintf(text, sizeof text, formats[i % 8], value);
    if (strchr(text, '.') || strchr(text, '-'))
      check_weight(text);
    /* Halfway between two floats, or next to it: where rounding twice goes wrong. */
    uint32_t whole = (uint32_t)(random_number() >> 40) | 1u << 23;
    snprintf(text, sizeof text, "%" PRIu32 ".%s", whole,
             i % 3 == 0   ? "5"
             : i % 3 == 1 ? "50000001"
                          : "49999999");
    check_weight(text);
  }
  assert_int_equal(qn_parse_weight("+7", "+7" + 2, &type, &bits), QN_WEIGHT_FINE);
  assert_int_equal(type, QN_WEIGHT_U32);
  assert_int_equal(bits, 7);
}

/* ---- Edge lists ----------------------------------------------------------- */

struct edge {
  uint64_t source, destination;
  bool weighted;
  double weight;
};

enum { EDGES = 200000 };
static struct edge edges[EDGES];

enum spelling { TWO_COLUMNS, WHOLE_WEIGHTS, ANY_WEIGHTS, FOUR_COLUMNS };

/* Spellings of what separates columns; the first is the regular one. */
static const char *const separators[][4] = {{" ", "\t", "  ", "\t\t "},
                                            {",", " ,", ", ", " , "},
                                            {";", " ;", "; ", "\t;"},
                                            {"\t", "\t ", " \t", " \t "},
                                            {"|", " |", "| ", " | "}};
static unsigned separated_by;

static const char *any_separator(void) {
  return separators[separated_by][random_number() % 4];
}

/* Mostly ordinary lines, some odd ones; returns the number of lines. */
static uint64_t write_edges(const char *path, enum spelling spelling, bool small, bool regular) {
  FILE *file = fopen(path, "wb");
  uint64_t lines = 0;
  assert_non_null(file);
  for (uint64_t i = 0; i < EDGES; i++) {
    struct edge *edge = &edges[i];
    bool odd = !regular && random_number() % 50 == 0;
    *edge = (struct edge){.source = small ? random_number() % 3000000 : random_id(),
                          .destination = small ? random_number() % 3000000 : random_id()};
    if (odd && random_number() % 2) {
      static const char *const noise[] = {"# comment\n", "%\n", "\n", "  \t\r\n", "  # 1 2 3\n"};
      fputs(noise[random_number() % 5], file);
      lines++;
    }
    fprintf(file, "%s%" PRIu64 "%s%" PRIu64, odd && random_number() % 2 ? "  " : "", edge->source,
            odd ? any_separator() : separators[separated_by][0], edge->destination);
    if (spelling != TWO_COLUMNS) {
      char text[32];
      snprintf(text, sizeof text, "%" PRIu32, (uint32_t)(random_id() >> 32));
      if (spelling == ANY_WEIGHTS && random_number() % 4 == 0) {
        snprintf(text, sizeof text, "%.*f", (int)(random_number() % 8) + 1,
                 (double)(int64_t)random_number() / 1e13);
      }
      edge->weighted = true;
      edge->weight = strtod(text, NULL);
      fprintf(file, "%s%s%s%s", odd ? any_separator() : separators[separated_by][0], text,
              spelling == FOUR_COLUMNS ? separators[separated_by][0] : "",
              spelling == FOUR_COLUMNS ? "1082040961" : "");
    }
    fputs(i + 1 == EDGES && odd ? "" : odd ? " \r\n" : "\n", file);
    lines++;
  }
  fclose(file);
  return lines;
}

static int by_place(const void *left, const void *right) {
  const struct qn_edge_block *a = *(struct qn_edge_block *const *)left;
  const struct qn_edge_block *b = *(struct qn_edge_block *const *)right;
  if (a->sequence != b->sequence)
    return a->sequence < b->sequence ? -1 : 1;
  return a->position < b->position ? -1 : 1;
}

/* The number that a weight of a list stands for, whatever its block's type is. */
static double weight_at(enum qn_weight_type type, const void *weights, uint64_t i) {
  return type == QN_WEIGHT_U32   ? ((const uint32_t *)weights)[i]
         : type == QN_WEIGHT_I64 ? (double)((const int64_t *)weights)[i]
         : type == QN_WEIGHT_F32 ? qn_decimal_of_f32(((const float *)weights)[i])
                                 : ((const double *)weights)[i];
}

static void compare_list(struct qn_edge_list *list) {
  uint64_t n = 0;
  assert_int_equal(qn_edge_list_count(list), EDGES);
  qsort(list->blocks, list->num_blocks, sizeof *list->blocks, by_place);
  for (uint64_t b = 0; b < list->num_blocks; b++) {
    struct qn_edge_block *block = list->blocks[b];
    const uint64_t *ids = qn_edge_block_ids(block);
    const void *block_weights = qn_edge_block_weights(block);
    uint64_t largest = 0;
    for (uint64_t i = 0; i < block->count; i++, n++) {
      uint64_t source = block->wide ? ids[2 * i] : (uint32_t)ids[i];
      uint64_t destination = block->wide ? ids[2 * i + 1] : ids[i] >> 32;
      assert_int_equal(source, edges[n].source);
      assert_int_equal(destination, edges[n].destination);
      assert_int_equal(block->weight_type != QN_WEIGHT_NONE, edges[n].weighted);
      if (edges[n].weighted && weight_at(block->weight_type, block_weights, i) != edges[n].weight)
        fail_msg("the weight of edge %" PRIu64 " is %.17g", n, edges[n].weight);
      largest = source > largest ? source : largest;
      largest = destination > largest ? destination : largest;
    }
    assert_int_equal(block->largest, largest);
  }
  assert_int_equal(n, EDGES);
}

static void read_back(const char *path, uint64_t lines) {
  const struct qn_reader *reader;
  struct qn_read_options options = {0};
  struct qn_read_result result = {.num_vertices = QN_VERTICES_FROM_EDGES};
  struct qn_edge_list *list;
  struct qn_input *input;
  uint64_t sequence = 0;
  assert_int_equal(qn_edge_list_create(&list, &error), QN_OK);
  assert_int_equal(qn_input_open(path, &QN_INPUT_DEFAULTS, &input, &error), QN_OK);
  assert_int_equal(qn_reader_detect(input, &options, &reader, &error), QN_OK);
  assert_string_equal(reader->name, "edges");
  if (reader->read(input, &options, list, &sequence, &result, &error))
    fail_msg("line %" PRIu64 ": %s", error.line, error.message);
  qn_input_close(input);
  assert_int_equal(result.ledger.records, lines);
  assert_int_equal(result.ledger.edges_read, EDGES);
  assert_int_equal(result.ledger.comments, lines - EDGES);
  compare_list(list);
  qn_edge_list_destroy(list);
}

TEST(edge_lists) {
  for (enum spelling spelling = TWO_COLUMNS; spelling <= FOUR_COLUMNS; spelling++)
    for (int small = 0; small < 2; small++)
      for (int regular = 0; regular < 2; regular++) {
        const char *path = scratch_path("edges.txt");
        separated_by = (separated_by + 1) % (sizeof separators / sizeof *separators);
        uint64_t lines = write_edges(path, spelling, small, regular);
        qn_threads_set(1 + (unsigned)small * 2);
        read_back(path, lines);
      }
}

/* Cut anywhere, a file ends in whole edges or in an error, and nothing after its end is read. */
TEST(cut_anywhere) {
  static const char text[] = "12345678901 2\n3 45678901234567890\n5 6\r\n7 8";
  for (size_t length = 1; length < sizeof text; length++) {
    const struct qn_reader *reader;
    struct qn_read_options options = {0};
    struct qn_read_result result = {.num_vertices = QN_VERTICES_FROM_EDGES};
    struct qn_edge_list *list;
    struct qn_input *input;
    uint64_t sequence = 0;
    const char *path = scratch_path("cut.txt");
    write_file(path, text, length);
    assert_int_equal(qn_edge_list_create(&list, &error), QN_OK);
    assert_int_equal(qn_input_open(path, &QN_INPUT_DEFAULTS, &input, &error), QN_OK);
    assert_int_equal(qn_reader_by_name("edges", &reader, &error), QN_OK);
    enum qn_status status = reader->read(input, &options, list, &sequence, &result, &error);
    const char *last = text + length;
    while (last > text && last[-1] != '\n')
      last--;
    uint64_t last_bytes = (uint64_t)(text + length - last);
    const char *space = memchr(last, ' ', last_bytes);
    bool whole = last_bytes == 0 || (space && space + 1 < text + length);
    assert_int_equal(status, whole ? QN_OK : QN_INVALID);
    qn_input_close(input);
    qn_edge_list_destroy(list);
  }
}

int main(void) {
  qn_progress_show(true);
  return run_listed_tests(scratch_create, scratch_remove);
}
