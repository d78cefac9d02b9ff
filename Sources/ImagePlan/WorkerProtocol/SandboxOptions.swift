/// What the daemon asks of a worker's confinement, on its command line.
package struct SandboxOptions: Sendable {
    package var mode = SandboxMode.off
    /// Whether the process first runs its trials under a filter that reports calls instead of killing.
    package var isCanary = false
    /// Numbers of system calls that an earlier canary has found.
    package var calls: [Int32] = []

    /// Creates options; numbers that no system call can have are left out.
    package init(_ mode: SandboxMode, isCanary: Bool, calls: [UInt32]) {
        (self.mode, self.isCanary) = (mode, isCanary)
        self.calls = calls.compactMap { Int32(exactly: $0) }
    }

    /// Reads `--sandbox=MODE`, `--canary` and `--allow=N,N`; other arguments are ignored.
    package init(_ arguments: [String]) {
        for argument in arguments {
            if argument == Self.canaryFlag { isCanary = true }
            if argument.hasPrefix(Self.modeFlag) {
                mode = SandboxMode(rawValue: String(argument.dropFirst(Self.modeFlag.count))) ?? .require
            }
            if argument.hasPrefix(Self.callsFlag) {
                calls = argument.dropFirst(Self.callsFlag.count).split(separator: ",").compactMap { Int32($0) }
            }
        }
    }

    /// The arguments that `init(_:)` reads.
    package var arguments: [String] {
        [Self.modeFlag + mode.rawValue] + (isCanary ? [Self.canaryFlag] : [])
            + (calls.isEmpty ? [] : [Self.callsFlag + calls.map(String.init).joined(separator: ",")])
    }

    private static let modeFlag = "--sandbox="
    private static let canaryFlag = "--canary"
    private static let callsFlag = "--allow="
}
