/* A container that is truncated while it is mapped: every way of reading it ends with a message and
 * exit code 5, engines of the CPU, uploads, and the readers of streamed runs. Each runs in a
 * process of its own, as a tool does. */
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/emulated_test.h"
#include "partitioner/edge_partitions.h"
#include "partitioner/slotted_pages.h"
#include "support/tool.h"

/* What a process is to do. */
struct way {
  enum qn_layout layout;
  enum qn_processor processor;
  uint64_t device_memory; /* 0: the topology is resident */
};

static void begin_tool(void) {
  static char name[] = "reader";
  static char *arguments[] = {name, NULL};
  static const struct argp_option none[] = {{0}};
  static const struct argp argp = {.options = none};
  static const struct qn_tool_options options = {.threads = 1};
  qn_tool_parse("reader", &argp, 1, arguments, NULL, &options);
}

static const char *build(const struct qn_graph *graph, enum qn_layout layout) {
  struct qn_page_options pages = {.page_bytes = 4096};
  struct qn_edge_partitions_options partitions = {.partition_bytes = 20000};
  const bool paged = layout == QN_LAYOUT_SLOTTED_PAGES;
  struct qn_error error;
  const char *path = scratch_path(paged ? "p.qrn" : "e.qrn");
  assert_int_equal(
      build_layout(layout, paged ? (void *)&pages : (void *)&partitions, graph, path, &error),
      QN_OK);
  return path;
}

/* The exit code of a process that maps a container, sees it truncated, and runs PageRank on it. */
static int run_on_truncated(const struct way *way) {
  struct qn_graph graph = random_undirected(3000, 30000, QN_WEIGHT_NONE, 5);
  struct qn_slotted_pages pages;
  struct qn_edge_partitions partitions;
  struct qn_run_result result;
  struct qn_error error;
  const uint32_t source = 0;
  const bool paged = way->layout == QN_LAYOUT_SLOTTED_PAGES;
  const void *view = paged ? (const void *)&pages : (const void *)&partitions;
  begin_tool();
  const char *path = build(&graph, way->layout);
  enum qn_status status = paged ? qn_slotted_pages_map(path, &pages, &error)
                                : qn_edge_partitions_map(path, &partitions, &error);
  const struct qn_kernel *kernel =
      qn_kernel_find("pagerank", way->layout, way->processor, QN_WEIGHT_NONE);
  if (status || !kernel || truncate(path, 65536) != 0)
    return 99;
  struct qn_run_request request = request_for_test(kernel, view, &source, NULL);
  struct qn_device_run device = {.memory = way->device_memory};
  request.device = &device;
  return (int)kernel->run(&request, &result, &error);
}

static void ends_with_a_message(const struct way *way) {
  char text[200] = "";
  int pipes[2], ended;
  assert_int_equal(pipe(pipes), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipes[1], STDERR_FILENO);
    _exit(run_on_truncated(way));
  }
  close(pipes[1]);
  assert_true(read(pipes[0], text, sizeof text - 1) >= 0);
  close(pipes[0]);
  assert_int_equal(waitpid(child, &ended, 0), child);
  assert_true(WIFEXITED(ended));
  if (WEXITSTATUS(ended) != QN_SYSTEM)
    print_message("%s\n", text);
  assert_int_equal(WEXITSTATUS(ended), QN_SYSTEM);
  assert_non_null(strstr(text, "was truncated or became unreadable while it was in use"));
}

TEST(truncated) {
  static const enum qn_layout layouts[] = {QN_LAYOUT_SLOTTED_PAGES, QN_LAYOUT_EDGE_PARTITIONS};
  for (unsigned i = 0; i < 2; i++) {
    ends_with_a_message(&(struct way){layouts[i], QN_CPU, 0});
    ends_with_a_message(&(struct way){layouts[i], QN_CUDA, 0});
    ends_with_a_message(&(struct way){layouts[i], QN_CUDA, 250000});
  }
}

TEST_MAIN(scratch_create, scratch_remove)
