/* bytes: numbers as git's files write them, most significant byte first. The caller has checked the room. */
#ifndef GIT_INDEX_BYTES_H
#define GIT_INDEX_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint16_t bytes_u16(const uint8_t *at) { return (uint16_t)(at[0] << 8 | at[1]); }

static inline uint32_t bytes_u32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline uint64_t bytes_u64(const uint8_t *at) {
    return (uint64_t)bytes_u32(at) << 32 | bytes_u32(at + 4);
}

/* Seven bits a byte, most significant first, one added for each byte that follows (git's offset encoding):
 * the number at *at, which moves behind it; false when it is cut at `end` or does not fit. */
static inline bool bytes_offset_varint(size_t *out, const uint8_t *bytes, size_t end, size_t *at) {
    if (*at >= end) return false;
    uint8_t c = bytes[(*at)++];
    size_t value = c & 127;
    while (c & 128) {
        if (*at >= end || value >= SIZE_MAX >> 8) return false;
        c = bytes[(*at)++];
        value = ((value + 1) << 7) + (c & 127);
    }
    *out = value;
    return true;
}

/* Seven bits a byte, least significant first (git's delta headers). */
static inline bool bytes_size_varint(size_t *out, const uint8_t *bytes, size_t end, size_t *at) {
    size_t value = 0;
    for (unsigned shift = 0; shift < 57; shift += 7) {
        if (*at >= end) return false;
        uint8_t c = bytes[(*at)++];
        value |= (size_t)(c & 127) << shift;
        if (!(c & 128)) {
            *out = value;
            return true;
        }
    }
    return false;
}

#endif
