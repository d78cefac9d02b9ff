#pragma once
// zlib, whose header Swift imports as it is.
#include <zlib.h>
