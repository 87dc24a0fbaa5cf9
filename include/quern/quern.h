/* libquern, the stable interface: all of it. Includes the other headers of it.
 *
 *   job.h        how long calls work: threads, memory, progress, cancelling, options by name
 *   session.h    open a container, look at its arrays, check it
 *   lookup.h     single vertices and edges: rows, degrees, ids
 *   import.h     graphs from arrays, Arrow streams and files
 *   build.h      other layouts; transformed graphs
 *   run.h        algorithms and their results
 *   placement.h  many runs on one graph, which stays on a device
 *   parts.h      sets that several processes write
 *   export.h     files for other systems; what this build knows
 *
 * What holds for all of it:
 *
 * - Errors are values: what can fail returns enum qn_status (QN_OK is 0) and fills the caller's
 *   struct qn_error, which may be NULL. After a failure `*out` is NULL, nothing is owed, and
 * outputs are what they were. Nothing is printed, no signal handler is set, and the process is not
 * ended.
 * - There is no state beside the handles. Different calls may run side by side, on one session too:
 *   sessions and results are never changed visibly. A handle is closed when no call uses it any
 *   more. What is copied from, and what callbacks are given, must stay as it is during the call.
 * - Work is done on threads that the library starts; the calling thread waits, and calls back. So
 *   any thread may call, and a process may be forked: a child goes on with the sessions that it was
 *   born with, whatever calls its parent has made. Do not fork while another thread is in a call.
 * - A file that is mapped may be replaced by a rename, not overwritten or cut: then reading it
 *   raises SIGBUS, as with any mapping, or SIGSEGV.
 * - Structs with a field `size` may grow at their end: set it to sizeof of the struct, and all else
 *   that you do not need to zero. Enums may get more values. Functions and fields stay. */
#ifndef QUERN_QUERN_H
#define QUERN_QUERN_H

#include <quern/build.h>
#include <quern/error.h>
#include <quern/export.h>
#include <quern/import.h>
#include <quern/job.h>
#include <quern/lookup.h>
#include <quern/parts.h>
#include <quern/placement.h>
#include <quern/run.h>
#include <quern/session.h>

#endif
