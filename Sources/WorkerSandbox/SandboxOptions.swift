package import ImagePlan

/// What the daemon asks of a worker's confinement, on its command line.
package struct SandboxOptions: Sendable {
    package var mode = SandboxMode.off
    /// Whether the process first runs its trials under a filter that reports calls instead of killing.
    package var isCanary = false
    /// Whether the process serves before it has loaded fonts and modules, so that it reads no files at all.
    package var isEarly = false
    /// Numbers of system calls that an earlier canary has found.
    package var calls: [Int32] = []

    /// Reads `--sandbox=MODE`, `--early`, `--canary` and `--allow=N,N`; other arguments are ignored.
    package init(_ arguments: [String]) {
        for argument in arguments {
            if argument == Self.canaryFlag { isCanary = true }
            if argument == Self.earlyFlag { isEarly = true }
            if argument.hasPrefix(Self.modeFlag) {
                mode = SandboxMode(rawValue: String(argument.dropFirst(Self.modeFlag.count))) ?? .require
            }
            if argument.hasPrefix(Self.callsFlag) {
                calls = argument.dropFirst(Self.callsFlag.count).split(separator: ",").compactMap { Int32($0) }
            }
        }
    }

    private static let modeFlag = "--sandbox="
    private static let canaryFlag = "--canary"
    private static let earlyFlag = "--early"
    private static let callsFlag = "--allow="
}
