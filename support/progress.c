#include "support/progress.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/context.h"
#include "support/json_text.h"
#include "support/output_stream.h"
#include "support/sizes.h"
#include "support/text/fold.h"
#include "support/text/terminal.h"
#include "support/threads.h"

static const double FIRST_SHOWN_AFTER = 1.0;
static const double SHOWN_EVERY = 0.1;

static bool shows; /* a tool has said so */
static bool quiet_mode, muted_mode;

/* What the terminal shows of the process's task. */
static struct {
  double begun;
  double next_show; /* under the lock */
  bool active;
  bool shown;
  pthread_mutex_t lock;
} terminal = {.lock = PTHREAD_MUTEX_INITIALIZER};

void qn_progress_show(bool quiet) {
  shows = true;
  quiet_mode = quiet;
}

static bool enabled(void) {
  return shows && !quiet_mode && !muted_mode && isatty(STDERR_FILENO);
}

static void amount_text(double amount, const char *unit, char *text, size_t size) {
  if (strcmp(unit, "bytes") == 0) {
    qn_size_text((uint64_t)amount, text, size);
  } else {
    char count[32];
    snprintf(text, size, "%s %s", qn_count_text((uint64_t)amount, count, sizeof count), unit);
  }
}

static void erase_line(void) {
  if (terminal.shown)
    qn_terminal_erase_line();
  terminal.shown = false;
}

/* As much of the text as the terminal's line shows. */
static void replace_line(const char *text) {
  const char *end = qn_text_skip(text, qn_terminal_width() - 1);
  qn_terminal_erase_line();
  fprintf(stderr, "%.*s", (int)(end - text), text);
  fflush(stderr);
  terminal.shown = true;
}

static void show(const struct qn_task *task, double now) {
  uint64_t done = __atomic_load_n(&task->done, __ATOMIC_RELAXED);
  double elapsed = now - terminal.begun;
  double rate = (double)done / elapsed;
  char done_text[64], rate_text[64], rest[64] = "", text[512];
  amount_text((double)done, task->unit, done_text, sizeof done_text);
  amount_text(rate, task->unit, rate_text, sizeof rate_text);
  if (task->total && done && done <= task->total)
    snprintf(rest, sizeof rest, ", %.0f %%, %.0f s left",
             100.0 * (double)done / (double)task->total, (double)(task->total - done) / rate);
  snprintf(text, sizeof text, "%s: %s, %s/s%s", task->what, done_text, rate_text, rest);
  replace_line(text);
}

void qn_progress_begin(const char *what, const char *unit, uint64_t total) {
  struct qn_task *task = &qn_context()->task;
  qn_progress_end();
  __atomic_store_n(&task->done, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&task->total, total, __ATOMIC_RELAXED);
  __atomic_store_n(&task->unit, unit, __ATOMIC_RELAXED);
  __atomic_store_n(&task->what, what, __ATOMIC_RELEASE);
  if (!qn_context_is_process())
    return;
  pthread_mutex_lock(&terminal.lock);
  terminal.begun = qn_seconds();
  terminal.next_show = terminal.begun + FIRST_SHOWN_AFTER;
  terminal.shown = false;
  terminal.active = enabled();
  pthread_mutex_unlock(&terminal.lock);
}

void qn_progress_add(uint64_t count) {
  struct qn_task *task = &qn_context()->task;
  __atomic_fetch_add(&task->done, count, __ATOMIC_RELAXED);
  if (!shows || !qn_context_is_process() || pthread_mutex_trylock(&terminal.lock) != 0)
    return;
  if (terminal.active) {
    double now = qn_seconds();
    if (now >= terminal.next_show) {
      show(task, now);
      terminal.next_show = now + SHOWN_EVERY;
    }
  }
  pthread_mutex_unlock(&terminal.lock);
}

void qn_progress_line(const char *format, ...) {
  static double next_show; /* under the lock */
  if (!qn_context_is_process() || !enabled())
    return;
  pthread_mutex_lock(&terminal.lock);
  const double now = qn_seconds();
  if (next_show == 0)
    next_show = now + FIRST_SHOWN_AFTER;
  if (now >= next_show) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    replace_line(text);
    next_show = now + SHOWN_EVERY;
  }
  pthread_mutex_unlock(&terminal.lock);
}

void qn_progress_end(void) {
  __atomic_store_n(&qn_context()->task.what, NULL, __ATOMIC_RELEASE);
  if (!qn_context_is_process())
    return;
  pthread_mutex_lock(&terminal.lock);
  erase_line();
  terminal.active = false;
  pthread_mutex_unlock(&terminal.lock);
}

static void tell(const char *text) {
  const struct qn_context *context = qn_context();
  if (context->notice)
    context->notice(context->user, text);
  if (!shows || !qn_context_is_process())
    return;
  pthread_mutex_lock(&terminal.lock);
  erase_line();
  if (isatty(STDERR_FILENO))
    qn_text_fold(text, 0, 2, qn_terminal_width(), stderr);
  else
    fprintf(stderr, "%s\n", text);
  pthread_mutex_unlock(&terminal.lock);
}

void qn_progress_mute(bool muted) {
  muted_mode = muted;
}

void qn_notice(const char *format, ...) {
  char text[1200];
  va_list arguments;
  if (quiet_mode || muted_mode)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  tell(text);
}

/* ---- Notes ------------------------------------------------------------------- */

static const struct {
  const char *code;
  enum qn_note_kind kind;
  const char *meaning;
} notes[QN_NUM_NOTES] = {
#define NOTE_KIND(identifier, code, kind, meaning) {code, QN_NOTE_##kind, meaning},
    QN_NOTES(NOTE_KIND)
#undef NOTE_KIND
};

static bool is_warning(enum qn_note note) {
  return notes[note].kind == QN_NOTE_WARNING;
}

static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER;

static void keep(enum qn_note note, const char *text) {
  struct qn_context *context = qn_context();
  pthread_mutex_lock(&notes_lock);
  context->notes_made |= UINT64_C(1) << note;
  if (!context->notes)
    context->notes = json_array();
  json_array_append_new(context->notes,
                        json_pack("{s:s, s:b, s:o}", "code", notes[note].code, "warning",
                                  is_warning(note), "message", qn_json_text(text)));
  pthread_mutex_unlock(&notes_lock);
}

void qn_note(enum qn_note note, const char *format, ...) {
  char message[1200], text[1280];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  keep(note, message);
  snprintf(text, sizeof text, "%s: %s [%s]", is_warning(note) ? "warning" : "note", message,
           notes[note].code);
  if (!muted_mode && (is_warning(note) || !quiet_mode))
    tell(text);
}

json_t *qn_notes_json(void) {
  const struct qn_context *context = qn_context();
  return context->notes ? json_deep_copy(context->notes) : json_array();
}

json_t *qn_note_codes_json(void) {
  const uint64_t made = qn_notes_made();
  json_t *codes = json_array();
  for (int note = 0; codes && note < QN_NUM_NOTES; note++)
    if ((made >> note & 1) && notes[note].kind != QN_NOTE_OF_RUN &&
        json_array_append_new(codes, json_string(notes[note].code))) {
      json_decref(codes);
      codes = NULL;
    }
  return codes;
}

uint64_t qn_notes_made(void) {
  return qn_context()->notes_made;
}

void qn_notes_add(uint64_t made) {
  for (int note = 0; note < QN_NUM_NOTES; note++)
    if (made & ~qn_notes_made() & UINT64_C(1) << note)
      keep((enum qn_note)note, notes[note].meaning);
}

enum qn_status qn_notes_refuse_warnings(struct qn_error *error) {
  const json_t *made = qn_context()->notes;
  json_t *entry;
  size_t i;
  json_array_foreach(made, i, entry) {
    if (json_is_true(json_object_get(entry, "warning")))
      return qn_fail(error, QN_INVALID, "--strict: %s (%s)",
                     json_string_value(json_object_get(entry, "message")),
                     json_string_value(json_object_get(entry, "code")));
  }
  return QN_OK;
}
