#include "support/used_files.h"

#include <pthread.h>
#include <sys/stat.h>

static struct qn_used_file *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool qn_file_state_of(int descriptor, struct qn_file_state *state) {
  struct stat about;
  if (fstat(descriptor, &about) != 0)
    return false;
  *state = (struct qn_file_state){(uint64_t)about.st_size, about.st_mtim, about.st_ctim};
  return true;
}

static bool same_time(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Of a file that is shorter nothing is looked at: its mapping ends early. */
static bool is_unchanged(struct qn_used_file *file) {
  struct qn_file_state now;
  if (!qn_file_state_of(file->descriptor, &now) || now.bytes != file->state.bytes)
    return false;
  if (same_time(now.modified, file->state.modified) && same_time(now.changed, file->state.changed))
    return true;
  if (!file->is_intact(file->user))
    return false;
  file->state = now;
  return true;
}

void qn_used_file_list(struct qn_used_file *file) {
  pthread_mutex_lock(&lock);
  file->before = NULL;
  file->after = first;
  if (first)
    first->before = file;
  first = file;
  pthread_mutex_unlock(&lock);
}

void qn_used_file_forget(struct qn_used_file *file) {
  pthread_mutex_lock(&lock);
  if (file->after)
    file->after->before = file->before;
  if (file->before)
    file->before->after = file->after;
  else if (first == file)
    first = file->after;
  pthread_mutex_unlock(&lock);
}

enum qn_status qn_used_files_check(struct qn_error *error) {
  enum qn_status status = QN_OK;
  pthread_mutex_lock(&lock);
  for (struct qn_used_file *file = first; file && !status; file = file->after)
    if (!is_unchanged(file)) {
      status = qn_fail(error, QN_SYSTEM,
                       "the file was overwritten while it was in use, so there is no result; write "
                       "a new file and rename it instead");
      qn_error_in_file(error, file->path);
    }
  pthread_mutex_unlock(&lock);
  return status;
}
