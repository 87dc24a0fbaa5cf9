#include "support/text/url.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define S3 "s3://"

static bool begins(const char *text, const char *with) {
  return strncasecmp(text, with, strlen(with)) == 0;
}

bool qn_is_url(const char *path) {
  return begins(path, "http://") || begins(path, "https://") || begins(path, S3);
}

/* What follows the scheme. */
static const char *after_scheme(const char *url) {
  return strstr(url, "://") + strlen("://");
}

/* ---- What may be shown ------------------------------------------------------ */

const char *qn_path_shown(const char *path, char *text, size_t room) {
  if (!qn_is_url(path))
    return path;
  const char *host = after_scheme(path);
  const size_t authority = strcspn(host, "/?#");
  const size_t shown = begins(path, S3) ? strlen(host) : strcspn(host, "?#");
  const char *at = begins(path, S3) ? NULL : memrchr(host, '@', authority);
  const char *from = at ? at + 1 : host;
  snprintf(text, room, "%.*s%.*s", (int)(host - path), path, (int)(host + shown - from), from);
  return text;
}

/* ---- Members of archives ---------------------------------------------------- */

/* Does a name of so many bytes end as those of archives do? */
static bool names_archive(const char *name, size_t bytes) {
  static const char *const endings[] = {".tar",     ".tgz",     ".zip",    ".tar.gz",
                                        ".tar.bz2", ".tar.lz4", ".tar.xz", ".tar.zst"};
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    const size_t length = strlen(endings[i]);
    if (bytes > length && strncasecmp(name + bytes - length, endings[i], length) == 0)
      return true;
  }
  return false;
}

const char *qn_url_member(const char *url) {
  const char *host = after_scheme(url), *path = strchr(host, '/');
  for (const char *colon = path ? strchr(path, ':') : NULL; colon; colon = strchr(colon + 1, ':'))
    if (colon[1] && names_archive(path, (size_t)(colon - path)))
      return colon;
  return NULL;
}
