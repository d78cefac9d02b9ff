#pragma once
// hiredis: the protocol of Redis and Valkey.
#include <hiredis/hiredis.h>

// The size of redisContext.errstr, which Swift imports as a tuple.
static inline const char *edge_redis_error(const redisContext *context) { return context->errstr; }
