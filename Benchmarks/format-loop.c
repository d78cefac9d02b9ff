// Reference for formats.sh: a plain loop over libvips on one thread that prints its CPU time per image.
//
//   format-loop FILE webp JOBS [EFFORT]       a JPEG at shrink 2 → 400 × 300 → WebP quality 79
//   format-loop FILE animation JOBS [EFFORT]  all frames of a GIF → 200 wide, frame by frame → animated WebP quality 79
//   format-loop FILE thumbnail JOBS [EFFORT]  the same by vips_thumbnail, which resizes all frames as one image, so they bleed
//   format-loop FILE draw OUT                 writes a GIF of 24 frames of 480 × 360 that pan over a JPEG
//
//   cc -O2 -o format-loop format-loop.c $(pkg-config --cflags --libs vips)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <vips/vips.h>

static void *source;
static size_t source_length;
static int effort = 4;

static void die(void) {
    fprintf(stderr, "%s\n", vips_error_buffer());
    exit(1);
}

static void save(VipsImage *image) {
    void *out;
    size_t length;
    if (vips_webpsave_buffer(image, &out, &length, "Q", 79, "effort", effort, "strip", TRUE, NULL)) die();
    g_free(out);
    g_object_unref(image);
}

static void still(void) {
    VipsImage *in, *small;
    if (vips_jpegload_buffer(source, source_length, &in, "shrink", 2, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                             VIPS_FAIL_ON_ERROR, NULL))
        die();
    if (vips_resize(in, &small, 400.0 / in->Xsize, "vscale", 300.0 / in->Ysize, "kernel", VIPS_KERNEL_LANCZOS3, NULL)) die();
    g_object_unref(in);
    save(small);
}

static void animation(void) {
    VipsImage *in, *frames[256], *stack;
    if (vips_gifload_buffer(source, source_length, &in, "n", -1, "access", VIPS_ACCESS_SEQUENTIAL, NULL)) die();
    int height = vips_image_get_page_height(in), count = in->Ysize / height;
    int small = (int)(height * 200.0 / in->Xsize + 0.5);
    for (int i = 0; i < count; i++) {
        VipsImage *steps[5];
        if (vips_extract_area(in, &steps[0], 0, i * height, in->Xsize, height, NULL) ||
            vips_premultiply(steps[0], &steps[1], NULL) ||
            vips_resize(steps[1], &steps[2], 200.0 / in->Xsize, "vscale", (double)small / height, NULL) ||
            vips_unpremultiply(steps[2], &steps[3], NULL) || vips_cast(steps[3], &steps[4], VIPS_FORMAT_UCHAR, NULL) ||
            !(frames[i] = vips_image_copy_memory(steps[4])))
            die();
        for (int j = 0; j < 5; j++) g_object_unref(steps[j]);
    }
    if (vips_arrayjoin(frames, &stack, count, "across", 1, NULL)) die();
    vips_image_set_int(stack, VIPS_META_PAGE_HEIGHT, small);
    for (int i = 0; i < count; i++) g_object_unref(frames[i]);
    g_object_unref(in);
    save(stack);
}

static void thumbnail(void) {
    VipsImage *small;
    if (vips_thumbnail_buffer(source, source_length, &small, 200, "option_string", "n=-1", NULL)) die();
    save(small);
}

static void draw(const char *path) {
    VipsImage *in, *memory, *frames[24], *stack;
    if (vips_jpegload_buffer(source, source_length, &in, NULL) || !(memory = vips_image_copy_memory(in))) die();
    for (int i = 0; i < 24; i++)
        if (vips_extract_area(memory, &frames[i], i * 20, i * 10, 480, 360, NULL)) die();
    if (vips_arrayjoin(frames, &stack, 24, "across", 1, NULL)) die();
    if (vips_gifsave(stack, path, "page_height", 360, "effort", 3, NULL)) die();
}

static double cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

int main(int argc, char **argv) {
    if (argc < 4 || VIPS_INIT(argv[0])) return 1;
    vips_cache_set_max(0);
    vips_concurrency_set(1);
    if (!g_file_get_contents(argv[1], (char **)&source, &source_length, NULL)) return 1;
    if (strcmp(argv[2], "draw") == 0) {
        draw(argv[3]);
        return 0;
    }
    void (*job)(void) = strcmp(argv[2], "animation") == 0   ? animation
                        : strcmp(argv[2], "thumbnail") == 0 ? thumbnail
                                                            : still;
    int jobs = atoi(argv[3]);
    if (argc > 4) effort = atoi(argv[4]);
    job();
    double start = cpu();
    for (int i = 0; i < jobs; i++) job();
    printf("%.3f\n", (cpu() - start) / jobs);
    return 0;
}
