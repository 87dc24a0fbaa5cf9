/* CRC-32 as gzip and zip use it (the reversed polynomial 0xEDB88320). */
#pragma once

#include <stdint.h>

/* The checksum of `bytes` bytes that follow those whose checksum is `crc`; 0 if there are none. */
uint32_t qn_crc32(uint32_t crc, const void *data, uint64_t bytes);

/* The checksum of content of checksum `first`, followed by `bytes` bytes of checksum `second`. */
uint32_t qn_crc32_join(uint32_t first, uint32_t second, uint64_t bytes);

/* qn_crc32(0, data, bytes), by all threads. */
uint32_t qn_crc32_parallel(const void *data, uint64_t bytes);
