/* --record: what an edge is in headerless binary files. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/error.h>

enum qn_record_ids {
  QN_RECORD_UNKNOWN = 0, /* none was named */
  QN_RECORD_U32,         /* u32 source, u32 destination */
  QN_RECORD_U64,         /* u64 source, u64 destination */
  QN_RECORD_PACKED,      /* 48-bit ids as Graph500 packs them: u32 low half of the source, u32 low
                            half of the destination, u16 high part of the source, u16 of the
                            destination */
};

/* Source and destination, then perhaps a weight of 4 or 8 bytes, without padding. */
struct qn_record {
  enum qn_record_ids ids;
  enum qn_weight_type weight;
  bool big_endian;
};

#define QN_RECORD_MAX_BYTES 24
#define QN_RECORD_PACKED_MAX (((uint64_t)1 << 47) - 1) /* the top bit is a sign */

/* Parse "IDS[,WEIGHT][,big]": u32, u64 or packed; u32, f32, i64, f64 or none. QN_USAGE if it is not
 * that. */
enum qn_status qn_record_parse(const char *text, struct qn_record *record, struct qn_error *error);

/* The text that gives `record` when parsed, into `text`. Returns `text`. */
#define QN_RECORD_TEXT 24
const char *qn_record_text(const struct qn_record *record, char text[QN_RECORD_TEXT]);

/* Bytes of a record; 0 if it is unknown. */
static inline unsigned qn_record_bytes(const struct qn_record *record) {
  unsigned ids = record->ids == QN_RECORD_UNKNOWN  ? 0
                 : record->ids == QN_RECORD_U32    ? 8
                 : record->ids == QN_RECORD_PACKED ? 12
                                                   : 16;
  return ids ? ids + qn_weight_bytes(record->weight) : 0;
}
