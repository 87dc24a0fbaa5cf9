/* Every layout, and checkpoints: containers in compact form, of which every byte means something.
 */
#include "fuzz/compact.h"
#include "fuzz/fuzz.h"
#include "fuzz/use_container.h"
#include <quern/container.h>

#define NAME(CONSTANT, code, layout, name, command) name,
#define CODE(CONSTANT, code, layout, name, command) code,

static const char *const KINDS[] = {QN_GRAPH_LAYOUTS(NAME) "checkpoint", NULL};
static const unsigned CODES[] = {QN_GRAPH_LAYOUTS(CODE) QN_LAYOUT_CHECKPOINT};

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  size_t bytes;
  const uint8_t *container = fuzz_expand(data, size, CODES[kind], &bytes);
  return container && fuzz_use_container(fuzz_file(container, bytes));
}

const struct fuzz_family fuzz_layouts = {"layouts", KINDS, run};
