/* Names of files and vertices in JSON. */
#ifndef QN_SUPPORT_JSON_TEXT_H
#define QN_SUPPORT_JSON_TEXT_H

#include <jansson.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `text` as a JSON string (a new reference; NULL if memory runs out). Names need not be UTF-8, JSON
 * must be: in one that is not, bytes that are not ASCII become '?'. */
json_t *qn_json_text(const char *text);

/* The name of a vertex, `length` bytes, as a JSON string that no other name has: what is not UTF-8
 * begins with U+FFFD; its bytes that are not ASCII are \xNN, and backslashes are doubled. */
json_t *qn_json_name(const char *name, uint64_t length);

#ifdef __cplusplus
}
#endif
#endif
