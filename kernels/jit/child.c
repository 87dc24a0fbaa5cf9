#include "kernels/jit/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/atomic_file.h"
#include "support/context.h"

/* How often a call is asked whether it is cancelled. */
#define MILLISECONDS 50

extern char **environ;

/* Read until the other end is closed; what does not fit is dropped, so that nobody waits for us. */
static enum qn_status read_all(int descriptor, char *said, uint64_t size, struct qn_error *error) {
  struct pollfd end = {.fd = descriptor, .events = POLLIN};
  char dropped[4096];
  uint64_t length = 0;
  ssize_t count = 1;
  enum qn_status status = QN_OK;
  while (!status && (count > 0 || (count < 0 && errno == EINTR))) {
    const uint64_t room = size - 1 - length;
    status = qn_context_check(error);
    if (status || poll(&end, 1, MILLISECONDS) == 0)
      continue;
    count = read(descriptor, room ? said + length : dropped, room ? room : sizeof dropped);
    length += count > 0 && room ? (uint64_t)count : 0;
  }
  said[length] = '\0';
  return status;
}

/* A child has a group of its own, so that it can be ended with its children: no terminal speaks to
 * it. It handles signals as if nobody had changed that before. */
static int set_signals(posix_spawnattr_t *attributes) {
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGCHLD);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &usual);
  posix_spawnattr_setpgroup(attributes, 0);
  return posix_spawnattr_setflags(
      attributes, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));
}

static int spawn(const char *const argv[], int output, bool shown, pid_t *child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed)
    return failed;
  failed = posix_spawnattr_init(&attributes);
  if (!failed)
    failed = set_signals(&attributes);
  if (!failed)
    failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!failed)
    failed = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (!failed && !shown)
    failed = posix_spawn_file_actions_adddup2(&actions, output, 2);
  if (!failed)
    failed = posix_spawnp(child, argv[0], &actions, &attributes, (char *const *)argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

/* A process whose only purpose is to end the child, with all that it started, when this thread ends
 * before it does: by SIGKILL, say, which nobody hears of. -1 if there can be none; the child goes
 * on then, as it would have. */
static pid_t start_guard(pid_t child) {
  const pid_t parent = getpid();
  const pid_t guard = fork();
  if (guard != 0)
    return guard;
  sigset_t all;
  int signal_number = 0;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  setpgid(0, 0); /* what a terminal says to the parent's group is not for us */
  close_range(0, UINT_MAX, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  while (getppid() == parent && signal_number != SIGTERM)
    sigwait(&all, &signal_number);
  kill(-child, SIGKILL);
  _exit(0);
}

static void end_guard(pid_t guard) {
  if (guard > 0) {
    kill(guard, SIGKILL);
    while (waitpid(guard, NULL, 0) < 0 && errno == EINTR)
      ;
  }
}

static int wait_for(pid_t child) {
  int state;
  pid_t found;
  while ((found = waitpid(child, &state, 0)) < 0 && errno == EINTR)
    ;
  if (found != child)
    return QN_CHILD_UNKNOWN;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

static enum qn_status run(const char *const argv[], bool shown, char *said, uint64_t size,
                          int *exit_code, struct qn_error *error) {
  sigset_t before;
  int ends[2];
  pid_t child, guard = -1;
  if (pipe2(ends, O_CLOEXEC))
    return qn_fail_errno(error, "cannot make a pipe");
  qn_names_lock(&before); /* a signal finds no child, or one that it can end */
  errno = spawn(argv, ends[1], shown, &child);
  enum qn_status status = errno ? qn_fail_errno(error, "cannot run %s", argv[0]) : QN_OK;
  qn_temporaries_made_by(status ? 0 : child);
  qn_names_unlock(&before);
  close(ends[1]);
  if (!status) {
    guard = start_guard(child);
    status = read_all(ends[0], said, size, error);
    if (status)
      kill(-child, SIGTERM);
    *exit_code = wait_for(child);
    end_guard(guard);
    qn_names_lock(&before);
    qn_temporaries_made_by(0);
    qn_names_unlock(&before);
  }
  close(ends[0]);
  return status;
}

enum qn_status qn_child_run(const char *const argv[], char *said, uint64_t size, int *exit_code,
                            struct qn_error *error) {
  return run(argv, false, said, size, exit_code, error);
}

enum qn_status qn_child_run_shown(const char *const argv[], char *said, uint64_t size,
                                  int *exit_code, struct qn_error *error) {
  return run(argv, true, said, size, exit_code, error);
}
