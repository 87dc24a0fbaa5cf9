#include "runtime/watch/interrupt.h"

#include <unistd.h>

#include "support/atomic_file.h"

static volatile sig_atomic_t interrupted;
static int depth; /* calls of qn_interrupts_catch without their release */

static void note_signal(int signal_number) {
  (void)signal_number;
  if (interrupted) { /* the user does not want to wait */
    qn_atomic_files_remove();
    _exit(QN_INTERRUPTED);
  }
  interrupted = 1;
}

static const int CAUGHT[QN_CAUGHT_SIGNALS] = {SIGINT, SIGTERM};

void qn_interrupts_catch(struct qn_interrupts *interrupts) {
  if (depth++ == 0)
    interrupted = 0;
  for (int i = 0; i < QN_CAUGHT_SIGNALS; i++) {
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    if (sigaction(CAUGHT[i], NULL, &interrupts->before[i]) == 0 &&
        interrupts->before[i].sa_handler != SIG_IGN)
      sigaction(CAUGHT[i], &action, NULL);
  }
}

void qn_interrupts_release(const struct qn_interrupts *interrupts) {
  for (int i = 0; i < QN_CAUGHT_SIGNALS; i++)
    sigaction(CAUGHT[i], &interrupts->before[i], NULL);
  depth--;
}

bool qn_interrupted(void) {
  return interrupted;
}
