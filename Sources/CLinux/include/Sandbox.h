#pragma once
// System calls that confine a process (Sandbox.c): syscall(2), unshare(2) and prctl(2) are variadic or behind _GNU_SOURCE, and
// the structures of Landlock depend on the kernel's headers.
#include <stdint.h>

// The namespaces that edge_enter_namespace can take.
enum { edge_namespace_user, edge_namespace_network, edge_namespace_ipc, edge_namespace_uts, edge_namespace_mount };
// unshare(2): moves the calling process, which must have one thread, into a new namespace. 0, or an errno.
int edge_enter_namespace(int kind);
// Gives up all capabilities, such as those of a new user namespace. 0, or an errno.
int edge_drop_capabilities(void);
// Kills the process when the thread that started it ends, even after a change of credentials. 0, or an errno.
int edge_follow_parent(void);
// prctl(PR_GET_NO_NEW_PRIVS): 1 if it is in force, 0 if not.
int edge_has_no_new_privileges(void);

// Creates a ruleset that forbids all access to files, TCP ports, and signals and abstract sockets of other domains, as far as
// an ABI version knows them. A descriptor, or a negative errno.
int edge_landlock_create(int version);
// Allows reading a file, or a folder with everything below it. 0, or an errno.
int edge_landlock_allow_reading(int ruleset, const char *path);
// Puts a ruleset in force in all threads of the process. 0, or an errno.
int edge_landlock_enforce(int ruleset);

// Points descriptors 0 to 2 at /dev/null and closes all from `first` on. 0, or an errno.
int edge_close_descriptors(int first);

// Reports system calls that a filter traps: sends `message` on `socket` once per call, with the call's number written into its
// last four bytes, little endian; the call fails with ENOSYS. `message` is copied; at most 64 bytes. 0, or an errno.
int edge_report_trapped_calls(int socket, const void *message, int count);
// Restores the default action of the signal that trapped calls raise.
void edge_stop_reporting_trapped_calls(void);
