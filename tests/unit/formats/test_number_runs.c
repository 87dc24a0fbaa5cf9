/* Runs of numbers against the C library's: of every length, with everything else that may follow
 * one, cut at every place, and nothing read beyond what is readable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/text/number_runs.h"
#include "helpers/random_numbers.h"
#include "helpers/test.h"

enum { MOST_NUMBERS = 300, NUMBER_BYTES = 24 };

/* Puts numbers, or now and then something that is none of these; returns the text's length. */
static uint32_t make_text(char *text) {
  static const char *const others[] = {"", "-1", "2.5", "x", "123456789", "7\r", "%", "1e3", "\v"};
  uint32_t length = 0, odd = 1u << random_below(10), newlines = 1 + random_below(20);
  for (uint32_t i = 1 + random_below(MOST_NUMBERS); i; i--) {
    if (odd < 512 && random_below(odd) == 0)
      length += (uint32_t)sprintf(text + length, "%s", others[random_below(9)]);
    else
      for (uint32_t digits = 1 + random_below(8); digits; digits--)
        text[length++] = (char)('0' + random_below(10));
    text[length++] = random_below(newlines) == 0 ? '\n' : " \t"[random_below(8) == 0];
  }
  return length;
}

/* As the header says, one by one. */
static uint32_t take_slowly(struct qn_number_run *run, const char *end, uint32_t *numbers,
                            uint32_t most) {
  const char *p = run->cursor;
  uint32_t count = 0;
  run->ended = false;
  while (count < most && !run->ended) {
    const char *q = p;
    bool newline = false;
    uint32_t taken = 0;
    for (; taken < run->unit && !newline; taken++) {
      size_t digits = strspn(q, "0123456789");
      if (digits == 0 || digits > 8 || q + digits >= end || !strchr(" \t\n", q[digits]))
        return count;
      numbers[count + taken] = (uint32_t)strtoul(q, NULL, 10);
      newline = run->line && q[digits] == '\n';
      q += digits + 1;
    }
    if (taken < run->unit)
      return count;
    count += taken;
    run->cursor = p = q;
    run->ended = newline;
  }
  return count;
}

static bool is_fast(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi");
#else
  return false;
#endif
}

TEST(runs) {
  static char text[MOST_NUMBERS * NUMBER_BYTES];
  uint32_t numbers[MOST_NUMBERS + QN_RUN_SLACK], expected[MOST_NUMBERS + 2];
  uint64_t taken = 0, all = 0;
  for (int i = 0; i < 30000; i++) {
    uint32_t length = make_text(text), unit = 1 + random_below(2), most = unit * random_below(150);
    char *copy = malloc(length); /* as long as the text: what is read beyond is found out */
    memcpy(copy, text, length);
    text[length] = 0;
    struct qn_number_run run = {copy, copy + length, unit, random_below(2), true}, slow = run;
    slow.cursor = text;
    uint32_t count = qn_take_number_run(&run, numbers, most);
    uint32_t right = take_slowly(&slow, text + length, expected, most);
    all += right;
    taken += count;
    assert_true(count <= right && count % unit == 0);
    assert_memory_equal(numbers, expected, count * sizeof *numbers);
    if (count < right) { /* only near the end */
      assert_true(!is_fast() || run.readable_end - run.cursor < 64);
      slow = (struct qn_number_run){text, NULL, unit, slow.line, false};
      take_slowly(&slow, text + length, expected, count);
    }
    assert_true(run.cursor - copy == slow.cursor - text);
    assert_true(run.ended == (count < right ? false : slow.ended));
    free(copy);
  }
  assert_true(is_fast() ? taken > all / 2 : taken == 0);
}

TEST_MAIN(NULL, NULL)
