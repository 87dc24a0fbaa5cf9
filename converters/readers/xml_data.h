/* The data of vertices and edges in GraphML and GEXF: keys are declared, with a name and a type,
 * and data refer to them. */
#pragma once

#include "converters/elements/records.h"

struct qn_xml_key;

/* Zeroed to begin with. */
struct qn_xml_keys {
  struct qn_xml_key *keys;
  uint32_t count, room, last;
};

/* Declare a key, in GEXF an attribute. `records` NULL: it is only counted. `name` and `type` may be
 * NULL; `of[which]` says whose data it is. A key that is of both becomes a column where it is used.
 * Without a `name` it is called by its id. */
enum qn_status qn_xml_key_declare(struct qn_xml_keys *keys, struct qn_element_records *records,
                                  const char *id, const char *name, const char *type,
                                  const bool of[2], struct qn_error *error);

/* The last declared key's data are no properties: only an editor understands them. */
void qn_xml_key_ignore(struct qn_xml_keys *keys);

/* The last declared key's data where elements have none. */
enum qn_status qn_xml_key_fallback(struct qn_xml_keys *keys, struct qn_element_records *records,
                                   const char *text, uint64_t length, struct qn_error *error);

/* False for data that are not wanted; true if there is no such key, which its value then says. */
bool qn_xml_key_is_wanted(struct qn_xml_keys *keys, const char *id, int which);

/* The element has this value of the key `id`. QN_INVALID if none is declared of such elements. */
enum qn_status qn_xml_value(struct qn_xml_keys *keys, struct qn_element_records *records, int which,
                            const char *id, const char *text, uint64_t length,
                            struct qn_error *error);

void qn_xml_keys_release(struct qn_xml_keys *keys);
