/* Reading mapped files that others may cut meanwhile: what is gone raises SIGBUS, which here ends
 * the reading and not the process. */
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, until others handle SIGBUS, qn_guarded_read works. What it is not for goes to
 * whoever handled it before. */
void qn_guard_reads(void);

/* Do `read`; false if a file was cut under it, and then it has not ended. So it neither takes nor
 * gives back anything: it reads mappings, and writes memory that its caller has. */
bool qn_guarded_read(void (*read)(void *argument), void *argument);

#ifdef __cplusplus
}
#endif
