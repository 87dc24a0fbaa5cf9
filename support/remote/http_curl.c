#include "support/remote/http.h"

#ifdef QN_HAS_CURL
#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "support/memory.h"
#include "support/tool.h"

#define MOST_REDIRECTS 10L
#define BUFFER_BYTES (512L << 10)

struct qn_http {
  CURL *curl;
};

/* One that is under way. */
struct transfer {
  const struct qn_http_request *request;
  struct qn_http_answer answer;
  CURL *curl;
  bool begun, ended;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode initialised;

static void initialise(void) {
  initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
}

enum qn_status qn_http_create(struct qn_http **out, struct qn_error *error) {
  struct qn_http *http;
  *out = NULL;
  pthread_once(&once, initialise);
  if (initialised != CURLE_OK)
    return qn_fail(error, QN_SYSTEM, "libcurl cannot be used: %s", curl_easy_strerror(initialised));
  enum qn_status status = qn_alloc_zeroed(&http, 1, sizeof *http, "a connection", error);
  if (status)
    return status;
  http->curl = curl_easy_init();
  if (!http->curl) {
    qn_free(http);
    return qn_fail_memory(error, "a connection", 0);
  }
  *out = http;
  return QN_OK;
}

void qn_http_destroy(struct qn_http *http) {
  if (!http)
    return;
  curl_easy_cleanup(http->curl);
  qn_free(http);
}

/* ---- What comes ----------------------------------------------------------- */

/* The value of a header's line, without white space, if it has this name; "" where it has no room.
 */
static void take_header(const char *line, size_t bytes, const char *name, char *value,
                        size_t room) {
  const size_t length = strlen(name);
  if (bytes <= length || strncasecmp(line, name, length) != 0)
    return;
  const char *from = line + length, *end = line + bytes;
  while (from < end && (*from == ' ' || *from == '\t'))
    from++;
  while (end > from && (unsigned char)end[-1] <= ' ')
    end--;
  value[0] = '\0';
  if ((size_t)(end - from) >= room)
    return;
  memcpy(value, from, (size_t)(end - from));
  value[end - from] = '\0';
}

/* Each answer of several, as of a proxy or a redirect, begins anew. */
static size_t on_header(char *line, size_t size, size_t count, void *user) {
  struct transfer *transfer = user;
  struct qn_http_answer *answer = &transfer->answer;
  char seconds[16] = "", coding[32] = "";
  const size_t bytes = size * count;
  if (bytes > 5 && memcmp(line, "HTTP/", 5) == 0)
    *answer = (struct qn_http_answer){.length = UINT64_MAX, .framed = line[5] >= '2'};
  take_header(line, bytes, "etag:", answer->etag, sizeof answer->etag);
  take_header(line, bytes, "last-modified:", answer->modified, sizeof answer->modified);
  take_header(line, bytes, "content-range:", answer->content_range, sizeof answer->content_range);
  take_header(line, bytes, "content-type:", answer->content_type, sizeof answer->content_type);
  take_header(line, bytes, "x-amz-bucket-region:", answer->bucket_region,
              sizeof answer->bucket_region);
  take_header(line, bytes, "transfer-encoding:", coding, sizeof coding);
  take_header(line, bytes, "retry-after:", seconds, sizeof seconds);
  if (coding[0])
    answer->framed = strcasestr(coding, "chunked") != NULL;
  if (seconds[0] >= '0' && seconds[0] <= '9')
    answer->retry_after = (unsigned)strtoul(seconds, NULL, 10);
  return bytes;
}

static bool begin(struct transfer *transfer) {
  struct qn_http_answer *answer = &transfer->answer;
  curl_off_t length = -1;
  curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &answer->code);
  curl_easy_getinfo(transfer->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  answer->length = length >= 0 ? (uint64_t)length : UINT64_MAX;
  answer->framed = answer->framed || length >= 0;
  transfer->begun = true;
  transfer->ended = !transfer->request->begin(transfer->request->user, answer);
  return !transfer->ended;
}

static size_t on_bytes(char *bytes, size_t size, size_t count, void *user) {
  struct transfer *transfer = user;
  if (!transfer->begun && !begin(transfer))
    return 0;
  transfer->ended = !transfer->request->take(transfer->request->user, bytes, size * count);
  return transfer->ended ? 0 : size * count;
}

static int on_progress(void *user, curl_off_t total, curl_off_t now, curl_off_t up_total,
                       curl_off_t up_now) {
  struct transfer *transfer = user;
  (void)total, (void)now, (void)up_total, (void)up_now;
  if (!transfer->request->goes_on(transfer->request->user))
    transfer->ended = true;
  return transfer->ended;
}

/* ---- The request ------------------------------------------------------------ */

/* libcurl's command line tool and others are told of certificates by these; the library by none. */
static const char *certificates(void) {
  static const char *const names[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE", "AWS_CA_BUNDLE"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *value = getenv(names[i]);
    if (value && value[0])
      return value;
  }
  return NULL;
}

#if LIBCURL_VERSION_NUM >= 0x075500
#define SET_PROTOCOLS(curl, first, redirected)                                                     \
  (curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, first),                                           \
   curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, redirected))
#else
#define SET_PROTOCOLS(curl, first, redirected)                                                     \
  (curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)),            \
   curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS,                                                 \
                    strcmp(redirected, "https") == 0 ? (long)CURLPROTO_HTTPS                       \
                                                     : (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)))
#endif

static bool sign(CURL *curl, const struct qn_http_request *request) {
#if LIBCURL_VERSION_NUM >= 0x075800 /* which says what the body is, as S3 asks */
  char how[96];
  snprintf(how, sizeof how, "aws:amz:%s:s3", request->region);
  return curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, how) == CURLE_OK &&
         curl_easy_setopt(curl, CURLOPT_USERNAME, request->key) == CURLE_OK &&
         curl_easy_setopt(curl, CURLOPT_PASSWORD, request->secret) == CURLE_OK;
#else
  return (void)curl, (void)request, false;
#endif
}

static void prepare(CURL *curl, struct transfer *transfer, struct curl_slist *headers,
                    char *reason) {
  const struct qn_http_request *request = transfer->request;
  const char *authorities = certificates();
  curl_easy_setopt(curl, CURLOPT_URL, request->url);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "quern/" QN_VERSION);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
  curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, request->follow ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, MOST_REDIRECTS);
  /* A redirect never leads from a secured connection to an open one. */
  SET_PROTOCOLS(curl, "http,https",
                strncasecmp(request->url, "https:", 6) == 0 ? "https" : "http,https");
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  if (authorities)
    curl_easy_setopt(curl, CURLOPT_CAINFO, authorities);
  curl_easy_setopt(curl, CURLOPT_NETRC, request->region ? CURL_NETRC_IGNORED : CURL_NETRC_OPTIONAL);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)request->timeout);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)request->timeout);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, transfer);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, transfer);
}

/* Names may be resolved again, and servers come back; certificates will not become others. */
static enum qn_http_end end_of(CURLcode code) {
  switch (code) {
  case CURLE_OK:
    return QN_HTTP_DONE;
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_CONNECT:
  case CURLE_WEIRD_SERVER_REPLY:
  case CURLE_PARTIAL_FILE:
  case CURLE_OPERATION_TIMEDOUT:
  case CURLE_GOT_NOTHING:
  case CURLE_SEND_ERROR:
  case CURLE_RECV_ERROR:
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_HTTP2:
  case CURLE_HTTP2_STREAM:
  case CURLE_AGAIN:
    return QN_HTTP_CUT;
  default:
    return QN_HTTP_FAILED;
  }
}

static struct curl_slist *list_headers(const struct qn_http_request *request, bool *whole) {
  struct curl_slist *list = NULL;
  *whole = true;
  for (const char *const *header = request->headers; *header && *whole; header++) {
    struct curl_slist *longer = curl_slist_append(list, *header);
    *whole = longer != NULL;
    list = longer ? longer : list;
  }
  return list;
}

enum qn_http_end qn_http_get(struct qn_http *http, const struct qn_http_request *request,
                             char message[QN_HTTP_MESSAGE]) {
  struct transfer transfer = {
      .request = request, .curl = http->curl, .answer = {.length = UINT64_MAX}};
  char reason[CURL_ERROR_SIZE] = "";
  bool whole;
  struct curl_slist *headers = list_headers(request, &whole);
  curl_easy_reset(http->curl);
  prepare(http->curl, &transfer, headers, reason);
  const bool prepared = whole && (!request->region || sign(http->curl, request));
  CURLcode code = prepared ? curl_easy_perform(http->curl) : CURLE_OUT_OF_MEMORY;
  if (code == CURLE_OK && !transfer.begun)
    begin(&transfer);
  curl_easy_setopt(http->curl, CURLOPT_ERRORBUFFER, NULL);
  curl_slist_free_all(headers);
  if (transfer.ended)
    return QN_HTTP_ENDED;
  if (!whole || !prepared)
    snprintf(message, QN_HTTP_MESSAGE, "%s",
             whole ? "this libcurl cannot sign requests; 7.88 or later can" : "out of memory");
  else if (code != CURLE_OK)
    snprintf(message, QN_HTTP_MESSAGE, "%s", reason[0] ? reason : curl_easy_strerror(code));
  return end_of(code);
}

#else

enum qn_status qn_http_create(struct qn_http **out, struct qn_error *error) {
  *out = NULL;
  return qn_fail(error, QN_UNSUPPORTED,
                 "this build reads no URLs, since there was no libcurl (libcurl4-openssl-dev)");
}

void qn_http_destroy(struct qn_http *http) {
  (void)http;
}

enum qn_http_end qn_http_get(struct qn_http *http, const struct qn_http_request *request,
                             char message[QN_HTTP_MESSAGE]) {
  (void)http, (void)request;
  message[0] = '\0';
  return QN_HTTP_FAILED;
}
#endif
