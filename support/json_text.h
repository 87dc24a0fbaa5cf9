/* Names of files and vertices in JSON, and JSON where memory runs out. */
#ifndef QN_SUPPORT_JSON_TEXT_H
#define QN_SUPPORT_JSON_TEXT_H

#include <jansson.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `text` as a JSON string (a new reference; NULL if memory runs out). Names need not be UTF-8, JSON
 * must be: in one that is not, bytes that are not ASCII become '?'. */
json_t *qn_json_text(const char *text);

/* The name of a vertex, `length` bytes, as a JSON string that no other name has: what is not UTF-8
 * begins with U+FFFD; its bytes that are not ASCII are \xNN, and backslashes are doubled. */
json_t *qn_json_name(const char *name, uint64_t length);

/* jansson calls sound text damaged where memory runs out, and leaves out of what it makes what it
 * got no memory for. So its memory is watched, and what lacks any is not used. */

/* From now on; may be called again, by any thread. */
void qn_json_watch_memory(void);

/* QN_SYSTEM if JSON got no memory somewhere in this thread's call of the library
 * (support/context.h). */
enum qn_status qn_json_check_memory(struct qn_error *error);

/* json_loadb, with `*out` NULL for what is no JSON, as `fault` (may be NULL) says; `text` may be
 * NULL if there are no bytes. QN_SYSTEM if memory ran out. */
enum qn_status qn_json_parse(const char *text, uint64_t bytes, size_t flags, json_t **out,
                             json_error_t *fault, struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
