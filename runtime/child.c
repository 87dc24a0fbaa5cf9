#include "runtime/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Read until the other end is closed; what does not fit is dropped, so that nobody waits for us. */
static void read_all(int descriptor, char *said, uint64_t size) {
  char dropped[4096];
  uint64_t length = 0;
  for (;;) {
    const uint64_t room = size - 1 - length;
    const ssize_t count =
        read(descriptor, room ? said + length : dropped, room ? room : sizeof dropped);
    if (count == 0 || (count < 0 && errno != EINTR))
      break;
    if (count > 0 && room)
      length += (uint64_t)count;
  }
  said[length] = '\0';
}

static int spawn(const char *const argv[], int output, pid_t *child) {
  posix_spawn_file_actions_t actions;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed)
    return failed;
  failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (!failed)
    failed = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (!failed)
    failed = posix_spawn_file_actions_adddup2(&actions, output, 2);
  if (!failed)
    failed = posix_spawnp(child, argv[0], &actions, NULL, (char *const *)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

enum qn_status qn_child_run(const char *const argv[], char *said, uint64_t size, int *exit_code,
                            struct qn_error *error) {
  int ends[2], state;
  pid_t child;
  if (pipe2(ends, O_CLOEXEC))
    return qn_fail_errno(error, "cannot make a pipe");
  errno = spawn(argv, ends[1], &child);
  enum qn_status status = errno ? qn_fail_errno(error, "cannot run %s", argv[0]) : QN_OK;
  close(ends[1]);
  if (!status) {
    read_all(ends[0], said, size);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
      ;
    *exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  }
  close(ends[0]);
  return status;
}
