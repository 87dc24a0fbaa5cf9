/* What an engine has on the device that reads units where they lie (unit_reading.cuh). */
#pragma once

#include <stdint.h>

namespace {

struct in_place_counts {
  unsigned long long bytes; /* read */
  unsigned long long edges; /* of rows that are needed */
  uint32_t turn;            /* of the units to be read, the next one */
};

struct units_in_place {
  uint32_t *needed; /* [units] what reading them costs; then the units to be read */
  struct in_place_counts *counts;
  bool searches; /* in this iteration open vertices look for an active neighbour */
};

} /* namespace */
