/* Edges as objects or arrays of JSON: {"source": "a", "target": 7, "weight": 0.5} or ["a", 7, 0.5].
 * Ends are strings or whole numbers, and have several names. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

struct qn_json_text {
  const char *begin; /* NULL: there is none */
  uint64_t length;
};

/* What ids are. 1 and "1" would be one vertex: not both are in a file. */
struct qn_json_ids {
  bool strings; /* some are */
  bool digits;  /* some strings look like whole numbers */
  bool numbers; /* some are whole numbers */
  bool unlike;  /* of some lists one end is a string and one a number */
  bool alike;   /* of others both are the same */
};

struct qn_json_edge {
  struct qn_json_text source, target, weight;
  struct qn_json_ids ids;
  bool others; /* it has more members than its ends and a weight */
  char numbers[3][32];
};

/* The edge that a value is; its texts point into the value or into `edge`. False if it is none. */
bool qn_json_edge_of(const json_t *value, struct qn_json_edge *edge);

/* The same of the text at `begin`, fast, where it is an object of strings, numbers and words
 * without anything unusual that ends before `end`; its texts point into the text. Returns what is
 * behind it; NULL: jansson may know what it is. */
const char *qn_json_edge_scan(const char *begin, const char *end, struct qn_json_edge *edge);

struct qn_json_node {
  struct qn_json_text id; /* begin NULL: it has none */
  bool string;            /* it is one, else a whole number */
  bool others;            /* it has more than one member */
};

/* The same of a vertex. */
const char *qn_json_node_scan(const char *begin, const char *end, struct qn_json_node *node);

/* False if the object in [begin, end), which may be of any size, has not both ends of an edge. */
bool qn_json_may_be_edge(const char *begin, const char *end);

/* Is the member called so an end of the edge `value`, an object, or its weight? */
bool qn_json_is_edge_member(const json_t *value, const char *name);
/* What the member that is its weight is called; NULL if it has none. */
const char *qn_json_weight_name(const json_t *value);

/* Add what an id is, of which `text` is known: a string, or else a whole number. */
void qn_json_ids_add(struct qn_json_ids *ids, const struct qn_json_text *text, bool string);
/* QN_INVALID if two of them may look alike, or if each edge of a list of them is a name and a
 * number. */
enum qn_status qn_json_ids_check(const struct qn_json_ids *ids, struct qn_error *error);

/* A vertex's id as text: that of a string, or of a whole number, which is written to `number`.
 * False if it is neither. */
bool qn_json_id(const json_t *value, struct qn_json_text *text, char number[32]);
