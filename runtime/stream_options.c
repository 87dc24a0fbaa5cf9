#include "runtime/stream_options.h"

#include "support/options.h"

enum key { KEY_STREAMS = 0x200, KEY_HOST_MEMORY, KEY_CACHE_MEMORY, KEY_TRACE, KEY_EXPLAIN };

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "Graphs larger than the device's memory are streamed:", 4},
    {"streams", KEY_STREAMS, "N", 0,
     "Walk parts of the graph on up to N streams at a time (default 16)", 4},
    {"host-memory", KEY_HOST_MEMORY, "SIZE", 0,
     "Pin at most SIZE of host memory: buffers, and what of the container they leave (default: 64 "
     "MiB or four buffers, and for the container half of what is free)",
     4},
    {"cache-memory", KEY_CACHE_MEMORY, "SIZE", 0,
     "Keep at most SIZE of the graph on the device (default: what --device-memory leaves)", 4},
    {"explain", KEY_EXPLAIN, NULL, 0,
     "Measure the device's rates and say what bounds the run (GTS's cost model)", 4},
    {"trace", KEY_TRACE, "FILE", 0,
     "Write a timeline of iterations, and of streams' copies and kernels, for Perfetto or "
     "chrome://tracing",
     4},
    {0}};

static error_t parse(int key, char *argument, struct argp_state *state) {
  struct qn_watch_options *options = state->input;
  switch (key) {
  case KEY_STREAMS:
    options->streaming.num_streams =
        (unsigned)qn_option_number(state, "--streams", argument, 1, QN_MAX_STREAMS);
    return 0;
  case KEY_HOST_MEMORY:
    options->streaming.host_memory = qn_option_size(state, "--host-memory", argument, 1);
    return 0;
  case KEY_CACHE_MEMORY:
    options->streaming.limit_cache = true;
    options->streaming.cache_memory = qn_option_size(state, "--cache-memory", argument, 0);
    return 0;
  case KEY_EXPLAIN:
    options->explain = true;
    return 0;
  case KEY_TRACE:
    options->trace = argument;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp qn_stream_argp = {.options = option_list, .parser = parse};
