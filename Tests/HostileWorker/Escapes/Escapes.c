#define _GNU_SOURCE
#include "CEscapes.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int error_of(long result) { return result < 0 ? errno : 0; }

// Arguments are "PID", "PID:NUMBER", a path or a port.
static pid_t process_of(const char *argument) { return (pid_t)atoi(argument); }
static unsigned long number_of(const char *argument) {
    const char *colon = strchr(argument, ':');
    return colon ? strtoul(colon + 1, NULL, 10) : 0;
}

static int open_file(const char *path, int flags) {
    int file = open(path, flags, 0600);
    if (file < 0) return errno;
    char byte;
    int failure = (flags & O_ACCMODE) == O_RDONLY ? error_of(read(file, &byte, 1)) : 0;
    close(file);
    return failure;
}

static int open_of_process(const char *argument, const char *name, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", process_of(argument), name);
    return open_file(path, flags);
}

static int memory_file(const char *argument, int writes) {
    char path[64], byte = 0;
    snprintf(path, sizeof path, "/proc/%d/mem", process_of(argument));
    int file = open(path, writes ? O_RDWR : O_RDONLY);
    if (file < 0) return errno;
    off_t address = (off_t)number_of(argument);
    long result = writes ? pwrite(file, &byte, 1, address) : pread(file, &byte, 1, address);
    return error_of(result);
}

static int memory_call(const char *argument, int writes) {
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {(void *)number_of(argument), 1};
    return error_of(syscall(writes ? SYS_process_vm_writev : SYS_process_vm_readv, process_of(argument), &here, 1UL, &there, 1UL, 0UL));
}

static int take_descriptor(const char *argument) {
    long process = syscall(SYS_pidfd_open, process_of(argument), 0);
    if (process < 0) return errno;
    return error_of(syscall(SYS_pidfd_getfd, process, (int)number_of(argument), 0));
}

static int connect_tcp(const char *argument, int family) {
    int end = socket(family, SOCK_STREAM, 0);
    if (end < 0) return errno;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argument))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return error_of(connect(end, (struct sockaddr *)&address, sizeof address));
}

static int send_udp(void) {
    int end = socket(AF_INET, SOCK_DGRAM, 0);
    if (end < 0) return errno;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return error_of(sendto(end, "x", 1, 0, (struct sockaddr *)&address, sizeof address));
}

static int connect_unix(const char *path, int is_abstract) {
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    if (end < 0) return errno;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length + 1 >= sizeof address.sun_path) return ENAMETOOLONG;
    memcpy(address.sun_path + is_abstract, path, length);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)is_abstract + length);
    return error_of(connect(end, (struct sockaddr *)&address, size));
}

static int start_shell(void) {
    char *arguments[] = {"/bin/sh", "-c", "exit 0", NULL}, *environment[] = {NULL};
    execve("/bin/sh", arguments, environment);
    return errno;
}

static int execute_memory(void) {
    int file = memfd_create("program", 0);
    if (file < 0) return errno;
    // The head of a script; without the filter the kernel starts the interpreter.
    static const char text[] = "#!/bin/true\n";
    if (write(file, text, sizeof text - 1) < 0) return errno;
    char *arguments[] = {"program", NULL}, *environment[] = {NULL};
    syscall(SYS_execveat, file, "", arguments, environment, AT_EMPTY_PATH);
    return errno;
}

static int fork_process(int with_vfork) {
    pid_t child = with_vfork ? (pid_t)syscall(SYS_vfork) : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child < 0) return errno;
    waitpid(child, NULL, 0);
    return 0;
}

static int map(int protection, int changed) {
    void *page = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return errno;
    return changed == protection ? 0 : error_of(mprotect(page, 4096, changed));
}

static int map_file(void) {
    int file = memfd_create("code", 0);
    if (file < 0) return errno;
    if (ftruncate(file, 4096) != 0) return errno;
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0) == MAP_FAILED ? errno : 0;
}

static int load_bpf(void) {
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = attributes.value_size = 4;
    attributes.max_entries = 1;
    return error_of(syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes));
}

static int start_ring(void) {
    char parameters[256];
    memset(parameters, 0, sizeof parameters);
    return error_of(syscall(SYS_io_uring_setup, 1, parameters));
}

static int open_event(void) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof attributes;
    attributes.exclude_kernel = 1;
    return error_of(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

static int change_limit(const char *argument) {
    struct rlimit limit;
    if (syscall(SYS_prlimit64, process_of(argument), RLIMIT_NOFILE, NULL, &limit) != 0) return errno;
    return error_of(syscall(SYS_prlimit64, process_of(argument), RLIMIT_NOFILE, &limit, NULL));
}

static int signal_by_owner(const char *argument) {
    int ends[2];
    return pipe(ends) < 0 ? errno : error_of(fcntl(ends[0], F_SETOWN, process_of(argument)));
}

static int change_flags(void) {
    int file = memfd_create("flags", 0);
    return file < 0 ? errno : error_of(fcntl(file, F_SETFL, O_APPEND));
}

static int list_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    if (folder < 0) return errno;
    char bytes[1024];
    return error_of(syscall(SYS_getdents64, folder, bytes, sizeof bytes));
}

// Descriptor 2 must not be the daemon's log.
static int write_log(void) {
    struct stat status;
    if (fstat(2, &status) != 0) return errno;
    return S_ISCHR(status.st_mode) && status.st_rdev == 0x103 ? EACCES : 0;
}

// The calls of 32-bit programs have other numbers, of which a filter must not be fooled.
static int call_in_other_architecture(void) {
#if defined(__x86_64__)
    long result;
    // getpid is 20 there.
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    return result < 0 ? (int)-result : 0;
#else
    return ENOSYS;
#endif
}

// In a mount namespace of its own, so that the attempt of a process that is not locked changes nothing for others.
static int mount_folder(const char *path) {
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return errno;
    return error_of(mount("none", path, "tmpfs", 0, NULL));
}

int edge_escape(const char *name, const char *argument) {
#define IS(text) (strcmp(name, text) == 0)
    if (IS("read-environment")) return open_of_process(argument, "environ", O_RDONLY);
    if (IS("read-maps")) return open_of_process(argument, "maps", O_RDONLY);
    if (IS("read-memory-file")) return memory_file(argument, 0);
    if (IS("write-memory-file")) return memory_file(argument, 1);
    if (IS("read-memory")) return memory_call(argument, 0);
    if (IS("write-memory")) return memory_call(argument, 1);
    if (IS("trace")) return error_of(ptrace(PTRACE_SEIZE, process_of(argument), NULL, NULL));
    if (IS("take-descriptor")) return take_descriptor(argument);
    if (IS("open-descriptor")) return list_folder(argument);
    if (IS("read-file")) return open_file(argument, O_RDONLY);
    if (IS("write-file")) return open_file(argument, O_WRONLY);
    if (IS("truncate-file")) return error_of(truncate(argument, 0));
    if (IS("create-file")) return open_file(argument, O_WRONLY | O_CREAT);
    if (IS("create-folder")) return error_of(mkdir(argument, 0700));
    if (IS("remove-file")) return error_of(unlink(argument));
    if (IS("list-folder")) return list_folder(argument);
    if (IS("connect-tcp")) return connect_tcp(argument, AF_INET);
    if (IS("connect-unix")) return connect_unix(argument, 0);
    if (IS("connect-abstract")) return connect_unix(argument, 1);
    if (IS("send-udp")) return send_udp();
    if (IS("open-netlink")) return error_of(socket(AF_NETLINK, SOCK_RAW, 0));
    if (IS("start-shell")) return start_shell();
    if (IS("execute-memory-file")) return execute_memory();
    if (IS("fork")) return fork_process(0);
    if (IS("vfork")) return fork_process(1);
    if (IS("leave-session")) return error_of(setsid());
    if (IS("survive-parent")) return error_of(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
    if (IS("become-dumpable")) return error_of(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    if (IS("signal")) return error_of(kill(process_of(argument), SIGCONT));
    if (IS("signal-thread")) return error_of(syscall(SYS_tgkill, process_of(argument), process_of(argument), SIGCONT));
    if (IS("signal-by-owner")) return signal_by_owner(argument);
    if (IS("change-flags")) return change_flags();
    if (IS("change-limits")) return change_limit(argument);
    if (IS("change-priority")) return error_of(setpriority(PRIO_PROCESS, (id_t)process_of(argument), 19));
    if (IS("map-code")) return map(PROT_READ | PROT_EXEC, PROT_READ | PROT_EXEC);
    if (IS("make-code")) return map(PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC);
    if (IS("map-code-file")) return map_file();
    if (IS("read-implies-exec")) return error_of(syscall(SYS_personality, 0x0400000));
    if (IS("io-uring")) return start_ring();
    if (IS("bpf")) return load_bpf();
    if (IS("userfaultfd")) return error_of(syscall(SYS_userfaultfd, O_CLOEXEC));
    if (IS("perf-event")) return open_event();
    if (IS("new-namespace")) return error_of(unshare(CLONE_NEWUSER));
    if (IS("mount")) return mount_folder(argument);
    // Harmless, and not in the filter's table: what a new version of a library might call.
    if (IS("get-priority")) return getpriority(PRIO_PROCESS, 0) == -1 ? errno : 0;
    if (IS("write-log")) return write_log();
    if (IS("other-architecture")) return call_in_other_architecture();
    return ENOSYS;
}
