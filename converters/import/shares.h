/* What each of several ranks reads of the inputs of an import: of all their bytes, one input behind
 * the other, as much as the others. An input that cannot be divided is the rank's in whose share it
 * begins. So what ranks read is in the order of the ranks. */
#pragma once

#include "converters/import/state.h"
#include "support/input/block_hash.h"

/* Of one input. */
struct qn_input_share {
  bool reads;   /* this rank does */
  bool first;   /* it has the begin */
  bool is_part; /* of the bytes [begin, end) */
  uint64_t begin, end;
  uint64_t found;          /* edges */
  bool is_symmetric;       /* they are said to be undirected */
  struct qn_claims claims; /* of a part */
  struct qn_hash_part hash;
  uint64_t listed; /* its place in the provenance, by who has the begin */
};

/* Look at the inputs, and share them out. QN_UNSUPPORTED for what cannot be shared. Owned by
 * `import` until qn_import_shares_free. */
enum qn_status qn_import_shares_make(struct qn_import *import, struct qn_error *error);
void qn_import_shares_free(struct qn_import *import);

/* After reading: what all ranks have read. `import->result` becomes that of all, but for its
 * ledger, names and extra ids; what the begins of inputs say of all of them is checked; and the
 * provenance lists all inputs at the first rank, with their hashes. */
enum qn_status qn_import_shares_join(struct qn_import *import, struct qn_error *error);
