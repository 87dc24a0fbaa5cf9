/* A run: from what a user asks for to a result. Its steps do not know each other's insides:
 *
 *   choose     which kernel does it, on which processor, on how many devices (choose.h)
 *   prepare    the arguments and inputs that it is told, the rows that it walks (prepare.h)
 *   execute    the kernel, with checkpoints around it, source by source where there are several,
 *              and what follows it (execute.h)
 *   deliver    the result as users want it, by its shape (results/, runtime/deliver/), which is
 *              for whoever started the run */
#pragma once

#include "kernels/device_run.h"
#include "kernels/jit/user_program.h"
#include "kernels/sample.h"
#include "runtime/arguments.h"
#include "runtime/choice/devices.h"
#include "runtime/choice/processor.h"
#include "runtime/inputs.h"

/* A run that has happened. */
struct qn_run {
  const struct qn_algorithm *algorithm;
  struct qn_arguments arguments;
  const struct qn_kernel *kernel;
  struct qn_choice choice;   /* of the processor, if nobody has said which */
  struct qn_sharing sharing; /* of `num_devices` that are asked for */
  unsigned num_devices;
  struct qn_user_program program; /* that the kernel lies in, if it is a user's */
  struct qn_run_inputs inputs;
  bool has_rows;
  struct qn_graph rows;  /* that the kernel walks, if it has not the input's layout; borrows ids */
  double find_seconds;   /* to find the inputs */
  double device_seconds; /* until a device was there that is started ahead, or the driver */
  double restore_seconds;
  double processor_seconds; /* of this process, in kernels and what they prepare */
  struct qn_run_request request;
  struct qn_device_run device; /* the request's */
  struct qn_run_result result;
  const struct qn_kernel
      *parents_kernel; /* that found the parents, if they were wanted, else NULL */
  struct qn_device_run parents_device;
  struct qn_run_result parents; /* positions in original order, UINT32_MAX: none */
  struct qn_keeper *keeper;     /* of checkpoints, or NULL */
  struct qn_update *update;     /* of an earlier result, or NULL */
};

/* Choose the kernel for the input's layout and weights, or else for plain CSR, which is then put
 * together; check that the options and the graph suit it, and run it. QN_USAGE for an unknown
 * algorithm or senseless options, QN_UNSUPPORTED for a combination that this build has no kernel
 * for or a graph that the kernel refuses, QN_DEVICE if the device asked for is missing,
 * QN_INTERRUPTED after a signal if there are checkpoints. Owned until qn_run_destroy. */
enum qn_status qn_run_start(const struct qn_run_input *input, const struct qn_run_options *options,
                            struct qn_run *run, struct qn_error *error);
/* Bring values to the host that were left on a device. */
enum qn_status qn_run_fetch(struct qn_run *run, struct qn_error *error);
/* A zeroed run is allowed. */
void qn_run_destroy(struct qn_run *run);
