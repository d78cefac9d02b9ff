#pragma once
// libwebp. Swift imports its headers unchanged: encoder, container and animation decoder.
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>
