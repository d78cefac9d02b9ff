/// A result of a check.
struct Finding: Sendable, Hashable {
    /// The importance of a finding.
    enum Severity: String, Sendable, Hashable, CaseIterable {
        case ok
        /// Information that needs no action.
        case note
        /// The daemon works, but worse or less safely than it could.
        case warning
        /// The daemon does not start or does not work.
        case failure
    }

    var severity: Severity
    /// The subject in a few words, such as `cache folder`.
    var subject: String
    /// The finding, in a clause.
    var message: String
    /// The fix, as a sentence or a command; `nil` for ok.
    var fix: String?

    /// Creates a finding without a problem.
    static func ok(_ subject: String, _ message: String) -> Finding {
        Finding(severity: .ok, subject: subject, message: message)
    }

    /// Creates a note.
    static func note(_ subject: String, _ message: String, fix: String) -> Finding {
        Finding(severity: .note, subject: subject, message: message, fix: fix)
    }

    /// Creates a warning.
    static func warning(_ subject: String, _ message: String, fix: String) -> Finding {
        Finding(severity: .warning, subject: subject, message: message, fix: fix)
    }

    /// Creates a failure.
    static func failure(_ subject: String, _ message: String, fix: String) -> Finding {
        Finding(severity: .failure, subject: subject, message: message, fix: fix)
    }
}
