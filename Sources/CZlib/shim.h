#pragma once
// zlib. Swift imports its header unchanged.
#include <zlib.h>
