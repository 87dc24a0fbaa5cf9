#include "support/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/sizes.h"
#include "support/suggest.h"

uint64_t qn_option_number(struct argp_state *state, const char *option, const char *text,
                          uint64_t least, uint64_t most) {
  uint64_t value = 0;
  if (qn_number_parse(text, most, &value, NULL) || value < least)
    argp_error(state, "%s: '%s' is not a whole number from %" PRIu64 " to %" PRIu64, option, text,
               least, most);
  return value;
}

uint64_t qn_option_size(struct argp_state *state, const char *option, const char *text,
                        uint64_t least) {
  struct qn_error error;
  uint64_t bytes = 0;
  if (qn_size_parse(text, &bytes, &error))
    argp_error(state, "%s: %s", option, error.message);
  if (bytes < least)
    argp_error(state, "%s: '%s' is less than %" PRIu64 " %s", option, text, least,
               least == 1 ? "byte" : "bytes");
  return bytes;
}

double qn_option_real(struct argp_state *state, const char *option, const char *text) {
  struct qn_error error;
  double value = 0;
  if (qn_real_parse(text, &value, &error))
    argp_error(state, "%s: %s", option, error.message);
  if (value < 0)
    argp_error(state, "%s: '%s' is negative", option, text);
  return value;
}

int qn_option_choice(struct argp_state *state, const char *option, const char *const *words,
                     const char *word) {
  char list[128] = "", suggested[QN_SUGGESTION_TEXT];
  struct qn_suggestion suggestion = qn_suggestion_for(word);
  for (int i = 0; words[i]; i++) {
    if (strcmp(words[i], word) == 0)
      return i;
    qn_suggestion_offer(&suggestion, words[i]);
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
  }
  argp_error(state, "%s%s'%s' is none of %s%s", option ? option : "", option ? ": " : "", word,
             list, qn_suggestion_text(&suggestion, suggested));
  return 0;
}
