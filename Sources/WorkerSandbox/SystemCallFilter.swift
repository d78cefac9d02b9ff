import CSeccomp
import Glibc
import ImagePlan

/// A seccomp filter with the calls of `SystemCallTable`, for all threads of this process; confined to the thread that builds it.
@safe
final class SystemCallFilter {
    /// What happens to calls that no rule names.
    enum Default {
        /// Kills the process.
        case kill
        /// Raises SIGSYS in the calling thread, for the canary; the filter can be followed by a further one.
        case trap
    }

    private let context: scmp_filter_ctx

    /// Builds the filter.
    ///
    /// - Parameters:
    ///   - default: what happens to all other calls.
    ///   - extra: numbers of calls that a canary has found; forbidden ones fail with `EPERM`, unknown ones with `ENOSYS`.
    /// - Throws: `SandboxError` with the errno of libseccomp.
    init(_ default: Default, extra: [CInt]) throws(SandboxError) {
        let action = `default` == .kill ? edge_seccomp_kill : edge_seccomp_trap
        guard let context = unsafe seccomp_init(action) else { throw SandboxError(code: ENOMEM) }
        unsafe self.context = context
        // All threads: libraries have started some. Calls in the number space of another architecture always kill.
        try set(SCMP_FLTATR_CTL_TSYNC, 1)
        try set(SCMP_FLTATR_CTL_NNP, 0)
        try set(SCMP_FLTATR_ACT_BADARCH, edge_seccomp_kill)
        try set(SCMP_FLTATR_CTL_OPTIMIZE, 2)
        let rules = SystemCallTable.rules(for: getpid())
        for rule in rules { try add(rule) }
        let listed = Set(rules.map(\.name))
        for number in extra {
            guard let name = Self.name(of: number) else {
                // Newer than libseccomp: fails as on a kernel without it.
                try check(unsafe seccomp_rule_add_array(context, edge_seccomp_errno(UInt16(ENOSYS)), number, 0, nil))
                continue
            }
            guard !listed.contains(name) else { continue }
            try add(SystemCallRule(name: name, error: Self.isAllowed(name) ? nil : EPERM))
        }
        if `default` == .trap { try add(SystemCallRule(name: "seccomp")) }
    }

    deinit { unsafe seccomp_release(context) }

    /// Puts the filter in force.
    ///
    /// - Throws: `SandboxError` with the kernel's errno.
    func load() throws(SandboxError) { try check(unsafe seccomp_load(context)) }

    /// The name of a call of this architecture; `nil` for an unknown number.
    static func name(of number: CInt) -> String? {
        guard let text = unsafe seccomp_syscall_resolve_num_arch(seccomp_arch_native(), number) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Whether workers may make a call that a library turns out to need: not one that leads out of the confinement, nor one of which
    /// the table allows certain arguments alone.
    static func isAllowed(_ name: String) -> Bool {
        !SystemCallTable.forbidden.contains(name) && !SystemCallTable.rules(for: 0).contains { $0.name == name }
    }

    private func set(_ attribute: scmp_filter_attr, _ value: UInt32) throws(SandboxError) {
        try check(unsafe seccomp_attr_set(context, attribute, value))
    }

    private func add(_ rule: SystemCallRule) throws(SandboxError) {
        let number = unsafe seccomp_syscall_resolve_name(rule.name)
        // A call that this architecture or this version of libseccomp does not know.
        guard number >= 0 else { return }
        let action = rule.error.map { edge_seccomp_errno(UInt16($0)) } ?? edge_seccomp_allow
        let conditions = rule.conditions.map {
            scmp_arg_cmp(arg: $0.argument, op: $0.comparison, datum_a: $0.first, datum_b: $0.second)
        }
        try check(
            unsafe seccomp_rule_add_array(context, action, number, UInt32(conditions.count), conditions)
        )
    }

    private func check(_ result: CInt) throws(SandboxError) {
        guard result == 0 else { throw SandboxError(code: -result) }
    }
}

/// A layer that could not be taken.
struct SandboxError: Error {
    /// The errno.
    let code: CInt
}
