/* Open MPI, for work that several processes share: what kernels/ranks/ranks.c loads. */
#include <limits.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/ranks/ranks.h"
#include "support/tool.h"

/* Counts of MPI are ints. */
#define MOST_BYTES ((uint64_t)1 << 30)

/* Seconds: before a rank that waits rests, and at once; while bytes are under way, too. */
#define PATIENCE 0.0001
#define LONGEST_REST 0.005
#define SHORT_REST 0.0001

/* Numbers that are combined while ranks rest. */
#define FEW_VALUES 512

static void *take(uint64_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    MPI_Abort(MPI_COMM_WORLD, QN_SYSTEM);
  return memory;
}

/* ---- Waiting -------------------------------------------------------------------- */

/* Ranks that have waited for long tell each other so; who does not is who is waited for. */
static struct {
  MPI_Comm comm; /* for this alone */
  unsigned rank, num_ranks;
  double *last_seen; /* [num_ranks] when each last said that it waits, too */
  unsigned *missing; /* [num_ranks] room for those who did not */
  struct qn_mpi_patience patience;
  double interval;  /* seconds after which ranks that wait say so again */
  bool lost, tells; /* some were given up; it is for this one to say so */
} roll;

/* Errors of MPI end all ranks, with its own message: that is its default. */
static void begin(unsigned *rank, unsigned *num_ranks, const struct qn_mpi_patience *patience) {
  int level, own, all;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_dup(MPI_COMM_WORLD, &roll.comm);
  roll.rank = *rank = (unsigned)own;
  roll.num_ranks = *num_ranks = (unsigned)all;
  roll.last_seen = take(roll.num_ranks * sizeof *roll.last_seen);
  roll.missing = take(roll.num_ranks * sizeof *roll.missing);
  roll.patience = *patience;
  roll.interval = patience->word / 10;
}

static void say_that_it_waits(void) {
  static const char here = 1;
  MPI_Request sent;
  for (unsigned r = 0; r < roll.num_ranks; r++)
    if (r != roll.rank) {
      MPI_Isend(&here, 1, MPI_BYTE, (int)r, 0, roll.comm, &sent);
      MPI_Request_free(&sent);
    }
}

static void hear_who_waits(void) {
  char here;
  MPI_Status from;
  for (int some = 1;;) {
    MPI_Iprobe(MPI_ANY_SOURCE, 0, roll.comm, &some, &from);
    if (!some)
      return;
    MPI_Recv(&here, 1, MPI_BYTE, from.MPI_SOURCE, 0, roll.comm, MPI_STATUS_IGNORE);
    roll.last_seen[from.MPI_SOURCE] = MPI_Wtime();
  }
}

/* Who has not said lately that it waits, too: of the others. */
static unsigned find_missing(double now) {
  unsigned count = 0;
  for (unsigned r = 0; r < roll.num_ranks; r++)
    if (r != roll.rank && now - roll.last_seen[r] > 3 * roll.interval)
      roll.missing[count++] = r;
  return count;
}

/* The first of those that wait tells who of the others is missing. */
static void tell_of_missing(unsigned count, double waited) {
  unsigned first = 0;
  while (first < count && roll.missing[first] == first)
    first++;
  roll.tells = first == roll.rank;
  if (roll.tells)
    roll.patience.say(roll.missing, count, waited, roll.lost);
}

/* Of a rank that has waited for so long, and has said so `*calls` times. Where all wait, bytes are
 * under way, and nobody is waited for. */
static void take_roll(double waited, unsigned *calls) {
  if (waited < (*calls + 1) * roll.interval)
    return;
  ++*calls;
  say_that_it_waits();
  hear_who_waits();
  const bool at_end = roll.patience.limit > 0 && waited > roll.patience.limit;
  const unsigned missing = at_end || waited > roll.patience.word ? find_missing(MPI_Wtime()) : 0;
  if (!missing)
    return;
  roll.lost = at_end;
  tell_of_missing(missing, waited);
  roll.patience.word *= 2; /* the next word is for a longer wait */
}

/* MPI waits by asking again and again. Whoever waits for long sleeps between, so that it leaves its
 * processor to others, `longest` seconds at most: bytes that are under way need those who ask.
 * While this rank is stopped itself it does not wait. */
static void wait_for(MPI_Request *request, double longest) {
  double asked = MPI_Wtime(), waited = 0;
  unsigned calls = 0;
  for (int done = 0; !roll.lost;) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done)
      return;
    const double now = MPI_Wtime(), step = now - asked;
    waited += step < roll.interval ? step : roll.interval;
    asked = now;
    take_roll(waited, &calls);
    if (waited > PATIENCE) {
      const double rest = waited / 16 < longest ? waited / 16 : longest;
      nanosleep(&(struct timespec){.tv_nsec = (long)(rest * 1e9)}, NULL);
    }
  }
}

static void finish(MPI_Request *request) {
  wait_for(request, SHORT_REST);
}

/* Of what ends when all have come, and brings few bytes. */
static void rest_until(MPI_Request *request) {
  hear_who_waits(); /* what was said in earlier waits is no news */
  memset(roll.last_seen, 0, roll.num_ranks * sizeof *roll.last_seen);
  wait_for(request, LONGEST_REST);
}

static void wait_for_all(void) {
  MPI_Request arrived;
  MPI_Ibarrier(MPI_COMM_WORLD, &arrived);
  rest_until(&arrived);
}

static bool has_lost(void) {
  return roll.lost;
}

/* ---- Where ranks are ------------------------------------------------------------ */

static void node(unsigned *place, unsigned *count) {
  static int own, all; /* found once */
  MPI_Comm same;
  if (all == 0) {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &same);
    MPI_Comm_rank(same, &own);
    MPI_Comm_size(same, &all);
    MPI_Comm_free(&same);
  }
  *place = (unsigned)own;
  *count = (unsigned)all;
}

static bool takes_device_memory(void) {
#ifdef OMPI_HAVE_MPI_EXT_CUDA
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/* Of ranks in a grid: those of this one's row, and of its column. */
static MPI_Comm row = MPI_COMM_NULL, column = MPI_COMM_NULL;

static void form_grid(unsigned num_columns) {
  int own;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  if (row != MPI_COMM_NULL) {
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
  }
  MPI_Comm_split(MPI_COMM_WORLD, own / (int)num_columns, own, &row);
  MPI_Comm_split(MPI_COMM_WORLD, own % (int)num_columns, own, &column);
}

static void gather_at_once(MPI_Comm among, void *all, const uint64_t *offsets, unsigned num_ranks) {
  int *counts = take(2 * num_ranks * sizeof *counts);
  int *places = counts + num_ranks;
  for (unsigned rank = 0; rank < num_ranks; rank++) {
    counts[rank] = (int)(offsets[rank + 1] - offsets[rank]);
    places[rank] = (int)offsets[rank];
  }
  MPI_Request gathered;
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_BYTE, among,
                  &gathered);
  finish(&gathered);
  free(counts);
}

static void gather_among(MPI_Comm among, void *all, const uint64_t *offsets, unsigned num_ranks) {
  if (offsets[num_ranks] <= MOST_BYTES) {
    gather_at_once(among, all, offsets, num_ranks);
    return;
  }
  for (unsigned rank = 0; rank < num_ranks; rank++)
    for (uint64_t at = offsets[rank]; at < offsets[rank + 1] && !roll.lost; at += MOST_BYTES) {
      uint64_t left = offsets[rank + 1] - at;
      MPI_Request told;
      MPI_Ibcast((char *)all + at, (int)(left < MOST_BYTES ? left : MOST_BYTES), MPI_BYTE,
                 (int)rank, among, &told);
      finish(&told);
    }
}

static void gather(void *all, const uint64_t *offsets, unsigned num_ranks) {
  gather_among(MPI_COMM_WORLD, all, offsets, num_ranks);
}

static void gather_column(void *all, const uint64_t *offsets, unsigned num_rows) {
  gather_among(column, all, offsets, num_rows);
}

/* ---- A gather while its bytes are made ------------------------------------------ */

/* What a rank tells goes in so many blocks, unless they would be smaller or larger than these. */
#define BLOCKS 32
#define SMALLEST_BLOCK ((uint64_t)1 << 16)

static struct {
  char *own; /* this rank's bytes */
  uint64_t begin, bytes, sent;
  unsigned rank, num_ranks;
  MPI_Request *requests; /* [count], of which the first `done` have ended */
  uint64_t count, done;
} under_way;

/* The same on the ranks that send them and on those that receive them. */
static uint64_t num_blocks(uint64_t bytes) {
  const uint64_t most = (bytes + SMALLEST_BLOCK - 1) / SMALLEST_BLOCK;
  const uint64_t least = (bytes + MOST_BYTES - 1) / MOST_BYTES;
  const uint64_t some = most < BLOCKS ? most : BLOCKS;
  return some < least ? least : some;
}

/* Where a block begins: the last one ends where `num_blocks` would. */
static uint64_t block_begin(uint64_t bytes, uint64_t block) {
  const uint64_t blocks = num_blocks(bytes);
  return bytes / blocks * block + bytes % blocks * block / blocks;
}

static MPI_Request *new_request(void) {
  return &under_way.requests[under_way.count++];
}

/* All that others will send is expected at once, so that none of it is kept by MPI. */
static void begin_gather(void *all, const uint64_t *offsets, unsigned rank, unsigned num_ranks) {
  uint64_t count = 0;
  for (unsigned r = 0; r < num_ranks; r++)
    count += num_blocks(offsets[r + 1] - offsets[r]) * (r == rank ? num_ranks - 1 : 1);
  under_way.own = (char *)all + offsets[rank];
  under_way.begin = offsets[rank];
  under_way.bytes = offsets[rank + 1] - offsets[rank];
  under_way.rank = rank;
  under_way.num_ranks = num_ranks;
  under_way.sent = under_way.count = under_way.done = 0;
  under_way.requests = take(count * sizeof *under_way.requests);
  for (unsigned i = 1; i < num_ranks; i++) {
    const unsigned from = (rank + num_ranks - i) % num_ranks;
    const uint64_t bytes = offsets[from + 1] - offsets[from];
    for (uint64_t block = 0; block < num_blocks(bytes); block++) {
      const uint64_t begin = block_begin(bytes, block), end = block_begin(bytes, block + 1);
      MPI_Irecv((char *)all + offsets[from] + begin, (int)(end - begin), MPI_BYTE, (int)from, 0,
                MPI_COMM_WORLD, new_request());
    }
  }
}

static void made(uint64_t end) {
  const uint64_t blocks = num_blocks(under_way.bytes);
  for (uint64_t next; under_way.sent < blocks; under_way.sent++) {
    const uint64_t first = block_begin(under_way.bytes, under_way.sent);
    next = block_begin(under_way.bytes, under_way.sent + 1);
    if (under_way.begin + next > end)
      return;
    for (unsigned i = 1; i < under_way.num_ranks; i++)
      MPI_Isend(under_way.own + first, (int)(next - first), MPI_BYTE,
                (int)((under_way.rank + i) % under_way.num_ranks), 0, MPI_COMM_WORLD,
                new_request());
  }
}

/* Whatever MPI has to do it does when it is asked of one that has not ended. */
static void advance(void) {
  for (int ended = 1; under_way.done < under_way.count; under_way.done++) {
    MPI_Test(&under_way.requests[under_way.done], &ended, MPI_STATUS_IGNORE);
    if (!ended)
      return;
  }
}

static void end_gather(void) {
  for (uint64_t i = under_way.done; i < under_way.count; i++)
    finish(&under_way.requests[i]);
  free(under_way.requests);
  under_way.requests = NULL;
}

/* ---- What ranks tell each other -------------------------------------------------- */

static unsigned least(unsigned value) {
  MPI_Request found;
  MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD, &found);
  rest_until(&found);
  return value;
}

static int tell(int value, unsigned from) {
  MPI_Request told;
  MPI_Ibcast(&value, 1, MPI_INT, (int)from, MPI_COMM_WORLD, &told);
  finish(&told);
  return value;
}

static void combine(uint64_t *values, uint64_t count, enum qn_combination how) {
  const MPI_Op operations[] = {[QN_COMBINE_SUM] = MPI_SUM,
                               [QN_COMBINE_MOST] = MPI_MAX,
                               [QN_COMBINE_LEAST] = MPI_MIN,
                               [QN_COMBINE_OR] = MPI_BOR};
  MPI_Request combined;
  if (count > FEW_VALUES)
    wait_for_all();
  MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, operations[how], MPI_COMM_WORLD,
                 &combined);
  if (count > FEW_VALUES)
    finish(&combined);
  else
    rest_until(&combined);
}

/* What one rank tells, in steps. */
struct step {
  uint64_t *bytes, *begins; /* of each rank */
  int *counts, *places;     /* of this step */
  char *staged;             /* what goes in it, side by side; NULL: in place */
};

static void step_begin(struct step *step, const uint64_t *bytes, unsigned num_ranks,
                       uint64_t staged) {
  step->bytes = take(2 * num_ranks * sizeof *step->bytes);
  step->begins = step->bytes + num_ranks;
  step->counts = take(2 * num_ranks * sizeof *step->counts);
  step->places = step->counts + num_ranks;
  step->staged = staged ? take(staged) : NULL;
  uint64_t begin = 0;
  for (unsigned r = 0; r < num_ranks; r++) {
    step->bytes[r] = bytes[r];
    step->begins[r] = begin;
    begin += bytes[r];
  }
}

static void step_end(struct step *step) {
  free(step->bytes);
  free(step->counts);
  free(step->staged);
}

/* The bytes of each rank from `done` on, at most `most`; returns how many in all. */
static uint64_t step_size(struct step *step, unsigned num_ranks, uint64_t done, uint64_t most) {
  uint64_t place = 0;
  for (unsigned r = 0; r < num_ranks; r++) {
    uint64_t left = step->bytes[r] > done ? step->bytes[r] - done : 0;
    step->counts[r] = (int)(left < most ? left : most);
    step->places[r] = (int)place;
    place += (uint64_t)step->counts[r];
  }
  return place;
}

static uint64_t sum_of(const uint64_t *bytes, unsigned num_ranks) {
  uint64_t sum = 0;
  for (unsigned r = 0; r < num_ranks; r++)
    sum += bytes[r];
  return sum;
}

static void exchange(const void *send, const struct step *out, void *receive,
                     const struct step *in) {
  MPI_Request exchanged;
  MPI_Ialltoallv(send, out->counts, out->places, MPI_BYTE, receive, in->counts, in->places,
                 MPI_BYTE, MPI_COMM_WORLD, &exchanged);
  finish(&exchanged);
}

/* Counts and places of MPI are ints: larger messages are cut, so that all that goes in a step fits.
 */
static void send_in_steps(const char *send, struct step *out, char *receive, struct step *in,
                          unsigned num_ranks, uint64_t most, uint64_t longest) {
  for (uint64_t done = 0; done < longest; done += most) {
    step_size(out, num_ranks, done, most);
    step_size(in, num_ranks, done, most);
    for (unsigned r = 0; r < num_ranks; r++)
      if (out->counts[r])
        memcpy(out->staged + out->places[r], send + out->begins[r] + done, (size_t)out->counts[r]);
    exchange(out->staged, out, in->staged, in);
    if (roll.lost)
      return;
    for (unsigned r = 0; r < num_ranks; r++)
      if (in->counts[r])
        memcpy(receive + in->begins[r] + done, in->staged + in->places[r], (size_t)in->counts[r]);
  }
}

/* All ranks must know whether it goes at once. */
static void all_to_all(const void *send, const uint64_t *send_bytes, void *receive,
                       const uint64_t *receive_bytes, unsigned num_ranks, uint64_t most) {
  uint64_t sent = sum_of(send_bytes, num_ranks), received = sum_of(receive_bytes, num_ranks);
  uint64_t largest[2] = {sent > received ? sent : received, 0};
  for (unsigned r = 0; r < num_ranks; r++)
    largest[1] = send_bytes[r] > largest[1] ? send_bytes[r] : largest[1];
  combine(largest, 2, QN_COMBINE_MOST);
  if (roll.lost)
    return;
  struct step out, in;
  if (largest[0] <= most) {
    step_begin(&out, send_bytes, num_ranks, 0);
    step_begin(&in, receive_bytes, num_ranks, 0);
    step_size(&out, num_ranks, 0, most);
    step_size(&in, num_ranks, 0, most);
    exchange(send, &out, receive, &in);
  } else {
    uint64_t each = most / 8 / num_ranks ? most / 8 / num_ranks : 1;
    step_begin(&out, send_bytes, num_ranks, each * num_ranks);
    step_begin(&in, receive_bytes, num_ranks, each * num_ranks);
    send_in_steps(send, &out, receive, &in, num_ranks, each, largest[1]);
  }
  step_end(&out);
  step_end(&in);
}

/* In pieces of `most` bytes, of which both sides know how many there are. */
static void turn_row(unsigned distance, const void *out, uint64_t out_bytes, void *in,
                     uint64_t in_bytes, uint64_t most) {
  int own, count, pieces = 0;
  MPI_Comm_rank(row, &own);
  MPI_Comm_size(row, &count);
  const int to = (own + (int)distance) % count, from = (own + count - (int)distance) % count;
  MPI_Request *requests = take((in_bytes / most + out_bytes / most + 2) * sizeof *requests);
  for (uint64_t at = 0; at < in_bytes; at += most)
    MPI_Irecv((char *)in + at, (int)(in_bytes - at < most ? in_bytes - at : most), MPI_BYTE, from,
              0, row, &requests[pieces++]);
  for (uint64_t at = 0; at < out_bytes; at += most)
    MPI_Isend((const char *)out + at, (int)(out_bytes - at < most ? out_bytes - at : most),
              MPI_BYTE, to, 0, row, &requests[pieces++]);
  for (int i = 0; i < pieces; i++)
    finish(&requests[i]);
  free(requests);
}

/* MPI_Abort ends the others at once: the one that says who was given up, and has its outputs to
 * take away, comes first. */
static void give_up(void) {
  if (!roll.tells)
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  MPI_Abort(MPI_COMM_WORLD, QN_SYSTEM);
}

/* MPI_Finalize waits for all ranks, too. */
static void end(void) {
  if (!roll.lost)
    wait_for_all();
  if (roll.lost)
    give_up();
  MPI_Finalize();
  free(roll.last_seen);
  free(roll.missing);
}

const struct qn_mpi_module *qn_mpi_module(void);

const struct qn_mpi_module *qn_mpi_module(void) {
  static const struct qn_mpi_module module = {.version = QN_VERSION,
                                              .begin = begin,
                                              .has_lost = has_lost,
                                              .node = node,
                                              .takes_device_memory = takes_device_memory,
                                              .gather = gather,
                                              .begin_gather = begin_gather,
                                              .made = made,
                                              .advance = advance,
                                              .end_gather = end_gather,
                                              .form_grid = form_grid,
                                              .gather_column = gather_column,
                                              .turn_row = turn_row,
                                              .least = least,
                                              .tell = tell,
                                              .combine = combine,
                                              .all_to_all = all_to_all,
                                              .end = end};
  return &module;
}
