/* What this build can run: algorithms by layouts and devices. */
#ifndef QN_RUNTIME_LIST_H
#define QN_RUNTIME_LIST_H

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

/* {"kernels": [{"algorithm", "alias", "title", "purpose", "layout", "device", "weights": ["none",
 * "u32", "f32"], "kernel"}]}, sorted by algorithm, layout and device. A new reference. */
json_t *qn_kernel_list(void);

#ifdef __cplusplus
}
#endif
#endif
