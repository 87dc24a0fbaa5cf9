#include "support/json_text.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/text/url.h"

json_t *qn_json_text(const char *text) {
  json_t *string = json_string(text);
  size_t bytes = strlen(text) + 1;
  char *ascii;
  if (string || qn_alloc(&ascii, bytes, 1, "a name", NULL))
    return string;
  for (size_t i = 0; i < bytes; i++)
    ascii[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
  string = json_string(ascii);
  qn_free(ascii);
  return string;
}

json_t *qn_json_path(const char *path) {
  char shown[QN_PATH_SHOWN];
  return qn_json_text(qn_path_shown(path, shown, sizeof shown));
}

json_t *qn_json_name(const char *name, uint64_t length) {
  static const char mark[] = "\xef\xbf\xbd";
  enum { LONGEST = 4 }; /* of a byte's texts */
  json_t *string = json_stringn(name, length);
  char *escaped;
  if (string || qn_alloc(&escaped, sizeof mark + LONGEST * length, 1, "a name", NULL))
    return string;
  char *out = escaped + sprintf(escaped, "%s", mark);
  for (uint64_t i = 0; i < length; i++)
    if (name[i] == '\\')
      out += sprintf(out, "\\\\");
    else if ((unsigned char)name[i] < 0x80)
      *out++ = name[i];
    else
      out += sprintf(out, "\\x%02x", (unsigned char)name[i]);
  string = json_stringn(escaped, (size_t)(out - escaped));
  qn_free(escaped);
  return string;
}

/* ---- Memory ----------------------------------------------------------------- */

/* What jansson took its memory by, which a program around the library may have chosen. */
static json_malloc_t allocate;
static _Thread_local bool lacks; /* of this thread, since it was last reset */

static void *watched(size_t bytes) {
  void *memory = allocate(bytes);
  if (memory)
    return memory;
  lacks = true;
  __atomic_store_n(&qn_context()->json_lacks_memory, true, __ATOMIC_RELAXED);
  return NULL;
}

static void watch(void) {
  json_free_t release;
  json_get_alloc_funcs(&allocate, &release);
  json_set_alloc_funcs(watched, release);
}

void qn_json_watch_memory(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch);
}

static enum qn_status lacking(struct qn_error *error) {
  return qn_fail(error, QN_SYSTEM, "out of memory: there is not enough for JSON");
}

enum qn_status qn_json_check_memory(struct qn_error *error) {
  return !qn_context_is_process() &&
                 __atomic_load_n(&qn_context()->json_lacks_memory, __ATOMIC_RELAXED)
             ? lacking(error)
             : QN_OK;
}

enum qn_status qn_json_parse(const char *text, uint64_t bytes, size_t flags, json_t **out,
                             json_error_t *fault, struct qn_error *error) {
  qn_json_watch_memory();
  lacks = false;
  *out = json_loadb(text ? text : "", bytes, flags, fault);
  if (!lacks)
    return QN_OK;
  json_decref(*out);
  *out = NULL;
  return lacking(error);
}
