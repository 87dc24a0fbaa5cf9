/* The module's side: the functions that are linked with libcurl. */
#include "library/modules/modules.h"
#include "support/tool.h"

const struct qn_curl_module *qn_curl_module(void) {
  static const struct qn_curl_module module = {
      .version = QN_VERSION,
      .create = qn_http_create,
      .destroy = qn_http_destroy,
      .get = qn_http_get,
  };
  return &module;
}
