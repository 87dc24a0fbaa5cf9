/* Runs a grid: every thread of a resident block is a fiber that runs until it
 * waits for others (at a barrier, in a warp function), is preempted, or ends. */
#include "internal.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

namespace emulator {

/* A block while it is resident. */
struct block {
  std::vector<thread *> threads;
  unsigned live = 0;       /* threads that have not ended */
  unsigned at_barrier = 0; /* threads that wait there */
  unsigned slot = 0;       /* of shared memory */
  uint32_t block_epoch = 0;
  uint32_t warp_epochs[MAX_BLOCK / WARP] = {};
  unsigned warp_waiting[MAX_BLOCK / WARP] = {}; /* lanes that wait in a warp function */
};

position running;
thread_local thread *current;

namespace {

const grid_launch *launched; /* the grid that runs */
fiber host;                  /* the scheduler's own context */
std::vector<thread *> ready;
std::size_t ready_head; /* in order: a queue; shuffled: a bag, head 0 */
std::vector<std::unique_ptr<thread>> all_threads;
std::vector<thread *> spare_threads;
int preempt_countdown;
uint32_t next_epoch = 1; /* never reused, so that the marks of earlier blocks are stale */

void make_ready(thread *t) {
  t->state = waiting::nothing;
  ready.push_back(t);
}

thread *pick() {
  if (ready_head == ready.size())
    return nullptr;
  if (shuffled()) {
    std::size_t chosen = random_below(ready.size());
    thread *t = ready[chosen];
    ready[chosen] = ready.back();
    ready.pop_back();
    return t;
  }
  thread *t = ready[ready_head++];
  if (ready_head == ready.size()) {
    ready.clear();
    ready_head = 0;
  }
  return t;
}

void leave(bool last) {
  shared_settle();
  thread *self = current;
  current = nullptr;
  fiber_switch(self->context, host, last);
}

void thread_main() {
  fiber_entered();
  launched->kernel->call();
  current->state = waiting::finished;
  leave(true);
  __builtin_unreachable();
}

unsigned lane_of(const thread *t) {
  return t->linear % WARP;
}
unsigned warp_of(const thread *t) {
  return t->linear / WARP;
}

thread *lane_thread(const thread *t, unsigned lane) {
  std::size_t linear = std::size_t(warp_of(t)) * WARP + lane;
  return linear < t->home->threads.size() ? t->home->threads[linear] : nullptr;
}

/* Deadlock: say who waits where, so that the divergence is seen. */
[[noreturn]] void report_deadlock(const std::vector<block *> &resident) {
  char text[1024];
  int length = 0;
  text[0] = 0;
  const thread *example = nullptr;
  for (const block *b : resident) {
    std::vector<const thread *> seen;
    for (const thread *t : b->threads) {
      if (t->state == waiting::finished || t->state == waiting::nothing)
        continue;
      auto same = [&](const thread *s) {
        return s->at.line == t->at.line && s->state == t->state && s->at.file == t->at.file;
      };
      if (std::any_of(seen.begin(), seen.end(), same) || length > 700)
        continue;
      seen.push_back(t);
      example = t;
      length += std::snprintf(
          text + length, sizeof text - length, "\n  thread %u waits at the %s at %s:%d (mask %08x)",
          t->linear, t->state == waiting::at_barrier ? "barrier" : "warp function", t->at.file,
          t->at.line, t->state == waiting::at_barrier ? 0xffffffffu : t->mask);
    }
    if (example)
      break;
  }
  current = const_cast<thread *>(example);
  fail("barrier divergence: threads wait for each other for ever:%s", text);
}

/* If all live threads are at the barrier, let them go. */
void try_barrier(block *b) {
  if (b->live == 0 || b->at_barrier < b->live)
    return;
  uint64_t count = 0, live = 0;
  const thread *first = nullptr;
  for (thread *t : b->threads) {
    if (t->state != waiting::at_barrier)
      continue;
    if (first && (first->at.line != t->at.line || first->at.file != t->at.file ||
                  first->barrier_kind != t->barrier_kind)) {
      current = t;
      fail("barrier divergence: thread %u waits at the barrier at %s:%d, thread %u at %s:%d",
           first->linear, first->at.file, first->at.line, t->linear, t->at.file, t->at.line);
    }
    if (!first)
      first = t;
    count += t->value;
    live++;
  }
  uint64_t result = 0;
  switch (first->barrier_kind) {
  case 'c':
    result = count;
    break;
  case 'a':
    result = count == live;
    break;
  case 'o':
    result = count > 0;
    break;
  }
  b->at_barrier = 0;
  b->block_epoch = next_epoch++;
  for (thread *t : b->threads) {
    if (t->state == waiting::at_barrier) {
      t->result = result;
      make_ready(t);
    }
  }
}

uint64_t warp_result(const thread *t, thread *const lanes[WARP]) {
  const unsigned mask = t->mask;
  uint64_t all = lanes[__builtin_ctz(mask)]->value;
  uint64_t result = 0;
  switch (t->op) {
  case warp_op::sync:
    return 0;
  case warp_op::shuffle: {
    bool there = mask >> t->argument & 1u;
    return there ? lanes[t->argument]->value : 0xdeadbeefdeadbeefull; /* undefined in CUDA */
  }
  default:
    break;
  }
  bool first = true;
  for (unsigned lane = 0; lane < WARP; lane++) {
    if (!(mask >> lane & 1u))
      continue;
    const uint64_t value = lanes[lane]->value;
    const uint32_t bits = uint32_t(value), so_far = uint32_t(result);
    const bool is_signed = t->type & 32;
    switch (t->op) {
    case warp_op::ballot:
      result |= uint64_t(value != 0) << lane;
      break;
    case warp_op::any:
      result |= value != 0;
      break;
    case warp_op::all:
      result = (first || result) && value != 0;
      break;
    case warp_op::match_any:
      result |= uint64_t(value == t->value) << lane;
      break;
    case warp_op::match_all:
      result = (first || result) && value == all ? mask : 0;
      break;
    case warp_op::add:
      result = uint32_t(so_far + bits);
      break;
    case warp_op::min:
      if (first || (is_signed ? int32_t(bits) < int32_t(so_far) : bits < so_far))
        result = bits;
      break;
    case warp_op::max:
      if (first || (is_signed ? int32_t(bits) > int32_t(so_far) : bits > so_far))
        result = bits;
      break;
    case warp_op::band:
      result = first ? bits : so_far & bits;
      break;
    case warp_op::bor:
      result = so_far | bits;
      break;
    case warp_op::bxor:
      result = so_far ^ bits;
      break;
    case warp_op::sync:
    case warp_op::shuffle:
      break;
    }
    first = false;
  }
  return result;
}

bool same_for_all_lanes(warp_op op) {
  return op != warp_op::shuffle && op != warp_op::match_any;
}

/* If every lane that `t` names has come to the same function, let them go. */
void try_warp(thread *t) {
  unsigned &lanes_waiting = t->home->warp_waiting[warp_of(t)];
  thread *lanes[WARP] = {};
  for (unsigned lane = 0; lane < WARP; lane++) {
    if (!(t->mask >> lane & 1u))
      continue;
    thread *other = lane_thread(t, lane);
    if (!other || other->state == waiting::finished)
      fail("mask %08x of the warp function at %s:%d names lane %u, which %s", t->mask, t->at.file,
           t->at.line, lane, other ? "has ended" : "does not exist");
    if (other->state != waiting::in_warp || other->op != t->op || other->mask != t->mask ||
        other->type != t->type)
      return;
    lanes[lane] = other;
  }
  const uint64_t result = same_for_all_lanes(t->op) ? warp_result(t, lanes) : 0;
  for (thread *other : lanes)
    if (other)
      other->result = same_for_all_lanes(t->op) ? result : warp_result(other, lanes);
  lanes_waiting &= ~t->mask;
  if (t->op == warp_op::sync)
    t->home->warp_epochs[warp_of(t)] = next_epoch++;
  for (thread *other : lanes)
    if (other)
      make_ready(other);
}

/* Threads that wait for the lane that just ended wait in vain. */
void check_warp_after_end(thread *ended) {
  if (ended->home->warp_waiting[warp_of(ended)] == 0)
    return;
  for (unsigned lane = 0; lane < WARP; lane++) {
    thread *other = lane_thread(ended, lane);
    if (other && other->state == waiting::in_warp && other->mask >> lane_of(ended) & 1u) {
      current = other;
      fail("mask %08x of the warp function at %s:%d names lane %u, which has ended", other->mask,
           other->at.file, other->at.line, lane_of(ended));
    }
  }
}

thread *new_thread() {
  if (spare_threads.empty()) {
    all_threads.push_back(std::make_unique<thread>());
    fiber_create(all_threads.back()->context);
    return all_threads.back().get();
  }
  thread *t = spare_threads.back();
  spare_threads.pop_back();
  return t;
}

void start_block(block *b, uint64_t index, unsigned slot) {
  const dim3 grid = launched->grid, size = launched->block;
  const unsigned count = size.x * size.y * size.z;
  b->slot = slot;
  b->live = count;
  b->at_barrier = 0;
  b->block_epoch = next_epoch++;
  std::fill(std::begin(b->warp_epochs), std::end(b->warp_epochs), b->block_epoch);
  std::fill(std::begin(b->warp_waiting), std::end(b->warp_waiting), 0u);
  shared_begin(slot, launched->shared);
  const uint3 block_index = {unsigned(index % grid.x), unsigned(index / grid.x % grid.y),
                             unsigned(index / grid.x / grid.y)};
  b->threads.resize(count);
  for (unsigned i = 0; i < count; i++) {
    thread *t = b->threads[i] = new_thread();
    t->home = b;
    t->linear = i;
    t->where = {grid, size, block_index, {i % size.x, i / size.x % size.y, i / size.x / size.y}};
    fiber_prepare(t->context, thread_main);
    make_ready(t);
  }
}

void resume(thread *t) {
  current = t;
  running = t->where;
  fiber_switch(host, t->context, false);
  /* `current` was cleared by the thread when it left. */
}

std::vector<uint64_t> block_order(uint64_t blocks) {
  std::vector<uint64_t> order(shuffled() ? blocks : 0);
  std::iota(order.begin(), order.end(), uint64_t(0));
  for (uint64_t i = order.size(); i > 1; i--)
    std::swap(order[i - 1], order[random_below(i)]);
  return order;
}

/* Give the CPU up and come back when what we wait for has happened. */
uint64_t wait_here(waiting state) {
  thread *self = current;
  self->state = state;
  leave(false);
  return self->result;
}

} /* namespace */

void run_grid(const grid_launch &launch) {
  const uint64_t blocks = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
  const unsigned threads = launch.block.x * launch.block.y * launch.block.z;
  launched = &launch;
  ready.clear();
  ready_head = 0;
  preempt_countdown = shuffled() ? 1 + int(random_below(200)) : 0;
  the_machine.kernels_run++;

  const std::vector<uint64_t> order = block_order(blocks);
  const unsigned most = shuffled() ? 1 + unsigned(random_below(SHARED_SLOTS)) : 1;
  const unsigned slots = std::min<uint64_t>(most, std::max(1u, 2048 / threads));
  std::vector<std::unique_ptr<block>> storage;
  std::vector<block *> resident;
  uint64_t started = 0;
  for (unsigned slot = 0; slot < slots && started < blocks; slot++, started++) {
    storage.push_back(std::make_unique<block>());
    resident.push_back(storage.back().get());
    start_block(resident.back(), order.empty() ? started : order[started], slot);
  }

  uint64_t finished = 0;
  while (finished < blocks) {
    thread *t = pick();
    if (!t)
      report_deadlock(resident);
    resume(t);
    block *b = t->home;
    current = t;
    switch (t->state) {
    case waiting::nothing: /* preempted */
      ready.push_back(t);
      break;
    case waiting::at_barrier:
      b->at_barrier++;
      try_barrier(b);
      break;
    case waiting::in_warp:
      b->warp_waiting[warp_of(t)] |= 1u << lane_of(t);
      if ((b->warp_waiting[warp_of(t)] & t->mask) == t->mask || b->live < b->threads.size() ||
          b->threads.size() % WARP != 0)
        try_warp(t);
      break;
    case waiting::finished:
      b->live--;
      check_warp_after_end(t);
      try_barrier(b);
      break;
    }
    current = nullptr;
    if (b->live > 0)
      continue;
    finished++;
    shared_end(b->slot);
    spare_threads.insert(spare_threads.end(), b->threads.begin(), b->threads.end());
    b->threads.clear();
    if (started < blocks) {
      start_block(b, order.empty() ? started : order[started], b->slot);
      started++;
    }
  }
  launched = nullptr;
}

const char *running_kernel() {
  return launched ? launched->name : nullptr;
}
int running_device() {
  return launched ? launched->device : -1;
}
unsigned running_slot() {
  return current->home->slot;
}
shared_clock running_clock() {
  return {current->home->block_epoch, current->home->warp_epochs[warp_of(current)]};
}

void preempt() {
  if (preempt_countdown == 0 || --preempt_countdown > 0)
    return;
  preempt_countdown = 1 + int(random_below(200));
  wait_here(waiting::nothing);
}

void relax() {
  if (current)
    wait_here(waiting::nothing);
}

void barrier(site where) {
  current->at = where;
  current->barrier_kind = 's';
  current->value = 0;
  wait_here(waiting::at_barrier);
}

int barrier_reduce(int predicate, char kind, site where) {
  current->at = where;
  current->barrier_kind = kind;
  current->value = predicate != 0;
  return int(wait_here(waiting::at_barrier));
}

uint64_t warp_meet(warp_op op, unsigned mask, uint64_t value, int argument, int type, site where) {
  thread *self = current;
  if (!(mask >> lane_of(self) & 1u))
    fail("mask %08x of the warp function at %s:%d leaves out the calling lane %u", mask, where.file,
         where.line, lane_of(self));
  self->at = where;
  self->op = op;
  self->mask = mask;
  self->type = type;
  self->value = value;
  self->argument = argument;
  return wait_here(waiting::in_warp);
}

unsigned lane() {
  return lane_of(current);
}

unsigned long long clock() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

void *shared_static(const void *key, std::size_t bytes, std::size_t alignment) {
  return shared_find(current->home->slot, key, bytes, alignment);
}

void *shared_dynamic() {
  return shared_base(current->home->slot);
}

} /* namespace emulator */
