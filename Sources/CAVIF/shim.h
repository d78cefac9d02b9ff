#pragma once
// libavif. Swift imports its header unchanged: decoder and encoder of AVIF sequences.
#include <avif/avif.h>
