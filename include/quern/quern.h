/* The stable interface of libquern. This header includes all others of the interface.
 *
 *   job.h        how long calls work: threads, memory, progress, cancelling, options by name
 *   session.h    open a container, look at its arrays, check it
 *   lookup.h     single vertices and edges: rows, degrees, ids
 *   import.h     graphs from arrays, Arrow streams and files
 *   build.h      other layouts; transformed graphs
 *   changes.h    edges added and removed beside a graph
 *   run.h        algorithms and their results
 *   placement.h  many runs on one graph, which stays on a device
 *   sample.h     batches for training: sampled neighbours, walks
 *   features.h   features for training: rows of a property
 *   parts.h      sets that several processes write
 *   export.h     files for other systems; what this build knows
 *
 * What holds for all of it:
 *
 * - Errors are values: what can fail returns enum qn_status (QN_OK is 0) and fills the caller's
 *   struct qn_error, which may be NULL. After a failure `*out` is NULL, there is nothing to free,
 *   and outputs are unchanged. The library prints nothing, never ends the process, and sets no
 *   signal handler but the one that sample.h says.
 * - All state is in the handles. Calls may run at the same time, even on one session: sessions and
 *   results never change visibly. Close a handle when no call uses it any more. Do not change what
 *   a call reads, or what its callbacks are given, during the call.
 * - The library works on threads that it starts; the calling thread waits, and runs the callbacks.
 *   So any thread may call, and a process may fork: the child can use the sessions that existed at
 *   the fork, whatever calls its parent has made. Do not fork while another thread is in a call.
 * - A mapped file may be replaced by a rename, but must not be overwritten or truncated: reading it
 *   would raise SIGBUS, as with any mapping, or SIGSEGV.
 * - Structs with a field `size` may grow at their end: set it to the sizeof of the struct, and all
 *   fields that you do not need to zero. Enums may get more values. Functions and fields stay. */
#ifndef QUERN_QUERN_H
#define QUERN_QUERN_H

#include <quern/build.h>
#include <quern/changes.h>
#include <quern/error.h>
#include <quern/export.h>
#include <quern/features.h>
#include <quern/import.h>
#include <quern/job.h>
#include <quern/lookup.h>
#include <quern/parts.h>
#include <quern/placement.h>
#include <quern/run.h>
#include <quern/sample.h>
#include <quern/session.h>

#endif
