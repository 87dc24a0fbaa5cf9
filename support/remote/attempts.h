/* How often and how long a server is waited for. */
#pragma once

#include <stdbool.h>

#include <quern/error.h>

/* Those of one wish; zero it before the first. */
struct qn_attempts {
  unsigned failed; /* in a row */
};

/* Seconds until a connection that gives no bytes is given up: QUERN_REMOTE_TIMEOUT, 1 to 3600, or
 * 30. */
unsigned qn_remote_timeout(void);

/* One has failed. Waits before the next, longer each time and at least as long as the server asks
 * (`retry_after` seconds, up to a minute); false: there were QUERN_REMOTE_RETRIES, 0 to 100, or 5,
 * already, or the work is to end. `goes_on` is asked meanwhile. */
bool qn_attempts_again(struct qn_attempts *attempts, unsigned retry_after,
                       bool (*goes_on)(void *user), void *user);
