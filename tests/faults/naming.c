/* Preloaded into a tool, this sends it a signal at the worst moment: just before a file or a folder
 * gets a name, when the thread that does it has its signals blocked, and another takes the signal.
 *
 *   QUERN_NAMING=N:SIGNAL   at the N-th name, by mkdir, rename or link */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned nth;
static int number;
static atomic_uint count;

static void *wait_for_ever(void *nothing) {
  for (;;)
    pause();
  return nothing;
}

__attribute__((constructor)) static void read_environment(void) {
  const char *given = getenv("QUERN_NAMING");
  pthread_t other;
  if (!given || sscanf(given, "%u:%d", &nth, &number) != 2 ||
      pthread_create(&other, NULL, wait_for_ever, NULL) != 0)
    abort();
}

/* Time for a handler that does not wait for the name. */
static void before_a_name(void) {
  if (atomic_fetch_add(&count, 1) + 1 != nth)
    return;
  kill(getpid(), number);
  usleep(30000);
}

int mkdir(const char *path, mode_t mode) {
  before_a_name();
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int rename(const char *from, const char *to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  before_a_name();
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to) {
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  before_a_name();
  return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}
