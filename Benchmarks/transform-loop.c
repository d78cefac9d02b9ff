// Reference for the transform workers: a plain loop over libvips that does the work of `w=512`, format JPEG.
// N threads, each decoding the same 12 MP JPEG at shrink 4, resizing to 512 wide, converting an embedded profile to sRGB
// (unless a fourth argument is given), encoding as JPEG quality 80.
//
//   cc -O2 -o transform-loop transform-loop.c $(pkg-config --cflags --libs vips) && ./transform-loop FILE THREADS JOBS [no-profile]
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <vips/vips.h>

static void *source;
static size_t source_length;
static atomic_int left;
static int converts = 1;

static void die(void) {
    fprintf(stderr, "%s\n", vips_error_buffer());
    exit(1);
}

static void job(void) {
    VipsImage *in, *small;
    void *out;
    size_t length;
    if (vips_jpegload_buffer(source, source_length, &in, "shrink", 4, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                             VIPS_FAIL_ON_ERROR, NULL))
        die();
    double horizontal = 512.0 / in->Xsize, vertical = 384.0 / in->Ysize;
    if (vips_resize(in, &small, horizontal, "vscale", vertical, "kernel", VIPS_KERNEL_LANCZOS3, NULL)) die();
    if (converts && vips_image_get_typeof(small, VIPS_META_ICC_NAME)) {
        VipsImage *converted;
        if (vips_icc_transform(small, &converted, "srgb", "embedded", TRUE, "intent", VIPS_INTENT_RELATIVE,
                               "black_point_compensation", TRUE, "depth", 8, NULL))
            die();
        g_object_unref(small);
        small = converted;
    }
    if (vips_jpegsave_buffer(small, &out, &length, "Q", 80, "optimize_coding", TRUE, "subsample_mode",
                             VIPS_FOREIGN_SUBSAMPLE_ON, "strip", TRUE, NULL))
        die();
    g_object_unref(small);
    g_object_unref(in);
    g_free(out);
}

static void *run(void *unused) {
    while (atomic_fetch_sub(&left, 1) > 0) job();
    vips_thread_shutdown();
    return unused;
}

int main(int argc, char **argv) {
    if (argc < 4 || VIPS_INIT(argv[0])) return 1;
    converts = argc == 4;
    vips_cache_set_max(0);
    vips_concurrency_set(1);
    if (!g_file_get_contents(argv[1], (char **)&source, &source_length, NULL)) return 1;
    int threads = atoi(argv[2]), jobs = atoi(argv[3]);
    job();
    atomic_store(&left, jobs);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_t *pool = calloc((size_t)threads, sizeof *pool);
    for (int i = 0; i < threads; i++) pthread_create(&pool[i], NULL, run, NULL);
    for (int i = 0; i < threads; i++) pthread_join(pool[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    printf("%d jobs, %d threads: %.3f s, %.1f jobs/s, %.2f ms CPU per job\n", jobs, threads, seconds, jobs / seconds,
           cpu * 1e3 / (jobs + 1));
    return 0;
}
