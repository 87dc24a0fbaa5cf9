/* What the user is told when the device is missing or too small, and the memory
 * of a run: caps, copies, and nothing left behind whichever call fails. */
#include <string.h>

#include "emulator.h"
#include "helpers/test.h"
#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/memory.cuh"
#include "support/memory.h"

static void machine(int devices, enum emulator_driver driver, uint64_t memory) {
  struct emulator_options options = emulator_defaults();
  options.devices = devices;
  options.driver = driver;
  options.device_memory = memory;
  emulator_reset(&options);
}

static void expect_message(enum qn_status status, const struct qn_error *error, const char *text) {
  assert_int_equal(status, QN_DEVICE);
  if (!strstr(error->message, text))
    fail_msg("expected \"%s\" in: %s", text, error->message);
}

TEST(names_what_is_missing) {
  struct qn_error error;
  struct qn_cuda_device device;
  int count;
  machine(1, EMULATOR_DRIVER_NONE, 1 << 20);
  expect_message(qn_cuda_count(&count, &error), &error, "no CUDA driver is installed");
  expect_message(qn_cuda_count(&count, &error), &error, "CUDA 13.0 or later");
  machine(1, EMULATOR_DRIVER_OLD, 1 << 20);
  expect_message(qn_cuda_count(&count, &error), &error,
                 "it is for CUDA 11.2, and this build needs 13.0");
  machine(0, EMULATOR_DRIVER_OK, 1 << 20);
  expect_message(qn_cuda_open(0, &device, &error), &error, "finds no device");
  machine(2, EMULATOR_DRIVER_OK, 3 << 20);
  expect_message(qn_cuda_open(2, &device, &error), &error,
                 "there is no CUDA device 2: there are 2, counted from 0");
  assert_int_equal(qn_cuda_open(1, &device, &error), QN_OK);
  assert_string_equal(device.name, "CUDA emulator 1");
  assert_int_equal(device.total_bytes, 3 << 20);
  assert_int_equal(qn_cuda_usable_bytes(&device, 0), 3 << 20);
  assert_int_equal(qn_cuda_usable_bytes(&device, 1 << 20), 1 << 20);
  assert_int_equal(qn_cuda_usable_bytes(&device, 1 << 30), 3 << 20);
}

TEST(names_the_amounts) {
  struct qn_error error;
  struct qn_cuda_memory memory;
  char *block, *other;
  machine(1, EMULATOR_DRIVER_OK, 4 << 20);
  assert_int_equal(qn_cuda_memory_create(&memory, 0, 0, &error), QN_OK);
  assert_int_equal(qn_cuda_alloc(&memory, &block, 3 << 20, 1, "edges", &error), QN_OK);
  expect_message(qn_cuda_alloc(&memory, &other, 1 << 18, 8, "vertex values", &error), &error,
                 "2.00 MiB for vertex values beside 3.00 MiB in use, but 4.00 MiB of the 4.00 MiB "
                 "of CUDA emulator 0 are free");
  qn_cuda_release(&memory, block);
  assert_int_equal(qn_cuda_alloc(&memory, &other, 1 << 18, 8, "vertex values", &error), QN_OK);
  qn_cuda_memory_destroy(&memory);
  assert_int_equal(qn_cuda_memory_create(&memory, 0, 1 << 20, &error), QN_OK);
  expect_message(qn_cuda_alloc(&memory, &block, 3 << 20, 1, "edges", &error), &error,
                 "may be used (--device-memory)");
  assert_int_equal(qn_cuda_alloc(&memory, &block, UINT64_MAX, 8, "edges", &error), QN_SYSTEM);
  qn_cuda_memory_destroy(&memory);
  assert_int_equal(emulator_live(), 0);
}

/* To the device and back, in sizes below, at and above what goes through staging buffers (of
 * 128 KiB here). */
static enum qn_status round_trip(uint64_t count, struct qn_error *error) {
  struct qn_cuda_memory memory = {0};
  uint32_t *host = NULL, *back = NULL, *device;
  enum qn_status status = qn_alloc(&host, count, sizeof *host, "test data", error);
  if (!status)
    status = qn_alloc_zeroed(&back, count, sizeof *back, "test data", error);
  if (!status)
    status = qn_cuda_memory_create(&memory, 0, 0, error);
  if (status)
    goto cleanup;
  for (uint64_t i = 0; i < count; i++)
    host[i] = (uint32_t)(i * 2654435761u);
  status = qn_cuda_copy_of(&memory, &device, host, count, 3, sizeof *host, "test data", error);
  if (!status)
    status = qn_cuda_download(&memory, back, device, count, sizeof *back, "test data", error);
  if (!status)
    assert_memory_equal(host, back, count * sizeof *host);
cleanup:
  qn_cuda_memory_destroy(&memory);
  qn_free(host);
  qn_free(back);
  return status;
}

TEST(copies_arrive) {
  static const uint64_t counts[] = {0, 1, 1000, 1 << 11, (1 << 11) + 1, 9 << 14};
  for (uint64_t seed = 0; seed < 2; seed++) {
    struct emulator_options options = emulator_defaults();
    options.seed = seed;
    emulator_reset(&options);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
      struct qn_error error;
      assert_int_equal(round_trip(counts[i], &error), QN_OK);
    }
  }
}

TEST(nothing_is_left_behind) {
  const uint64_t count = 5 << 14;
  uint64_t live = qn_memory_live();
  machine(1, EMULATOR_DRIVER_OK, 1 << 30);
  struct qn_error error;
  assert_int_equal(round_trip(count, &error), QN_OK);
  uint64_t calls = emulator_calls();
  assert_true(calls > 15);
  for (uint64_t nth = 1; nth <= calls; nth++) {
    struct emulator_options options = emulator_defaults();
    options.fail_nth = nth;
    emulator_reset(&options);
    enum qn_status status = round_trip(count, &error);
    assert_int_equal(status, QN_DEVICE);
    assert_int_equal(emulator_live(), 0);
    assert_int_equal(qn_memory_live(), live);
  }
}

TEST_MAIN(NULL, NULL)
