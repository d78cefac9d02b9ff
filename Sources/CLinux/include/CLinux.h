#pragma once
// What Swift cannot import from glibc: calls behind _GNU_SOURCE (defining it in a header would make fd_set differ
// between clang modules), variadic functions and function-like macros. Each entry says which.
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

// The path of the shared library that defines a symbol; -1 if there is none or the path does not fit.
int edge_library_of(const char *symbol, char *path, size_t size);

// Loads a shared library by name, which looks its symbols up in itself and what it needs before the libraries of the program; it
// stays loaded. Returns whether it was found.
int edge_load_library(const char *name);

// _GNU_SOURCE: accept4 with SOCK_NONBLOCK | SOCK_CLOEXEC.
int edge_accept4(int fd, struct sockaddr *address, socklen_t *length);
// SOCK_* belong to whichever C module includes sys/socket.h first (libcurl's in optimised builds). A close-on-exec pair.
int edge_seqpacket_pair(int ends[2]);
// _GNU_SOURCE: memfd_create(MFD_CLOEXEC | MFD_ALLOW_SEALING).
int edge_memfd_create(const char *name);
// _GNU_SOURCE, variadic fcntl: F_ADD_SEALS with F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL.
int edge_memfd_seal(int fd);
// 1 if F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_WRITE are all set, 0 if not, -1 on error.
int edge_memfd_is_sealed(int fd);
// _GNU_SOURCE: fallocate(2) with FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE.
int edge_punch_hole(int fd, off_t offset, off_t length);
// _GNU_SOURCE: open(2) with O_TMPFILE, an unnamed file for reading and writing.
int edge_open_unnamed(const char *folder);
// _GNU_SOURCE: fallocate(2) with FALLOC_FL_KEEP_SIZE, room for a file that is still empty.
int edge_reserve(int fd, off_t length);
// variadic: openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS; a path cannot escape the directory, even by symlinks.
int edge_openat_beneath(int directory, const char *path, int flags);
// variadic open/openat, fcntl.
int edge_open(const char *path, int flags, mode_t mode);
int edge_openat(int directory, const char *path, int flags, mode_t mode);
int edge_set_nonblocking(int fd);
int edge_set_cloexec(int fd, int on);
// macros: attaches a filter that makes a listening TCP socket ignore new connections (SYN) but not handshakes in progress.
int edge_ignore_new_connections(int listener);
// macros: removes that filter, if there is one.
int edge_accept_new_connections(int listener);
// CMSG macros: sends bytes with up to 16 descriptors (SCM_RIGHTS); MSG_NOSIGNAL. Returns bytes sent or -1.
ssize_t edge_send_with_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count);
// CMSG macros: receives bytes with up to `*descriptor_count` descriptors (close-on-exec) and updates the count. Returns
// bytes received, 0 at the end, -1 on error (also if truncated).
ssize_t edge_receive_with_descriptors(int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count);
// variadic: prctl(PR_SET_NAME).
int edge_set_thread_name(const char *name);
// variadic: prctl(PR_SET_DUMPABLE): 0 hides the process's memory and files from other processes of its user. 0, or an errno.
int edge_set_dumpable(int on);
// variadic: prctl(PR_GET_DUMPABLE). 1 if the process is dumpable, 0 if not.
int edge_is_dumpable(void);
// A global that Swift 6 cannot read: the list of variables, ended by NULL.
char **edge_environment(void);
// _GNU_SOURCE: overwrites a text with zeros; the compiler does not leave that out.
void edge_erase(char *text);
// Swift imports mallopt's constants, but malloc.h is not in Glibc's module map.
int edge_malloc_set_arenas(int count);
// Keeps up to this many freed bytes at the top of the heap instead of returning them to the system.
int edge_malloc_keep(int bytes);
int edge_malloc_trim(void);
// Unmaps the pages of this process' programs and libraries that are never written, until they are used again: the kernel keeps them
// as part of the page cache, and can give them to others. Most are used by the start alone.
void edge_unmap_unused_code(void);
// fork and exec in C, since Swift's runtime must not run between them. `descriptors[i]` becomes descriptor 3 + i of
// the child, all others are closed. The child gets PDEATHSIG SIGKILL, no-new-privileges, default signal handlers and
// the given limits (-1 for none) and a lower priority. Returns the child's pid, or -1 with errno.
pid_t edge_spawn(const char *path, char *const argv[], char *const envp[], const int *descriptors, int descriptor_count,
                 int64_t limit_address_space, int64_t limit_cpu_seconds, int64_t limit_files, int64_t limit_file_size);
// fork and exec in C: starts a process that takes over the parent's work. `descriptors[i]` becomes descriptor 3 + i of the child,
// its standard streams are the parent's, and all others are closed. It outlives the parent. Returns its pid, or -1 with errno.
pid_t edge_spawn_successor(const char *path, char *const argv[], char *const envp[], int *descriptors, int descriptor_count);

// Sets the niceness of every thread of another process of this user, on top of the calling thread's; failures are ignored.
void edge_yield_process(pid_t pid, int niceness);
// Whether a thread of this process may return from a higher niceness to `niceness` on top of its present one; leaves the calling thread
// with a higher one, so call it on a thread that ends.
int edge_can_lower_niceness(int niceness);
// Makes this process the kernel's choice if memory runs out. Call it after exec: a child of an undumpable process cannot write the
// file before. 0, or an errno.
int edge_yield_memory(void);
// macro: the process that sent a signal, or 0.
pid_t edge_signal_sender(const siginfo_t *info);
// WIF* macros.
int edge_wait_exited(int status);
int edge_wait_exit_code(int status);
int edge_wait_signal(int status);
// _GNU_SOURCE, or badly imported.
extern const int edge_O_PATH;
extern const uint32_t edge_EPOLLIN, edge_EPOLLOUT, edge_EPOLLRDHUP, edge_EPOLLHUP, edge_EPOLLERR, edge_EPOLLET;
// syscall(2) is variadic: pidfd_open.
int edge_pidfd_open(pid_t pid);
// _GNU_SOURCE: copy_file_range; the caller falls back to read and write.
ssize_t edge_copy_file_range(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t count);
// sys/xattr.h is not part of the Glibc module: fsetxattr without flags, and fgetxattr.
int edge_fsetxattr(int fd, const char *name, const void *value, size_t size);
ssize_t edge_fgetxattr(int fd, const char *name, void *value, size_t size);

// Probes of the system's capabilities; none changes anything (Probes.c).
// syscall(2) is variadic: landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION). The ABI version from 1, or -1.
int edge_landlock_version(void);
// syscall(2) is variadic: io_uring_setup with invalid arguments. The errno; EFAULT or EINVAL if the kernel supports it.
int edge_io_uring_error(void);
// sys/timex.h is not in Glibc's module map: read-only adjtimex. 1 if synchronised, 0 if not, -1 on error.
int edge_clock_is_synchronised(void);
// sys/vfs.h is not in Glibc's module map: the f_type of statfs, or -1.
int64_t edge_file_system_type(const char *path);

#include "Sandbox.h"
