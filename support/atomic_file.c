#include "support/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/atomic_folder.h"
#include "support/memory.h"
#include "support/output_stream.h"
#include "support/temp_file.h"
#include "support/used_files.h"

struct qn_atomic_file {
  int descriptor;
  int output; /* where it goes at commit; -1: it gets a name */
  bool replace;
  bool nameless; /* until commit */
  bool listed;   /* in the table of temporaries */
  bool in_place;
  unsigned slot;
  FILE *stream;
  char *path; /* what a link leads to */
  char *temporary;
  struct qn_atomic_file *joined; /* that appears with it, before it, and so on */
};

/* ---- Names ------------------------------------------------------------------ */

/* The thread that holds the lock; 0: none. No mutex, which a signal handler may not take. */
static _Atomic pid_t names_holder;

static void take_names(pid_t thread) {
  for (pid_t none = 0; !atomic_compare_exchange_weak(&names_holder, &none, thread); none = 0)
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

void qn_names_lock(sigset_t *before) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, before);
  take_names(gettid());
}

void qn_names_unlock(const sigset_t *before) {
  atomic_store(&names_holder, 0);
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

void qn_names_forget(void) {
  atomic_store(&names_holder, 0);
}

/* Names of temporaries that a signal must remove, under the lock. */
#define MAX_TEMPORARIES 64
static char *volatile temporaries[MAX_TEMPORARIES];
static volatile pid_t maker; /* a group of processes that writes some of them; 0: none does */
static atomic_uint num_in_place;

/* A second is enough for one that heeds signals. */
static void end_maker(void) {
  const pid_t group = maker;
  kill(-group, SIGTERM);
  for (int i = 0; i < 1000 && waitpid(group, NULL, WNOHANG) == 0; i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  kill(-group, SIGKILL);
}

void qn_atomic_files_remove(void) {
  const pid_t thread = gettid();
  if (atomic_load(&names_holder) != thread)
    take_names(thread);
  if (maker)
    end_maker();
  for (unsigned i = 0; i < MAX_TEMPORARIES; i++)
    if (temporaries[i])
      unlink(temporaries[i]);
  qn_atomic_folders_remove();
}

/* ---- Signals ---------------------------------------------------------------- */

static void remove_temporaries(int signal_number) {
  qn_atomic_files_remove();
  if (signal_number == SIGINT || signal_number == SIGTERM)
    _exit(QN_INTERRUPTED);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void qn_atomic_files_catch_signals(void) {
  /* Those whose default ends a process; of SIGBUS support/tool.c takes care. */
  static const int fatal[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ,
                              SIGSEGV, SIGABRT, SIGILL,    SIGFPE,  SIGTRAP, SIGSYS,  SIGUSR1,
                              SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGSTKFLT};
  for (unsigned i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
    struct sigaction action = {.sa_handler = remove_temporaries};
    struct sigaction before;
    sigfillset(&action.sa_mask);
    /* An ignored signal (nohup) or a handler of the program's own stays as it is. */
    if (sigaction(fatal[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(fatal[i], &action, NULL);
  }
}

/* ---- A file ------------------------------------------------------------------ */

/* MAX_TEMPORARIES if there is no slot left. */
static unsigned list_name(char *name) {
  unsigned slot = 0;
  while (slot < MAX_TEMPORARIES && temporaries[slot])
    slot++;
  if (slot < MAX_TEMPORARIES)
    temporaries[slot] = name;
  return slot;
}

void qn_temporaries_list(char *const names[2]) {
  for (int i = 0; i < 2; i++)
    list_name(names[i]);
}

void qn_temporaries_made_by(pid_t group) {
  maker = group;
}

void qn_temporaries_forget(char *const names[2]) {
  sigset_t before;
  qn_names_lock(&before);
  for (unsigned slot = 0; slot < MAX_TEMPORARIES; slot++)
    if (temporaries[slot] == names[0] || temporaries[slot] == names[1])
      temporaries[slot] = NULL;
  qn_names_unlock(&before);
}

static bool list_temporary(struct qn_atomic_file *file) {
  file->slot = list_name(file->temporary);
  return file->listed = file->slot < MAX_TEMPORARIES;
}

static void unlist_temporary(struct qn_atomic_file *file) {
  if (!file->listed)
    return;
  temporaries[file->slot] = NULL;
  file->listed = false;
}

static void destroy(struct qn_atomic_file *file) {
  if (file->stream)
    fclose(file->stream);
  else if (file->descriptor >= 0)
    close(file->descriptor);
  qn_output_stream_close(file->output);
  free(file->path);
  qn_free(file->temporary);
  qn_free(file);
}

static bool is_there(const char *path) {
  struct stat about;
  return lstat(path, &about) == 0;
}

enum qn_status qn_atomic_file_check(const char *path, bool replace, struct qn_error *error) {
  struct stat about;
  if (strcmp(path, "-") == 0)
    return qn_fail(error, QN_USAGE,
                   "this cannot be written to standard output: name a file (./- if it is called "
                   "that)");
  bool leads = stat(path, &about) == 0;
  if (!leads && errno != ENOENT)
    qn_fail_errno(error, "cannot look at the output");
  else if (!leads && !is_there(path))
    return QN_OK;
  else if (!leads)
    qn_fail(error, QN_USAGE, "the output is a link that leads nowhere");
  else if (!S_ISREG(about.st_mode) || qn_is_output_stream(path))
    qn_fail(error, QN_USAGE, "the output is not a regular file, and this output needs one");
  else if (!replace)
    qn_fail(error, QN_USAGE, "the output exists; use --force to replace it");
  else
    return qn_used_files_kept(path, error);
  return qn_error_in_file(error, path);
}

/* ".", "/" or what is before the last slash; false if that is too long. */
static bool folder_of(const char *path, char folder[PATH_MAX]) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (length >= PATH_MAX)
    return false;
  if (!slash)
    strcpy(folder, ".");
  else if (length == 0)
    strcpy(folder, "/");
  else
    memcpy(folder, path, length), folder[length] = '\0';
  return true;
}

/* A file without a name can be given one through /proc only. */
static int open_nameless(const char *path) {
  char folder[PATH_MAX];
  if (!folder_of(path, folder) || access("/proc/self/fd", X_OK) != 0)
    return -1;
  return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

static void name_temporary(struct qn_atomic_file *file, unsigned attempt) {
  snprintf(file->temporary, strlen(file->path) + 32, "%s.tmp%ld-%u", file->path, (long)getpid(),
           attempt);
}

/* Give a nameless file a name that nothing has. */
static int link_descriptor(const struct qn_atomic_file *file, const char *name) {
  char descriptor[64];
  snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", file->descriptor);
  return linkat(AT_FDCWD, descriptor, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* Give it the temporary name that is renamed then. */
static int link_nameless(struct qn_atomic_file *file) {
  int failed = -1;
  for (unsigned attempt = 0; attempt < 1000 && failed; attempt++) {
    name_temporary(file, attempt);
    failed = link_descriptor(file, file->temporary);
    if (failed && errno != EEXIST)
      break;
  }
  file->nameless = failed != 0;
  return failed;
}

static void remove_temporary(const struct qn_atomic_file *file) {
  if (!file->nameless)
    unlink(file->temporary);
}

char *qn_output_target(const char *path) {
  struct stat about;
  bool link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
  return link ? realpath(path, NULL) : strdup(path);
}

/* The folder that a file is in, and its name there. */
static bool find_place(const char *target, struct stat *folder, const char **name) {
  char path[PATH_MAX];
  const char *slash = strrchr(target, '/');
  *name = slash ? slash + 1 : target;
  return folder_of(target, path) && stat(path, folder) == 0;
}

static bool are_at_one_place(const char *target, const char *other) {
  struct stat folder, other_folder;
  const char *name, *other_name;
  return find_place(target, &folder, &name) && find_place(other, &other_folder, &other_name) &&
         strcmp(name, other_name) == 0 && folder.st_dev == other_folder.st_dev &&
         folder.st_ino == other_folder.st_ino;
}

bool qn_outputs_are_one(const char *path, const char *other) {
  if (strcmp(path, other) == 0)
    return true;
  char *target = qn_output_target(path), *other_target = qn_output_target(other);
  const bool are = target && other_target && are_at_one_place(target, other_target);
  free(target);
  free(other_target);
  return are;
}

static bool wants_sync(void) {
  const char *no_sync = getenv("QUERN_NO_SYNC");
  return !(no_sync && strcmp(no_sync, "1") == 0);
}

/* Of a file that others write, too: NFS writes a page as a whole, with what others have of it,
 * unless all is written through. */
static int open_shared(const char *name, int flags) {
  return open(name, O_RDWR | O_CLOEXEC | (wants_sync() ? O_DSYNC : 0) | flags, 0666);
}

/* A new file with a temporary name. */
static enum qn_status open_named(struct qn_atomic_file *file, bool visible,
                                 struct qn_error *error) {
  sigset_t before;
  qn_names_lock(&before);
  for (unsigned attempt = 0; attempt < 1000 && file->descriptor < 0; attempt++) {
    name_temporary(file, attempt);
    file->descriptor = visible ? open_shared(file->temporary, O_CREAT | O_EXCL)
                               : open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->descriptor < 0 && errno != EEXIST)
      break;
  }
  int cause = errno;
  bool listed = file->descriptor >= 0 && list_temporary(file);
  if (file->descriptor >= 0 && !listed)
    unlink(file->temporary);
  qn_names_unlock(&before);
  errno = cause;
  if (file->descriptor < 0)
    return qn_fail_errno(error, "cannot create the output");
  return listed ? QN_OK
                : qn_fail(error, QN_SYSTEM, "more than %d output files at once", MAX_TEMPORARIES);
}

static enum qn_status create(const char *path, bool replace, bool visible,
                             struct qn_atomic_file **out, struct qn_error *error) {
  struct qn_atomic_file *file = NULL;
  *out = NULL;
  enum qn_status status = qn_atomic_file_check(path, replace, error);
  if (status)
    return status;
  status = qn_alloc_zeroed(&file, 1, sizeof *file, "an output file's record", error);
  if (status)
    return status;
  file->descriptor = file->output = -1;
  file->replace = replace;

  file->path = qn_output_target(path);
  if (!file->path) {
    status = qn_fail_errno(error, "cannot look at the output");
    qn_error_in_file(error, path);
    goto failed;
  }
  status = qn_alloc(&file->temporary, strlen(file->path) + 32, 1, "a path", error);
  if (status)
    goto failed;

  file->descriptor = visible ? -1 : open_nameless(file->path);
  file->nameless = file->descriptor >= 0;
  if (!file->nameless)
    status = open_named(file, visible, error);
  if (status) {
    qn_error_in_file(error, path);
    goto failed;
  }
  *out = file;
  return QN_OK;
failed:
  destroy(file);
  return status;
}

enum qn_status qn_atomic_file_create(const char *path, bool replace, struct qn_atomic_file **out,
                                     struct qn_error *error) {
  return create(path, replace, false, out, error);
}

enum qn_status qn_atomic_file_create_visible(const char *path, bool replace,
                                             struct qn_atomic_file **out, struct qn_error *error) {
  return create(path, replace, true, out, error);
}

const char *qn_atomic_file_temporary(const struct qn_atomic_file *file) {
  return file->temporary;
}

/* One that is called `name` in messages. */
static enum qn_status create_nameless(const char *name, struct qn_atomic_file **out,
                                      struct qn_error *error) {
  struct qn_atomic_file *file;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&file, 1, sizeof *file, "an output's record", error);
  if (status)
    return status;
  file->descriptor = file->output = -1;
  file->nameless = true;
  file->path = strdup(name);
  if (!file->path) {
    destroy(file);
    return qn_fail_memory(error, "a path", 0);
  }
  *out = file;
  return QN_OK;
}

enum qn_status qn_atomic_file_visit(const char *temporary, struct qn_atomic_file **out,
                                    struct qn_error *error) {
  struct qn_atomic_file *file;
  sigset_t before;
  enum qn_status status = create_nameless(temporary, &file, error);
  *out = NULL;
  if (status)
    return status;
  status = qn_alloc(&file->temporary, strlen(temporary) + 1, 1, "a path", error);
  if (!status) {
    strcpy(file->temporary, temporary);
    file->descriptor = open_shared(temporary, 0);
    if (file->descriptor < 0) {
      status = qn_fail_errno(
          error,
          "cannot open the output that another rank has begun (do all of them see its folder?)");
      qn_error_in_file(error, temporary);
    }
  }
  if (status) {
    destroy(file);
    return status;
  }
  qn_names_lock(&before);
  file->nameless = !list_temporary(file); /* of many files a signal leaves some to who began them */
  qn_names_unlock(&before);
  *out = file;
  return QN_OK;
}

enum qn_status qn_atomic_file_in_memory(struct qn_atomic_file **out, struct qn_error *error) {
  enum qn_status status = create_nameless("(in memory)", out, error);
  if (status)
    return status;
  status = qn_scratch_open(0, &(*out)->descriptor, error);
  if (status) {
    destroy(*out);
    *out = NULL;
  }
  return status;
}

static enum qn_status open_scratch(struct qn_atomic_file *file, struct qn_error *error) {
  enum qn_status status = qn_output_stream_open(file->path, &file->output, error);
  if (!status && isatty(file->output)) {
    qn_fail(error, QN_USAGE, "this is not for a terminal: pipe it, or name a file");
    return qn_error_in_file(error, file->path), QN_USAGE;
  }
  return status ? status : qn_scratch_open(0, &file->descriptor, error);
}

enum qn_status qn_atomic_file_create_or_stream(const char *path, bool replace,
                                               struct qn_atomic_file **out,
                                               struct qn_error *error) {
  if (!qn_is_output_stream(path))
    return qn_atomic_file_create(path, replace, out, error);
  enum qn_status status = create_nameless(path, out, error);
  if (!status)
    status = open_scratch(*out, error);
  if (status && *out) {
    destroy(*out);
    *out = NULL;
  }
  return status;
}

int qn_atomic_file_descriptor(const struct qn_atomic_file *file) {
  return file->descriptor;
}

const char *qn_atomic_file_path(const struct qn_atomic_file *file) {
  return file->path;
}

enum qn_status qn_atomic_file_write(struct qn_atomic_file *file, const void *bytes, uint64_t length,
                                    uint64_t offset, struct qn_error *error) {
  const char *next = bytes;
  while (length) {
    size_t part = length > (size_t)1 << 30 ? (size_t)1 << 30 : (size_t)length;
    ssize_t written = pwrite(file->descriptor, next, part, (off_t)offset);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      enum qn_status status = qn_fail_errno(error, "cannot write");
      qn_error_at_offset(error, file->path, offset);
      return status;
    }
    next += written;
    offset += (uint64_t)written;
    length -= (uint64_t)written;
  }
  return QN_OK;
}

enum qn_status qn_atomic_file_stream(struct qn_atomic_file *file, FILE **out,
                                     struct qn_error *error) {
  if (!file->stream)
    file->stream = fdopen(file->descriptor, "r+");
  *out = file->stream;
  if (!file->stream)
    return qn_fail_errno(error, "cannot buffer the output");
  return QN_OK;
}

static int open_folder_of(const char *path) {
  char folder[PATH_MAX];
  return folder_of(path, folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
}

/* Without --force the target must not come into being between the check and the rename: link()
 * refuses an existing name, where rename() would replace it. */
static int put_in_place(struct qn_atomic_file *file) {
  if (file->replace)
    return file->nameless && link_nameless(file) != 0 ? -1 : rename(file->temporary, file->path);
  if (file->nameless)
    return link_descriptor(file, file->path);
  if (renameat2(AT_FDCWD, file->temporary, AT_FDCWD, file->path, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
  if (link(file->temporary, file->path) == 0) {
    unlink(file->temporary);
    return 0;
  }
  if (errno == EEXIST)
    return -1;
  /* File systems without hard links. */
  if (access(file->path, F_OK) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename(file->temporary, file->path);
}

unsigned qn_outputs_in_place(void) {
  return atomic_load(&num_in_place);
}

void qn_output_is_in_place(void) {
  atomic_fetch_add(&num_in_place, 1);
}

/* Write what was kept. */
static enum qn_status send(struct qn_atomic_file *file, struct qn_error *error) {
  enum qn_status status = file->stream && (fflush(file->stream) != 0 || ferror(file->stream))
                              ? qn_fail_errno(error, "cannot write")
                              : qn_output_stream_send(file->output, file->descriptor, error);
  if (status)
    qn_error_in_file(error, file->path);
  destroy(file);
  return status;
}

/* All but its name. */
static enum qn_status complete(struct qn_atomic_file *file, struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (file->stream && (fflush(file->stream) != 0 || ferror(file->stream)))
    status = qn_fail_errno(error, "cannot write");
  else if (wants_sync() && fsync(file->descriptor) != 0)
    status = qn_fail_errno(error, "cannot sync");
  if (status)
    qn_error_in_file(error, file->path);
  return status;
}

/* Its name, under the lock. If it is not the `last` of several, it is taken back when this fails.
 */
static enum qn_status name_file(struct qn_atomic_file *file, bool last, struct qn_error *error) {
  enum qn_status status = QN_OK;
  const bool sync = wants_sync();
  int folder = sync ? open_folder_of(file->path) : -1;
  if (sync && folder < 0)
    status = qn_fail_errno(error, "cannot open the folder of the output");

  if (!status && put_in_place(file) != 0)
    status = qn_fail_errno(error, "cannot put the output in place");
  if (status) {
    qn_error_in_file(error, file->path);
    remove_temporary(file);
  }
  file->nameless = true; /* it has no temporary name any more */
  file->in_place = !status;
  unlist_temporary(file);

  /* Some file systems cannot sync a folder and say EINVAL. */
  if (!status && sync && fsync(folder) != 0 && errno != EINVAL) {
    status =
        qn_fail_errno(error, last ? "cannot sync the folder of the output: a crash of the machine "
                                    "may undo what was written"
                                  : "cannot sync the folder of a part of the output, so there is "
                                    "no output");
    qn_error_in_file(error, file->path);
  }
  if (folder >= 0)
    close(folder);
  return status;
}

/* Give those that are joined their names, and then `file` its own, which says that all are there.
 * What was put in place before another failed is taken back, if nothing was there before. */
static enum qn_status name_all(struct qn_atomic_file *file, bool last, struct qn_error *error) {
  enum qn_status status = file->joined ? name_all(file->joined, false, error) : QN_OK;
  if (!status)
    status = name_file(file, last, error);
  for (struct qn_atomic_file *other = file->joined; other && !file->in_place; other = other->joined)
    if (other->in_place && !other->replace)
      other->in_place = unlink(other->path) != 0;
  return status;
}

/* Its name. Frees `file`. */
static enum qn_status appear(struct qn_atomic_file *file, struct qn_error *error) {
  sigset_t before;
  qn_names_lock(&before); /* a signal finds all of them, or none */
  enum qn_status status = name_all(file, true, error);
  qn_names_unlock(&before);
  if (file->in_place && !qn_atomic_folder_is_under_way())
    qn_output_is_in_place();
  qn_atomic_file_abort(file);
  return status;
}

/* ---- Held outputs ----------------------------------------------------------- */

static bool holds;
static struct qn_atomic_file *held;

void qn_outputs_hold(void) {
  holds = true;
}

bool qn_outputs_are_held(void) {
  return holds;
}

enum qn_status qn_outputs_release(bool appears, struct qn_error *error) {
  if (!holds) /* nothing is; threads of a library come here at once */
    return QN_OK;
  struct qn_atomic_file *file = held;
  held = NULL;
  if (!file)
    return qn_atomic_folder_release(appears, error);
  enum qn_status status = appears ? qn_used_files_check_all(error) : QN_OK;
  if (appears && !status)
    return appear(file, error);
  qn_atomic_file_abort(file);
  return status;
}

int qn_output_held(void) {
  return held ? held->descriptor : -1;
}

uint64_t qn_output_bytes(const char *path) {
  struct stat about;
  int failed = held ? fstat(held->descriptor, &about) : stat(path, &about);
  return failed ? 0 : (uint64_t)about.st_size;
}

enum qn_status qn_atomic_file_commit(struct qn_atomic_file *file, struct qn_error *error) {
  if (file->output >= 0) {
    enum qn_status status = qn_used_files_check(error);
    if (!status)
      return send(file, error);
    qn_atomic_file_abort(file);
    return status;
  }
  enum qn_status status = qn_used_files_check(error);
  for (struct qn_atomic_file *each = file; each && !status; each = each->joined)
    status = qn_used_files_kept(each->path, error);
  for (struct qn_atomic_file *each = file; each && !status; each = each->joined)
    status = complete(each, error);
  if (!status)
    status = qn_outputs_release(true, error);
  if (status) {
    qn_atomic_file_abort(file);
    return status;
  }
  if (!holds || qn_atomic_folder_is_under_way())
    return appear(file, error);
  held = file;
  return QN_OK;
}

enum qn_status qn_atomic_file_leave(struct qn_atomic_file *file, struct qn_error *error) {
  sigset_t before;
  enum qn_status status = qn_used_files_check(error);
  if (!status)
    status = complete(file, error);
  qn_names_lock(&before);
  file->nameless = !status;
  qn_names_unlock(&before);
  qn_atomic_file_abort(file);
  return status;
}

void qn_atomic_file_join(struct qn_atomic_file *file, struct qn_atomic_file *other) {
  while (file->joined)
    file = file->joined;
  file->joined = other;
}

void qn_atomic_file_abort(struct qn_atomic_file *file) {
  sigset_t before;
  if (!file)
    return;
  qn_atomic_file_abort(file->joined);
  qn_names_lock(&before);
  remove_temporary(file);
  unlist_temporary(file);
  qn_names_unlock(&before);
  destroy(file);
}
