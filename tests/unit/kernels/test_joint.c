/* Who does an iteration, the CPU, the device or both; and pages for two ends of a queue. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "helpers/test.h"
#include "kernels/joint.h"

static struct qn_joint_plan plan_of(bool all_active, double cpu, double device, double exchange) {
  struct qn_joint_plan plan = {.all_active = all_active,
                               .exchange_seconds = exchange,
                               .to_host = exchange,
                               .to_device = exchange,
                               .threads = 1,
                               .left = 30};
  qn_joint_plan_begin(&plan, cpu, device, 1e-4);
  return plan;
}

static enum qn_joint_choice choice_of(const struct qn_joint_plan *plan, double f) {
  double alpha;
  return qn_joint_choose(plan, f, true, true, &alpha);
}

/* Both have been measured alone, and took what was expected. */
static struct qn_joint_plan known_plan(double cpu, double device, double exchange) {
  struct qn_joint_plan plan = plan_of(true, cpu, device, exchange);
  qn_joint_learn(&plan, QN_CPU_ALONE, 1, cpu);
  qn_joint_learn(&plan, QN_DEVICE_ALONE, 1, device);
  return plan;
}

TEST(the_faster_one_works) {
  struct qn_joint_plan plan = known_plan(1, 0.01, 0.001);
  assert_int_equal(choice_of(&plan, 1), QN_DEVICE_ALONE);
  plan = known_plan(0.01, 1, 0.001);
  assert_int_equal(choice_of(&plan, 1), QN_CPU_ALONE);
  plan = known_plan(1, 0.8, 0.001);
  assert_int_equal(choice_of(&plan, 1), QN_BOTH);
  assert_true(qn_joint_cpu_share(&plan, 1) > 0.4 && qn_joint_cpu_share(&plan, 1) < 0.5);
  plan = known_plan(1, 0.8, 0.5); /* exchanging costs more than sharing saves */
  assert_int_equal(choice_of(&plan, 1), QN_DEVICE_ALONE);
}

/* Equation 3 where the edges are read from storage: alpha is min(2 f rho, 1) Tpull / TGPU, and
 * notifying pays from f = 1 / 2 rho on for the CPU's share. */
TEST(storage_makes_sparse_work_dear) {
  struct qn_joint_plan plan = plan_of(false, 1, 0.2, 0.001);
  const double rhos[] = {0, 1, 8};
  for (int i = 0; i < 3; i++) {
    double alpha, base;
    plan.random_cost = rhos[i];
    qn_joint_choose(&plan, 0, true, true, &base);
    qn_joint_choose(&plan, 1.0 / 32, true, true, &alpha);
    assert_true(fabs(qn_joint_expected(&plan, QN_CPU_ALONE, 1.0 / 32) -
                     qn_joint_expected(&plan, QN_CPU_ALONE, 0) - fmax(rhos[i], 1) / 16) < 1e-9);
    qn_joint_choose(&plan, 0.9, true, true, &base);
    assert_true(alpha < base);
  }
  /* a share of a third notifies up to f = 1/6 in memory, up to 1/48 where k is 8 */
  plan.random_cost = 8;
  const double share = qn_joint_cpu_share(&plan, 1.0 / 20);
  assert_false(qn_joint_notifies(&plan, 1.0 / 20));
  plan.random_cost = 1;
  assert_true(share > 0 && qn_joint_notifies(&plan, 1.0 / 40));
  plan.all_active = true;
  assert_false(qn_joint_notifies(&plan, 1.0 / 1000));
}

/* What was never measured and may be the best is tried, what is hopeless is not. */
TEST(estimates_are_tried) {
  struct qn_joint_plan plan = plan_of(true, 1, 0.9, 0.5);
  unsigned tried[QN_JOINT_CHOICES] = {0};
  for (int i = 0; i < 20; i++) {
    enum qn_joint_choice choice = choice_of(&plan, 1);
    tried[choice]++;
    qn_joint_learn(&plan, choice, 1, choice == QN_CPU_ALONE ? 0.7 : 0.9);
  }
  assert_true(tried[QN_CPU_ALONE] >= 16 && tried[QN_DEVICE_ALONE] >= 1);
  plan = plan_of(true, 100, 0.9, 0.5);
  for (int i = 0; i < 20; i++) {
    assert_int_equal(choice_of(&plan, 1), QN_DEVICE_ALONE);
    qn_joint_learn(&plan, QN_DEVICE_ALONE, 1, 0.9);
  }
}

TEST(few_active_vertices_are_for_the_cpu) {
  struct qn_joint_plan plan = plan_of(false, 1, 0.1, 0);
  double alpha;
  qn_joint_learn(&plan, QN_CPU_ALONE, 1e-6, 1e-5);
  assert_int_equal(qn_joint_choose(&plan, 1e-6, true, true, &alpha), QN_CPU_ALONE);
  assert_true(alpha < 1);
  assert_int_not_equal(qn_joint_choose(&plan, 0.5, true, true, &alpha), QN_CPU_ALONE);
  assert_true(alpha > 9 && alpha < 11);
  /* Where the values are counts. */
  plan.exchange_seconds = plan.to_host = plan.to_device = 10;
  assert_int_equal(qn_joint_choose(&plan, 1e-6, false, true, &alpha), QN_DEVICE_ALONE);
  assert_int_equal(qn_joint_choose(&plan, 0.5, true, false, &alpha), QN_CPU_ALONE);
}

/* The first sparse iteration of the CPU is dear, but a long search makes it worth the trial. */
TEST(long_searches_end_up_on_the_cpu) {
  struct qn_joint_plan plan = plan_of(false, 0.1, 0.002, 1e-4);
  unsigned by_cpu = 0;
  bool on_host = true, on_device = true;
  double spent = 0;
  for (int i = 0; i < 20000; i++) {
    double alpha;
    enum qn_joint_choice choice = qn_joint_choose(&plan, 1e-7, on_host, on_device, &alpha);
    double seconds = choice == QN_DEVICE_ALONE ? 1e-4 : by_cpu == 0 ? 2e-3 : 5e-6;
    by_cpu += choice == QN_CPU_ALONE;
    qn_joint_learn(&plan, choice, 1e-7, seconds);
    on_host = choice == QN_CPU_ALONE;
    on_device = !on_host;
    spent += seconds;
    if (i == 100)
      assert_int_equal(by_cpu, 0);
  }
  assert_true(by_cpu > 10000 && spent < 20000 * 5e-5);
}

TEST(what_was_measured_counts) {
  struct qn_joint_plan plan = known_plan(1, 0.9, 0.001);
  assert_int_equal(choice_of(&plan, 1), QN_BOTH);
  qn_joint_learn_shared(&plan, 1, 2, 4, 4); /* they are in each other's way */
  assert_int_equal(choice_of(&plan, 1), QN_DEVICE_ALONE);
  for (int i = 0; i < 8; i++)
    qn_joint_learn(&plan, QN_DEVICE_ALONE, 1, 3);
  assert_int_equal(choice_of(&plan, 1), QN_CPU_ALONE);
  /* A slow sparse iteration says nothing of dense ones, nor they of it. */
  plan = plan_of(false, 1, 1, 0);
  qn_joint_learn(&plan, QN_CPU_ALONE, 1e-6, 0.01);
  assert_true(qn_joint_expected(&plan, QN_CPU_ALONE, 1) < 1.1);
  assert_true(qn_joint_expected(&plan, QN_CPU_ALONE, 1e-6) > 0.009);
  qn_joint_learn(&plan, QN_CPU_ALONE, 0.5, 0.1);
  assert_true(qn_joint_expected(&plan, QN_CPU_ALONE, 1) < 0.2);
  assert_true(qn_joint_expected(&plan, QN_CPU_ALONE, 1e-6) > 0.009);
  /* Rates of pages while both work are their own. */
  plan = known_plan(1, 1, 0);
  qn_joint_learn_shared(&plan, 1, 0.8, 3, 1);
  assert_true(qn_joint_cpu_share(&plan, 1) < 0.3);
  assert_true(qn_joint_expected(&plan, QN_CPU_ALONE, 1) < 1.1);
  assert_true(qn_joint_expected(&plan, QN_BOTH, 1) > 0.75);
  assert_true(qn_joint_expected(&plan, QN_BOTH, 1) < 0.85);
}

/* A device whose readers leave the CPU few threads gains nothing by it; with most threads it does,
 * if they are about as fast. */
TEST(threads_that_readers_need_count) {
  struct qn_joint_plan plan = known_plan(0.088, 0.08, 0.001);
  plan.streams = true;
  plan.threads = 5.0 / 16;
  assert_int_equal(choice_of(&plan, 1), QN_DEVICE_ALONE); /* it was cold */
  qn_joint_learn(&plan, QN_DEVICE_ALONE, 1, 0.08);
  assert_int_equal(choice_of(&plan, 1), QN_DEVICE_ALONE);
  plan.threads = 13.0 / 16;
  assert_int_equal(choice_of(&plan, 1), QN_BOTH);
  plan = known_plan(0.088, 0.03, 0.001); /* both wait for the host's memory */
  plan.streams = true;
  plan.threads = 13.0 / 16;
  qn_joint_learn(&plan, QN_DEVICE_ALONE, 1, 0.03);
  assert_int_equal(choice_of(&plan, 1), QN_DEVICE_ALONE);
}

/* Sparse iterations of a device that streams are dear, those of the CPU get cheaper and cheaper: a
 * search ends where it is, and what moving over costs counts with all that it takes. */
TEST(tails_stay_where_they_are) {
  struct qn_joint_plan plan = {.streams = true,
                               .exchange_seconds = 7e-4,
                               .to_host = 4e-3,
                               .to_device = 7e-4,
                               .threads = 0.3,
                               .left = UINT32_MAX};
  double alpha;
  qn_joint_plan_begin(&plan, 0.088, 0.04, 1.7e-3);
  qn_joint_learn(&plan, QN_CPU_ALONE, 0.0018, 3.8e-3);
  qn_joint_learn(&plan, QN_CPU_ALONE, 0.65, 0.041);
  qn_joint_learn(&plan, QN_CPU_ALONE, 0.34, 0.017);
  assert_int_equal(qn_joint_choose(&plan, 0.0018, true, false, &alpha), QN_CPU_ALONE);
  qn_joint_learn(&plan, QN_CPU_ALONE, 0.0018, 1.8e-3);
  assert_int_equal(qn_joint_choose(&plan, 1e-5, true, false, &alpha), QN_CPU_ALONE);
  assert_int_equal(qn_joint_choose(&plan, 0, true, false, &alpha), QN_CPU_ALONE);
  /* Between what was measured it is neither. */
  double between = qn_joint_expected(&plan, QN_CPU_ALONE, 0.1);
  assert_true(between > 1.8e-3 && between < 0.017);
  assert_true(qn_joint_expected(&plan, QN_DEVICE_ALONE, 0) == 1.7e-3);
}

/* Nothing is known, nothing is active: some choice, and no nonsense. */
TEST(nothing_to_go_by) {
  struct qn_joint_plan plan = {0};
  double alpha;
  qn_joint_choose(&plan, 0, true, true, &alpha);
  qn_joint_learn(&plan, QN_CPU_ALONE, 0, 0);
  assert_true(qn_joint_cpu_share(&plan, 0) >= 0 && qn_joint_cpu_share(&plan, 0) <= 1);
}

TEST(both_ends_meet) {
  struct qn_page_queue queue;
  uint32_t first;
  qn_page_queue_fill(&queue, 10);
  assert_int_equal(qn_page_take_front(&queue, 4, &first), 4);
  assert_int_equal(first, 0);
  assert_int_equal(qn_page_take_back(&queue, 1, &first), 1);
  assert_int_equal(first, 9);
  assert_int_equal(qn_pages_waiting(&queue), 5);
  assert_int_equal(qn_page_take_back(&queue, 3, &first), 3);
  assert_int_equal(first, 6);
  assert_int_equal(qn_page_take_front(&queue, 100, &first), 2);
  assert_int_equal(first, 4);
  assert_int_equal(qn_page_take_front(&queue, 1, &first), 0);
  assert_int_equal(qn_page_take_back(&queue, 1, &first), 0);
  qn_page_queue_fill(&queue, UINT32_MAX);
  assert_int_equal(qn_page_take_back(&queue, UINT32_MAX, &first), UINT32_MAX);
}

#define MANY 100000

struct taker {
  struct qn_page_queue *queue;
  uint8_t *taken;
};

static void *take_from_back(void *argument) {
  struct taker *taker = argument;
  uint32_t first;
  while (qn_page_take_back(taker->queue, 1, &first))
    taker->taken[first]++;
  return NULL;
}

TEST(every_page_once) {
  static uint8_t taken[MANY];
  struct qn_page_queue queue;
  struct taker taker = {&queue, taken};
  pthread_t thread;
  uint32_t first, count;
  memset(taken, 0, sizeof taken);
  qn_page_queue_fill(&queue, MANY);
  assert_int_equal(pthread_create(&thread, NULL, take_from_back, &taker), 0);
  while ((count = qn_page_take_front(&queue, 7, &first)))
    for (uint32_t i = 0; i < count; i++)
      taken[first + i]++;
  pthread_join(thread, NULL);
  for (uint32_t i = 0; i < MANY; i++)
    assert_int_equal(taken[i], 1);
}

TEST_MAIN(NULL, NULL)
