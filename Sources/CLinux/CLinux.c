#define _GNU_SOURCE
#include "CLinux.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/filter.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

const uint32_t edge_EPOLLIN = EPOLLIN, edge_EPOLLOUT = EPOLLOUT, edge_EPOLLRDHUP = EPOLLRDHUP, edge_EPOLLHUP = EPOLLHUP,
               edge_EPOLLERR = EPOLLERR, edge_EPOLLET = (uint32_t)EPOLLET;

const int edge_O_PATH = O_PATH;

int edge_seqpacket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends); }

int edge_accept4(int fd, struct sockaddr *address, socklen_t *length) {
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int edge_memfd_create(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int edge_memfd_seal(int fd) {
    return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
}

int edge_punch_hole(int fd, off_t offset, off_t length) {
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

int edge_open_unnamed(const char *folder) { return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }

int edge_reserve(int fd, off_t length) { return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, length); }

int edge_memfd_is_sealed(int fd) {
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0) return -1;
    int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    return (seals & wanted) == wanted;
}

int edge_openat_beneath(int directory, const char *path, int flags) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint64_t)flags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int edge_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
int edge_openat(int directory, const char *path, int flags, mode_t mode) { return openat(directory, path, flags, mode); }

int edge_set_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

int edge_set_cloexec(int fd, int on) { return fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0); }

int edge_ignore_new_connections(int listener) {
    // A filter on a TCP socket sees segments from the TCP header on; byte 13 holds the flags (RFC 9293 section 3.1).
    enum { syn = 0x02, ack = 0x10 };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, syn | ack),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, syn, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

int edge_accept_new_connections(int listener) {
    return setsockopt(listener, SOL_SOCKET, SO_DETACH_FILTER, NULL, 0);
}

enum { max_descriptors = 16 };
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * max_descriptors)];
};

ssize_t edge_send_with_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
    if (descriptor_count < 0 || descriptor_count > max_descriptors) {
        errno = EINVAL;
        return -1;
    }
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    union control control;
    if (descriptor_count > 0) {
        size_t size = sizeof(int) * (size_t)descriptor_count;
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(header), descriptors, size);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t edge_receive_with_descriptors(int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count) {
    struct iovec vector = {.iov_base = bytes, .iov_len = count};
    union control control;
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    int room = *descriptor_count, found = 0, lost = 0;
    *descriptor_count = 0;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int sent = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < sent; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(header) + sizeof(int) * (size_t)i, sizeof fd);
            if (found < room) descriptors[found++] = fd;
            else { close(fd); lost = 1; }
        }
    }
    *descriptor_count = found;
    if (lost || (message.msg_flags & MSG_CTRUNC)) {
        for (int i = 0; i < found; i++) close(descriptors[i]);
        *descriptor_count = 0;
        errno = EMSGSIZE;
        return -1;
    }
    return received;
}

int edge_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
int edge_set_dumpable(int on) { return prctl(PR_SET_DUMPABLE, on, 0, 0, 0) == 0 ? 0 : errno; }
int edge_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1; }

char **edge_environment(void) { return environ; }
void edge_erase(char *text) { explicit_bzero(text, strlen(text)); }

int edge_malloc_set_arenas(int count) { return mallopt(M_ARENA_MAX, count); }
int edge_malloc_keep(int bytes) {
    // 32 MiB is glibc's maximum for heap blocks; larger ones are always mapped.
    return mallopt(M_TRIM_THRESHOLD, bytes) && mallopt(M_TOP_PAD, 1 << 20) && mallopt(M_MMAP_THRESHOLD, 32 << 20);
}
int edge_malloc_trim(void) { return malloc_trim(0); }

static int unmap_code(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        // Relocated code would be lost.
        for (const ElfW(Dyn) *entry = (void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr); entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL || (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_TEXTREL)) return 0;
        }
    }
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_filesz + page - 1) & ~(page - 1);
        // Fails for the kernel's own object, the vDSO.
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void edge_unmap_unused_code(void) { dl_iterate_phdr(unmap_code, NULL); }

static void limit(int resource, int64_t value) {
    if (value < 0) return;
    struct rlimit bound = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)value};
    if (setrlimit((__rlimit_resource_t)resource, &bound) != 0) _exit(126);
}

// The parent answers clients while the child computes, so the child gets a third of a processor that both want. That is not
// essential, so failures are ignored.
static void yield_to_parent(void) {
    if (nice(5) == -1) { /* also a valid result */ }
}

void edge_yield_process(pid_t pid, int niceness) {
    niceness += getpriority(PRIO_PROCESS, 0);
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(path);
    if (threads == NULL) return;
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        int thread = atoi(entry->d_name);
        if (thread > 0) setpriority(PRIO_PROCESS, (id_t)thread, niceness);
    }
    closedir(threads);
}

int edge_can_lower_niceness(int niceness) {
    // 0 is the calling thread.
    int target = getpriority(PRIO_PROCESS, 0) + niceness;
    return setpriority(PRIO_PROCESS, 0, target + 1) == 0 && setpriority(PRIO_PROCESS, 0, target) == 0;
}

int edge_yield_memory(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    int failure = write(fd, "500", 3) < 0 ? errno : 0;
    close(fd);
    return failure;
}

// In a child: handlers of the parent must not run, and its blocked signals must arrive.
static void reset_signals(void) {
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = SIG_DFL;
        sigaction(signal, &action, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

pid_t edge_spawn(const char *path, char *const argv[], char *const envp[], const int *descriptors, int descriptor_count,
                 int64_t limit_address_space, int64_t limit_cpu_seconds, int64_t limit_files, int64_t limit_file_size) {
    if (descriptor_count < 0 || descriptor_count > max_descriptors) {
        errno = EINVAL;
        return -1;
    }
    sigset_t all, before;
    sigfillset(&all);
    // Block signals across the fork, so that no handler of the parent runs in the child.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    // The child runs in the parent's memory until it executes: a fork would copy the page tables of all caches, and each page that
    // other threads write afterwards. This thread waits, and the child makes only calls that change nothing but itself.
    pid_t pid = vfork();
    if (pid != 0) {
        int saved = errno;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = saved;
        return pid;
    }
    reset_signals();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) _exit(126);
    if (getppid() != parent) _exit(126);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(126);
    // A process group of its own: Ctrl-C in a terminal is for the parent, which still needs its workers to drain.
    setpgid(0, 0);
    // First move descriptors above all targets, then down to 3 + i.
    int high[max_descriptors];
    for (int i = 0; i < descriptor_count; i++) {
        high[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, 3 + max_descriptors);
        if (high[i] < 0) _exit(126);
    }
    for (int i = 0; i < descriptor_count; i++) {
        if (dup2(high[i], 3 + i) < 0) _exit(126);
    }
    syscall(SYS_close_range, 3 + descriptor_count, ~0U, 0);
    yield_to_parent();
    limit(RLIMIT_AS, limit_address_space);
    limit(RLIMIT_CPU, limit_cpu_seconds);
    limit(RLIMIT_NOFILE, limit_files);
    limit(RLIMIT_FSIZE, limit_file_size);
    limit(RLIMIT_CORE, 0);
    execve(path, argv, envp);
    _exit(127);
}

pid_t edge_spawn_successor(const char *path, char *const argv[], char *const envp[], int *descriptors, int descriptor_count) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid != 0) {
        int saved = errno;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = saved;
        return pid;
    }
    reset_signals();
    // First copies above all targets, since a descriptor may have the number of another one's target.
    for (int i = 0; i < descriptor_count; i++) {
        descriptors[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, 3 + descriptor_count);
        if (descriptors[i] < 0) _exit(126);
    }
    for (int i = 0; i < descriptor_count; i++) {
        if (dup2(descriptors[i], 3 + i) < 0) _exit(126);
    }
    syscall(SYS_close_range, 3 + descriptor_count, ~0U, 0);
    execve(path, argv, envp);
    _exit(127);
}

pid_t edge_signal_sender(const siginfo_t *info) { return info->si_code <= 0 ? info->si_pid : 0; }
int edge_wait_exited(int status) { return WIFEXITED(status); }
int edge_wait_exit_code(int status) { return WEXITSTATUS(status); }
int edge_wait_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

int edge_library_of(const char *symbol, char *path, size_t size) {
    void *address = dlsym(RTLD_DEFAULT, symbol);
    Dl_info info;
    if (!address || !dladdr(address, &info) || !info.dli_fname || strlen(info.dli_fname) >= size) return -1;
    strcpy(path, info.dli_fname);
    return 0;
}

int edge_load_library(const char *name) { return dlopen(name, RTLD_LAZY | RTLD_DEEPBIND) != NULL; }

int edge_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int edge_fsetxattr(int fd, const char *name, const void *value, size_t size) {
    return fsetxattr(fd, name, value, size, 0);
}

ssize_t edge_fgetxattr(int fd, const char *name, void *value, size_t size) {
    return fgetxattr(fd, name, value, size);
}

ssize_t edge_copy_file_range(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t count) {
    return copy_file_range(from, from_offset, to, to_offset, count, 0);
}
