// Vector instructions without a Swift equivalent. Nothing here accesses memory.
#pragma once

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef int16_t edge_int16x8 __attribute__((ext_vector_type(8)));
typedef int32_t edge_int32x4 __attribute__((ext_vector_type(4)));
typedef float edge_float32x4 __attribute__((ext_vector_type(4)));
typedef uint8_t edge_uint8x8 __attribute__((ext_vector_type(8)));
typedef uint8_t edge_uint8x16 __attribute__((ext_vector_type(16)));

// Multiplies lanes and adds neighbouring products: a[2i] * b[2i] + a[2i + 1] * b[2i + 1] for each i.
static inline edge_int32x4 edge_pairwise_products(edge_int16x8 a, edge_int16x8 b) {
#if defined(__SSE2__)
    return (edge_int32x4)_mm_madd_epi16((__m128i)a, (__m128i)b);
#elif defined(__aarch64__)
    int32x4_t low = vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b));
    int32x4_t high = vmull_high_s16((int16x8_t)a, (int16x8_t)b);
    return (edge_int32x4)vpaddq_s32(low, high);
#else
    edge_int32x4 sums;
    for (int i = 0; i < 4; i++) sums[i] = (int32_t)a[2 * i] * b[2 * i] + (int32_t)a[2 * i + 1] * b[2 * i + 1];
    return sums;
#endif
}

// Widens eight bytes to 16 bits.
static inline edge_int16x8 edge_widened(edge_uint8x8 bytes) { return __builtin_convertvector(bytes, edge_int16x8); }

// The first lanes of both in turn: a[0], b[0], a[1], b[1] and so on to b[3].
static inline edge_int16x8 edge_interleaved_low(edge_int16x8 a, edge_int16x8 b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

// The last lanes of both in turn: a[4], b[4], a[5], b[5] and so on to b[7].
static inline edge_int16x8 edge_interleaved_high(edge_int16x8 a, edge_int16x8 b) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

// What is below 0 becomes 0, and what is above 255 becomes 255.
static inline edge_int16x8 edge_clamped_to_byte(edge_int16x8 values) {
    return __builtin_elementwise_min(__builtin_elementwise_max(values, (edge_int16x8)0), (edge_int16x8)255);
}

// Drops what follows the whole numbers. What is below 0 becomes 0, and what is above the largest becomes that.
static inline edge_int32x4 edge_clamped_whole(edge_float32x4 values, float largest) {
    edge_float32x4 positive = __builtin_elementwise_max(values, (edge_float32x4)0);
    return __builtin_convertvector(__builtin_elementwise_min(positive, (edge_float32x4)largest), edge_int32x4);
}

// Narrows four vectors to bytes: what is below 0 becomes 0, and what is above 255 becomes 255.
static inline edge_uint8x16 edge_saturated_bytes(edge_int32x4 a, edge_int32x4 b, edge_int32x4 c, edge_int32x4 d) {
#if defined(__SSE2__)
    __m128i low = _mm_packs_epi32((__m128i)a, (__m128i)b);
    __m128i high = _mm_packs_epi32((__m128i)c, (__m128i)d);
    return (edge_uint8x16)_mm_packus_epi16(low, high);
#elif defined(__aarch64__)
    int16x8_t low = vcombine_s16(vqmovn_s32((int32x4_t)a), vqmovn_s32((int32x4_t)b));
    int16x8_t high = vcombine_s16(vqmovn_s32((int32x4_t)c), vqmovn_s32((int32x4_t)d));
    return (edge_uint8x16)vcombine_u8(vqmovun_s16(low), vqmovun_s16(high));
#else
    edge_int32x4 all[4] = {a, b, c, d};
    edge_uint8x16 bytes;
    for (int i = 0; i < 16; i++) {
        int32_t value = all[i / 4][i % 4];
        bytes[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
    return bytes;
#endif
}

// Narrows two vectors to 16 bits, saturated.
static inline edge_int16x8 edge_saturated_shorts(edge_int32x4 a, edge_int32x4 b) {
#if defined(__SSE2__)
    return (edge_int16x8)_mm_packs_epi32((__m128i)a, (__m128i)b);
#elif defined(__aarch64__)
    return (edge_int16x8)vcombine_s16(vqmovn_s32((int32x4_t)a), vqmovn_s32((int32x4_t)b));
#else
    edge_int16x8 shorts;
    for (int i = 0; i < 8; i++) {
        int32_t value = i < 4 ? a[i] : b[i - 4];
        shorts[i] = (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
    }
    return shorts;
#endif
}
