/// What one check says about one thing.
struct Finding: Sendable, Hashable {
    /// How much it matters.
    enum Severity: String, Sendable, Hashable, CaseIterable {
        case ok
        /// Worth knowing; nothing is the matter.
        case note
        /// The daemon serves, but worse or less safely than it could.
        case warning
        /// The daemon does not start, or cannot do its work.
        case failure
    }

    var severity: Severity
    /// What was looked at, in a word or two: `cache folder`.
    var subject: String
    /// What was found, in a clause.
    var message: String
    /// What to do, in a sentence or a command; `nil` for what is ok.
    var fix: String?

    /// Nothing to do.
    static func ok(_ subject: String, _ message: String) -> Finding {
        Finding(severity: .ok, subject: subject, message: message)
    }

    /// Worth knowing.
    static func note(_ subject: String, _ message: String, fix: String) -> Finding {
        Finding(severity: .note, subject: subject, message: message, fix: fix)
    }

    /// Better changed.
    static func warning(_ subject: String, _ message: String, fix: String) -> Finding {
        Finding(severity: .warning, subject: subject, message: message, fix: fix)
    }

    /// Must be changed.
    static func failure(_ subject: String, _ message: String, fix: String) -> Finding {
        Finding(severity: .failure, subject: subject, message: message, fix: fix)
    }
}
