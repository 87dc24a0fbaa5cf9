#include "kernels/joint.h"

#include <math.h>
#include <stddef.h>

/* An iteration of the CPU in which next to nothing is active, until it is measured: it touches a
 * mapping that nobody has touched yet, and wakes threads. */
#define FIXED_CPU 1e-3
/* Beginning and ending a shared iteration, until it is measured. */
#define FIXED_BOTH 3e-4
/* A device that has the out-edges looks at so many times f of the edges at most. */
#define RESIDENT_SPREAD 20
/* And one that streams moves a unit for every active edge into it. */
#define STREAMED_SPREAD 512
/* A device that streams, and the CPU of a joint run, are assumed to wait so much longer for the
 * memory that both read (H200: 1.15 and 1.3). */
#define MEMORY_TAKES 1.2
/* Side by side must be expected to take less than so much of what is faster alone: it is the choice
 * that depends on both estimates. */
#define WORTH 0.92
/* What was never measured is tried if it is not expected to be worse by more than this, nor by more
 * than such a share of what is left to do. */
#define CURIOUS 0.4
#define TRIAL_SHARE 0.02
/* Iterations of less of the work are sparse. */
#define MUCH_WORK 0.25

void qn_joint_plan_begin(struct qn_joint_plan *plan, double cpu_seconds, double device_seconds,
                         double device_fixed) {
  plan->alone[QN_CPU_ALONE] = (struct qn_joint_cost){.fixed = FIXED_CPU, .slope = cpu_seconds};
  plan->alone[QN_DEVICE_ALONE] =
      (struct qn_joint_cost){.fixed = device_fixed, .slope = device_seconds};
  /* Both sides go on from all new values, whoever computed them. */
  plan->beginning = FIXED_BOTH + (plan->all_active ? 0 : plan->to_host + plan->to_device);
}

/* How many times f of the edges active vertices make the CPU look at: Garaph's 2 rho, as what few
 * need is read at random (equation 3). */
static double cpu_spread(const struct qn_joint_plan *plan) {
  return 2 * fmax(plan->random_cost, 1);
}

/* The share of the work of a whole iteration. The CPU's is Garaph's min(2 f rho, 1) (section 5.1).
 */
static double work_of(const struct qn_joint_plan *plan, enum qn_joint_choice side, double f) {
  double spread = side == QN_CPU_ALONE ? cpu_spread(plan)
                  : plan->streams      ? STREAMED_SPREAD
                                       : RESIDENT_SPREAD;
  return plan->all_active ? 1 : fmin(spread * f, 1);
}

/* ---- What was measured --------------------------------------------------------------------- */

static int place_of(double f) {
  int exponent;
  frexp(f, &exponent);
  if (f <= 0 || exponent <= -QN_JOINT_POINTS)
    return QN_JOINT_POINTS - 1;
  return exponent > 0 ? 0 : -exponent;
}

/* The nearest point from `place` on that was measured; NULL if there is none. */
static const struct qn_joint_point *nearest(const struct qn_joint_cost *cost, int place, int step) {
  for (; place >= 0 && place < QN_JOINT_POINTS; place += step)
    if (cost->points[place].times)
      return &cost->points[place];
  return NULL;
}

/* Between two measured shares in proportion to the work; below all in proportion to the work of the
 * next. A sparse iteration says nothing of dense ones: it may be the first to touch a mapping. */
static double cost_at(const struct qn_joint_plan *plan, const struct qn_joint_cost *cost,
                      enum qn_joint_choice side, double f) {
  const struct qn_joint_point *denser = nearest(cost, place_of(f), -1);
  const struct qn_joint_point *sparser = nearest(cost, place_of(f), 1);
  double work = work_of(plan, side, f);
  if (denser && denser == sparser)
    return denser->seconds;
  if (!denser)
    return cost->fixed + cost->slope * work;
  double dense_work = work_of(plan, side, denser->share);
  double base = sparser ? sparser->seconds : fmin(cost->fixed, denser->seconds);
  double base_work = sparser ? work_of(plan, side, sparser->share) : 0;
  if (dense_work <= base_work)
    return denser->seconds;
  return base + (denser->seconds - base) * (work - base_work) / (dense_work - base_work);
}

/* What took longer before was cold, or disturbed; what takes longer now counts half. */
static void learn(struct qn_joint_cost *cost, double f, double seconds) {
  struct qn_joint_point *point = &cost->points[place_of(f)];
  bool is_worse = point->times && seconds > point->seconds;
  point->seconds = is_worse ? (point->seconds + seconds) / 2 : seconds;
  point->share = f;
  point->times++;
}

/* ---- What is expected ---------------------------------------------------------------------- */

static double alone(const struct qn_joint_plan *plan, enum qn_joint_choice side, double f) {
  return cost_at(plan, &plan->alone[side], side, f);
}

/* All pages, while the other side works. */
static double shared(const struct qn_joint_plan *plan, enum qn_joint_choice side, double f) {
  if (plan->num_shared && nearest(&plan->shared[side], place_of(f), -1))
    return cost_at(plan, &plan->shared[side], side, f);
  double takes = plan->streams ? MEMORY_TAKES : 1;
  return alone(plan, side, f) * takes / (side == QN_CPU_ALONE ? plan->threads : 1);
}

double qn_joint_cpu_share(const struct qn_joint_plan *plan, double f) {
  double cpu = shared(plan, QN_CPU_ALONE, f), device = shared(plan, QN_DEVICE_ALONE, f);
  return cpu + device > 0 && isfinite(cpu) ? device / (cpu + device) : 0.5;
}

static double together(const struct qn_joint_plan *plan, double f) {
  double cpu_share = qn_joint_cpu_share(plan, f);
  return plan->beginning + shared(plan, QN_DEVICE_ALONE, f) * (1 - cpu_share);
}

bool qn_joint_notifies(const struct qn_joint_plan *plan, double f) {
  return !plan->all_active && f * cpu_spread(plan) <= qn_joint_cpu_share(plan, f);
}

double qn_joint_expected(const struct qn_joint_plan *plan, enum qn_joint_choice choice, double f) {
  return choice == QN_BOTH ? together(plan, f) : alone(plan, choice, f);
}

/* ---- Choosing ------------------------------------------------------------------------------ */

/* May an iteration be spent on finding out, if it is expected to take `seconds`, not `best`? */
static bool is_affordable(const struct qn_joint_plan *plan, double seconds, double best) {
  double more = seconds - best;
  return more <= CURIOUS * best && more <= TRIAL_SHARE * (double)plan->left * best;
}

/* All iterations of a program whose vertices are all active take the same. */
static bool is_curious(const struct qn_joint_plan *plan, enum qn_joint_choice side, double best) {
  return plan->all_active && plan->alone[side].points[0].times == 0 &&
         plan->alone[side].slope > 0 && is_affordable(plan, alone(plan, side, 1), best);
}

/* A search along a path has so many sparse iterations that the CPU must be tried on one. */
static bool is_long_search(const struct qn_joint_plan *plan, double f) {
  double trial = alone(plan, QN_CPU_ALONE, f) + plan->to_host + plan->to_device;
  return !plan->all_active && work_of(plan, QN_CPU_ALONE, f) < MUCH_WORK &&
         trial < TRIAL_SHARE * plan->sparse_seconds;
}

/* A first iteration, which fills the cache of a device that streams, is not what to compare with:
 * nothing is worth sharing that has not been done warm by the side that does most of it. */
static bool may_share(const struct qn_joint_plan *plan, double alpha) {
  if (!plan->all_active)
    return alpha >= 1; /* Garaph: else the CPU kernel only */
  return !plan->streams ||
         plan->alone[alpha < 1 ? QN_CPU_ALONE : QN_DEVICE_ALONE].points[0].times > 1;
}

enum qn_joint_choice qn_joint_choose(const struct qn_joint_plan *plan, double f, bool on_host,
                                     bool on_device, double *alpha) {
  double cpu = alone(plan, QN_CPU_ALONE, f), device = alone(plan, QN_DEVICE_ALONE, f);
  double to_device = on_device ? 0 : plan->to_device, to_host = on_host ? 0 : plan->to_host;
  /* What one has of the new values the other lacks: both ways at once. */
  double both = together(plan, f) + plan->exchange_seconds + to_device + to_host;
  *alpha = device > 0 ? cpu / device : INFINITY;
  cpu += to_host;
  device += to_device;
  double best = fmin(fmin(cpu, device), both);
  if (is_curious(plan, QN_DEVICE_ALONE, best))
    return QN_DEVICE_ALONE;
  if (is_curious(plan, QN_CPU_ALONE, best) || is_long_search(plan, f))
    return QN_CPU_ALONE;
  if (may_share(plan, *alpha) && both < WORTH * fmin(cpu, device))
    return QN_BOTH;
  return cpu < device ? QN_CPU_ALONE : QN_DEVICE_ALONE;
}

void qn_joint_learn(struct qn_joint_plan *plan, enum qn_joint_choice side, double f,
                    double seconds) {
  if (side == QN_CPU_ALONE)
    plan->sparse_seconds = 0;
  else if (work_of(plan, QN_CPU_ALONE, f) < MUCH_WORK)
    plan->sparse_seconds += seconds;
  learn(&plan->alone[side], f, seconds);
}

void qn_joint_learn_shared(struct qn_joint_plan *plan, double f, double seconds, double cpu_seconds,
                           double device_seconds) {
  learn(&plan->shared[QN_CPU_ALONE], f, cpu_seconds);
  learn(&plan->shared[QN_DEVICE_ALONE], f, device_seconds);
  double cpu_share =
      cpu_seconds + device_seconds > 0 ? device_seconds / (cpu_seconds + device_seconds) : 0;
  double beginning = fmax(seconds - device_seconds * (1 - cpu_share), 0);
  plan->beginning = plan->num_shared++ ? (plan->beginning + beginning) / 2 : beginning;
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
