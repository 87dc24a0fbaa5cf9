#include "library/call.h"

#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "library/sized.h"
#include "support/atomic_file.h"
#include "support/context.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/system/processors.h"
#include "support/threads.h"

/* ---- Notices -------------------------------------------------------------- */

struct notice {
  struct notice *next;
  char text[];
};

/* A call under way. The lock guards notices and `finished`. */
struct call {
  struct qn_context context;
  qn_work work;
  void *argument;
  unsigned threads; /* 0: as many as the environment says */
  struct qn_error *error;
  enum qn_status status;
  bool finished;
  struct notice *notices, **last;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

/* One for which there is no memory is dropped. */
static void keep_notice(void *user, const char *text) {
  struct call *call = user;
  struct notice *notice;
  size_t bytes = strlen(text) + 1;
  if (qn_alloc(&notice, 1, sizeof *notice + bytes, "a notice", NULL))
    return;
  notice->next = NULL;
  memcpy(notice->text, text, bytes);
  pthread_mutex_lock(&call->lock);
  *call->last = notice;
  call->last = &notice->next;
  pthread_mutex_unlock(&call->lock);
}

/* ---- Hosts ---------------------------------------------------------------- */

/* A thread that does the work of one call at a time, with the team that its parallel regions keep.
 */
struct host {
  struct host *next; /* of those that are idle */
  struct call *call; /* NULL: idle. Under the host's lock */
  unsigned usual;    /* threads, if a call asks for no number */
  unsigned team;     /* threads that there were in the last call */
  pthread_mutex_t lock;
  pthread_cond_t given;
};

/* Idle hosts wait for the next call. They are few: more calls at once are rare. */
#define MOST_IDLE 8
static struct {
  pthread_mutex_t lock;
  struct host *idle;
  unsigned num_idle;
} hosts = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- The team ------------------------------------------------------------- */

struct gate {
  pthread_mutex_t lock;
  pthread_cond_t opened;
  bool open;
};

static void *wait_at_gate(void *argument) {
  struct gate *gate = argument;
  pthread_mutex_lock(&gate->lock);
  while (!gate->open)
    pthread_cond_wait(&gate->opened, &gate->lock);
  pthread_mutex_unlock(&gate->lock);
  return NULL;
}

/* How many threads can there be beside this one, `wanted` at most? libgomp ends the process when it
 * gets fewer than it asks for, so it is asked for no more. */
static unsigned threads_to_get(unsigned wanted) {
  struct gate gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};
  pthread_t threads[QN_MAX_THREADS];
  unsigned count = 0;
  while (count < wanted && pthread_create(&threads[count], NULL, wait_at_gate, &gate) == 0)
    count++;
  pthread_mutex_lock(&gate.lock);
  gate.open = true;
  pthread_cond_broadcast(&gate.opened);
  pthread_mutex_unlock(&gate.lock);
  for (unsigned i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  return count;
}

/* Is there memory for what libgomp notes of a team? It ends the process when it gets none. What is
 * given back here is what this thread's next allocations get. */
static enum qn_status check_memory_for_team(unsigned threads, struct qn_error *error) {
  enum { OF_TEAM = 16384, OF_THREAD = 1024 }; /* more than libgomp takes */
  uint8_t *memory;
  enum qn_status status =
      qn_alloc(&memory, OF_TEAM + (uint64_t)threads * OF_THREAD, 1, "a team of threads", error);
  qn_free(memory);
  return status;
}

static enum qn_status form_team(struct host *host, const struct call *call) {
  unsigned wanted = call->threads ? call->threads : host->usual;
  wanted = wanted > QN_MAX_THREADS ? QN_MAX_THREADS : wanted;
  if (wanted > host->team)
    wanted = 1 + threads_to_get(wanted - 1);
  enum qn_status status = check_memory_for_team(wanted, call->error);
  if (!status)
    host->team = qn_threads_set(wanted);
  return status;
}

/* ---- Doing ---------------------------------------------------------------- */

static void finish(struct call *call, enum qn_status status) {
  pthread_mutex_lock(&call->lock);
  call->status = status;
  call->finished = true;
  pthread_cond_signal(&call->changed);
  pthread_mutex_unlock(&call->lock);
}

/* Put an idle host where the next call finds it; false if there are enough. */
static bool keep_host(struct host *host) {
  pthread_mutex_lock(&hosts.lock);
  bool kept = hosts.num_idle < MOST_IDLE;
  if (kept) {
    host->next = hosts.idle;
    hosts.idle = host;
    hosts.num_idle++;
  }
  pthread_mutex_unlock(&hosts.lock);
  return kept;
}

static void destroy_host(struct host *host) {
  pthread_mutex_destroy(&host->lock);
  pthread_cond_destroy(&host->given);
  qn_free(host);
}

static struct call *next_call(struct host *host) {
  pthread_mutex_lock(&host->lock);
  while (!host->call)
    pthread_cond_wait(&host->given, &host->lock);
  struct call *call = host->call;
  host->call = NULL;
  pthread_mutex_unlock(&host->lock);
  return call;
}

/* What JSON lacks memory for looks damaged, or as if it were nothing. */
static enum qn_status work(struct host *host, const struct call *call) {
  enum qn_status status = form_team(host, call);
  if (!status)
    status = call->work(call->argument, call->error);
  bool refused = status == QN_INVALID || status == QN_UNSUPPORTED || status == QN_USAGE;
  return refused && qn_json_check_memory(call->error) ? QN_SYSTEM : status;
}

static void *work_for_calls(void *argument) {
  struct host *host = argument;
  bool kept;
  const unsigned most = (unsigned)omp_get_max_threads(), usual = qn_processors_usual();
  host->usual = most < usual ? most : usual;
  host->team = 1;
  do {
    struct call *call = next_call(host);
    qn_context_set(&call->context);
    enum qn_status status = work(host, call);
    qn_context_enter(NULL);
    kept = keep_host(host);
    finish(call, status); /* and gone: the caller may return */
  } while (kept);
  destroy_host(host);
  return NULL;
}

/* ---- Calling -------------------------------------------------------------- */

/* A child has none of its parent's threads. */
static void forget_hosts(void) {
  pthread_mutex_init(&hosts.lock, NULL);
  hosts.idle = NULL;
  hosts.num_idle = 0;
  qn_names_forget();
}

static void begin_once(void) {
  qn_json_watch_memory();
  pthread_atfork(NULL, NULL, forget_hosts);
}

static struct host *take_idle(void) {
  pthread_mutex_lock(&hosts.lock);
  struct host *host = hosts.idle;
  if (host) {
    hosts.idle = host->next;
    hosts.num_idle--;
  }
  pthread_mutex_unlock(&hosts.lock);
  return host;
}

static enum qn_status find_host(struct host **out, struct qn_error *error) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct host *host;
  pthread_t thread;
  pthread_once(&once, begin_once);
  if ((*out = take_idle()))
    return QN_OK;
  enum qn_status status = qn_alloc_zeroed(&host, 1, sizeof *host, "a thread's record", error);
  if (status)
    return status;
  pthread_mutex_init(&host->lock, NULL);
  pthread_cond_init(&host->given, NULL);
  if (qn_thread_start(&thread, work_for_calls, host) != 0) {
    destroy_host(host);
    return qn_fail(error, QN_SYSTEM, "cannot start a thread");
  }
  pthread_detach(thread);
  *out = host;
  return QN_OK;
}

static void give(struct host *host, struct call *call) {
  pthread_mutex_lock(&host->lock);
  host->call = call;
  pthread_cond_signal(&host->given);
  pthread_mutex_unlock(&host->lock);
}

static void tell_notices(struct call *call, const struct qn_job *job) {
  pthread_mutex_lock(&call->lock);
  struct notice *notice = call->notices;
  call->notices = NULL;
  call->last = &call->notices;
  pthread_mutex_unlock(&call->lock);
  while (notice) {
    struct notice *told = notice;
    notice = notice->next;
    if (job->notice)
      job->notice(job->user, told->text);
    qn_free(told);
  }
}

static void tell_progress(const struct qn_task *task, const struct qn_job *job) {
  struct qn_progress progress = {.size = sizeof progress};
  progress.what = __atomic_load_n(&task->what, __ATOMIC_ACQUIRE);
  if (!progress.what)
    return;
  progress.unit = __atomic_load_n(&task->unit, __ATOMIC_RELAXED);
  progress.done = __atomic_load_n(&task->done, __ATOMIC_RELAXED);
  progress.total = __atomic_load_n(&task->total, __ATOMIC_RELAXED);
  job->progress(job->user, &progress);
}

static void call_back(struct call *call, const struct qn_job *job) {
  tell_notices(call, job);
  if (job->progress)
    tell_progress(&call->context.task, job);
  if (job->cancelled && job->cancelled(job->user))
    __atomic_store_n(&call->context.cancelled, true, __ATOMIC_RELAXED);
}

/* Wait for the end, or some tenths of a second; is it the end? */
static bool wait_a_while(struct call *call) {
  struct timespec until;
  int gone = 0;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += 100000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&call->lock);
  while (!call->finished && !gone)
    gone = pthread_cond_timedwait(&call->changed, &call->lock, &until);
  bool finished = call->finished;
  pthread_mutex_unlock(&call->lock);
  return finished;
}

enum qn_status qn_call(const struct qn_job *given, qn_work work, void *argument,
                       struct qn_error *error) {
  struct qn_job job;
  struct call call = {.work = work, .argument = argument};
  struct qn_error unwanted;
  struct host *host;
  pthread_condattr_t clock;
  qn_sized_read(&job, sizeof job, given);
  enum qn_status status = find_host(&host, error);
  if (status)
    return status;
  call.context = (struct qn_context){.notice = keep_notice, .user = &call, .temp_folder = "."};
  call.threads = job.threads;
  call.error = error ? error : &unwanted;
  call.last = &call.notices;
  pthread_mutex_init(&call.lock, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&call.changed, &clock);
  pthread_condattr_destroy(&clock);
  give(host, &call);
  while (!wait_a_while(&call))
    call_back(&call, &job);
  tell_notices(&call, &job);
  json_decref(call.context.notes);
  pthread_cond_destroy(&call.changed);
  pthread_mutex_destroy(&call.lock);
  return call.status;
}
