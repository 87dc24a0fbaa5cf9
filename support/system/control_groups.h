/* The control groups that this process lies in. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where groups are, and what tells this process's. */
#define QN_GROUPS_MOUNTED "/sys/fs/cgroup"
#define QN_GROUPS_OWN "/proc/self/cgroup"

/* The least of what `limit` says of the folders of the group that `own` names and of those that it
 * lies in: of version 2, and of version 1 where one has `controller` ("memory"). Without a
 * namespace of its own, as under a scheduler, a job's group is below `mounted`; in a container that
 * says so and has nothing there its limits are at `mounted`. UINT64_MAX: none is limited. */
uint64_t qn_control_groups_least(const char *mounted, const char *own, const char *controller,
                                 uint64_t (*limit)(const char *folder));

/* The number in `folder`/`name`, behind `key` if that is not NULL; UINT64_MAX if there is none, as
 * where a file says "max", or -1. */
uint64_t qn_control_group_number(const char *folder, const char *name, const char *key);

#ifdef __cplusplus
}
#endif
