/* The machine that is pretended: its options, the seed's random numbers, failures
 * to inject, and what is left over at the end. */
#include "internal.h"

#include <algorithm>
#include <cstdio>

namespace emulator {

machine the_machine;
thread_local bool launch_failed;

namespace {

thread_local cudaError_t last_error;

uint64_t parse_size(const char *text) {
  char *end;
  double number = std::strtod(text, &end);
  static const char units[] = "KMGT";
  const char *unit = *end ? std::strchr(units, *end) : nullptr;
  return uint64_t(number * double(1ull << (unit ? 10 * (unit - units + 1) : 0)));
}

void read_environment(emulator_options &options) {
  if (const char *text = std::getenv("QUERN_EMULATOR_SEED"))
    options.seed = std::strtoull(text, nullptr, 10);
  if (const char *text = std::getenv("QUERN_EMULATOR_DEVICES"))
    options.devices = std::min(std::atoi(text), MAX_DEVICES);
  if (const char *text = std::getenv("QUERN_EMULATOR_PEERS"))
    options.no_peers = !std::strcmp(text, "no");
  if (const char *text = std::getenv("QUERN_EMULATOR_REGISTERED"))
    options.no_registered = !std::strcmp(text, "no");
  if (const char *text = std::getenv("QUERN_EMULATOR_MEMORY"))
    options.device_memory = parse_size(text);
  if (const char *text = std::getenv("QUERN_EMULATOR_SMS"))
    options.multiprocessors = std::max(1, std::atoi(text));
  if (const char *text = std::getenv("QUERN_EMULATOR_L2"))
    options.l2_bytes = int(parse_size(text));
  if (const char *text = std::getenv("QUERN_EMULATOR_DRIVER"))
    options.driver = !std::strcmp(text, "none")  ? EMULATOR_DRIVER_NONE
                     : !std::strcmp(text, "old") ? EMULATOR_DRIVER_OLD
                                                 : EMULATOR_DRIVER_OK;
  if (const char *text = std::getenv("QUERN_EMULATOR_FAIL")) { /* [NAME:]N */
    const char *colon = std::strchr(text, ':');
    options.fail_nth = std::strtoull(colon ? colon + 1 : text, nullptr, 10);
    if (colon)
      std::snprintf(options.fail_name, sizeof options.fail_name, "%.*s", int(colon - text), text);
  }
}

void use(const emulator_options &options) {
  the_machine.options = options;
  the_machine.random_state = options.seed * 0x9e3779b97f4a7c15ull + 1;
  the_machine.calls = the_machine.counted_for_failure = the_machine.kernels_run = 0;
  last_error = cudaSuccess;
  launch_failed = false;
  api_reset();
  device_forget_peak();
  streams_reset();
}

/* A process that ends with device memory in its hands has lost it. */
struct leak_check {
  ~leak_check() {
    if (emulator_live() == 0)
      return;
    std::fflush(nullptr);
    std::fprintf(stderr,
                 "emulator: at exit %llu objects (device allocations, pinned memory, streams, "
                 "events) with %llu bytes of device memory were not given back\n",
                 (unsigned long long)emulator_live(), (unsigned long long)emulator_live_bytes());
    std::_Exit(EMULATOR_EXIT_CODE);
  }
};

} /* namespace */

void configure_once() {
  std::lock_guard<std::recursive_mutex> lock(the_machine.mutex);
  if (the_machine.configured)
    return;
  the_machine.configured = true;
  emulator_options options = emulator_defaults();
  read_environment(options);
  use(options);
  static leak_check at_exit;
}

uint64_t random_below(uint64_t limit) {
  uint64_t z = the_machine.random_state += 0x9e3779b97f4a7c15ull; /* splitmix64 */
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return (z ^ z >> 31) % limit;
}

cudaError_t set_error(cudaError_t error) {
  if (error != cudaSuccess)
    last_error = error;
  return error;
}

bool injected(const char *function) {
  machine &m = the_machine;
  m.calls++;
  if (m.options.fail_nth == 0 ||
      (m.options.fail_name[0] && std::strcmp(m.options.fail_name, function) != 0))
    return false;
  return ++m.counted_for_failure == m.options.fail_nth;
}

} /* namespace emulator */

using namespace emulator;

extern "C" {

struct emulator_options emulator_defaults(void) {
  emulator_options options = {};
  options.devices = 1;
  options.device_memory = uint64_t(1) << 30;
  options.multiprocessors = 2;
  options.l2_bytes = 1 << 20;
  return options;
}

void emulator_reset(const struct emulator_options *options) {
  std::lock_guard<std::recursive_mutex> lock(the_machine.mutex);
  configure_once();
  if (emulator_live() != 0)
    fail("reset with %llu objects (%llu bytes) not given back", (unsigned long long)emulator_live(),
         (unsigned long long)emulator_live_bytes());
  use(*options);
}

uint64_t emulator_calls(void) {
  return the_machine.calls;
}
uint64_t emulator_kernels_run(void) {
  return the_machine.kernels_run;
}
uint64_t emulator_live(void) {
  return device_allocations() + pinned_count() + streams_live();
}

cudaError_t cudaGetLastError(void) {
  emulator::launch_failed = false;
  cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  return last_error;
}

} /* extern "C" */
