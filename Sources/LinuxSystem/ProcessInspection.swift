import CLinux
import Glibc

/// Whether other processes of the same user may inspect this one: attach a debugger, read and write its memory, read its
/// environment, list and copy its descriptors (ptrace(2), pidfd_getfd(2), proc(5)).
///
/// The kernel's name for it is *dumpable*: a process that may not be inspected writes no core dump either. Its own threads can still
/// use all of /proc/self except for files that only root may write, such as oom_score_adj. Processes with CAP_SYS_PTRACE are not
/// affected.
package enum ProcessInspection {
    /// Whether inspection is allowed; each exec allows it again.
    package static var isAllowed: Bool { edge_is_dumpable() != 0 }

    /// Allows or forbids inspection, for all threads.
    ///
    /// - Throws: `Errno` if a filter of system calls refuses prctl(PR_SET_DUMPABLE).
    package static func setAllowed(_ isAllowed: Bool) throws(Errno) {
        let code = edge_set_dumpable(isAllowed ? 1 : 0)
        guard code == 0 else { throw Errno(code, "prctl(PR_SET_DUMPABLE)") }
    }
}
