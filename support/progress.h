/* Progress of long work, and notices: told to the context that the thread works for
 * (support/context.h). A tool shows them on stderr, progress as one line, rewritten in place, only
 * on a terminal, only after a second, never with --quiet. */
#ifndef QN_SUPPORT_PROGRESS_H
#define QN_SUPPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This process is a tool, which shows notices on stderr and, unless `quiet`, progress. */
void qn_progress_show(bool quiet);

/* From now on, or no longer, another process says what there is to say: neither notices nor
 * warnings are shown. */
void qn_progress_mute(bool muted);

/* Begin a task: `what` is a present participle ("reading"), `unit` what is
 * counted ("edges", or "bytes", which are shown as sizes), `total` how many will
 * come, 0 if unknown. One task at a time; a new one ends the one before. */
void qn_progress_begin(const char *what, const char *unit, uint64_t total);

/* `count` more are done. Any thread may call; call every few milliseconds of work, not per item. */
void qn_progress_add(uint64_t count);

/* End the task and erase its line. */
void qn_progress_end(void);

/* A line that says how far something is whose end nobody knows, on the same terms; a later one
 * takes its place, qn_progress_end erases it. */
void qn_progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line of information for the user; dropped with --quiet. */
void qn_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A warning; shown even with --quiet. */
void qn_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
