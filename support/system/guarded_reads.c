#include "support/system/guarded_reads.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static _Thread_local sigjmp_buf
    *end_of_read; /* of what this thread reads; NULL: it reads nothing */
static struct sigaction before;
static volatile sig_atomic_t passing; /* it is the other's */

static void pass_on(int number, siginfo_t *about, void *context) {
  const bool is_default = before.sa_handler == SIG_DFL || passing; /* or it came back */
  passing = 1;
  if (is_default) {
    signal(number, SIG_DFL);
    raise(number);
  } else if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(number, about, context);
  } else if (before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  }
  passing = 0;
}

static void end_read(int number, siginfo_t *about, void *context) {
  if (end_of_read)
    siglongjmp(*end_of_read, 1);
  pass_on(number, about, context);
}

/* Others may have taken the signal since. */
void qn_guard_reads(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  struct sigaction now;
  struct sigaction action = {.sa_sigaction = end_read,
                             .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction == end_read)
    return;
  pthread_mutex_lock(&lock);
  if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction != end_read) {
    before = now;
    sigaction(SIGBUS, &action, NULL);
  }
  pthread_mutex_unlock(&lock);
}

bool qn_guarded_read(void (*read)(void *argument), void *argument) {
  sigjmp_buf here;
  if (sigsetjmp(here, 0)) {
    end_of_read = NULL;
    return false;
  }
  end_of_read = &here;
  read(argument);
  end_of_read = NULL;
  return true;
}
