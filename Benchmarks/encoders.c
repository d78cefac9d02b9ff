// Encoder effort: CPU milliseconds and bytes of one encode at the quality where every effort reaches the same structural
// similarity (luma, blocks of 8 × 8), which is that of the format's default effort at its default quality.
//
//   cc -O2 -o encoders encoders.c $(pkg-config --cflags --libs vips libavif libwebp) -lm && ./encoders WIDTH FILE…
#include <avif/avif.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vips/vips.h>
#include <webp/encode.h>

typedef int (*Save)(VipsImage *in, void **bytes, size_t *count, int quality, int effort);

typedef struct {
    const char *name;
    Save save;
    int quality, reference, efforts[8], count, lossless;
} Encoder;

static int save_jpeg(VipsImage *in, void **bytes, size_t *count, int quality, int effort) {
    return vips_jpegsave_buffer(in, bytes, count, "Q", quality, "optimize_coding", effort > 0, "interlace", effort > 1,
                                "subsample_mode", VIPS_FOREIGN_SUBSAMPLE_ON, "strip", TRUE, NULL);
}
// As the worker's WebPConfiguration: without deblocking across sharp steps from effort 10 on, and with sharp_yuv from 20 on.
static int save_webp(VipsImage *in, void **bytes, size_t *count, int quality, int effort) {
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) return -1;
    config.quality = quality;
    config.method = effort % 10;
    config.filter_sharpness = effort >= 10 ? 7 : 0;
    config.use_sharp_yuv = picture.use_argb = effort >= 20;
    picture.width = in->Xsize;
    picture.height = in->Ysize;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    int failed = !WebPPictureImportRGB(&picture, vips_image_get_data(in), in->Xsize * 3) || !WebPEncode(&config, &picture);
    WebPPictureFree(&picture);
    *bytes = g_memdup2(writer.mem, writer.size);
    *count = writer.size;
    WebPMemoryWriterClear(&writer);
    return failed;
}
// As the worker encoded AVIF before, with aom's defaults.
static int save_avif_vips(VipsImage *in, void **bytes, size_t *count, int quality, int effort) {
    return vips_heifsave_buffer(in, bytes, count, "Q", quality, "effort", effort, "bitdepth", 8, "compression",
                                VIPS_FOREIGN_HEIF_COMPRESSION_AV1, "subsample_mode", VIPS_FOREIGN_SUBSAMPLE_ON, "strip",
                                TRUE, NULL);
}
// As the worker's AVIFTuning for photographs, but with one scale of levels; by libvips from effort 10 on.
static int save_avif(VipsImage *in, void **bytes, size_t *count, int quality, int effort) {
    if (effort >= 10) return save_avif_vips(in, bytes, count, quality, effort - 10);
    avifImage *image = avifImageCreate(in->Xsize, in->Ysize, effort > 0 ? 10 : 8, AVIF_PIXEL_FORMAT_YUV420);
    image->colorPrimaries = 1;
    image->transferCharacteristics = 13;
    image->matrixCoefficients = 6;
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.depth = 8;
    rgb.format = AVIF_RGB_FORMAT_RGB;
    rgb.avoidLibYUV = AVIF_TRUE;
    rgb.pixels = (uint8_t *)vips_image_get_data(in);
    rgb.rowBytes = in->Xsize * 3;
    int failed = avifImageRGBToYUV(image, &rgb);
    avifEncoder *encoder = avifEncoderCreate();
    encoder->maxThreads = 1;
    encoder->speed = 9 - effort;
    encoder->maxQuantizer = 63;
    char level[12];
    snprintf(level, sizeof level, "%d", ((100 - quality) * 63 + 50) / 100);
    avifEncoderSetCodecSpecificOption(encoder, "end-usage", "q");
    avifEncoderSetCodecSpecificOption(encoder, "cq-level", level);
    if (effort == 0) {
        avifEncoderSetCodecSpecificOption(encoder, "enable-qm", "1");
        avifEncoderSetCodecSpecificOption(encoder, "qm-min", "5");
        avifEncoderSetCodecSpecificOption(encoder, "qm-max", "5");
    } else {
        avifEncoderSetCodecSpecificOption(encoder, "enable-palette", "0");
    }
    avifRWData file = AVIF_DATA_EMPTY;
    failed = failed || avifEncoderWrite(encoder, image, &file);
    *bytes = g_memdup2(file.data, file.size);
    *count = file.size;
    avifRWDataFree(&file);
    avifEncoderDestroy(encoder);
    avifImageDestroy(image);
    return failed;
}
static int save_jxl(VipsImage *in, void **bytes, size_t *count, int quality, int effort) {
    return vips_jxlsave_buffer(in, bytes, count, "Q", quality, "effort", effort, "strip", TRUE, NULL);
}
static int save_png(VipsImage *in, void **bytes, size_t *count, int quality, int effort) {
    return vips_pngsave_buffer(in, bytes, count, "compression", effort % 10, "filter",
                               effort >= 10 ? VIPS_FOREIGN_PNG_FILTER_ALL : VIPS_FOREIGN_PNG_FILTER_NONE, "strip", TRUE,
                               NULL);
}

static const Encoder encoders[] = {
    {"JPEG (0 plain, 1 optimised, 2 progressive)", save_jpeg, 80, 1, {0, 1, 2}, 3, 0},
    {"WebP (1x: filter-sharpness 7; 2x: sharp_yuv, too)", save_webp, 79, 2, {0, 2, 4, 12, 14, 15, 16, 24}, 8, 0},
    {"AVIF (1x: by libvips)", save_avif, 60, 10, {10, 11, 0, 1, 2, 3, 4}, 7, 0},
    {"JPEG XL", save_jxl, 75, 3, {3, 5, 7}, 3, 0},
    {"PNG (zlib level; 1x: all filters)", save_png, 0, 6, {1, 6, 11, 13, 16, 19}, 6, 1},
};

static void die(void) {
    fprintf(stderr, "%s\n", vips_error_buffer());
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static double luma(const VipsPel *pixel) { return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]; }

static double similarity(VipsImage *left, VipsImage *right) {
    const VipsPel *a = vips_image_get_data(left), *b = vips_image_get_data(right);
    int width = left->Xsize, height = left->Ysize, blocks = 0;
    double sum = 0;
    for (int top = 0; top + 8 <= height; top += 8)
        for (int start = 0; start + 8 <= width; start += 8, blocks++) {
            double sa = 0, sb = 0, qa = 0, qb = 0, p = 0;
            for (int y = top; y < top + 8; y++)
                for (int x = start; x < start + 8; x++) {
                    size_t place = (size_t)y * width + x;
                    double one = luma(a + place * left->Bands), two = luma(b + place * right->Bands);
                    sa += one, sb += two, qa += one * one, qb += two * two, p += one * two;
                }
            double ma = sa / 64, mb = sb / 64, va = qa / 64 - ma * ma, vb = qb / 64 - mb * mb, c = p / 64 - ma * mb;
            sum += (2 * ma * mb + 6.5025) * (2 * c + 58.5225) / ((ma * ma + mb * mb + 6.5025) * (va + vb + 58.5225));
        }
    return sum / blocks;
}

typedef struct {
    double time, bytes, similarity;
} Result;

static Result encode(const Encoder *encoder, VipsImage *in, int quality, int effort, int rounds) {
    Result result = {1e9, 0, 1};
    for (int round = 0; round < rounds; round++) {
        void *bytes;
        size_t count;
        double start = now();
        if (encoder->save(in, &bytes, &count, quality, effort)) die();
        result.time = fmin(result.time, now() - start);
        result.bytes = count;
        if (round == 0 && !encoder->lossless) {
            VipsImage *decoded = vips_image_new_from_buffer(bytes, count, "", NULL), *eight, *memory;
            if (!decoded || vips_colourspace(decoded, &eight, VIPS_INTERPRETATION_sRGB, NULL)) die();
            if (!(memory = vips_image_copy_memory(eight))) die();
            result.similarity = similarity(in, memory);
            g_object_unref(memory);
            g_object_unref(eight);
            g_object_unref(decoded);
        }
        g_free(bytes);
    }
    return result;
}

// Interpolates the result at a similarity between the two nearest qualities.
static Result encode_at(const Encoder *encoder, VipsImage *in, double goal, int effort) {
    int low = 1, high = 100;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (encode(encoder, in, middle, effort, 1).similarity < goal) low = middle;
        else high = middle;
    }
    Result below = encode(encoder, in, low, effort, 1), above = encode(encoder, in, high, effort, 3);
    double share = above.similarity > below.similarity ? (goal - below.similarity) / (above.similarity - below.similarity) : 1;
    above.bytes = below.bytes + fmin(fmax(share, 0), 1) * (above.bytes - below.bytes);
    return above;
}

int main(int argc, char **argv) {
    if (argc < 3 || VIPS_INIT(argv[0])) return 1;
    vips_cache_set_max(0);
    vips_concurrency_set(1);
    int width = atoi(argv[1]);
    for (size_t e = 0; e < sizeof encoders / sizeof *encoders; e++) {
        const Encoder *encoder = &encoders[e];
        double time[8] = {0}, bytes[8] = {0};
        for (int file = 2; file < argc; file++) {
            VipsImage *small, *flat, *in;
            if (vips_thumbnail(argv[file], &small, width, "height", 100000, "size", VIPS_SIZE_DOWN, NULL)) die();
            if (small->Bands > 3) {
                if (vips_flatten(small, &flat, NULL)) die();
            } else {
                flat = small;
            }
            if (!(in = vips_image_copy_memory(flat))) die();
            double goal = encoder->lossless ? 0 : encode(encoder, in, encoder->quality, encoder->reference, 1).similarity;
            for (int i = 0; i < encoder->count; i++) {
                Result result = encoder->lossless ? encode(encoder, in, 0, encoder->efforts[i], 3)
                                                  : encode_at(encoder, in, goal, encoder->efforts[i]);
                time[i] += result.time;
                bytes[i] += result.bytes;
            }
            g_object_unref(in);
        }
        printf("%s\n", encoder->name);
        for (int i = 0; i < encoder->count; i++)
            printf("  effort %2d  %8.1f ms  %8.0f bytes\n", encoder->efforts[i], time[i] / (argc - 2), bytes[i] / (argc - 2));
        fflush(stdout);
    }
    return 0;
}
