/* Runs of short whole numbers with one blank or line end after each, eight at a time, as lists of
 * neighbours have them: the permutation of shaped_lines.h, for lines of any length. Internal to the
 * readers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What may be written behind the numbers that were asked for. */
#define QN_RUN_SLACK 8

struct qn_number_run {
  const char *cursor;       /* in: where a number begins; out: behind what follows the last one */
  const char *readable_end; /* runs stop near it */
  uint32_t unit;            /* 1 or 2: so many numbers are taken at once, or none of them */
  bool line;                /* stop behind a line end; else it is like a blank */
  bool ended;               /* out: it did, and the last unit is whole */
};

/* Take up to `most` numbers, a multiple of the unit, of up to 8 digits. Returns how many; none on
 * processors that cannot. `numbers` has room for QN_RUN_SLACK more. */
uint32_t qn_take_number_run(struct qn_number_run *run, uint32_t *numbers, uint32_t most);
