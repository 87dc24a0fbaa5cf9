#include "runtime/choice/processor.h"

#include "kernels/rates.h"
#include "support/threads.h"

/* What converges is expected to do so by then, unless a user says how many iterations. */
enum { USUAL_ITERATIONS = 30 };

double qn_workload_walks(const struct qn_workload *workload, const struct qn_kernel *kernel) {
  const double sources = workload->num_sources ? workload->num_sources : 1;
  if (!(kernel->traits & QN_KERNEL_ALL_ACTIVE))
    return sources;
  if (workload->iterations >= 0)
    return sources * (double)workload->iterations;
  return sources * (kernel->algorithm->iterations < USUAL_ITERATIONS ? kernel->algorithm->iterations
                                                                     : USUAL_ITERATIONS);
}

double qn_workload_bytes(const struct qn_workload *workload, const struct qn_kernel *kernel) {
  const struct qn_container_info *info = workload->info;
  return qn_device_edge_bytes(kernel, info->weight_type) * (double)info->num_edges +
         8.0 * (double)info->num_vertices;
}

struct qn_choice qn_choice_weigh(const struct qn_workload *workload, const struct qn_kernel *cpu,
                                 const struct qn_kernel *device) {
  const struct qn_device_rates *rates = &qn_device_rates;
  const double edges = (double)workload->info->num_edges;
  const double bytes = qn_workload_bytes(workload, device);
  const double walks = qn_workload_walks(workload, device);
  const double vertices = QN_LEAST_VERTEX_BYTES * (double)workload->info->num_vertices;
  struct qn_choice choice = {.weighed = true};
  choice.streams = workload->room > 0 && bytes + vertices > (double)workload->room;
  choice.cpu = walks * edges * qn_cpu_edge_seconds(cpu) / workload->num_threads;
  choice.start = workload->started ? 0 : rates->start;
  choice.copies = workload->placed && !choice.streams ? 0 : bytes / rates->copies;
  choice.kernels = walks * (edges * qn_device_edge_seconds(device) + rates->iteration);
  if (choice.streams)
    choice.kernels += walks * bytes / rates->transfers;
  return choice;
}

json_t *qn_choice_json(const struct qn_choice *choice) {
  if (!choice->weighed)
    return NULL;
  return json_pack("{s:s, s:b, s:f, s:f, s:f, s:f, s:f}", "taken",
                   qn_choice_is_device(choice) ? "cuda" : "cpu", "streams", choice->streams,
                   "cpu_seconds", choice->cpu, "device_seconds",
                   choice->start + choice->copies + choice->kernels, "start_seconds", choice->start,
                   "copy_seconds", choice->copies, "kernel_seconds", choice->kernels);
}
