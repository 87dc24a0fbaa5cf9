#include "support/progress.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/sizes.h"
#include "support/threads.h"

static const double FIRST_SHOWN_AFTER = 1.0;
static const double SHOWN_EVERY = 0.1;

static bool quiet_mode;

static struct {
  const char *what;
  const char *unit;
  uint64_t total;
  double begun;
  double next_show; /* under the lock */
  bool active;
  bool shown;
  atomic_uint_least64_t done;
  pthread_mutex_t lock;
} task = {.lock = PTHREAD_MUTEX_INITIALIZER};

void qn_progress_quiet(bool quiet) {
  quiet_mode = quiet;
}

static bool enabled(void) {
  return !quiet_mode && isatty(STDERR_FILENO);
}

static void amount_text(double amount, char *text, size_t size) {
  if (strcmp(task.unit, "bytes") == 0) {
    qn_size_text((uint64_t)amount, text, size);
  } else {
    char count[32];
    snprintf(text, size, "%s %s", qn_count_text((uint64_t)amount, count, sizeof count), task.unit);
  }
}

static void erase_line(void) {
  if (task.shown)
    fputs("\r\033[K", stderr);
  task.shown = false;
}

static void show(double now) {
  uint64_t done = atomic_load(&task.done);
  double elapsed = now - task.begun;
  double rate = (double)done / elapsed;
  char done_text[64], rate_text[64];
  amount_text((double)done, done_text, sizeof done_text);
  amount_text(rate, rate_text, sizeof rate_text);
  fprintf(stderr, "\r\033[K%s: %s, %s/s", task.what, done_text, rate_text);
  if (task.total && done <= task.total) {
    fprintf(stderr, ", %.0f %%", 100.0 * (double)done / (double)task.total);
    if (done)
      fprintf(stderr, ", %.0f s left", (double)(task.total - done) / rate);
  }
  fflush(stderr);
  task.shown = true;
}

void qn_progress_begin(const char *what, const char *unit, uint64_t total) {
  qn_progress_end();
  pthread_mutex_lock(&task.lock);
  task.what = what;
  task.unit = unit;
  task.total = total;
  task.begun = qn_seconds();
  task.next_show = task.begun + FIRST_SHOWN_AFTER;
  task.shown = false;
  atomic_store(&task.done, 0);
  task.active = enabled();
  pthread_mutex_unlock(&task.lock);
}

void qn_progress_add(uint64_t count) {
  atomic_fetch_add_explicit(&task.done, count, memory_order_relaxed);
  if (pthread_mutex_trylock(&task.lock) != 0)
    return;
  if (task.active) {
    double now = qn_seconds();
    if (now >= task.next_show) {
      show(now);
      task.next_show = now + SHOWN_EVERY;
    }
  }
  pthread_mutex_unlock(&task.lock);
}

void qn_progress_line(const char *format, ...) {
  static double next_show; /* under the lock */
  if (!enabled())
    return;
  pthread_mutex_lock(&task.lock);
  const double now = qn_seconds();
  if (next_show == 0)
    next_show = now + FIRST_SHOWN_AFTER;
  if (now >= next_show) {
    va_list arguments;
    fputs("\r\033[K", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fflush(stderr);
    task.shown = true;
    next_show = now + SHOWN_EVERY;
  }
  pthread_mutex_unlock(&task.lock);
}

void qn_progress_end(void) {
  pthread_mutex_lock(&task.lock);
  erase_line();
  task.active = false;
  pthread_mutex_unlock(&task.lock);
}

static void say(const char *prefix, const char *format, va_list arguments) {
  pthread_mutex_lock(&task.lock);
  erase_line();
  fputs(prefix, stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  pthread_mutex_unlock(&task.lock);
}

void qn_notice(const char *format, ...) {
  if (quiet_mode)
    return;
  va_list arguments;
  va_start(arguments, format);
  say("", format, arguments);
  va_end(arguments);
}

void qn_warn(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("warning: ", format, arguments);
  va_end(arguments);
}
