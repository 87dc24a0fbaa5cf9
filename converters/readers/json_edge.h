/* Edges as objects or arrays of JSON: {"source": "a", "target": 7, "weight": 0.5} or ["a", 7, 0.5].
 * Ends are strings or whole numbers, and have several names. */
#ifndef QN_CONVERTERS_READERS_JSON_EDGE_H
#define QN_CONVERTERS_READERS_JSON_EDGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_json_text {
  const char *begin; /* NULL: there is none */
  uint64_t length;
};

struct qn_json_edge {
  struct qn_json_text source, target, weight;
  bool has_strings; /* an end is a string, not a number */
  char numbers[3][32];
};

/* The edge that a value is; its texts point into the value or into `edge`. False if it is none. */
bool qn_json_edge_of(const json_t *value, struct qn_json_edge *edge);

/* The same of the text [begin, end), fast, where it is an object of strings and numbers without
 * anything unusual; its texts point into the text. False: jansson may know what it is. */
bool qn_json_edge_scan(const char *begin, const char *end, struct qn_json_edge *edge);

/* Is the member called so an end of the edge `value`, an object, or its weight? */
bool qn_json_is_edge_member(const json_t *value, const char *name);
/* What the member that is its weight is called; NULL if it has none. */
const char *qn_json_weight_name(const json_t *value);

/* A vertex's id as text: that of a string, or of a whole number, which is written to `number`.
 * False if it is neither. */
bool qn_json_id(const json_t *value, struct qn_json_text *text, char number[32]);

#ifdef __cplusplus
}
#endif
#endif
