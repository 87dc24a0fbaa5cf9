#include "kernels/beside.h"

#include <math.h>

/* Of an iteration in which next to nothing is active, until it is measured. The CPU's first one
 * touches a mapping that nobody has touched yet, and wakes threads. */
#define FIXED_CPU 1e-3
#define FIXED_DEVICE 1e-4
/* And of one that is shared: beginning and ending it on both sides. */
#define FIXED_BOTH 3e-4
/* A device that has the out-edges looks at so many times f of the edges at most. */
#define RESIDENT_SPREAD 20
/* And one that streams moves a unit for every active edge into it. */
#define STREAMED_SPREAD 512
/* Side by side must be expected to take less than so much of what is faster alone: it is the choice
 * that depends on both estimates. */
#define WORTH 0.92
/* How much readers that feed a device are assumed to take from the CPU that works beside it. */
#define READERS_TAKE 2.0
/* What was never measured is tried if it is not expected to be worse by more than this, nor by more
 * than such a share of what is left to do. */
#define CURIOUS 0.4
#define TRIAL_SHARE 0.02
/* From this share of the work on it says what the whole costs. */
#define MUCH_WORK 0.25

void qn_beside_plan_begin(struct qn_beside_plan *plan, double cpu_seconds, double device_seconds) {
  plan->alone[QN_CPU_ALONE] = (struct qn_beside_cost){.fixed = FIXED_CPU, .slope = cpu_seconds};
  plan->alone[QN_DEVICE_ALONE] =
      (struct qn_beside_cost){.fixed = FIXED_DEVICE, .slope = device_seconds};
  plan->together = plan->streams ? READERS_TAKE : 1;
}

/* The share of the work of a whole iteration. The CPU's is Garaph's min(2 f, 1) (section 5.1). */
static double work_of(const struct qn_beside_plan *plan, enum qn_beside_choice side, double f) {
  double spread = side == QN_CPU_ALONE ? 2 : plan->streams ? STREAMED_SPREAD : RESIDENT_SPREAD;
  return plan->all_active ? 1 : fmin(spread * f, 1);
}

static double cost_at(const struct qn_beside_cost *cost, double work) {
  return cost->fixed + cost->slope * work;
}

static double alone(const struct qn_beside_plan *plan, enum qn_beside_choice side, double f) {
  return cost_at(&plan->alone[side], work_of(plan, side, f));
}

/* All pages, while the other side works. */
static double shared(const struct qn_beside_plan *plan, enum qn_beside_choice side, double f) {
  const struct qn_beside_cost *cost = &plan->shared[side];
  return cost->slope_known ? cost_at(cost, work_of(plan, side, f)) : alone(plan, side, f);
}

double qn_beside_cpu_share(const struct qn_beside_plan *plan, double f) {
  double cpu = shared(plan, QN_CPU_ALONE, f), device = shared(plan, QN_DEVICE_ALONE, f);
  return cpu + device > 0 ? device / (cpu + device) : 0.5;
}

static double together(const struct qn_beside_plan *plan, double f) {
  return shared(plan, QN_CPU_ALONE, f) * qn_beside_cpu_share(plan, f) + FIXED_BOTH;
}

double qn_beside_expected(const struct qn_beside_plan *plan, enum qn_beside_choice choice,
                          double f) {
  return choice == QN_SIDE_BY_SIDE ? together(plan, f) * plan->together : alone(plan, choice, f);
}

/* May an iteration be spent on finding out, if it is expected to take `seconds`, not `best`? */
static bool is_affordable(const struct qn_beside_plan *plan, double seconds, double best) {
  double more = seconds - best;
  return more <= CURIOUS * best && more <= TRIAL_SHARE * (double)plan->left * best;
}

/* All iterations of a program whose vertices are all active take the same. */
static bool is_curious(const struct qn_beside_plan *plan, enum qn_beside_choice side, double best) {
  return plan->all_active && plan->alone[side].slope_known == 0 && plan->alone[side].slope > 0 &&
         is_affordable(plan, alone(plan, side, 1), best);
}

/* A search along a path has so many sparse iterations that the CPU must be tried on one. */
static bool is_long_search(const struct qn_beside_plan *plan, double f) {
  double trial = plan->alone[QN_CPU_ALONE].fixed + 2 * plan->exchange_seconds;
  return !plan->all_active && work_of(plan, QN_CPU_ALONE, f) < MUCH_WORK &&
         trial < TRIAL_SHARE * plan->sparse_seconds;
}

enum qn_beside_choice qn_beside_choose(const struct qn_beside_plan *plan, double f, bool on_host,
                                       bool on_device, double *alpha) {
  double cpu = alone(plan, QN_CPU_ALONE, f), device = alone(plan, QN_DEVICE_ALONE, f);
  double to_device = on_device ? 0 : plan->exchange_seconds;
  double to_host = on_host ? 0 : plan->exchange_seconds;
  /* What one has of the new values the other lacks: both ways at once. */
  double both =
      qn_beside_expected(plan, QN_SIDE_BY_SIDE, f) + plan->exchange_seconds + to_device + to_host;
  *alpha = device > 0 ? cpu / device : INFINITY;
  cpu += to_host;
  device += to_device;
  double best = fmin(fmin(cpu, device), both);
  if (is_curious(plan, QN_DEVICE_ALONE, best))
    return QN_DEVICE_ALONE;
  if (is_curious(plan, QN_CPU_ALONE, best) || is_long_search(plan, f))
    return QN_CPU_ALONE;
  bool may_pay = both + (1 - plan->together) * together(plan, f) < WORTH * best;
  if (plan->all_active && plan->together_known == 0 && may_pay && is_affordable(plan, both, best))
    return QN_SIDE_BY_SIDE;                          /* perhaps they are not in each other's way */
  bool few_active = !plan->all_active && *alpha < 1; /* Garaph: the CPU kernel only */
  if (!few_active && both < WORTH * fmin(cpu, device))
    return QN_SIDE_BY_SIDE;
  return cpu < device ? QN_CPU_ALONE : QN_DEVICE_ALONE;
}

/* The first measurement takes the place of what was assumed, later ones half of it. */
static void adjust(double *estimate, unsigned *known, double measured) {
  *estimate = *known ? (*estimate + measured) / 2 : measured;
  ++*known;
}

/* A sparse iteration says nothing of dense ones: it may be the first to touch a mapping. */
static void learn(struct qn_beside_cost *cost, double work, double seconds) {
  double least = seconds / 10;
  if (work >= MUCH_WORK)
    adjust(&cost->slope, &cost->slope_known, fmax(seconds - cost->fixed, least) / work);
  else if (cost->fixed_known && seconds - cost->slope * work < cost->fixed)
    cost->fixed = fmax(seconds - cost->slope * work, least); /* it was cold before */
  else
    adjust(&cost->fixed, &cost->fixed_known, fmax(seconds - cost->slope * work, least));
}

void qn_beside_learn(struct qn_beside_plan *plan, enum qn_beside_choice choice, double f,
                     double seconds) {
  double expected = together(plan, f);
  if (choice == QN_CPU_ALONE)
    plan->sparse_seconds = 0;
  else if (work_of(plan, QN_CPU_ALONE, f) < MUCH_WORK)
    plan->sparse_seconds += seconds;
  if (choice != QN_SIDE_BY_SIDE)
    learn(&plan->alone[choice], work_of(plan, choice, f), seconds);
  else if (expected > 0)
    adjust(&plan->together, &plan->together_known, seconds / expected);
}

void qn_beside_learn_shared(struct qn_beside_plan *plan, enum qn_beside_choice side, double f,
                            double seconds) {
  struct qn_beside_cost *cost = &plan->shared[side];
  double work = work_of(plan, side, f);
  if (work > 0)
    adjust(&cost->slope, &cost->slope_known, seconds / work);
}

/* ---- Handing out pages --------------------------------------------------------------------- */

static uint32_t front_of(uint64_t ends) {
  return (uint32_t)ends;
}

static uint32_t back_of(uint64_t ends) {
  return (uint32_t)(ends >> 32);
}

uint32_t qn_pages_waiting(const struct qn_page_queue *queue) {
  uint64_t ends = __atomic_load_n(&queue->ends, __ATOMIC_ACQUIRE);
  return back_of(ends) - front_of(ends);
}

uint32_t qn_page_take_front(struct qn_page_queue *queue, uint32_t count, uint32_t *first) {
  uint64_t ends = __atomic_load_n(&queue->ends, __ATOMIC_ACQUIRE), next;
  uint32_t taken;
  do {
    uint32_t waiting = back_of(ends) - front_of(ends);
    taken = count < waiting ? count : waiting;
    *first = front_of(ends);
    next = ends + taken;
  } while (!__atomic_compare_exchange_n(&queue->ends, &ends, next, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
  return taken;
}

uint32_t qn_page_take_back(struct qn_page_queue *queue, uint32_t count, uint32_t *first) {
  uint64_t ends = __atomic_load_n(&queue->ends, __ATOMIC_ACQUIRE), next;
  uint32_t taken;
  do {
    uint32_t waiting = back_of(ends) - front_of(ends);
    taken = count < waiting ? count : waiting;
    *first = back_of(ends) - taken;
    next = ends - ((uint64_t)taken << 32);
  } while (!__atomic_compare_exchange_n(&queue->ends, &ends, next, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
  return taken;
}
