/* What fuzz targets share. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *fuzz_file(const uint8_t *data, size_t size) {
  static char name[64];
  snprintf(name, sizeof name, "fuzz-input-%ld", (long)getpid());
  FILE *file = fopen(name, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
    perror(name);
    exit(5);
  }
  return name;
}

void fuzz_broken(const char *promise, const char *file, int line) {
  fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, promise);
  abort();
}
