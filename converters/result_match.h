/* Does a result equal a reference? Files of a vertex and its value a line, as quern-run and the
 * LDBC Graphalytics benchmark write them, in any order. The rules are those of that benchmark (its
 * specification, "Output validation"). */
#pragma once

#include <stdint.h>

#include <quern/error.h>

enum qn_match_rule {
  QN_MATCH_AUTO,  /* epsilon if some value of the reference is written as a real number, else exact
                   */
  QN_MATCH_EXACT, /* equal numbers (BFS, CDLP); inf, Infinity and 2^63-1 are the same */
  QN_MATCH_EPSILON,     /* |reference - result| <= epsilon * |reference| (PR, LCC, SSSP) */
  QN_MATCH_EQUIVALENCE, /* the same vertices are together: values are names of groups (WCC) */
};

#define QN_MATCH_EPSILON_DEFAULT 0.0001
#define QN_MATCH_LISTED 5

/* A vertex whose values do not match. */
struct qn_mismatch {
  char vertex[64], expected[64], found[64]; /* cut where longer; found is empty if it is absent */
};

struct qn_match_report {
  enum qn_match_rule rule; /* that was used */
  uint64_t num_vertices;   /* in the reference */
  uint64_t num_different;  /* vertices whose values differ */
  uint64_t num_missing;    /* vertices of the reference that the result lacks */
  uint64_t num_unknown;    /* vertices of the result that the reference lacks */
  uint64_t num_listed;
  struct qn_mismatch listed[QN_MATCH_LISTED];
};

/* Compare two files, packed or not, or ARCHIVE:MEMBER. QN_OK also if they differ, which `report`
 * says. QN_INVALID with the line if a file is not of the form, has a vertex twice, or has a value
 * that the rule cannot compare; QN_SYSTEM if one cannot be read. */
enum qn_status qn_result_match(const char *reference, const char *result, enum qn_match_rule rule,
                               double epsilon, struct qn_match_report *report,
                               struct qn_error *error);
