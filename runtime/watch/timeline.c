#include "runtime/watch/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ITERATIONS_ROW 0
#define STREAM_ROW 1                           /* of stream 0 */
#define SIDE_ROW (STREAM_ROW + QN_MAX_STREAMS) /* of the CPU; the device's follows */

/* Between two events. */
static void separate(struct qn_timeline *timeline) {
  fputs(timeline->num_events++ ? ",\n" : "\n", timeline->out);
}

/* Devices are processes 1, 2, ... */
static unsigned process_of(unsigned device) {
  return device + 1;
}

/* `what`: "thread_name", "process_name". */
static void name_row(struct qn_timeline *timeline, const char *what, unsigned device, unsigned row,
                     const char *name) {
  separate(timeline);
  fprintf(timeline->out,
          "{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"%s\"}}", what,
          process_of(device), row, name);
}

void qn_timeline_device(struct qn_timeline *timeline, unsigned device) {
  char name[32];
  snprintf(name, sizeof name, "device %u", device);
  name_row(timeline, "process_name", device, ITERATIONS_ROW, name);
}

static void begin_iteration(struct qn_timeline *timeline) {
  timeline->begin = INFINITY;
  timeline->end = -INFINITY;
}

enum qn_status qn_timeline_create(struct qn_timeline *timeline, const char *path, bool replace,
                                  struct qn_error *error) {
  memset(timeline, 0, sizeof *timeline);
  enum qn_status status = qn_atomic_file_create(path, replace, &timeline->file, error);
  if (!status)
    status = qn_atomic_file_stream(timeline->file, &timeline->out, error);
  if (status) {
    qn_timeline_abort(timeline);
    return status;
  }
  fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", timeline->out);
  name_row(timeline, "thread_name", 0, ITERATIONS_ROW, "iterations");
  begin_iteration(timeline);
  return QN_OK;
}

void qn_timeline_abort(struct qn_timeline *timeline) {
  qn_atomic_file_abort(timeline->file);
  memset(timeline, 0, sizeof *timeline);
}

void qn_timeline_event(struct qn_timeline *timeline, const struct qn_stream_event *event) {
  const unsigned row = STREAM_ROW + event->stream;
  uint64_t *named = &timeline->named_streams[event->device];
  if (!(*named >> event->stream & 1)) {
    char name[32];
    snprintf(name, sizeof name, "stream %u", event->stream);
    name_row(timeline, "thread_name", event->device, row, name);
    *named |= (uint64_t)1 << event->stream;
  }
  separate(timeline);
  fprintf(timeline->out,
          "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
          "\"args\":{\"units\":%" PRIu64 ",\"bytes\":%" PRIu64 "}}",
          event->what, process_of(event->device), row, 1e6 * event->begin,
          1e6 * (event->end - event->begin), event->units, event->bytes);
  timeline->begin = fmin(timeline->begin, event->begin);
  timeline->end = fmax(timeline->end, event->end);
}

static void count(struct qn_timeline *timeline, const char *name, uint64_t value) {
  separate(timeline);
  fprintf(timeline->out,
          "{\"name\":\"%s\",\"ph\":\"C\",\"pid\":1,\"ts\":%.3f,\"args\":{\"units\":%" PRIu64 "}}",
          name, 1e6 * timeline->begin, value);
}

/* What one side did of an iteration that both shared, from its begin on. */
static void side_event(struct qn_timeline *timeline, unsigned side, uint64_t pages,
                       double seconds) {
  static const char *const names[] = {"CPU", "device"};
  if (!(timeline->named_sides >> side & 1))
    name_row(timeline, "thread_name", 0, SIDE_ROW + side, names[side]);
  timeline->named_sides |= 1u << side;
  separate(timeline);
  fprintf(timeline->out,
          "{\"name\":\"pages\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,"
          "\"args\":{\"pages\":%" PRIu64 "}}",
          SIDE_ROW + side, 1e6 * timeline->begin, 1e6 * seconds, pages);
}

/* By the device's clock where there were events, else one after the other. */
void qn_timeline_iteration(struct qn_timeline *timeline, const struct qn_iteration *iteration) {
  if (timeline->end < timeline->begin) {
    timeline->begin = timeline->clock;
    timeline->end = timeline->clock + iteration->seconds;
  }
  timeline->begin = fmax(timeline->begin, timeline->clock); /* copies ahead belong to both */
  separate(timeline);
  fprintf(timeline->out,
          "{\"name\":\"iteration %" PRIu32 "\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%.3f,"
          "\"dur\":%.3f,\"args\":{\"mode\":\"%s\",\"active\":%" PRIu64 ",\"seconds\":%.9f}}",
          iteration->iteration, ITERATIONS_ROW, 1e6 * timeline->begin,
          1e6 * (timeline->end - timeline->begin), iteration->mode, iteration->num_active,
          iteration->seconds);
  const struct qn_device_iteration device = qn_iteration_on_devices(iteration);
  if (device.moved.active_units > 0) {
    count(timeline, "moved", device.moved.moved_units);
    count(timeline, "cached", device.moved.cache_hits);
  }
  const struct qn_joint_figures *joint = device.joint;
  if (joint && joint->cpu_pages > 0)
    side_event(timeline, 0, joint->cpu_pages, joint->cpu_seconds);
  if (joint && joint->device_pages > 0)
    side_event(timeline, 1, joint->device_pages, joint->device_seconds);
  timeline->clock = timeline->end;
  begin_iteration(timeline);
}

enum qn_status qn_timeline_commit(struct qn_timeline *timeline, struct qn_error *error) {
  struct qn_atomic_file *file = timeline->file;
  fputs("\n]}\n", timeline->out);
  memset(timeline, 0, sizeof *timeline);
  return qn_atomic_file_commit(file, error);
}
