#pragma once
// libjxl. Swift imports its headers unchanged: decoder and, for tests, encoder of animations.
#include <jxl/decode.h>
#include <jxl/encode.h>
