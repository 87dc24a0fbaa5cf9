/* How a test steers the emulator. The same can be said by environment variables
 * (tests/emulator/README.md), which are read when the first CUDA call is made. */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum emulator_driver { EMULATOR_DRIVER_OK, EMULATOR_DRIVER_NONE, EMULATOR_DRIVER_OLD };

struct emulator_options {
  uint64_t seed;               /* 0: threads, blocks and streams in order; else shuffled by it */
  int devices;                 /* 0 to 8 */
  int no_peers;                /* they don't reach each other's memory */
  int no_registered;           /* kernels don't reach host memory that was registered */
  uint64_t device_memory;      /* bytes of each device */
  int multiprocessors;         /* of each device */
  int l2_bytes;                /* of each device */
  uint64_t fail_nth;           /* the n-th call from now on fails; 0: none */
  char fail_name[64];          /* count only calls of this function; "": all that can fail */
  enum emulator_driver driver; /* what the machine pretends to have */
};

struct emulator_options emulator_defaults(void);

/* Start afresh with these options; everything must have been freed. */
void emulator_reset(const struct emulator_options *options);

/* Calls that could have failed since the last reset, for a test that fails each in turn. */
uint64_t emulator_calls(void);

/* What has been made and not given back: device allocations, pinned host
 * allocations and registrations, streams and events. */
uint64_t emulator_live(void);
uint64_t emulator_live_bytes(void);

/* Bytes of device memory in use at the highest point since the last reset. */
uint64_t emulator_peak_bytes(void);

uint64_t emulator_kernels_run(void);

#ifdef __cplusplus
}
#endif

/* A found error is printed on stderr and ends the process with this exit code. */
#define EMULATOR_EXIT_CODE 70

#endif
