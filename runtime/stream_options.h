/* Options of runs that stream, as a child parser for argp. */
#ifndef QN_RUNTIME_STREAM_OPTIONS_H
#define QN_RUNTIME_STREAM_OPTIONS_H

#include <argp.h>

#include "kernels/streaming.h"

#ifdef __cplusplus
extern "C" {
#endif

struct qn_watch_options {
  struct qn_stream_options streaming;
  const char *trace; /* --trace FILE, or NULL */
  bool explain;      /* --explain */
};

/* Its input is a zeroed struct qn_watch_options. */
extern const struct argp qn_stream_argp;

#ifdef __cplusplus
}
#endif
#endif
