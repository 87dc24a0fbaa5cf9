#include "support/remote/attempts.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/sizes.h"
#include "support/threads.h"

#define RETRIES 5
#define TIMEOUT 30
#define FIRST_WAIT 0.25 /* seconds, and twice as long each time */
#define LONGEST_WAIT 8.0
#define LONGEST_ASKED 60

static unsigned setting(const char *name, unsigned least, unsigned most, unsigned otherwise) {
  const char *text = getenv(name);
  uint64_t value;
  if (!text || qn_number_parse(text, most, &value, NULL) || value < least)
    return otherwise;
  return (unsigned)value;
}

unsigned qn_remote_timeout(void) {
  return setting("QUERN_REMOTE_TIMEOUT", 1, 3600, TIMEOUT);
}

static double wait_before(unsigned attempt, unsigned retry_after) {
  double wait = FIRST_WAIT;
  for (unsigned i = 1; i < attempt && wait < LONGEST_WAIT; i++)
    wait *= 2;
  if (retry_after > LONGEST_ASKED)
    retry_after = LONGEST_ASKED;
  return wait > retry_after ? wait : retry_after;
}

bool qn_attempts_again(struct qn_attempts *attempts, unsigned retry_after,
                       bool (*goes_on)(void *user), void *user) {
  if (attempts->failed >= setting("QUERN_REMOTE_RETRIES", 0, 100, RETRIES))
    return false;
  const double until = qn_seconds() + wait_before(++attempts->failed, retry_after);
  while (goes_on(user)) {
    if (qn_seconds() >= until)
      return true;
    usleep(20000);
  }
  return false;
}
