/* "Did you mean": the word that someone may have mistyped. */
#pragma once

#include <stdint.h>

/* The nearest of the words that were offered. */
struct qn_suggestion {
  const char *word; /* what was typed */
  const char *best; /* NULL: nothing is near enough */
  uint32_t distance;
};

struct qn_suggestion qn_suggestion_for(const char *word);

/* Offer a word, which is borrowed. Near enough are words of which at most a third of the letters,
 * in any case, were mistyped, left out, added or exchanged with their neighbour. */
void qn_suggestion_offer(struct qn_suggestion *suggestion, const char *word);

/* "; did you mean 'edges'?" or "", in `text`, which has QN_SUGGESTION_TEXT bytes and is returned.
 */
#define QN_SUGGESTION_TEXT 96
const char *qn_suggestion_text(const struct qn_suggestion *suggestion, char *text);
