/* What kernels read and write of device memory, counted: QUERN_EMULATOR_COUNTS=FILE has a line of
 * JSON for every kernel and every size of an allocation that it touched. Arrays are told apart by
 * their sizes, as only the program knows their names. */
#include "internal.h"

#include <cstdio>
#include <map>
#include <string>

namespace emulator {

namespace {

struct accesses {
  uint64_t reads = 0, read_bytes = 0, writes = 0, written_bytes = 0, atomics = 0;
};

struct counter {
  const char *path = std::getenv("QUERN_EMULATOR_COUNTS");
  std::map<std::pair<std::string, std::size_t>, accesses> all;
  const char *kernel = nullptr; /* that `of_kernel` is of, and */
  std::string name;             /* whose module may be gone in the end */
  std::map<std::size_t, accesses> of_kernel;

  void settle() {
    for (const auto &[bytes, some] : of_kernel) {
      accesses &sum = all[{name, bytes}];
      sum.reads += some.reads, sum.read_bytes += some.read_bytes;
      sum.writes += some.writes, sum.written_bytes += some.written_bytes;
      sum.atomics += some.atomics;
    }
    of_kernel.clear();
  }

  ~counter() {
    std::FILE *file = path ? std::fopen(path, "w") : nullptr;
    settle();
    for (const auto &[key, sum] : all)
      if (file)
        std::fprintf(file,
                     "{\"kernel\": \"%s\", \"allocation_bytes\": %zu, \"reads\": %llu, "
                     "\"read_bytes\": %llu, \"writes\": %llu, \"written_bytes\": %llu, "
                     "\"atomics\": %llu}\n",
                     key.first.c_str(), key.second, (unsigned long long)sum.reads,
                     (unsigned long long)sum.read_bytes, (unsigned long long)sum.writes,
                     (unsigned long long)sum.written_bytes, (unsigned long long)sum.atomics);
    if (path && (!file || std::fclose(file)))
      std::perror("emulator: cannot write QUERN_EMULATOR_COUNTS");
  }
} the_counter;

} /* namespace */

bool counts_accesses() {
  return the_counter.path != nullptr;
}

void count_access(uintptr_t address, std::size_t bytes, access kind) {
  if (the_counter.kernel != running_kernel()) {
    the_counter.settle();
    the_counter.kernel = running_kernel();
    the_counter.name = the_counter.kernel;
  }
  accesses &sum = the_counter.of_kernel[device_allocation_bytes(address)];
  if (kind == access::atomic)
    sum.atomics++;
  else if (kind == access::write || kind == access::volatile_write)
    sum.writes++, sum.written_bytes += bytes;
  else
    sum.reads++, sum.read_bytes += bytes;
}

} /* namespace emulator */
