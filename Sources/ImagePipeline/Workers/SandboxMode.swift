/// What happens if a part of the workers' sandbox cannot be put in force (`workers.sandbox`).
package enum SandboxMode: String, Hashable, Sendable, CaseIterable {
    /// The daemon does not start.
    case require
    /// The other parts are used, and the missing one is reported.
    case best
    /// No part is used, so that debuggers can attach.
    case off
}
