/* Literals of RDF on their way to properties of vertices. Those of a vertex lie anywhere in the
 * inputs, and what the type of a property is says the last of them: all wait in memory until
 * everything is read. */
#pragma once

#include "converters/elements/records.h"

struct qn_literals;

enum qn_literal_kind {
  QN_LITERAL_TEXT,
  QN_LITERAL_NUMBER,
  QN_LITERAL_TRUTH,
  QN_LITERAL_DATE,
  QN_LITERAL_TIME,
  QN_LITERAL_LABEL, /* several of a vertex are one text, "a;b" */
};

/* The vertex called `vertex` has this value of the property `key`. Texts are copied. QN_INVALID if
 * there is no such vertex. */
enum qn_status qn_literals_add(struct qn_element_records *records, struct qn_text vertex,
                               struct qn_text key, enum qn_literal_kind kind, struct qn_text value,
                               struct qn_error *error);

/* Everything is read: all become properties of records->of_vertex. A property has the type of its
 * values if it is that of all; where a vertex has several, all are lists of JSON. What becomes text
 * is noted. */
enum qn_status qn_literals_give(struct qn_element_records *records, struct qn_error *error);

/* NULL is allowed. */
void qn_literals_free(struct qn_literals *literals);
