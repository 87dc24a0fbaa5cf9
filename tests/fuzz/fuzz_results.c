/* Comparing a file of results with a reference, both of any bytes: what stands before the first
 * byte 0 is the reference. */
#include <string.h>

#include "converters/result_match.h"
#include "fuzz/fuzz.h"

static const char *const KINDS[] = {"", NULL};

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  static const enum qn_match_rule rules[] = {QN_MATCH_AUTO, QN_MATCH_EXACT, QN_MATCH_EPSILON,
                                             QN_MATCH_EQUIVALENCE};
  struct qn_match_report report;
  struct qn_error error = {0};
  const uint8_t *cut = size ? memchr(data, 0, size) : NULL;
  const size_t first = cut ? (size_t)(cut - data) : size;
  (void)kind;
  fuzz_inputs(&(struct fuzz_input){.name = "reference",
                                   .data = data,
                                   .size = first,
                                   .beside = cut ? cut + 1 : data,
                                   .beside_size = cut ? size - first - 1 : size});
  enum qn_status status = qn_result_match("reference", "result", rules[size % 4],
                                          QN_MATCH_EPSILON_DEFAULT, &report, &error);
  FUZZ_PROMISE(!status || error.message[0]);
  if (!status && !cut) /* equal to itself */
    FUZZ_PROMISE(report.num_different + report.num_missing + report.num_unknown == 0);
  return !status;
}

const struct fuzz_family fuzz_results = {"results", KINDS, run};
