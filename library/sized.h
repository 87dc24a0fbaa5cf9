/* Structs that begin with their size, which callers may have been compiled with less or more of. */
#pragma once

#include <stdint.h>

/* Copy `from`, of `bytes`, to a caller's, which has said its size. */
void qn_sized_copy(void *to, const void *from, uint64_t bytes);
/* Copy a caller's to `to`, of `bytes`; what the caller does not know is zero. `from` may be NULL.
 */
void qn_sized_read(void *to, uint64_t bytes, const void *from);
