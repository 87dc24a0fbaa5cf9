/* This build, on this machine: there is a CUDA device, or a reason why not. */
#include <string.h>

#include "helpers/test.h"
#include "kernels/cuda/device/device.h"

TEST(says_what_is_missing) {
  int count = -1;
  struct qn_error error;
  qn_error_clear(&error);
  enum qn_status status = qn_cuda_count(&count, &error);
  if (!status) {
    struct qn_cuda_device device;
    assert_true(count > 0);
    assert_int_equal(qn_cuda_open(count, &device, &error), QN_DEVICE);
    assert_non_null(strstr(error.message, "there is no CUDA device"));
    return;
  }
  assert_int_equal(status, QN_DEVICE);
  assert_int_equal(error.status, QN_DEVICE);
  assert_non_null(strstr(error.message, "--device cpu"));
  assert_true(strstr(error.message, "no CUDA driver is installed") ||
              strstr(error.message, "driver is too old") ||
              strstr(error.message, "finds no device") ||
              strstr(error.message, "a CUDA device needs libquern-cuda.so.0") ||
              strstr(error.message, "this build has no CUDA kernels"));
}

TEST_MAIN(NULL, NULL)
