import CSeccomp
import Glibc

/// What the filter does with a system call.
///
/// A call without a rule kills the process. A rule with conditions applies if all of them hold; without a match the call kills.
struct SystemCallRule {
    /// A comparison of one argument, which the kernel passes as 64 bits.
    struct Condition {
        let argument: UInt32
        let comparison: scmp_compare
        let first: UInt64
        var second: UInt64 = 0

        /// The argument has a value.
        static func `is`(_ argument: UInt32, _ value: Int) -> Condition {
            Condition(argument: argument, comparison: SCMP_CMP_EQ, first: UInt64(bitPattern: Int64(value)))
        }

        /// The argument's bits under a mask have a value.
        static func bits(_ argument: UInt32, _ mask: CInt, are value: CInt) -> Condition {
            Condition(
                argument: argument,
                comparison: SCMP_CMP_MASKED_EQ,
                first: UInt64(UInt32(bitPattern: mask)),
                second: UInt64(UInt32(bitPattern: value))
            )
        }
    }

    let name: String
    /// `nil` to allow the call, else the errno with which it fails.
    var error: CInt?
    var conditions: [Condition] = []
}

/// The system calls of a warm worker, with the reason for each.
///
/// Found by tracing debug and release builds over every input and output format, step, placeholder and description, with libvips
/// 8.14 on Debian 12. Calls of other versions of the C library are listed where they replace one of these.
enum SystemCallTable {
    /// All rules; `process` is the process that they are for.
    static func rules(for process: pid_t) -> [SystemCallRule] {
        allowed.map { SystemCallRule(name: $0) } + files + threads(process) + memory + refused
    }

    /// Calls that need no further condition.
    private static let allowed =
        // The job's socket and descriptors: mapped sources, sealed results, messages of a failing library on /dev/null.
        [
            "read", "readv", "pread64", "write", "writev", "close", "lseek", "poll", "ppoll", "memfd_create",
            "ftruncate",
            "fallocate",
        ]
        // Facts about files, fonts above all: fontconfig compares times with its cache. Landlock does not see these calls.
        + [
            "fstat", "stat", "lstat", "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2",
            "readlink", "readlinkat", "getdents64", "getcwd", "fadvise64", "umask",
        ]
        // Memory: malloc, and mappings that are not executable (see `memory`).
        + ["munmap", "mremap", "madvise", "brk", "mincore"]
        // Threads and their ends: libvips, aom, libjxl, libheif.
        + [
            "futex", "set_robust_list", "rseq", "set_tid_address", "gettid", "getpid", "getppid", "sched_yield",
            "sched_getaffinity", "sched_getattr", "sched_getparam", "sched_getscheduler", "exit", "exit_group",
            "restart_syscall",
        ]
        // Signals of the process itself: abort() and the fault of a truncated mapping.
        + ["rt_sigprocmask", "rt_sigaction", "rt_sigreturn", "sigaltstack"]
        // Clocks without a vDSO, waiting, random seeds, sizes of the machine, identity.
        + [
            "clock_gettime", "clock_getres", "gettimeofday", "time", "nanosleep", "clock_nanosleep", "getrandom",
            "sysinfo",
            "uname", "getrusage", "times", "getrlimit", "getuid", "geteuid", "getgid", "getegid", "getcpu",
        ]

    private static let files: [SystemCallRule] =
        // Only for reading, and only what Landlock allows; everything else is an error, not the end.
        opening("openat", flags: 2) + opening("open", flags: 1)
        // Messages pass over the socket to the daemon alone; further descriptors cannot become sockets.
        + ["sendmsg", "recvmsg"].map { SystemCallRule(name: $0, conditions: [.is(0, 3)]) }
        // Sealing results, and what the C library does with descriptors. F_SETOWN could signal other processes.
        + [F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, sealing, sealing + 1]
        .map { SystemCallRule(name: "fcntl", conditions: [.is(1, Int($0))]) }
        // The daemon shares the status flags of a job's files: with O_DIRECT its own reads would fail.
        + [SystemCallRule(name: "fcntl", error: EPERM, conditions: [.is(1, Int(F_SETFL))])]

    /// `F_ADD_SEALS` (fcntl.h, behind _GNU_SOURCE); `F_GET_SEALS` is the next number.
    private static let sealing: CInt = 1033

    /// Allows opening for reading.
    private static func opening(_ name: String, flags: UInt32) -> [SystemCallRule] {
        // Creating unnamed files needs O_RDWR or O_WRONLY.
        let changing = O_ACCMODE | O_CREAT | O_TRUNC
        return [
            SystemCallRule(name: name, conditions: [.bits(flags, changing, are: O_RDONLY)]),
            SystemCallRule(name: name, error: EACCES, conditions: [.bits(flags, O_WRONLY, are: O_WRONLY)]),
            SystemCallRule(name: name, error: EACCES, conditions: [.bits(flags, O_RDWR, are: O_RDWR)]),
            SystemCallRule(name: name, error: EACCES, conditions: [.bits(flags, O_CREAT, are: O_CREAT)]),
            SystemCallRule(name: name, error: EACCES, conditions: [.bits(flags, O_TRUNC, are: O_TRUNC)]),
        ]
    }

    private static func threads(_ process: pid_t) -> [SystemCallRule] {
        [
            // Threads only: neither fork nor a new namespace. glibc falls back to it from clone3, whose flags a filter cannot see.
            SystemCallRule(name: "clone", conditions: [.bits(0, threadMask, are: threadFlags)]),
            SystemCallRule(name: "clone3", error: ENOSYS),
            // abort() and raise().
            SystemCallRule(name: "tgkill", conditions: [.is(0, Int(process))]),
            // The names of threads; PR_SET_NAME.
            SystemCallRule(name: "prctl", conditions: [.is(0, 15)]),
            // Reads the process' own limits; changes none.
            SystemCallRule(name: "prlimit64", conditions: [.is(0, 0), .is(2, 0)]),
            // Hints that libraries give the scheduler; a worker keeps what the daemon gave it.
            SystemCallRule(name: "sched_setattr", error: EPERM),
            SystemCallRule(name: "sched_setscheduler", error: EPERM),
            SystemCallRule(name: "sched_setaffinity", error: EPERM),
            SystemCallRule(name: "setpriority", error: EPERM),
            SystemCallRule(name: "set_mempolicy", error: EPERM),
            SystemCallRule(name: "get_mempolicy", error: EPERM),
            SystemCallRule(name: "mbind", error: EPERM),
        ]
    }

    /// CLONE_VM, CLONE_SIGHAND and CLONE_THREAD (sched.h, behind _GNU_SOURCE).
    private static let threadFlags: CInt = 0x100 | 0x800 | 0x10000
    /// Those, and CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, VFORK and PTRACE.
    private static let threadMask: CInt = threadFlags | 0x7e02_0000 | 0x4000 | 0x2000

    private static let memory: [SystemCallRule] = ["mmap", "mprotect"]
        .flatMap { name in
            [
                SystemCallRule(name: name, conditions: [.bits(2, PROT_EXEC, are: 0)]),
                // No machine code after the start. An error lets a library fall back, as Orc does.
                SystemCallRule(name: name, error: EACCES, conditions: [.bits(2, PROT_EXEC, are: PROT_EXEC)]),
            ]
        }

    /// Calls that libraries try and do without.
    private static let refused: [SystemCallRule] =
        [
            "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "recvfrom", "sendmmsg",
            "recvmmsg", "getsockname", "getpeername", "setsockopt", "getsockopt", "shutdown", "openat2", "creat",
            // fontconfig renews an outdated cache, if it can.
            "mkdir", "mkdirat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink",
            "symlinkat", "chmod", "fchmod", "fchmodat", "utimensat", "rmdir", "truncate",
        ].map { SystemCallRule(name: $0, error: EACCES) }
        // isatty() of a library that logs.
        + [SystemCallRule(name: "ioctl", error: ENOTTY)]

    /// Calls that lead out of the confinement; a library that makes one of them gets an error.
    static let forbidden: Set<String> = [
        "execve", "execveat", "fork", "vfork", "kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "ptrace",
        "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_open", "pidfd_getfd",
        "pidfd_send_signal", "kcmp", "bpf", "userfaultfd", "perf_event_open", "io_uring_setup", "io_uring_enter",
        "io_uring_register", "unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree",
        "fsopen", "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at", "setsid", "setpgid",
        "personality", "seccomp", "capset", "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid",
        "setgroups", "keyctl", "add_key", "request_key", "init_module", "finit_module", "delete_module", "kexec_load",
        "kexec_file_load", "reboot", "swapon", "swapoff", "modify_ldt", "iopl", "ioperm", "shmat", "shmget", "shmctl",
        "remap_file_pages", "pkey_mprotect", "memfd_secret", "ioctl", "uselib", "acct", "quotactl", "syslog",
        // Changes of files that Landlock does not see, and calls about other processes.
        "chown", "fchown", "lchown", "fchownat", "fchmodat2", "utime", "utimes", "futimesat", "setxattr", "lsetxattr",
        "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "mknod", "mknodat",
        "migrate_pages", "move_pages", "ioprio_set", "fanotify_init",
    ]
}
