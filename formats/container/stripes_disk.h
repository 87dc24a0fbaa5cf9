/* The bytes of a striped container's files, version 1 (specs/stripes.md). All integers are
 * little-endian; the structs have no padding.
 *
 *   main file: header (64), an entry (264) for each stripe, XXH3-64 of all that (8)
 *   stripe:    header (64), zeros up to 65536, every N-th unit of the container
 */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define QN_STRIPES_SIGNATURE "\x89QRS\r\n\x1a\n"
#define QN_STRIPE_SIGNATURE "\x89QRT\r\n\x1a\n"
#define QN_STRIPES_VERSION 1
#define QN_STRIPE_NAME_BYTES 256
#define QN_STRIPE_DATA 65536 /* where units begin: a multiple of every host's page */
#define QN_MIN_STRIPE_UNIT_LOG2 16
#define QN_MAX_STRIPE_UNIT_LOG2 40
#define QN_MAX_STRIPE_UNITS 16384 /* a mapping each, of which a process may have 65,530 */

struct qn_disk_stripes {
  uint8_t signature[8];           /*  0 QN_STRIPES_SIGNATURE */
  uint16_t version_major;         /*  8 */
  uint16_t version_minor;         /* 10 */
  uint32_t num_stripes;           /* 12 N */
  uint64_t incompatible_features; /* 16 */
  uint64_t content_bytes;         /* 24 of the container */
  uint64_t unit_bytes;            /* 32 */
  uint64_t identity;              /* 40 the container's header checksum */
  uint64_t reserved[2];           /* 48 zero */
};

struct qn_disk_stripe_entry {
  uint8_t name[QN_STRIPE_NAME_BYTES]; /*   0 UTF-8 without a slash, zero-padded */
  uint64_t file_bytes;                /* 256 */
};

struct qn_disk_stripe {
  uint8_t signature[8];   /*  0 QN_STRIPE_SIGNATURE */
  uint16_t version_major; /*  8 */
  uint16_t version_minor; /* 10 */
  uint32_t index;         /* 12 which one it is, from 0 */
  uint64_t main_checksum; /* 16 the main file's last 8 bytes */
  uint64_t file_bytes;    /* 24 */
  uint64_t reserved[3];   /* 32 zero */
  uint64_t checksum;      /* 56 XXH3-64 of the 56 bytes before */
};

static_assert(sizeof(struct qn_disk_stripes) == 64, "main header size");
static_assert(sizeof(struct qn_disk_stripe_entry) == 264, "stripe entry size");
static_assert(sizeof(struct qn_disk_stripe) == 64, "stripe header size");
static_assert(offsetof(struct qn_disk_stripes, identity) == 40, "identity");
static_assert(offsetof(struct qn_disk_stripe, main_checksum) == 16, "main_checksum");

/* What a stripe's file has, of a container of `content` bytes in units of `unit` bytes. */
static inline uint64_t qn_stripe_file_bytes(uint64_t content, uint64_t unit, uint32_t num_stripes,
                                            uint32_t index) {
  uint64_t whole = content / unit; /* units, and then what is left */
  uint64_t bytes = QN_STRIPE_DATA + (whole / num_stripes + (index < whole % num_stripes)) * unit;
  return index == whole % num_stripes ? bytes + content % unit : bytes;
}
