/* Whole files from servers, which are kept in the cache. A download that was interrupted, by
 * whatever, resumes where it was. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

struct qn_download {
  const char *url;
  const char *name; /* of the file in the cache */
  uint64_t bytes;   /* what it must have; 0: nobody knows */
  bool resume;      /* from what the cache has of it: whoever uses the file verifies all of it */
};

/* The file, open for reading; the caller closes it by qn_cache_close. `*resumed`: not all of it
 * came now. QN_INVALID if it has another length; QN_SYSTEM, naming the URL, if it does not come,
 * and the cache keeps what came. */
enum qn_status qn_download(const struct qn_download *download, int *descriptor, bool *resumed,
                           struct qn_error *error);

/* What the cache has of a file: all of it, as far as anybody can tell without reading it? -1: not
 * all. By qn_cache_close. */
int qn_download_find(const char *name, uint64_t bytes);
