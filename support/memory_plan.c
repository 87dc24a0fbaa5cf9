#include "support/memory_plan.h"

#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "support/options.h"
#include "support/output_stream.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/system/control_groups.h"
#include "support/temp_file.h"

/* ---- Command line --------------------------------------------------------- */

enum { KEY_MEMORY = 0x2101, KEY_TMPDIR };

static const struct argp_option argp_options[] = {
    {"memory", KEY_MEMORY, "SIZE", 0,
     "Use at most SIZE of memory besides the mapped output, and temporary files for what does not "
     "fit. The result is the same (default: everything in memory if it fits, else half of the free "
     "memory)",
     80},
    {"tmpdir", KEY_TMPDIR, "DIR", 0,
     "The folder for temporary files, which have no names and vanish with the process (default: "
     "$TMPDIR, or the output's folder)",
     80},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct qn_memory_options *options = state->input;
  struct stat about;
  switch (key) {
  case KEY_MEMORY:
    options->memory = qn_option_size(state, "--memory", argument, 1);
    return 0;
  case KEY_TMPDIR:
    if (stat(argument, &about) != 0 || !S_ISDIR(about.st_mode))
      argp_error(state, "--tmpdir: '%s' is not a folder", argument);
    options->tmpdir = argument;
    return 0;
  case ARGP_KEY_END:
    if (options->memory || options->tmpdir)
      qn_scratch_folder_set(options->tmpdir ? options->tmpdir : qn_default_temp_folder());
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp qn_memory_argp = {.options = argp_options, .parser = parse_option};

/* ---- What there is -------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t less(uint64_t bytes, uint64_t taken) {
  return bytes > taken ? bytes - taken : 0;
}

static uint64_t system_available(void) {
  unsigned long long kibibytes;
  uint64_t available = UINT64_MAX;
  char line[128];
  FILE *file = fopen("/proc/meminfo", "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %llu kB", &kibibytes) == 1)
      available = kibibytes << 10;
  if (file)
    fclose(file);
  const long pages = available == UINT64_MAX ? sysconf(_SC_PHYS_PAGES) : 0;
  return pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : available;
}

/* What files of groups are called. */
struct group_names {
  const char *limit, *used, *cached[2];
};
static const struct group_names version_1 = {"memory.limit_in_bytes",
                                             "memory.usage_in_bytes",
                                             {"total_inactive_file", "total_active_file"}},
                                version_2 = {"memory.max",
                                             "memory.current",
                                             {"inactive_file", "active_file"}};

/* What a group may still take. */
static uint64_t left_by(const struct group_names *names, const char *folder) {
  const uint64_t limit = qn_control_group_number(folder, names->limit, NULL);
  uint64_t used = qn_control_group_number(folder, names->used, NULL);
  if (limit == UINT64_MAX || used == UINT64_MAX)
    return UINT64_MAX;
  for (int i = 0; i < 2; i++) {
    const uint64_t bytes = qn_control_group_number(folder, "memory.stat", names->cached[i]);
    if (bytes != UINT64_MAX)
      used = less(used, bytes);
  }
  return less(limit, used);
}

static uint64_t left_in(const char *folder) {
  const uint64_t left = left_by(&version_2, folder);
  return left == UINT64_MAX ? left_by(&version_1, folder) : left;
}

uint64_t qn_memory_left_in_groups(const char *mounted, const char *own) {
  return qn_control_groups_least(mounted, own, "memory", left_in);
}

/* What the process may still map, if its address space is limited (ulimit -v, Grid Engine's
 * h_vmem). */
static uint64_t left_to_map(void) {
  struct rlimit limit;
  unsigned long long pages = 0;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file && fscanf(file, "%llu", &pages) != 1)
    pages = 0;
  if (file)
    fclose(file);
  return less((uint64_t)limit.rlim_cur, pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

uint64_t qn_memory_available(void) {
  const uint64_t left = qn_memory_left_in_groups(QN_GROUPS_MOUNTED, QN_GROUPS_OWN);
  return smaller(smaller(left, left_to_map()), system_available());
}

/* "." for a file without a folder, "/tmp" for none. */
static const char *folder_of(const char *path, char *folder, size_t size) {
  const char *slash = strrchr(path, '/');
  if (!slash || (size_t)(slash - path) + 2 > size)
    return ".";
  size_t length = slash == path ? 1 : (size_t)(slash - path);
  memcpy(folder, path, length);
  folder[length] = '\0';
  return folder;
}

/* What goes to a pipe is kept until it is whole (qn_scratch_open); NULL: it stays in memory. */
static bool is_kept(const char *output) {
  return !output || qn_is_output_stream(output);
}

static void choose_folder(const struct qn_memory_options *options, const char *output,
                          struct qn_memory_plan *plan) {
  const char *folder = qn_default_temp_folder(), *environment = getenv("TMPDIR");
  if (options->tmpdir)
    plan->folder = options->tmpdir;
  else if (is_kept(output) || (environment && strcmp(folder, environment) == 0))
    plan->folder = folder;
  else
    plan->folder = folder_of(output, plan->folder_memory, sizeof plan->folder_memory);
}

/* Files of such a folder take memory (tmpfs). */
static bool lies_in_memory(const char *folder) {
  struct statfs about;
  return statfs(folder, &about) == 0 && about.f_type == TMPFS_MAGIC;
}

/* ---- Deciding ------------------------------------------------------------- */

static enum qn_status refuse_space(const char *folder, const char *what, uint64_t needed,
                                   uint64_t there, struct qn_error *error) {
  char needed_text[32], free_text[32];
  qn_fail(error, QN_SYSTEM, "%s will take about %s, but only %s are free here%s", what,
          qn_size_text(needed, needed_text, sizeof needed_text),
          qn_size_text(there, free_text, sizeof free_text),
          strcmp(what, "the output") == 0 ? "" : "; --tmpdir chooses another folder");
  return qn_error_in_file(error, folder), QN_SYSTEM;
}

static enum qn_status check_space(struct qn_memory_plan *plan, const char *output,
                                  struct qn_error *error) {
  const struct qn_work_estimate *estimate = &plan->estimate;
  char memory[4096];
  const char *output_folder =
      is_kept(output) ? plan->folder : folder_of(output, memory, sizeof memory);
  struct stat here, there;
  uint64_t output_space;
  enum qn_status status;
  if ((status = qn_free_space(plan->folder, &plan->free_space, error)) ||
      (status = qn_free_space(output_folder, &output_space, error)) || estimate->unknown)
    return status;
  bool together = stat(plan->folder, &here) == 0 && stat(output_folder, &there) == 0 &&
                  here.st_dev == there.st_dev;
  if (together && estimate->temporary + estimate->output > plan->free_space)
    return refuse_space(plan->folder, "temporary files and output",
                        estimate->temporary + estimate->output, plan->free_space, error);
  if (!together && estimate->temporary > plan->free_space)
    return refuse_space(plan->folder, "temporary files", estimate->temporary, plan->free_space,
                        error);
  if (!together && estimate->output > output_space)
    return refuse_space(output_folder, "the output", estimate->output, output_space, error);
  return QN_OK;
}

static enum qn_status check_memory(const struct qn_memory_plan *plan, struct qn_error *error) {
  char memory[32], least[32];
  if (plan->memory >= plan->estimate.least)
    return QN_OK;
  return qn_fail(error, plan->automatic ? QN_SYSTEM : QN_USAGE,
                 "%s of memory are too little: this takes %s at least, --memory %" PRIu64,
                 qn_size_text(plan->memory, memory, sizeof memory),
                 qn_size_text(plan->estimate.least, least, sizeof least), plan->estimate.least);
}

static void tell(const struct qn_memory_plan *plan) {
  const struct qn_work_estimate *estimate = &plan->estimate;
  char memory[32], temporary[32], space[32], output[32];
  qn_size_text(plan->memory, memory, sizeof memory);
  qn_size_text(plan->free_space, space, sizeof space);
  if (estimate->unknown)
    qn_notice("estimate: up to %s of memory; how much disk and time cannot be told before the "
              "input is read (%s are free in %s)",
              memory, space, plan->folder);
  else
    qn_notice("estimate: about %.0f s, up to %s of memory, %s of temporary files in %s (%s are "
              "free), %s of output",
              estimate->seconds < 1 ? 1 : estimate->seconds, memory,
              qn_size_text(estimate->temporary, temporary, sizeof temporary), plan->folder, space,
              qn_size_text(estimate->output, output, sizeof output));
}

enum qn_status qn_memory_plan_make(const struct qn_memory_options *options, const char *output,
                                   const struct qn_work_estimate *estimate,
                                   struct qn_memory_plan *plan, struct qn_error *error) {
  *plan = (struct qn_memory_plan){.memory = options->memory, .estimate = *estimate};
  char folder[4096];
  if (is_kept(output) ? !options->tmpdir : lies_in_memory(folder_of(output, folder, sizeof folder)))
    plan->estimate.usual += estimate->output;
  if (options->memory) {
    plan->on_disk = estimate->unknown || estimate->most > options->memory;
  } else if (!estimate->unknown) {
    uint64_t available =
        smaller(qn_memory_available(), less(left_to_map(), estimate->mapped + estimate->output));
    plan->on_disk = plan->automatic = plan->estimate.usual > available / 10 * 9;
    choose_folder(options, output, plan);
    available = less(available, plan->estimate.usual - estimate->usual);
    if (lies_in_memory(plan->folder))
      available = less(available, estimate->temporary);
    plan->memory = plan->automatic ? available / 2 : 0;
  }
  if (!plan->on_disk)
    return QN_OK;
  char usual[32];
  if (plan->automatic)
    qn_notice("this would take about %s of memory, more than is free: temporary files are needed "
              "(see --memory)",
              qn_size_text(plan->estimate.usual, usual, sizeof usual));
  choose_folder(options, output, plan);
  enum qn_status status = check_memory(plan, error);
  if (!status)
    status = check_space(plan, output, error);
  if (status)
    return status;
  tell(plan);
  qn_memory_limit_set(plan->memory - estimate->kept, plan->folder);
  return QN_OK;
}

void qn_memory_keep_to(const struct qn_memory_options *options) {
  if (options->memory)
    qn_memory_limit_set(options->memory,
                        options->tmpdir ? options->tmpdir : qn_default_temp_folder());
}

json_t *qn_memory_plan_json(const struct qn_memory_plan *plan) {
  const struct qn_work_estimate *estimate = &plan->estimate;
  json_t *json = json_pack("{s:b}", "temporary_files", plan->on_disk);
  if (json && plan->on_disk)
    json_object_set_new(json, "memory", json_integer((json_int_t)plan->memory));
  if (!json || estimate->unknown)
    return json;
  json_object_set_new(json, "seconds_on_disk", json_real(estimate->seconds));
  json_object_set_new(json, "memory_without_limit", json_integer((json_int_t)estimate->usual));
  json_object_set_new(json, "temporary_bytes",
                      json_integer((json_int_t)(plan->on_disk ? estimate->temporary : 0)));
  json_object_set_new(json, "output_bytes", json_integer((json_int_t)estimate->output));
  return json;
}
