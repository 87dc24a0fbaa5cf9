/* What this build can run: algorithms by layouts and devices. */
#pragma once

#include <jansson.h>

/* {"kernels": [{"algorithm", "alias", "title", "purpose", "layout", "device", "weights": ["none",
 * "u32", "f32"], "kernel"}]}, sorted by algorithm, layout and device. A new reference. */
json_t *qn_kernel_list(void);
