#pragma once
// Little CMS, whose macros of pixel formats Swift cannot import.
#include <lcms2.h>

// 8-bit RGB, with an alpha band behind it or not.
static const cmsUInt32Number edge_lcms_rgb = TYPE_RGB_8;
static const cmsUInt32Number edge_lcms_rgba = TYPE_RGBA_8;
