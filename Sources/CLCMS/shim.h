#pragma once
// Little CMS. Swift cannot import its macros for pixel formats.
#include <lcms2.h>

// 8-bit RGB and RGBA.
static const cmsUInt32Number edge_lcms_rgb = TYPE_RGB_8;
static const cmsUInt32Number edge_lcms_rgba = TYPE_RGBA_8;
