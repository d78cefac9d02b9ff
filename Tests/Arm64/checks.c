// Runs the C code of CLinux and CLanes on arm64, under QEMU's user emulation; built and started by scripts/check-arm64.
#include "CLinux.h"
#include "lanes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures, checks;

#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        checks++;                                                                                                      \
        if (!(condition)) {                                                                                            \
            failures++;                                                                                                \
            fprintf(stderr, "checks.c:%d: %s (errno %d)\n", __LINE__, #condition, errno);                              \
        }                                                                                                              \
    } while (0)

// The vector instructions against the sums that they stand for, at the ends of the range and with changing values.
static void lanes(void) {
    uint32_t state = 2026;
    for (int round = 0; round < 1000; round++) {
        edge_int16x8 a, b;
        for (int i = 0; i < 8; i++) {
            state = state * 1664525 + 1013904223;
            a[i] = round == 0 ? INT16_MAX : (int16_t)(state >> 16);
            b[i] = round == 0 ? INT16_MAX : (int16_t)(state >> 1);
            // Two products of the least value by itself exceed 32 bits.
            if (a[i] == INT16_MIN) a[i]++;
        }
        edge_int32x4 sums = edge_pairwise_products(a, b);
        int equal = 1;
        for (int i = 0; i < 4; i++) equal &= sums[i] == (int32_t)a[2 * i] * b[2 * i] + (int32_t)a[2 * i + 1] * b[2 * i + 1];
        HOLDS(equal);
    }
}

static void files(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/file", folder);
    int file = edge_open(path, O_RDWR | O_CREAT | O_EXCL, 0640);
    HOLDS(file >= 0);
    struct stat status;
    HOLDS(fstat(file, &status) == 0 && (status.st_mode & 07777) == 0640);
    HOLDS(write(file, "arm64", 5) == 5 && close(file) == 0);

    // arm64 has other values of O_DIRECTORY, O_NOFOLLOW and O_DIRECT than x86-64.
    int directory = edge_open(folder, O_RDONLY | O_DIRECTORY, 0);
    HOLDS(directory >= 0);
    HOLDS(edge_open(path, O_RDONLY | O_DIRECTORY, 0) < 0 && errno == ENOTDIR);
    snprintf(path, sizeof path, "%s/link", folder);
    HOLDS(symlink("file", path) == 0);
    HOLDS(edge_openat(directory, "link", O_RDONLY | O_NOFOLLOW, 0) < 0 && errno == ELOOP);

    int beneath = edge_openat_beneath(directory, "file", O_RDONLY);
    // Emulators without openat2.
    if (beneath < 0 && errno == ENOSYS) {
        printf("openat2 is not emulated\n");
    } else {
        HOLDS(beneath >= 0);
        HOLDS(edge_openat_beneath(directory, "../file", O_RDONLY) < 0 && errno == EXDEV);
        close(beneath);
    }
    close(directory);
}

static void memory_files(void) {
    int file = edge_memfd_create("checks");
    HOLDS(file >= 0 && ftruncate(file, 8192) == 0);
    HOLDS(edge_memfd_is_sealed(file) == 0);
    HOLDS(edge_memfd_seal(file) == 0 && edge_memfd_is_sealed(file) == 1);
    HOLDS(ftruncate(file, 1) < 0 && errno == EPERM);
    close(file);
}

static void descriptors(void) {
    int ends[2], ends_of_pipe[2];
    HOLDS(edge_seqpacket_pair(ends) == 0 && pipe(ends_of_pipe) == 0);
    HOLDS(edge_send_with_descriptors(ends[0], "one", 3, ends_of_pipe, 2) == 3);
    char bytes[8];
    int received[16], count = 16;
    HOLDS(edge_receive_with_descriptors(ends[1], bytes, sizeof bytes, received, &count) == 3);
    HOLDS(count == 2 && memcmp(bytes, "one", 3) == 0);
    HOLDS(write(received[1], "x", 1) == 1 && read(ends_of_pipe[0], bytes, 1) == 1);
    HOLDS(fcntl(received[0], F_GETFD) == FD_CLOEXEC);
}

static void processes(void) {
    pid_t child = fork();
    if (child == 0) _exit(7);
    int status = 0;
    HOLDS(waitpid(child, &status, 0) == child && edge_wait_exited(status) && edge_wait_exit_code(status) == 7);
    child = fork();
    if (child == 0) {
        raise(SIGKILL);
        _exit(0);
    }
    HOLDS(waitpid(child, &status, 0) == child && !edge_wait_exited(status) && edge_wait_signal(status) == SIGKILL);
    HOLDS(edge_set_no_new_privileges() == 0 && edge_has_no_new_privileges() == 1);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    lanes();
    files(arguments[1]);
    memory_files();
    descriptors();
    processes();
    printf("%d checks, %d failures\n", checks, failures);
    return failures > 0;
}
