/* Opening, checking, describing and giving back a container of any bytes. Every input is tried as
 * it is and with the checksums of its frame made to fit, so that the rules behind them are reached
 * too. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/fuzz_seal.h"
#include "fuzz/use_container.h"

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  (void)kind;
  bool taken = fuzz_use_container(fuzz_file(data, size));
  uint8_t *copy = malloc(size ? size : 1);
  if (!copy)
    exit(5);
  if (size)
    memcpy(copy, data, size);
  if (fuzz_seal(copy, size))
    taken |= fuzz_use_container(fuzz_file(copy, size));
  free(copy);
  return taken;
}

static const char *const KINDS[] = {"", NULL};
const struct fuzz_family fuzz_container = {"container", KINDS, run};
