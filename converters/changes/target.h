/* Where a generation goes: into the folder of a set, or into a new one beside the base. */
#pragma once

#include "formats/set/set.h"

struct qn_change_target {
  struct qn_set *set;      /* that is changed; NULL: the base was not changed before */
  struct qn_set_base base; /* in that case; else that of the set */
  bool in_place;           /* the set's folder gets the generation */
  int lock;                /* -1: none */
  char *folder;            /* the output, without slashes behind it */
  bool replace;
};

/* QN_USAGE if the base is not beside the output, where readers look for it; QN_SYSTEM if another
 * process is changing the set. Owned until close, also after a failure. */
enum qn_status qn_change_target_open(const char *base, const char *output, bool replace,
                                     struct qn_change_target *target, struct qn_error *error);
/* A set stays locked until the output has its name (support/atomic_file.h). */
void qn_change_target_close(struct qn_change_target *target);
