#include "support/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MOST_LETTERS 48

struct qn_suggestion qn_suggestion_for(const char *word) {
  return (struct qn_suggestion){word, NULL, UINT32_MAX};
}

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

/* The fewest insertions, deletions, substitutions and exchanges of neighbours (Damerau 1964, in the
 * restricted form: nothing is edited twice) that make `b` of `a`, both short. */
static uint32_t distance_of(const char *a, uint32_t m, const char *b, uint32_t n) {
  uint32_t rows[3][MOST_LETTERS + 1];
  for (uint32_t j = 0; j <= n; j++)
    rows[0][j] = j;
  for (uint32_t i = 1; i <= m; i++) {
    uint32_t *row = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
    row[0] = i;
    for (uint32_t j = 1; j <= n; j++) {
      int here = tolower((unsigned char)a[i - 1]), there = tolower((unsigned char)b[j - 1]);
      row[j] = least(before[j - 1] + (here != there), 1 + least(before[j], row[j - 1]));
      if (i > 1 && j > 1 && here == tolower((unsigned char)b[j - 2]) &&
          there == tolower((unsigned char)a[i - 2]))
        row[j] = least(row[j], earlier[j - 2] + 1);
    }
  }
  return rows[m % 3][n];
}

void qn_suggestion_offer(struct qn_suggestion *suggestion, const char *word) {
  size_t m = strlen(suggestion->word), n = strlen(word), longer = m > n ? m : n;
  if (longer > MOST_LETTERS || m == 0)
    return;
  uint32_t distance = distance_of(suggestion->word, (uint32_t)m, word, (uint32_t)n);
  if (distance > (longer + 2) / 3 || distance >= n || distance >= suggestion->distance)
    return;
  suggestion->distance = distance;
  suggestion->best = word;
}

const char *qn_suggestion_text(const struct qn_suggestion *suggestion, char *text) {
  text[0] = '\0';
  if (suggestion->best)
    snprintf(text, QN_SUGGESTION_TEXT, "; did you mean '%s'?", suggestion->best);
  return text;
}
