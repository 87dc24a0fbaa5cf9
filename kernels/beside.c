#include "kernels/beside.h"

#include <math.h>

/* What the CPU and the device cannot go below in an iteration, as a share of a whole one. */
#define LEAST_CPU 1e-5
#define LEAST_DEVICE 1e-2
/* A device that has the out-edges looks at so many times f of the edges at most. */
#define RESIDENT_SPREAD 20
/* And one that streams moves a unit for every active edge into it. */
#define STREAMED_SPREAD 512
/* Side by side must be expected to take less than so much of what is faster alone: it is the choice
 * that depends on both estimates. */
#define WORTH 0.92

static int level_of(double f) {
  int level = f > 0 ? (int)lround(-log2(f)) : QN_BESIDE_LEVELS - 1;
  return level < 0 ? 0 : level < QN_BESIDE_LEVELS ? level : QN_BESIDE_LEVELS - 1;
}

/* That of the nearest level of which one is known. */
static double correction(const double *corrections, double f) {
  int level = level_of(f);
  for (int distance = 0; distance < QN_BESIDE_LEVELS; distance++) {
    if (level - distance >= 0 && corrections[level - distance] > 0)
      return corrections[level - distance];
    if (level + distance < QN_BESIDE_LEVELS && corrections[level + distance] > 0)
      return corrections[level + distance];
  }
  return 1;
}

/* Garaph, section 5.1: min(2 f, 1) x T_pull. */
static double cpu_model(const struct qn_beside_plan *plan, double f) {
  return plan->cpu_seconds * (plan->all_active ? 1 : fmin(2 * f, 1) + LEAST_CPU);
}

static double device_model(const struct qn_beside_plan *plan, double f) {
  double spread = plan->streams ? STREAMED_SPREAD : RESIDENT_SPREAD;
  return plan->device_seconds * (plan->all_active ? 1 : fmin(spread * f, 1) + LEAST_DEVICE);
}

static double alone(const struct qn_beside_plan *plan, enum qn_beside_choice choice, double f) {
  double model = choice == QN_CPU_ALONE ? cpu_model(plan, f) : device_model(plan, f);
  return model * correction(plan->corrections[choice], f);
}

double qn_beside_cpu_share(const struct qn_beside_plan *plan, double f) {
  double cpu = alone(plan, QN_CPU_ALONE, f), device = alone(plan, QN_DEVICE_ALONE, f);
  return cpu + device > 0 ? device / (cpu + device) : 0.5;
}

static double together(const struct qn_beside_plan *plan, double f) {
  return alone(plan, QN_CPU_ALONE, f) * qn_beside_cpu_share(plan, f);
}

double qn_beside_expected(const struct qn_beside_plan *plan, enum qn_beside_choice choice,
                          double f) {
  if (choice != QN_SIDE_BY_SIDE)
    return alone(plan, choice, f);
  return together(plan, f) * correction(plan->corrections[choice], f);
}

enum qn_beside_choice qn_beside_choose(const struct qn_beside_plan *plan, double f, bool on_host,
                                       bool on_device, double *alpha) {
  double cpu = alone(plan, QN_CPU_ALONE, f), device = alone(plan, QN_DEVICE_ALONE, f);
  double move_in = plan->exchange_seconds * (!on_device),
         move_out = plan->exchange_seconds * (!on_host);
  /* Both ways at once: what one has of the values, the other lacks. */
  double both =
      qn_beside_expected(plan, QN_SIDE_BY_SIDE, f) + plan->exchange_seconds + move_in + move_out;
  *alpha = device > 0 ? cpu / device : INFINITY;
  cpu += move_out;
  device += move_in;
  if (both < WORTH * fmin(cpu, device))
    return QN_SIDE_BY_SIDE;
  return cpu < device ? QN_CPU_ALONE : QN_DEVICE_ALONE;
}

void qn_beside_learn(struct qn_beside_plan *plan, enum qn_beside_choice choice, double f,
                     double seconds) {
  double *known = &plan->corrections[choice][level_of(f)];
  double model = choice == QN_CPU_ALONE      ? cpu_model(plan, f)
                 : choice == QN_DEVICE_ALONE ? device_model(plan, f)
                                             : together(plan, f);
  double ratio = model > 0 ? seconds / model : 1;
  *known = *known > 0 ? (*known + ratio) / 2 : ratio;
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
