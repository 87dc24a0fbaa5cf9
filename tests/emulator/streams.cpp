/* Streams: queues of tasks. Nothing runs before the host waits for it, so that
 * a host that doesn't wait sees it; then the tasks that may run do, the oldest
 * first or in an order drawn from the seed. */
#include "internal.h"

#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <set>
#include <vector>

namespace emulator {

/* Shared by an event and the tasks that wait for it. */
struct event_state {
  uint64_t recorded = 0, completed = 0; /* records issued and reached */
  double time = 0;                      /* of the last one reached, seconds */
};

} /* namespace emulator */

using namespace emulator;

struct CUevent_st {
  int device;
  bool timing;
  std::shared_ptr<event_state> state;
};

struct CUstream_st {
  int device;
  bool blocking; /* waits for the default stream, and it for this */
  std::deque<task> tasks;
};

namespace emulator {

namespace {

thread_local int chosen_device;
CUstream_st default_streams[MAX_DEVICES];
std::set<CUstream_st *> streams;
std::set<CUevent_st *> events;
std::vector<std::shared_ptr<event_state>> waited_for; /* keeps destroyed events alive */
uint64_t next_sequence = 1;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_default(const CUstream_st *stream) {
  return stream >= default_streams && stream < default_streams + MAX_DEVICES;
}

CUstream_st *resolve(cudaStream_t stream) {
  if (!stream) {
    default_streams[chosen_device].device = chosen_device;
    default_streams[chosen_device].blocking = true;
    return &default_streams[chosen_device];
  }
  return streams.count(stream) ? stream : nullptr;
}

template <class Visit> void for_each_stream(Visit visit) {
  for (CUstream_st &stream : default_streams)
    visit(&stream);
  for (CUstream_st *stream : streams)
    visit(stream);
}

/* The default stream of a device and its blocking streams take turns in the order of issue. */
bool may_run(const CUstream_st *stream) {
  const task &first = stream->tasks.front();
  if (first.wait && first.wait->completed < first.wait_version)
    return false;
  if (!stream->blocking)
    return true;
  bool blocked = false;
  for_each_stream([&](const CUstream_st *other) {
    if (other->device == stream->device && other->blocking && !other->tasks.empty() &&
        is_default(other) != is_default(stream) && other->tasks.front().sequence < first.sequence)
      blocked = true;
  });
  return !blocked;
}

/* Run one task of one stream. */
void step() {
  std::vector<CUstream_st *> candidates;
  bool pending = false;
  for_each_stream([&](CUstream_st *stream) {
    if (stream->tasks.empty())
      return;
    pending = true;
    if (may_run(stream))
      candidates.push_back(stream);
  });
  if (candidates.empty())
    fail(pending ? "the streams wait for each other's events for ever"
                 : "nothing is left to run, but the host waits for an event");
  CUstream_st *chosen = candidates[0];
  if (shuffled())
    chosen = candidates[random_below(candidates.size())];
  else
    for (CUstream_st *stream : candidates)
      if (stream->tasks.front().sequence < chosen->tasks.front().sequence)
        chosen = stream;
  task next = std::move(chosen->tasks.front());
  chosen->tasks.pop_front();
  if (next.run)
    next.run();
}

template <class Condition> void run_until(Condition reached) {
  if (reached())
    return;
  if (running_thread())
    fail("a CUDA runtime call inside a kernel");
  arena_guard open;
  while (!reached())
    step();
}

} /* namespace */

int current_device() {
  return chosen_device;
}

int stream_device(cudaStream_t stream) {
  const CUstream_st *resolved = resolve(stream);
  return resolved ? resolved->device : -1;
}

cudaError_t enqueue(cudaStream_t stream, std::function<void()> run) {
  CUstream_st *resolved = resolve(stream);
  if (!resolved)
    return cudaErrorInvalidResourceHandle;
  task next;
  next.run = std::move(run);
  next.sequence = next_sequence++;
  resolved->tasks.push_back(std::move(next));
  return cudaSuccess;
}

void drain_stream(cudaStream_t stream) {
  const CUstream_st *resolved = resolve(stream);
  run_until([&] { return resolved->tasks.empty(); });
}

void drain_device(int device) {
  run_until([&] {
    bool empty = true;
    for_each_stream([&](const CUstream_st *stream) {
      if (stream->device == device && !stream->tasks.empty())
        empty = false;
    });
    return empty;
  });
}

uint64_t streams_live() {
  return streams.size() + events.size();
}

void streams_reset() {
  chosen_device = 0;
  for (CUstream_st &stream : default_streams)
    stream.tasks.clear();
  waited_for.clear();
}

} /* namespace emulator */

#define ENTER                                                                                      \
  configure_once();                                                                                \
  std::lock_guard<std::recursive_mutex> lock(the_machine.mutex);                                   \
  if (injected(__func__))                                                                          \
    return set_error(cudaErrorUnknown);

#define ENTER_SURELY                                                                               \
  configure_once();                                                                                \
  std::lock_guard<std::recursive_mutex> lock(the_machine.mutex);

#define CHECK(condition, error)                                                                    \
  if (!(condition))                                                                                \
    return set_error(error);

extern "C" {

cudaError_t cudaSetDevice(int device) {
  ENTER
  CHECK(the_machine.options.driver == EMULATOR_DRIVER_OK, cudaErrorNoDevice)
  CHECK(device >= 0 && device < the_machine.options.devices, cudaErrorInvalidDevice)
  chosen_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  ENTER
  *device = chosen_device;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  ENTER
  CHECK(flags <= cudaStreamNonBlocking, cudaErrorInvalidValue)
  *stream = new CUstream_st{chosen_device, flags == cudaStreamDefault, {}};
  streams.insert(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  ENTER_SURELY
  CHECK(streams.count(stream), cudaErrorInvalidResourceHandle)
  drain_stream(stream);
  streams.erase(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ENTER
  CHECK(resolve(stream), cudaErrorInvalidResourceHandle)
  drain_stream(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  ENTER
  CUstream_st *resolved = resolve(stream);
  CHECK(resolved, cudaErrorInvalidResourceHandle)
  if (resolved->tasks.empty())
    return cudaSuccess;
  arena_guard open;
  step(); /* time passes while the host polls */
  return resolved->tasks.empty() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaDeviceSynchronize(void) {
  ENTER
  drain_device(chosen_device);
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *argument) {
  ENTER
  return set_error(enqueue(stream, [=] { function(argument); }));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  ENTER
  *event = new CUevent_st{chosen_device, !(flags & cudaEventDisableTiming),
                          std::make_shared<event_state>()};
  events.insert(*event);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  ENTER_SURELY
  CHECK(events.erase(event), cudaErrorInvalidResourceHandle)
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  ENTER
  CHECK(events.count(event) && resolve(stream), cudaErrorInvalidResourceHandle)
  CHECK(event->device == resolve(stream)->device, cudaErrorInvalidResourceHandle)
  std::shared_ptr<event_state> state = event->state;
  const uint64_t version = ++state->recorded;
  return enqueue(stream, [=] {
    state->completed = std::max(state->completed, version);
    state->time = seconds();
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  ENTER
  CHECK(events.count(event) && resolve(stream), cudaErrorInvalidResourceHandle)
  task wait;
  wait.wait = event->state.get();
  wait.wait_version = event->state->recorded;
  wait.sequence = next_sequence++;
  waited_for.push_back(event->state);
  resolve(stream)->tasks.push_back(std::move(wait));
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ENTER
  CHECK(events.count(event), cudaErrorInvalidResourceHandle)
  const event_state *state = event->state.get();
  run_until([=] { return state->completed == state->recorded; });
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  ENTER
  CHECK(events.count(event), cudaErrorInvalidResourceHandle)
  const event_state *state = event->state.get();
  if (state->completed == state->recorded)
    return cudaSuccess;
  arena_guard open;
  step();
  return state->completed == state->recorded ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  ENTER
  CHECK(events.count(start) && events.count(end), cudaErrorInvalidResourceHandle)
  CHECK(start->timing && end->timing && start->state->recorded && end->state->recorded,
        cudaErrorInvalidResourceHandle)
  if (start->state->completed < start->state->recorded ||
      end->state->completed < end->state->recorded)
    return cudaErrorNotReady;
  *milliseconds = float((end->state->time - start->state->time) * 1e3);
  return cudaSuccess;
}

} /* extern "C" */
