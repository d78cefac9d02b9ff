#pragma once
// libseccomp. Swift cannot import its macros for actions with a value.
#include <seccomp.h>

// Fails a system call with an error.
static inline uint32_t edge_seccomp_errno(uint16_t number) { return SCMP_ACT_ERRNO(number); }
// Sends SIGSYS to the calling thread.
static const uint32_t edge_seccomp_trap = SCMP_ACT_TRAP;
static const uint32_t edge_seccomp_kill = SCMP_ACT_KILL_PROCESS;
static const uint32_t edge_seccomp_allow = SCMP_ACT_ALLOW;
