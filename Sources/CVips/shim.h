#pragma once
// What Swift cannot import from libvips: its operations are variadic, and VIPS_INIT and g_signal_connect are macros. Each
// function takes only the arguments the worker needs. 0 is success, as in libvips.
#include <gmodule.h>
#include <vips/vips.h>
#include <vips/vector.h>

// VIPS_INIT is a macro.
static inline int edge_vips_init(const char *name) { return VIPS_INIT(name); }

// Loads a libvips module, whose types register themselves; it stays loaded until the process ends.
static inline int edge_vips_open_module(const char *path) { return g_module_open(path, G_MODULE_BIND_LAZY) ? 0 : -1; }

// g_signal_connect is a macro. "eval" is emitted while pixels are computed.
static inline void edge_vips_on_eval(VipsImage *image, void (*callback)(VipsImage *, VipsProgress *, void *), void *data) {
    g_signal_connect(image, "eval", G_CALLBACK(callback), data);
}

// Loaders, by format. fail_on ERROR includes TRUNCATED: both damaged and truncated files are rejected.
static inline int edge_vips_load_jpeg(const void *bytes, size_t count, VipsImage **out, int shrink) {
    return vips_jpegload_buffer((void *)bytes, count, out, "shrink", shrink, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                VIPS_FAIL_ON_ERROR, NULL);
}
static inline int edge_vips_load_png(const void *bytes, size_t count, VipsImage **out) {
    return vips_pngload_buffer((void *)bytes, count, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR,
                               NULL);
}
static inline int edge_vips_load_gif(const void *bytes, size_t count, VipsImage **out, int page, int pages) {
    return vips_gifload_buffer((void *)bytes, count, out, "page", page, "n", pages, "access", VIPS_ACCESS_SEQUENTIAL,
                               "fail_on", VIPS_FAIL_ON_ERROR, NULL);
}
static inline int edge_vips_load_webp(const void *bytes, size_t count, VipsImage **out, int page, int pages) {
    return vips_webpload_buffer((void *)bytes, count, out, "page", page, "n", pages, "access",
                                VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
}
static inline int edge_vips_load_heif(const void *bytes, size_t count, VipsImage **out) {
    return vips_heifload_buffer((void *)bytes, count, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                VIPS_FAIL_ON_ERROR, NULL);
}
static inline int edge_vips_load_tiff(const void *bytes, size_t count, VipsImage **out, int page) {
    return vips_tiffload_buffer((void *)bytes, count, out, "page", page, "n", 1, "access", VIPS_ACCESS_SEQUENTIAL,
                                "fail_on", VIPS_FAIL_ON_ERROR, NULL);
}
static inline int edge_vips_load_jxl(const void *bytes, size_t count, VipsImage **out) {
    return vips_jxlload_buffer((void *)bytes, count, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR,
                               NULL);
}
static inline int edge_vips_load_jp2(const void *bytes, size_t count, VipsImage **out) {
    return vips_jp2kload_buffer((void *)bytes, count, out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR,
                                NULL);
}
// Without "unlimited", librsvg limits elements and text; without a base address it loads no external files.
static inline int edge_vips_load_svg(const void *bytes, size_t count, VipsImage **out, double dpi,
                                     double scale) {
    return vips_svgload_buffer((void *)bytes, count, out, "dpi", dpi, "scale", scale, "unlimited", FALSE, "access",
                               VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
}
// One page, on white. There is no password: encrypted documents are rejected.
static inline int edge_vips_load_pdf(const void *bytes, size_t count, VipsImage **out, int page, double dpi, double scale) {
    return vips_pdfload_buffer((void *)bytes, count, out, "page", page, "n", 1, "dpi", dpi, "scale", scale, "access",
                               VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR, NULL);
}

// Copies a metadata field of any type.
static inline void edge_vips_copy_field(VipsImage *from, VipsImage *to, const char *name) {
    GValue value = {0};
    if (vips_image_get(from, name, &value)) return;
    vips_image_set(to, name, &value);
    g_value_unset(&value);
}

// Geometry.
static inline int edge_vips_resize(VipsImage *in, VipsImage **out, double horizontal, double vertical) {
    return vips_resize(in, out, horizontal, "vscale", vertical, "kernel", VIPS_KERNEL_LANCZOS3, NULL);
}
// Scales what is right of `left` and below `top`, which need not be whole, by factors to width × height, aligning pixel centres:
// vips_resize of libvips 8.14 shifts enlargements by half a pixel. Pixels beyond the image repeat its edge.
static inline int edge_vips_scale_part(VipsImage *in, VipsImage **out, double left, double top, double across, double down,
                                       int width, int height) {
    VipsInterpolate *bicubic = vips_interpolate_new("bicubic");
    int sides[4] = {0, 0, width, height};
    VipsArrayInt *area = vips_array_int_new(sides, 4);
    int failed = vips_affine(in, out, across, 0, 0, down, "interpolate", bicubic, "oarea", area, "idx", 0.5 - left, "idy",
                             0.5 - top, "odx", -0.5, "ody", -0.5, "extend", VIPS_EXTEND_COPY, "premultiplied", TRUE, NULL);
    vips_area_unref(VIPS_AREA(area));
    g_object_unref(bicubic);
    return failed;
}
static inline int edge_vips_enlarge(VipsImage *in, VipsImage **out, int width, int height) {
    return edge_vips_scale_part(in, out, 0, 0, (double)width / in->Xsize, (double)height / in->Ysize, width, height);
}
static inline int edge_vips_extract(VipsImage *in, VipsImage **out, int left, int top, int width, int height) {
    return vips_extract_area(in, out, left, top, width, height, NULL);
}
// Finds the place a smart crop would keep: the negated offset of the result.
static inline int edge_vips_smartcrop(VipsImage *in, VipsImage **out, int width, int height, VipsInteresting interesting) {
    return vips_smartcrop(in, out, width, height, "interesting", interesting, NULL);
}
static inline int edge_vips_embed(VipsImage *in, VipsImage **out, int x, int y, int width, int height,
                                  const double *background, int bands) {
    VipsArrayDouble *colour = vips_array_double_new(background, bands);
    int failed = vips_embed(in, out, x, y, width, height, "extend", VIPS_EXTEND_BACKGROUND, "background", colour, NULL);
    vips_area_unref(VIPS_AREA(colour));
    return failed;
}
static inline int edge_vips_embed_copy(VipsImage *in, VipsImage **out, int x, int y, int width, int height) {
    return vips_embed(in, out, x, y, width, height, "extend", VIPS_EXTEND_COPY, NULL);
}
static inline int edge_vips_flip(VipsImage *in, VipsImage **out, VipsDirection direction) {
    return vips_flip(in, out, direction, NULL);
}
static inline int edge_vips_rot(VipsImage *in, VipsImage **out, VipsAngle angle) { return vips_rot(in, out, angle, NULL); }
// Rotates clockwise about the centre, which is that of the canvas of width × height; exposed areas take the background.
// vips_similarity rounds the corner of its canvas to whole pixels. Coordinates are as in edge_vips_scale_part.
static inline int edge_vips_rotate(VipsImage *in, VipsImage **out, double degrees, int width, int height,
                                   const double *background, int bands) {
    double cosine = cos(VIPS_RAD(degrees)), sine = sin(VIPS_RAD(degrees));
    double across = in->Xsize / 2.0, down = in->Ysize / 2.0;
    VipsInterpolate *bicubic = vips_interpolate_new("bicubic");
    VipsArrayDouble *colour = vips_array_double_new(background, bands);
    int sides[4] = {0, 0, width, height};
    VipsArrayInt *area = vips_array_int_new(sides, 4);
    int failed = vips_affine(in, out, cosine, -sine, sine, cosine, "interpolate", bicubic, "oarea", area, "idx", 0.5,
                             "idy", 0.5, "odx", width / 2.0 - (cosine * across - sine * down) - 0.5, "ody",
                             height / 2.0 - (sine * across + cosine * down) - 0.5, "background", colour, NULL);
    vips_area_unref(VIPS_AREA(area));
    vips_area_unref(VIPS_AREA(colour));
    g_object_unref(bicubic);
    return failed;
}
static inline int edge_vips_arrayjoin_down(VipsImage **in, VipsImage **out, int count) {
    return vips_arrayjoin(in, out, count, "across", 1, NULL);
}

// Pixels.
// In floating point: the integer kernel of libvips 8.14 has steps of 1/20 and shifts every value by up to 4.
static inline int edge_vips_blur(VipsImage *in, VipsImage **out, double sigma) {
    return vips_gaussblur(in, out, sigma, "min_ampl", 0.02, "precision", VIPS_PRECISION_FLOAT, NULL);
}
static inline int edge_vips_sharpen(VipsImage *in, VipsImage **out, double sigma) {
    return vips_sharpen(in, out, "sigma", sigma, NULL);
}
static inline int edge_vips_premultiply(VipsImage *in, VipsImage **out) { return vips_premultiply(in, out, NULL); }
static inline int edge_vips_unpremultiply(VipsImage *in, VipsImage **out) { return vips_unpremultiply(in, out, NULL); }
static inline int edge_vips_cast(VipsImage *in, VipsImage **out, VipsBandFormat format) {
    return vips_cast(in, out, format, NULL);
}
static inline int edge_vips_cast_shift(VipsImage *in, VipsImage **out, VipsBandFormat format) {
    return vips_cast(in, out, format, "shift", TRUE, NULL);
}
static inline int edge_vips_colourspace(VipsImage *in, VipsImage **out, VipsInterpretation space) {
    return vips_colourspace(in, out, space, NULL);
}
static inline int edge_vips_icc_to_srgb(VipsImage *in, VipsImage **out, const char *fallback, VipsIntent intent) {
    return vips_icc_transform(in, out, "srgb", "embedded", TRUE, "input_profile", fallback, "intent", intent,
                              "black_point_compensation", TRUE, "depth", 8, NULL);
}
// Replaces the image's profile by libvips' own sRGB profile.
static inline int edge_vips_set_srgb_profile(VipsImage *image) {
    VipsBlob *profile = NULL;
    if (vips_profile_load("srgb", &profile, NULL) != 0) return -1;
    size_t length;
    const void *bytes = vips_blob_get(profile, &length);
    vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, bytes, length);
    vips_area_unref(VIPS_AREA(profile));
    return 0;
}
// An in-memory image to be filled by lines, with the format and metadata of another; vips_image_pipelinev is variadic.
static inline int edge_vips_memory_sized(VipsImage *in, VipsImage **out, int width, int height) {
    *out = vips_image_new_memory();
    if (vips_image_pipelinev(*out, VIPS_DEMAND_STYLE_ANY, in, NULL) == 0) {
        // Otherwise it would report progress to the other image, which it may outlive.
        vips_image_set_progress(*out, FALSE);
        (*out)->Xsize = width;
        (*out)->Ysize = height;
        return 0;
    }
    g_object_unref(*out);
    *out = NULL;
    return -1;
}
// A row of a prepared region, from its left edge; VIPS_REGION_ADDR is a macro.
static inline const unsigned char *edge_vips_region_row(VipsRegion *region, int y) {
    return VIPS_REGION_ADDR(region, region->valid.left, y);
}
static inline int edge_vips_memory_like(VipsImage *in, VipsImage **out) {
    return edge_vips_memory_sized(in, out, in->Xsize, in->Ysize);
}
static inline int edge_vips_flatten(VipsImage *in, VipsImage **out, const double *background, int bands) {
    VipsArrayDouble *colour = vips_array_double_new(background, bands);
    int failed = vips_flatten(in, out, "background", colour, NULL);
    vips_area_unref(VIPS_AREA(colour));
    return failed;
}
static inline int edge_vips_extract_band(VipsImage *in, VipsImage **out, int first, int count) {
    return vips_extract_band(in, out, first, "n", count, NULL);
}
static inline int edge_vips_bandjoin2(VipsImage *first, VipsImage *second, VipsImage **out) {
    return vips_bandjoin2(first, second, out, NULL);
}
static inline int edge_vips_bandjoin_constant(VipsImage *in, VipsImage **out, double value) {
    return vips_bandjoin_const1(in, out, value, NULL);
}
static inline int edge_vips_multiply(VipsImage *first, VipsImage *second, VipsImage **out) {
    return vips_multiply(first, second, out, NULL);
}
static inline int edge_vips_linear(VipsImage *in, VipsImage **out, double factor, double addend) {
    return vips_linear1(in, out, factor, addend, "uchar", TRUE, NULL);
}
// Pixels of `first` where `condition` is not 0, and of `second` elsewhere.
static inline int edge_vips_choose(VipsImage *condition, VipsImage *first, VipsImage *second, VipsImage **out) {
    return vips_ifthenelse(condition, first, second, out, NULL);
}
static inline int edge_vips_over(VipsImage *base, VipsImage *overlay, VipsImage **out) {
    return vips_composite2(base, overlay, out, VIPS_BLEND_MODE_OVER, NULL);
}
static inline int edge_vips_maplut(VipsImage *in, VipsImage **out, VipsImage *table) {
    return vips_maplut(in, out, table, NULL);
}
// `rows` (output bands) × `columns` (input bands) factors, row by row.
static inline int edge_vips_recomb(VipsImage *in, VipsImage **out, const double *factors, int rows, int columns) {
    VipsImage *matrix = vips_image_new_matrix_from_array(columns, rows, factors, rows * columns);
    if (!matrix) return -1;
    int failed = vips_recomb(in, out, matrix, NULL);
    g_object_unref(matrix);
    return failed;
}
// Per band, value times factor plus addend; as 8 bits, or in the format libvips chooses.
static inline int edge_vips_linear_bands(VipsImage *in, VipsImage **out, const double *factors, const double *addends,
                                         int count, int eight) {
    return vips_linear(in, out, factors, addends, count, "uchar", eight, NULL);
}
static inline int edge_vips_zoom(VipsImage *in, VipsImage **out, int horizontal, int vertical) {
    return vips_zoom(in, out, horizontal, vertical, NULL);
}
static inline int edge_vips_replicate(VipsImage *in, VipsImage **out, int across, int down) {
    return vips_replicate(in, out, across, down, NULL);
}
static inline int edge_vips_add(VipsImage *first, VipsImage *second, VipsImage **out) {
    return vips_add(first, second, out, NULL);
}
static inline int edge_vips_copy_as(VipsImage *in, VipsImage **out, VipsInterpretation space) {
    return vips_copy(in, out, "interpretation", space, NULL);
}
// The bytes of an image that libvips has packed.
static inline int edge_vips_copy_unpacked(VipsImage *in, VipsImage **out) {
    return vips_copy(in, out, "coding", VIPS_CODING_NONE, "interpretation", VIPS_INTERPRETATION_MULTIBAND, NULL);
}
// CIELAB with the white D50 to X, Y and Z, of which white's Y is 100.
static inline int edge_vips_lab_to_xyz(VipsImage *in, VipsImage **out) {
    double white[3] = {96.42, 100, 82.49};
    VipsArrayDouble *d50 = vips_array_double_new(white, 3);
    int failed = vips_Lab2XYZ(in, out, "temp", d50, NULL);
    vips_area_unref(VIPS_AREA(d50));
    return failed;
}
// Replaces the pixels at x, y by `sub`; the size does not change.
static inline int edge_vips_insert(VipsImage *in, VipsImage *sub, VipsImage **out, int x, int y) {
    return vips_insert(in, sub, out, x, y, NULL);
}
// The coverage of each pixel by a line of Pango markup; one point is one pixel.
static inline int edge_vips_text(VipsImage **out, const char *markup, const char *font) {
    return vips_text(out, markup, "font", font, "dpi", 72, NULL);
}
// An image of one colour with the size, resolution and interpretation of another.
static inline int edge_vips_constant_like(VipsImage *in, VipsImage **out, const double *values, int bands) {
    *out = vips_image_new_from_image(in, values, bands);
    return *out ? 0 : -1;
}

// Savers. `strip` removes every metadata block, including the profile, but not page-height and delays.
static inline int edge_vips_save_jpeg(VipsImage *in, void **bytes, size_t *count, int quality, int optimise, int progressive,
                                      VipsForeignSubsample subsample, int strip) {
    return vips_jpegsave_buffer(in, bytes, count, "Q", quality, "optimize_coding", optimise, "interlace", progressive,
                                "subsample_mode", subsample, "strip", strip, NULL);
}
static inline int edge_vips_save_png(VipsImage *in, void **bytes, size_t *count, int compression, int interlace, int strip) {
    return vips_pngsave_buffer(in, bytes, count, "compression", compression, "filter", VIPS_FOREIGN_PNG_FILTER_ALL,
                               "interlace", interlace, "strip", strip, NULL);
}
// Indices into a palette suit no filter (PNG §12.7).
static inline int edge_vips_save_png_palette(VipsImage *in, void **bytes, size_t *count, int quality, int effort,
                                             int compression, int interlace, int strip) {
    return vips_pngsave_buffer(in, bytes, count, "palette", TRUE, "Q", quality, "dither", 1.0, "effort", effort,
                               "bitdepth", 8, "compression", compression, "filter", VIPS_FOREIGN_PNG_FILTER_NONE,
                               "interlace", interlace, "strip", strip, NULL);
}
static inline int edge_vips_save_webp(VipsImage *in, void **bytes, size_t *count) {
    return vips_webpsave_buffer(in, bytes, count, "effort", 0, NULL);
}
static inline int edge_vips_save_gif(VipsImage *in, void **bytes, size_t *count, int effort, double palette_error,
                                     int interlace, int strip) {
    return vips_gifsave_buffer(in, bytes, count, "effort", effort, "interpalette_maxerror", palette_error, "interlace",
                               interlace, "strip", strip, NULL);
}
static inline int edge_vips_save_jxl(VipsImage *in, void **bytes, size_t *count, int quality, int lossless, int effort,
                                     int strip) {
    return vips_jxlsave_buffer(in, bytes, count, "Q", quality, "lossless", lossless, "effort", effort, "strip", strip, NULL);
}
static inline int edge_vips_save_tiff(VipsImage *in, void **bytes, size_t *count, int strip) {
    return vips_tiffsave_buffer(in, bytes, count, "compression", VIPS_FOREIGN_TIFF_COMPRESSION_DEFLATE, "predictor",
                                VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL, "strip", strip, NULL);
}
