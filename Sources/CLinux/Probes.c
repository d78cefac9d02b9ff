#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <unistd.h>

int edge_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

int edge_io_uring_error(void) {
    long ring = syscall(SYS_io_uring_setup, 0, NULL);
    if (ring < 0) return errno;
    close((int)ring);
    return 0;
}

int edge_clock_is_synchronised(void) {
    struct timex clock = {.modes = 0};
    if (adjtimex(&clock) < 0) return -1;
    return (clock.status & STA_UNSYNC) == 0;
}

int64_t edge_file_system_type(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -1;
    // A 32-bit magic number, whatever the type's width.
    return (int64_t)(uint32_t)status.f_type;
}
