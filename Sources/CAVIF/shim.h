#pragma once
// libavif. Swift imports its header unchanged: the encoder of AVIF, and the decoder of AVIF sequences.
#include <avif/avif.h>
