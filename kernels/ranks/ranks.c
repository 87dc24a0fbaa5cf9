#include "kernels/ranks/ranks.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/device/device.h"
#include "kernels/ranks/shared.h"
#include "support/memory.h"
#include "support/memory_plan.h"
#include "support/modules/module.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/threads.h"
#include "support/tool.h"

#define MODULE "libquern-mpi.so.0"

static const struct qn_mpi_module *mpi; /* NULL: not begun */
static struct qn_exchange exchange;
static struct qn_ranks_figures figures;
static enum qn_status failed; /* of all ranks */
static unsigned speaker;
#define NOBODY UINT_MAX

/* Launchers tell their processes how many they are, each in its own way: Open MPI, MPICH and its
 * kin, Slurm with PMIx. */
static bool is_launched(void) {
  const char *count = getenv("OMPI_COMM_WORLD_SIZE");
  if (!count)
    count = getenv("PMI_SIZE");
  if (!count && getenv("PMIX_RANK"))
    count = getenv("SLURM_NTASKS");
  return count && strcmp(count, "1") != 0;
}

static enum qn_status find_module(struct qn_error *error) {
  /* Open MPI's own modules look for its symbols. */
  void *library = qn_module_open(MODULE, RTLD_NOW | RTLD_GLOBAL);
  const char *failure = library ? NULL : dlerror();
  const struct qn_mpi_module *(*table)(void);
  void *symbol = library ? dlsym(library, "qn_mpi_module") : NULL;
  memcpy(&table, &symbol, sizeof table);
  const struct qn_mpi_module *found = symbol ? table() : NULL;
  if (!found)
    return qn_fail(error, QN_UNSUPPORTED,
                   "to share a run between processes needs " MODULE ", which is built where Open "
                   "MPI is installed (libopenmpi-dev): %s",
                   failure ? failure : "it is not one of Quern's");
  if (strcmp(found->version, QN_VERSION) != 0)
    return qn_fail(error, QN_UNSUPPORTED, MODULE " is of version %s, not " QN_VERSION,
                   found->version);
  mpi = found;
  return QN_OK;
}

/* Of what was just told: did all come? */
static enum qn_status all_came(struct qn_error *error) {
  if (!mpi->has_lost())
    return QN_OK;
  failed = QN_SYSTEM;
  speaker = NOBODY; /* it was said when they were given up */
  return qn_fail(error, failed, "another rank failed");
}

typedef enum qn_status (*gatherer)(void *all, const uint64_t *offsets, struct qn_error *error);

/* Of `num_ranks` ranks, of which this one is at `rank`. */
static enum qn_status gather_with(gatherer how, unsigned rank, unsigned num_ranks, void *all,
                                  const uint64_t *offsets, struct qn_error *error) {
  double begin = qn_seconds();
  enum qn_status status = qn_ranks_agree(QN_OK);
  if (status)
    return qn_fail(error, status, "another rank failed");
  status = how(all, offsets, error);
  uint64_t own = offsets[rank + 1] - offsets[rank];
  figures.exchanges++;
  figures.sent += own * (num_ranks - 1);
  figures.received += offsets[num_ranks] - own;
  figures.seconds += qn_seconds() - begin;
  return status;
}

static enum qn_status gather_by_mpi(void *all, const uint64_t *offsets, struct qn_error *error) {
  mpi->gather(all, offsets, exchange.num_ranks);
  return all_came(error);
}

/* Of the host's memory, or where MPI takes that, of a device's. */
static enum qn_status gather(void *all, const uint64_t *offsets, struct qn_error *error) {
  return gather_with(gather_by_mpi, exchange.rank, exchange.num_ranks, all, offsets, error);
}

/* ---- A grid ------------------------------------------------------------------- */

static unsigned num_columns = 1;

static enum qn_status column_by_mpi(void *all, const uint64_t *offsets, struct qn_error *error) {
  mpi->gather_column(all, offsets, exchange.num_ranks / num_columns);
  return all_came(error);
}

static enum qn_status gather_column(void *all, const uint64_t *offsets, struct qn_error *error) {
  return gather_with(column_by_mpi, exchange.rank / num_columns, exchange.num_ranks / num_columns,
                     all, offsets, error);
}

/* ---- Other work, and outputs --------------------------------------------------- */

/* Numbers that are combined, and bytes that a rank is sent, at once. */
#define COMBINED_AT_ONCE ((uint64_t)1 << 22)
#define SENT_AT_ONCE ((uint64_t)1 << 30)

/* For tests: as if no more could be sent at once. */
static uint64_t sent_at_once(void) {
  const char *bytes = getenv("QUERN_RANKS_SENT_AT_ONCE");
  uint64_t most = bytes ? strtoull(bytes, NULL, 10) : 0;
  return most && most < SENT_AT_ONCE ? most : SENT_AT_ONCE;
}

static enum qn_status others_are_well(struct qn_error *error) {
  enum qn_status status = qn_ranks_agree(QN_OK);
  return status ? qn_fail(error, status, "another rank failed") : QN_OK;
}

static enum qn_status turn_row(unsigned distance, const void *out, uint64_t out_bytes, void *in,
                               uint64_t in_bytes, struct qn_error *error) {
  double begin = qn_seconds();
  enum qn_status status = distance == 1 ? others_are_well(error) : QN_OK;
  if (status)
    return status;
  mpi->turn_row(distance, out, out_bytes, in, in_bytes, sent_at_once());
  figures.exchanges += distance == 1;
  figures.sent += out_bytes;
  figures.received += in_bytes;
  figures.seconds += qn_seconds() - begin;
  return all_came(error);
}

enum qn_status qn_ranks_form_grid(unsigned columns, struct qn_error *error) {
  enum qn_status status = others_are_well(error);
  if (status || columns == num_columns)
    return status;
  mpi->form_grid(columns);
  num_columns = columns;
  return QN_OK;
}

static enum qn_status combine(uint64_t *values, uint64_t count, enum qn_combination how,
                              struct qn_error *error) {
  double begin = qn_seconds();
  enum qn_status status = others_are_well(error);
  for (uint64_t done = 0, some; !status && done < count; done += some) {
    some = count - done < COMBINED_AT_ONCE ? count - done : COMBINED_AT_ONCE;
    mpi->combine(values + done, some, how);
    status = all_came(error);
    figures.exchanges++;
    figures.sent += 8 * some;
    figures.received += 8 * some;
  }
  figures.seconds += qn_seconds() - begin;
  return status;
}

static enum qn_status send_all(const void *send, const uint64_t *send_bytes, void *receive,
                               const uint64_t *receive_bytes, struct qn_error *error) {
  double begin = qn_seconds();
  enum qn_status status = others_are_well(error);
  if (status)
    return status;
  mpi->all_to_all(send, send_bytes, receive, receive_bytes, exchange.num_ranks, sent_at_once());
  figures.exchanges++;
  for (unsigned r = 0; r < exchange.num_ranks; r++) {
    figures.sent += r == exchange.rank ? 0 : send_bytes[r];
    figures.received += r == exchange.rank ? 0 : receive_bytes[r];
  }
  figures.seconds += qn_seconds() - begin;
  return all_came(error);
}

static enum qn_status combine_uncounted(uint64_t *values, uint64_t count, enum qn_combination how,
                                        struct qn_error *error) {
  const struct qn_ranks_figures before = figures;
  enum qn_status status = combine(values, count, how, error);
  figures = before;
  return status;
}

static struct qn_collective collective = {
    .agree = qn_ranks_agree, .combine = combine, .exchange = send_all};
static struct qn_collective writers = {.agree = qn_ranks_agree, .combine = combine_uncounted};

const struct qn_collective *qn_ranks_collective(void) {
  return mpi ? &collective : NULL;
}

const struct qn_collective *qn_ranks_writers(void) {
  return mpi ? &writers : NULL;
}

/* ---- Devices ----------------------------------------------------------------- */

enum qn_status qn_ranks_say_alike(uint64_t said, const char *option, struct qn_error *error) {
  uint64_t most = said, least = said;
  enum qn_status status = others_are_well(error);
  if (status)
    return status;
  mpi->combine(&most, 1, QN_COMBINE_MOST);
  mpi->combine(&least, 1, QN_COMBINE_LEAST);
  status = all_came(error);
  if (!status && most != least)
    status =
        qn_fail(error, QN_USAGE, "%s is the same for all ranks, or none of them has it", option);
  return status;
}

/* A number for the device that a rank uses: the same for those that share it. */
static uint64_t identity_of(int device) {
  char text[512];
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  uint64_t identity = 14695981039346656037u; /* FNV-1a */
  gethostname(text, 256);
  text[255] = '\0';
  snprintf(text + strlen(text), 256, " %d %.200s", device, visible ? visible : "");
  for (const char *p = text; *p; p++)
    identity = (identity ^ (unsigned char)*p) * 1099511628211u;
  return identity;
}

/* How many ranks use the same device as this one. All ask, also those without. */
static enum qn_status count_sharers(uint64_t identity, uint64_t *sharers, struct qn_error *error) {
  const uint64_t ranks = exchange.num_ranks;
  uint64_t *all;
  enum qn_status status = qn_alloc(&all, 2 * ranks + 1, sizeof *all, "devices of ranks", error);
  *sharers = 0;
  if (status)
    return status;
  all[exchange.rank] = identity;
  for (uint64_t rank = 0; rank <= ranks; rank++)
    all[ranks + rank] = rank * sizeof *all;
  status = gather(all, all + ranks, error);
  for (uint64_t rank = 0; !status && rank < ranks; rank++)
    *sharers += all[rank] == identity;
  qn_free(all);
  return status;
}

/* From device to device where MPI can; it is not asked if QUERN_RANKS_DEVICE_MEMORY is 0, for
 * tests. */
static enum qn_status choose_way(struct qn_error *error) {
  const char *said = getenv("QUERN_RANKS_DEVICE_MEMORY");
  const bool allowed = !said || strcmp(said, "0") != 0;
  uint64_t takes = allowed && mpi->takes_device_memory();
  enum qn_status status = others_are_well(error);
  if (status)
    return status;
  mpi->combine(&takes, 1, QN_COMBINE_LEAST);
  status = all_came(error);
  if (status)
    return status;
  if (takes)
    exchange.gather_on_device = gather;
  return QN_OK;
}

enum qn_status qn_ranks_choose_device(int *device, uint64_t *memory, struct qn_error *error) {
  unsigned place, count;
  int num_devices;
  uint64_t sharers;
  struct qn_cuda_device opened;
  mpi->node(&place, &count);
  enum qn_status status = qn_cuda_count(&num_devices, error);
  if (!status) {
    *device = (int)(place % (unsigned)num_devices);
    status = qn_cuda_open(*device, &opened, error); /* takes what a process takes of a device */
  }
  if (!status) /* and then all have opened theirs */
    status = count_sharers(identity_of(*device), &sharers, error);
  if (!status)
    status = choose_way(error);
  if (status || *memory || sharers == 1)
    return status;
  status = qn_cuda_open(*device, &opened, error);
  if (!status)
    *memory = qn_cuda_plannable_bytes(&opened, 0) / sharers;
  return status;
}

/* ---- What runs trade ------------------------------------------------------- */

/* Find how many bytes go to each rank and come from it, [2 num_ranks], and make room for them. */
static enum qn_status expect(const uint64_t *offsets, uint64_t **out, struct qn_parcel *in,
                             struct qn_error *error) {
  const unsigned ranks = exchange.num_ranks;
  uint64_t *sizes;
  *out = NULL;
  enum qn_status status =
      qn_alloc(&sizes, 3 * (uint64_t)ranks, sizeof *sizes, "bytes for ranks", error);
  if (!status && !in->offsets)
    status =
        qn_alloc(&in->offsets, (uint64_t)ranks + 1, sizeof *in->offsets, "bytes for ranks", error);
  status = qn_ranks_agree(status);
  for (unsigned rank = 0; !status && rank < ranks; rank++) {
    sizes[rank] = offsets[rank + 1] - offsets[rank];
    sizes[2 * ranks + rank] = sizeof *sizes;
  }
  if (!status) {
    mpi->all_to_all(sizes, sizes + 2 * ranks, sizes + ranks, sizes + 2 * ranks, ranks,
                    sent_at_once());
    status = all_came(error);
  }
  if (!status) {
    in->offsets[0] = 0;
    for (unsigned rank = 0; rank < ranks; rank++)
      in->offsets[rank + 1] = in->offsets[rank] + sizes[ranks + rank];
    if (in->offsets[ranks] > in->capacity) {
      qn_pages_free(in->bytes, in->capacity, 1);
      in->bytes = NULL;
      in->capacity = 0;
      status = qn_pages_alloc(&in->bytes, in->offsets[ranks], 1, "what other ranks send", error);
      in->capacity = status ? 0 : in->offsets[ranks];
    }
    status = qn_ranks_agree(status);
  }
  if (status)
    qn_free(sizes);
  else
    *out = sizes;
  return status;
}

static enum qn_status trade(const void *out, const uint64_t *offsets, struct qn_parcel *in,
                            struct qn_error *error) {
  const unsigned rank = exchange.rank, ranks = exchange.num_ranks;
  double begin = qn_seconds();
  uint64_t *sizes;
  enum qn_status status = expect(offsets, &sizes, in, error);
  if (status)
    return status;
  mpi->all_to_all(out, sizes, in->bytes, sizes + ranks, ranks, sent_at_once());
  qn_free(sizes);
  const uint64_t counts = (ranks - 1) * (uint64_t)sizeof(uint64_t);
  figures.exchanges++;
  figures.sent += counts + offsets[ranks] - offsets[0] - (offsets[rank + 1] - offsets[rank]);
  figures.received += counts + in->offsets[ranks] - (in->offsets[rank + 1] - in->offsets[rank]);
  figures.seconds += qn_seconds() - begin;
  return all_came(error);
}

static void drop(struct qn_parcel *in) {
  qn_pages_free(in->bytes, in->capacity, 1);
  qn_free(in->offsets);
  *in = (struct qn_parcel){0};
}

/* ---- One machine --------------------------------------------------------------- */

enum qn_status qn_ranks_note_machine(struct qn_error *error) {
  unsigned place, count;
  enum qn_status status = others_are_well(error);
  if (status)
    return status;
  mpi->node(&place, &count);
  if (exchange.rank == 0 && count == exchange.num_ranks && count > 1)
    qn_note(QN_NOTE_ONE_MACHINE,
            "%u processes share one machine, where one process that uses all of its processors is "
            "faster: leave mpirun out",
            count);
  return all_came(error);
}

/* ---- Memory of all ------------------------------------------------------------- */

static enum qn_status meet(struct qn_error *error) {
  double begin = qn_seconds();
  enum qn_status status = others_are_well(error);
  figures.exchanges++;
  figures.seconds += qn_seconds() - begin;
  return status;
}

/* There is none if QUERN_RANKS_SHARED is 0, for tests. */
static bool may_share(void) {
  const char *said = getenv("QUERN_RANKS_SHARED");
  unsigned place, count;
  mpi->node(&place, &count);
  uint64_t may = count == exchange.num_ranks && (!said || strcmp(said, "0") != 0);
  mpi->combine(&may, 1, QN_COMBINE_LEAST);
  return may && !mpi->has_lost();
}

/* The first rank makes it, and the others find it there. */
static bool open_shared(uint64_t count, uint64_t size, void **memory) {
  struct qn_shared_place place = {0};
  if (exchange.rank == 0)
    qn_shared_create(count, size, memory, &place);
  uint64_t told[] = {(uint32_t)place.process, (uint32_t)place.descriptor, (uint32_t)place.mark};
  mpi->combine(told, 3, QN_COMBINE_OR);
  if (exchange.rank != 0 && !mpi->has_lost())
    *memory = qn_shared_open(count, size,
                             &(struct qn_shared_place){.process = (int)told[0],
                                                       .descriptor = (int)told[1],
                                                       .mark = (int)(uint32_t)told[2]});
  uint64_t has = *memory != NULL;
  if (!mpi->has_lost())
    mpi->combine(&has, 1, QN_COMBINE_LEAST);
  qn_shared_close(&place);
  return has && !mpi->has_lost();
}

static enum qn_status share(uint64_t count, uint64_t size, void **memory, struct qn_error *error) {
  *memory = NULL;
  enum qn_status status = others_are_well(error);
  const bool shared = !status && may_share() && open_shared(count, size, memory);
  if (!status)
    status = all_came(error);
  if (shared && !status)
    return QN_OK;
  qn_pages_free(*memory, count, size);
  *memory = NULL;
  return status;
}

/* ---- Gathers beside other work ------------------------------------------------ */

/* There is room for nothing if QUERN_RANKS_OVERLAP is 0, for tests. */
static enum qn_status has_room(uint64_t bytes, bool *has, struct qn_error *error) {
  const char *said = getenv("QUERN_RANKS_OVERLAP");
  unsigned place, count;
  enum qn_status status = others_are_well(error);
  if (status)
    return status;
  mpi->node(&place, &count);
  uint64_t room = (!said || strcmp(said, "0") != 0) && bytes <= qn_memory_available() / count;
  mpi->combine(&room, 1, QN_COMBINE_LEAST);
  *has = room;
  return all_came(error);
}

static void begin_gather(void *all, const uint64_t *offsets) {
  const uint64_t own = offsets[exchange.rank + 1] - offsets[exchange.rank];
  double begin = qn_seconds();
  mpi->begin_gather(all, offsets, exchange.rank, exchange.num_ranks);
  figures.exchanges++;
  figures.sent += own * (exchange.num_ranks - 1);
  figures.received += offsets[exchange.num_ranks] - own;
  figures.seconds += qn_seconds() - begin;
}

static void made(uint64_t end) {
  double begin = qn_seconds();
  mpi->made(end);
  figures.seconds += qn_seconds() - begin;
}

static void advance(void) {
  double begin = qn_seconds();
  mpi->advance();
  figures.seconds += qn_seconds() - begin;
}

static void leave_gather(void) {
  double begin = qn_seconds();
  mpi->end_gather();
  figures.seconds += qn_seconds() - begin;
}

/* What is under way ends also after a failure: a rank does not fail before all is made. */
static enum qn_status end_gather(struct qn_error *error) {
  double begin = qn_seconds();
  enum qn_status status = others_are_well(error);
  figures.seconds += qn_seconds() - begin;
  leave_gather();
  return status ? status : all_came(error);
}

/* ---- Waiting ------------------------------------------------------------------ */

#define FIRST_WORD 10.0 /* seconds */

static double timeout = -1; /* it was not said */

void qn_ranks_set_timeout(double seconds) {
  timeout = seconds;
}

static void say_who_is_missing(const unsigned *missing, unsigned count, double seconds,
                               bool gives_up) {
  enum { NAMED = 8 };
  char names[16 * NAMED + 32], *end = names;
  for (unsigned i = 0; i < count && i < NAMED; i++)
    end += sprintf(end, "%s%u", i ? ", " : "", missing[i]);
  if (count > NAMED)
    sprintf(end, " and %u more", count - NAMED);
  if (gives_up)
    fprintf(stderr,
            "%s: rank%s %s did not answer for %.0f s, which is what --rank-timeout allows\n",
            program_invocation_short_name, count == 1 ? "" : "s", names, seconds);
  else
    fprintf(stderr, "note: waiting for rank%s %s for %.0f s\n", count == 1 ? "" : "s", names,
            seconds);
}

/* A message comes before the end, however near that is. */
static enum qn_status find_patience(struct qn_mpi_patience *patience, struct qn_error *error) {
  const char *said = getenv("QUERN_RANK_TIMEOUT");
  enum qn_status status = QN_OK;
  if (timeout < 0 && said && qn_amount_parse(said, &timeout, error))
    status = qn_fail(error, QN_USAGE, "QUERN_RANK_TIMEOUT is %s, not a number of seconds", said);
  if (timeout < 0)
    timeout = 0;
  patience->limit = timeout;
  patience->word = timeout > 0 && timeout < 2 * FIRST_WORD ? timeout / 2 : FIRST_WORD;
  patience->say = say_who_is_missing;
  return status;
}

/* ---- Beginning and end ------------------------------------------------------ */

enum qn_status qn_ranks_begin(const struct qn_exchange **out, struct qn_error *error) {
  *out = NULL;
  if (!is_launched())
    return QN_OK;
  struct qn_mpi_patience patience;
  enum qn_status status = find_patience(&patience, error);
  if (!status)
    status = find_module(error);
  if (status)
    return status;
  mpi->begin(&exchange.rank, &exchange.num_ranks, &patience);
  collective.rank = writers.rank = exchange.rank;
  collective.num_ranks = writers.num_ranks = exchange.num_ranks;
  exchange.gather = gather;
  exchange.trade = trade;
  exchange.drop = drop;
  exchange.share = share;
  exchange.meet = meet;
  exchange.has_room = has_room;
  exchange.begin_gather = begin_gather;
  exchange.made = made;
  exchange.advance = advance;
  exchange.end_gather = end_gather;
  exchange.leave_gather = leave_gather;
  exchange.gather_column = gather_column;
  exchange.turn_row = turn_row;
  *out = &exchange;
  return QN_OK;
}

enum qn_status qn_ranks_agree(enum qn_status status) {
  if (!mpi || failed)
    return failed ? failed : status;
  speaker = mpi->least(status ? exchange.rank : NOBODY);
  if (speaker != NOBODY && !mpi->has_lost())
    failed = (enum qn_status)mpi->tell((int)status, speaker);
  return all_came(NULL) ? QN_SYSTEM : failed;
}

bool qn_ranks_is_speaker(void) {
  return !failed || speaker == exchange.rank;
}

struct qn_ranks_figures qn_ranks_figures(void) {
  return figures;
}

void qn_ranks_end(void) {
  if (mpi)
    mpi->end();
  mpi = NULL;
}
