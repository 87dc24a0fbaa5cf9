/* Searching with libFuzzer: QUERN_FUZZ names the target as FAMILY, or FAMILY-KIND; "list" lists
 * them all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fuzz_family *family;
static unsigned kind;

static void name_of(const struct fuzz_family *one, unsigned of, char name[64]) {
  snprintf(name, 64, "%s%s%s", one->name, *one->kinds[of] ? "-" : "", one->kinds[of]);
}

/* Find the target, or print all of them. */
static bool choose(const char *wanted) {
  char name[64];
  for (const struct fuzz_family *const *each = fuzz_families; *each; each++)
    for (unsigned i = 0; (*each)->kinds[i]; i++) {
      name_of(*each, i, name);
      if (!wanted) {
        printf("%s %s\n", name, (*each)->name);
      } else if (strcmp(wanted, name) == 0) {
        family = *each;
        kind = i;
        return true;
      }
    }
  return false;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *wanted = getenv("QUERN_FUZZ");
  (void)argc, (void)argv;
  if (wanted && strcmp(wanted, "list") == 0) {
    choose(NULL);
    exit(0);
  }
  if (!wanted || !choose(wanted)) {
    fprintf(stderr, "QUERN_FUZZ must be one of these (the second word is the corpus):\n");
    fflush(stderr);
    choose(NULL);
    exit(2);
  }
  fuzz_searching = true;
  fuzz_begin();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  family->run(kind, data, size);
  return 0;
}
