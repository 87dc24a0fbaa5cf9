/* A joint run, of the CPU and an accelerator (Garaph, section 5): which of them does an iteration,
 * and what they did in it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum qn_joint_choice {
  QN_CPU_ALONE = 0,
  QN_DEVICE_ALONE = 1,
  QN_BOTH = 2, /* pages go to whoever is free */
};
#define QN_JOINT_CHOICES 3

/* "cpu", "device", "both". */
static inline const char *qn_joint_name(enum qn_joint_choice choice) {
  return choice == QN_CPU_ALONE ? "cpu" : choice == QN_DEVICE_ALONE ? "device" : "both";
}

/* What one iteration did. Pages are stretches of consecutive destinations of about equal work. */
struct qn_joint_figures {
  enum qn_joint_choice choice;
  double active_share; /* f: of all out-edges, those of active vertices */
  double alpha;        /* expected seconds of the CPU alone over those of the device alone */
  uint64_t cpu_pages, device_pages;
  double cpu_seconds, device_seconds; /* for them */
  double exchange_seconds;            /* values and active vertices, before and after the work */
  uint64_t exchanged_bytes;
};

/* ---- Choosing --------------------------------------------------------------------------- */

/* What was measured at a share f of active out-edges. */
struct qn_joint_point {
  double share, seconds;
  unsigned times; /* 0: nothing was */
};

/* Shares of the same power of two are one point. */
#define QN_JOINT_POINTS 32

/* Seconds of an iteration by its share. */
struct qn_joint_cost {
  double fixed, slope; /* assumed: fixed + slope x what is to be done of all work */
  struct qn_joint_point points[QN_JOINT_POINTS];
};

/* What is known of the costs. Begin with qn_joint_plan_begin, which leaves the first fields as
 * they are. */
struct qn_joint_plan {
  bool all_active;           /* f is always 1 */
  bool streams;              /* the device's topology is not resident */
  double exchange_seconds;   /* all values, one way */
  double to_host, to_device; /* until a side goes on from the other's values */
  double threads;            /* of the CPU, side by side, over those that it has alone */
  double random_cost;        /* rho: k where the CPU's edges are read from storage; 0 is 1 */
  uint64_t left;             /* iterations to come at most: to be set before every choice */
  /* By QN_CPU_ALONE and QN_DEVICE_ALONE: alone, and of all pages while both work. */
  struct qn_joint_cost alone[2], shared[2];
  double beginning;      /* and ending a shared iteration on both sides */
  unsigned num_shared;   /* iterations */
  double sparse_seconds; /* of the device, in sparse iterations since the CPU last did one */
};

/* As probed: T_pull and T_GPU with all vertices active; with nothing to do on the device. */
void qn_joint_plan_begin(struct qn_joint_plan *plan, double cpu_seconds, double device_seconds,
                         double device_fixed);

/* Seconds that an iteration is expected to take, without exchanges. */
double qn_joint_expected(const struct qn_joint_plan *plan, enum qn_joint_choice choice, double f);

/* The choice that is expected to take the least, with the exchanges that it needs as the values are
 * valid `on_host` or `on_device` or both. Sets *alpha. */
enum qn_joint_choice qn_joint_choose(const struct qn_joint_plan *plan, double f, bool on_host,
                                     bool on_device, double *alpha);

/* One side did an iteration in `seconds`, without exchanges. */
void qn_joint_learn(struct qn_joint_plan *plan, enum qn_joint_choice side, double f,
                    double seconds);

/* Both did one in `seconds`, without exchanges; all pages would have taken the CPU and the device
 * so long while the other one worked, too. */
void qn_joint_learn_shared(struct qn_joint_plan *plan, double f, double seconds, double cpu_seconds,
                           double device_seconds);

/* The share of the pages that the CPU is expected to do; is it less that active ones notify? */
double qn_joint_cpu_share(const struct qn_joint_plan *plan, double f);
bool qn_joint_notifies(const struct qn_joint_plan *plan, double f);

/* ---- Handing out pages --------------------------------------------------------------------- */

/* Pages [front, back) wait: the CPU takes them from the front, the device from the back. Any
 * threads may call. */
struct qn_page_queue {
  uint64_t ends; /* front in the low half, back in the high one */
};

static inline void qn_page_queue_fill(struct qn_page_queue *queue, uint32_t count) {
  queue->ends = (uint64_t)count << 32;
}

/* Up to `count` pages, of which the first is *first; returns how many. */
uint32_t qn_page_take_front(struct qn_page_queue *queue, uint32_t count, uint32_t *first);
uint32_t qn_page_take_back(struct qn_page_queue *queue, uint32_t count, uint32_t *first);

/* How many wait. */
uint32_t qn_pages_waiting(const struct qn_page_queue *queue);

#ifdef __cplusplus
}
#endif
