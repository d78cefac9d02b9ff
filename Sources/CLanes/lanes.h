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
