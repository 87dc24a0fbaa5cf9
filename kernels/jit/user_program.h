/* A user's own program: one header that keeps the contract of kernels/programs/program.h, compiled
 * when it is run, with the engine of the container's layout for a CPU or a CUDA device.
 *
 * The C compiler (`cc`, or what QUERN_CC names), for a device nvcc (in PATH, in /usr/local/cuda, or
 * what QUERN_NVCC names), makes a shared object of it, with the engines' headers
 * (kernels/jit/engine_headers.h). It is kept in the user's cache, XDG_CACHE_HOME/quern or
 * ~/.cache/quern, a folder that must be the user's own and nobody else's to write, by the hash of
 * the program, the headers, the compiler and its options: the next run of the same program compiles
 * nothing. Threads and processes that compile the same at once do so each for itself.
 *
 * The object uses functions of Quern: of libquern.so.0 or its module for CUDA, with which it is
 * linked then, and which have them as QUERN_PRIVATE; or of a program that has libquern.a in it and
 * exports them (-rdynamic).
 *
 * nvcc, and not NVRTC: an engine's host code is made for the program as its kernels are, by the
 * traits that the program defines, so both are compiled, and NVRTC compiles kernels alone. The
 * object has a CUDA runtime of its own, which shares the device's context with the tool's. */
#pragma once

#include <stdbool.h>

#include "kernels/cuda/device/device.h"
#include "kernels/registry.h"

struct qn_user_program {
  const struct qn_kernel *kernel;
  void *object;           /* the shared object that the kernel lies in */
  bool stays;             /* loaded: CUDA knows of its kernels */
  double compile_seconds; /* 0 if it was in the cache */
};

/* Compile the program in the file `path`, unless that has been done, and load it: for `device`, or
 * the CPU where that is NULL. QN_INVALID where
 * it does not compile, with the compiler's first message and the place of it; QN_SYSTEM without a
 * compiler, headers or a cache. Owned until qn_user_program_unload. */
enum qn_status qn_user_program_load(const char *path, enum qn_layout layout,
                                    enum qn_weight_type weight_type,
                                    const struct qn_cuda_device *device,
                                    struct qn_user_program *program, struct qn_error *error);

/* Its kernel must not be used any more. A zeroed program is allowed. */
void qn_user_program_unload(struct qn_user_program *program);
