#pragma once
// libjxl: its decoder, and its encoder, which codes JPEG files again and, for tests, makes animations. Swift imports the headers
// unchanged, except for calls that lost a parameter without a use in libjxl 0.9; these functions have the newer form.
#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>

#if JPEGXL_MAJOR_VERSION > 0 || JPEGXL_MINOR_VERSION >= 9
#define EDGE_JXL_UNUSED
#else
#define EDGE_JXL_UNUSED NULL,
#endif

static inline JxlDecoderStatus edge_jxl_profile_size(const JxlDecoder *decoder, JxlColorProfileTarget target, size_t *size) {
    return JxlDecoderGetICCProfileSize(decoder, EDGE_JXL_UNUSED target, size);
}
static inline JxlDecoderStatus edge_jxl_profile(const JxlDecoder *decoder, JxlColorProfileTarget target, uint8_t *profile,
                                                size_t size) {
    return JxlDecoderGetColorAsICCProfile(decoder, EDGE_JXL_UNUSED target, profile, size);
}
static inline JxlDecoderStatus edge_jxl_encoding(const JxlDecoder *decoder, JxlColorProfileTarget target,
                                                 JxlColorEncoding *encoding) {
    return JxlDecoderGetColorAsEncodedProfile(decoder, EDGE_JXL_UNUSED target, encoding);
}

#undef EDGE_JXL_UNUSED
