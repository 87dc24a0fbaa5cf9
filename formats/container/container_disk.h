/* The bytes of a container, version 1 (specs/container.md). All integers are
 * little-endian; the structs have no padding, so on little-endian hosts they
 * are copied to and from the file whole (never cast from unaligned memory).
 *
 *   0        header (4096)
 *   4096..   sections, each at a multiple of its alignment, in table order
 *   ..       section table (num_sections x 128), at a multiple of 4096
 *   ..end    footer (64), directly after the table
 */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define QN_SIGNATURE "\x89QRN\r\n\x1a\n"
#define QN_VERSION_MAJOR 1
#define QN_HEADER_BYTES 4096
#define QN_MIN_ALIGN_LOG2 12 /* 4 KiB */
#define QN_MAX_ALIGN_LOG2 21 /* 2 MiB */
#define QN_MAX_SECTIONS 4096
#define QN_NUM_PARAMETERS 32
#define QN_SECTION_NAME_BYTES 32
#define QN_CHECKSUM_CHUNK ((uint64_t)1 << 20)

/* The first member of a bundle (specs/bundle.md), by which one is told from a container. */
#define QN_BUNDLE_MANIFEST "manifest.json"

struct qn_disk_header {
  uint8_t signature[8];                   /*   0 QN_SIGNATURE */
  uint16_t version_major;                 /*   8 */
  uint16_t version_minor;                 /*  10 */
  uint32_t header_bytes;                  /*  12 QN_HEADER_BYTES */
  uint64_t compatible_features;           /*  16 */
  uint64_t incompatible_features;         /*  24 */
  uint32_t layout;                        /*  32 enum qn_layout */
  uint32_t weight_type;                   /*  36 enum qn_weight_type */
  uint32_t directedness;                  /*  40 enum qn_directedness */
  uint32_t num_sections;                  /*  44 */
  uint64_t num_vertices;                  /*  48 */
  uint64_t num_edges;                     /*  56 edges stored: an undirected edge counts twice */
  uint64_t file_bytes;                    /*  64 */
  uint64_t table_offset;                  /*  72 */
  uint64_t table_checksum;                /*  80 XXH3-64 of the section table */
  uint64_t num_rows;                      /*  88 of a rectangular container, else zero */
  uint64_t first_row;                     /*  96 the same */
  uint64_t reserved[3];                   /* 104 zero */
  uint64_t parameters[QN_NUM_PARAMETERS]; /* 128 meaning by layout; unused ones zero */
  uint8_t reserved_tail[3704];            /* 384 zero */
  uint64_t checksum;                      /* 4088 XXH3-64 of the 4088 bytes before */
};

struct qn_disk_section {
  uint8_t name[QN_SECTION_NAME_BYTES]; /*  0 ASCII [a-z0-9_], zero-padded, not empty */
  uint32_t element_type;               /* 32 enum qn_element_type */
  uint32_t element_bytes;              /* 36 width of one element */
  uint64_t count;                      /* 40 elements */
  uint64_t offset;                     /* 48 from the start of the file */
  uint64_t stored_bytes;               /* 56 in the file */
  uint64_t logical_bytes;              /* 64 count x element_bytes */
  uint8_t codec;                       /* 72 enum qn_codec */
  uint8_t filter;                      /* 73 enum qn_filter */
  uint8_t align_log2;                  /* 74 12..21 */
  uint8_t flags;                       /* 75 enum qn_section_flags */
  uint32_t reserved0;                  /* 76 zero */
  uint64_t checksum;                   /* 80 of the logical bytes, by chunks */
  uint64_t stored_checksum;            /* 88 of the stored bytes, by chunks; equals checksum
                                             where codec is none */
  uint64_t reserved[4];                /* 96 zero */
};

struct qn_disk_footer {
  uint8_t signature[8];     /*  0 QN_SIGNATURE */
  uint64_t file_bytes;      /*  8 as in the header */
  uint64_t table_checksum;  /* 16 as in the header */
  uint64_t header_checksum; /* 24 as in the header */
  uint64_t reserved[3];     /* 32 zero */
  uint64_t checksum;        /* 56 XXH3-64 of the 56 bytes before */
};

#define QN_CHECK_FIELD(type, field, offset)                                                        \
  static_assert(offsetof(struct type, field) == (offset), #type "." #field)

static_assert(sizeof(struct qn_disk_header) == QN_HEADER_BYTES, "header size");
QN_CHECK_FIELD(qn_disk_header, compatible_features, 16);
QN_CHECK_FIELD(qn_disk_header, layout, 32);
QN_CHECK_FIELD(qn_disk_header, num_sections, 44);
QN_CHECK_FIELD(qn_disk_header, num_vertices, 48);
QN_CHECK_FIELD(qn_disk_header, file_bytes, 64);
QN_CHECK_FIELD(qn_disk_header, table_offset, 72);
QN_CHECK_FIELD(qn_disk_header, table_checksum, 80);
QN_CHECK_FIELD(qn_disk_header, num_rows, 88);
QN_CHECK_FIELD(qn_disk_header, parameters, 128);
QN_CHECK_FIELD(qn_disk_header, checksum, 4088);
static_assert(sizeof(struct qn_disk_section) == 128, "section entry size");
QN_CHECK_FIELD(qn_disk_section, element_type, 32);
QN_CHECK_FIELD(qn_disk_section, count, 40);
QN_CHECK_FIELD(qn_disk_section, offset, 48);
QN_CHECK_FIELD(qn_disk_section, codec, 72);
QN_CHECK_FIELD(qn_disk_section, checksum, 80);
QN_CHECK_FIELD(qn_disk_section, stored_checksum, 88);
static_assert(sizeof(struct qn_disk_footer) == 64, "footer size");
QN_CHECK_FIELD(qn_disk_footer, checksum, 56);
