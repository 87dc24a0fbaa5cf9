/* Pages of an output that lies in memory, taken before they are needed. The pages of a file are
 * taken one after the other, whoever asks for them, so a thread of its own does that while the
 * others read, check and sort. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include <quern/container.h>

/* Sections that are added from the first call on will take about so many bytes together. What is
 * taken in vain is given back at commit. Later calls may say more, from any thread. Does nothing
 * for files on disks, and where threads are few. */
void qn_writer_expect(struct qn_writer *writer, uint64_t bytes);

/* ---- For writers ------------------------------------------------------------- */

/* Zero it before use. */
struct qn_prefault {
  bool runs;
  int descriptor;
  char *mapping; /* of the file's bytes: their pages are cleared and mapped, too; or NULL */
  pthread_t thread;
  /* atomic: */
  bool stops, failed;
  uint64_t end;   /* of what is expected, a byte of the file */
  uint64_t taken; /* all before this byte are; 0: it never began */
};

/* Does the file lie in memory, and are there threads that a thread of its own does not hinder? */
bool qn_prefault_helps(int descriptor);
bool qn_lies_in_memory(int descriptor);

/* Take what is in the file from byte `first` on. Without a thread nothing is. */
void qn_prefault_begin(struct qn_prefault *ahead, int descriptor, uint64_t first);
void qn_prefault_expect(struct qn_prefault *ahead, uint64_t end);

/* Are the bytes before `end` taken? If they are expected, they will be when it returns. */
bool qn_prefault_has(struct qn_prefault *ahead, uint64_t end);

/* Who waits for pages sleeps: to yield over and over would slow down the thread that takes them. */
void qn_prefault_pause(void);

/* Take no more. */
void qn_prefault_stop(struct qn_prefault *ahead);
