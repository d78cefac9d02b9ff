#pragma once
// libwebp, whose headers Swift imports as they are: the encoder, the container's writer and the animation's reader.
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>
