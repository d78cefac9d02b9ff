#define _GNU_SOURCE
#include "CLinux.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

int edge_enter_namespace(int kind) {
    static const int flags[] = {CLONE_NEWUSER, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWNS};
    if (kind < 0 || kind >= (int)(sizeof flags / sizeof *flags)) return EINVAL;
    if (unshare(flags[kind]) != 0) return errno;
    // Mounts of the new namespace stay in it.
    if (kind == edge_namespace_mount && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return errno;
    return 0;
}

int edge_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof none);
    return syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

int edge_follow_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 ? 0 : errno; }
int edge_has_no_new_privileges(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; }

// Of the kernel's linux/landlock.h, which may be older than the running kernel. A kernel accepts a longer structure if what it
// does not know is 0.
struct ruleset_attributes {
    uint64_t files, network, scopes;
};
struct __attribute__((packed)) path_attributes {
    uint64_t allowed;
    int32_t parent;
};
enum { rule_path_beneath = 1 };
static const uint64_t read_file = 1 << 2, read_folder = 1 << 3;

int edge_landlock_create(int version) {
    if (version < 1) return -ENOSYS;
    struct ruleset_attributes attributes = {0};
    // Version 1: execute, write, read, list, and nine ways to create and remove files.
    attributes.files = (1 << 13) - 1;
    if (version >= 2) attributes.files |= 1 << 13;  // rename and link between folders
    if (version >= 3) attributes.files |= 1 << 14;  // truncate
    if (version >= 5) attributes.files |= 1 << 15;  // ioctl on devices
    if (version >= 4) attributes.network = 3;       // bind and connect of TCP
    if (version >= 6) attributes.scopes = 3;        // abstract Unix sockets and signals
    long ruleset = syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    return ruleset < 0 ? -errno : (int)ruleset;
}

int edge_landlock_allow_reading(int ruleset, const char *path) {
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return errno;
    struct stat status;
    struct path_attributes attributes = {.allowed = read_file, .parent = file};
    int failure = fstat(file, &status) == 0 ? 0 : errno;
    if (failure == 0) {
        if (S_ISDIR(status.st_mode)) attributes.allowed |= read_folder;
        if (syscall(SYS_landlock_add_rule, ruleset, rule_path_beneath, &attributes, 0) != 0) failure = errno;
    }
    close(file);
    return failure;
}

// A ruleset applies to the calling thread only, and threads of libraries exist by the time that the process is locked.
enum { most_threads = 256 };
static _Atomic int enforced_ruleset, enforced_count, enforcing_error;
static _Atomic pid_t enforced_threads[most_threads];

static void enforce_here(int signal) {
    (void)signal;
    int before = errno;
    if (syscall(SYS_landlock_restrict_self, enforced_ruleset, 0) != 0) enforcing_error = errno;
    int index = enforced_count++;
    if (index < most_threads) enforced_threads[index] = (pid_t)syscall(SYS_gettid);
    errno = before;
}

// Whether a thread has taken the ruleset, or has ended: a signal to a thread that is about to end is lost.
static int is_done(pid_t process, pid_t thread) {
    int count = enforced_count < most_threads ? enforced_count : most_threads;
    for (int i = 0; i < count; i++) {
        if (enforced_threads[i] == thread) return 1;
    }
    return syscall(SYS_tgkill, process, thread, 0) != 0 && errno == ESRCH;
}

static int contains(const pid_t *list, int count, pid_t value) {
    for (int i = 0; i < count; i++) {
        if (list[i] == value) return 1;
    }
    return 0;
}

int edge_landlock_enforce(int ruleset) {
    enum { patience = 2000 };
    pid_t restricted[most_threads];
    int count = 0, done = 0, signal = SIGRTMIN + 6;
    pid_t self = (pid_t)syscall(SYS_gettid), process = getpid();
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = enforce_here;
    action.sa_flags = SA_RESTART;
    enforced_ruleset = ruleset;
    enforced_count = enforcing_error = 0;
    if (sigaction(signal, &action, &before) != 0) return errno;
    int failure = 0, is_news = 1;
    // Until a pass finds no further thread: a thread that was found late may have been started by one that is not restricted.
    while (failure == 0 && is_news) {
        is_news = 0;
        DIR *tasks = opendir("/proc/self/task");
        if (!tasks) {
            failure = errno;
            break;
        }
        for (struct dirent *entry; failure == 0 && (entry = readdir(tasks));) {
            pid_t thread = atoi(entry->d_name);
            if (thread <= 0 || thread == self || contains(restricted, count, thread)) continue;
            if (count == most_threads) {
                failure = EAGAIN;
                break;
            }
            is_news = 1;
            restricted[count++] = thread;
            if (syscall(SYS_tgkill, process, thread, signal) != 0 && errno != ESRCH) failure = errno;
        }
        closedir(tasks);
        for (int i = 0; failure == 0; i++) {
            while (done < count && is_done(process, restricted[done])) done++;
            if (done == count) break;
            if (i == patience) {
                failure = ETIMEDOUT;
                break;
            }
            struct timespec pause = {.tv_nsec = i < 100 ? 20000 : 1000000};
            nanosleep(&pause, NULL);
        }
    }
    sigaction(signal, &before, NULL);
    if (failure == 0) failure = enforcing_error;
    if (failure == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) failure = errno;
    return failure;
}

int edge_close_descriptors(int first) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return errno;
    for (int i = 0; i < 3; i++) {
        if (dup2(null, i) < 0) return errno;
    }
    if (null > 2) close(null);
    return syscall(SYS_close_range, first, ~0U, 0) == 0 ? 0 : errno;
}

enum { most_calls = 1024, longest_report = 64 };
static unsigned char report[longest_report];
static int report_size, report_socket;
static _Atomic unsigned char reported[most_calls];

// Runs in the thread that made the call; uses async-signal-safe calls alone.
static void report_call(int signal, siginfo_t *info, void *context) {
    (void)signal;
    int before = errno;
    unsigned number = (unsigned)info->si_syscall;
    if (number >= most_calls || !atomic_exchange(&reported[number], 1)) {
        unsigned char bytes[longest_report];
        memcpy(bytes, report, sizeof bytes);
        for (int i = 0; i < 4; i++) bytes[report_size - 4 + i] = (unsigned char)(number >> 8 * i);
        struct iovec vector = {.iov_base = bytes, .iov_len = (size_t)report_size};
        struct msghdr message;
        memset(&message, 0, sizeof message);
        message.msg_iov = &vector;
        message.msg_iovlen = 1;
        sendmsg(report_socket, &message, MSG_NOSIGNAL);
    }
    errno = before;
    ucontext_t *registers = context;
#if defined(__x86_64__)
    registers->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
#elif defined(__aarch64__)
    registers->uc_mcontext.regs[0] = (unsigned long long)-ENOSYS;
#else
#error "the register of a system call's result is unknown"
#endif
}

int edge_report_trapped_calls(int socket, const void *message, int count) {
    if (count < 4 || count > longest_report) return EINVAL;
    memcpy(report, message, (size_t)count);
    report_size = count;
    report_socket = socket;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = report_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    return sigaction(SIGSYS, &action, NULL) == 0 ? 0 : errno;
}

void edge_stop_reporting_trapped_calls(void) { signal(SIGSYS, SIG_DFL); }
