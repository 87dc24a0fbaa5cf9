/* libcurl in the shared library: what is asked of it is done by a module, loaded when the first
 * connection is made. */
#include <pthread.h>

#include "library/modules/modules.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct qn_curl_module *module; /* NULL: not loaded yet; set once, under the lock */

enum qn_status qn_http_create(struct qn_http **out, struct qn_error *error) {
  const void *table;
  enum qn_status status = QN_OK;
  *out = NULL;
  pthread_mutex_lock(&lock);
  if (!module)
    status = qn_module_load("a URL", "libquern-curl.so.0", "build it with libcurl4-openssl-dev",
                            "qn_curl_module", &table, error);
  if (!module && !status)
    module = table;
  pthread_mutex_unlock(&lock);
  return status ? status : module->create(out, error);
}

/* ---- Of connections that are there, so that the module is, too -------------- */

void qn_http_destroy(struct qn_http *http) {
  if (http)
    module->destroy(http);
}

enum qn_http_end qn_http_get(struct qn_http *http, const struct qn_http_request *request,
                             char message[QN_HTTP_MESSAGE]) {
  return module->get(http, request, message);
}
