/// The report of `edgeprint doctor`.
struct DoctorReport: Sendable {
    var findings: [Finding]

    /// Whether there is a failure.
    var hasFailed: Bool { findings.contains { $0.severity == .failure } }

    /// One line per finding, followed by its fix, and a summary line.
    var text: String {
        let lines = findings.flatMap { finding in
            ["\(Self.column(finding.severity))\(Printing.plain(finding.subject)): \(Printing.plain(finding.message))"]
                + (finding.fix.map { ["\(String(repeating: " ", count: Self.width))fix: \(Printing.plain($0))"] } ?? [])
        }
        return lines.joined(separator: "\n") + "\n\n\(sum)\n"
    }

    /// `findings` with `severity`, `subject`, `message` and `fix`, and `failed`.
    var json: JSONValue {
        let values = findings.map { finding in
            JSONValue.object(
                [
                    .init("severity", .string(finding.severity.rawValue)), .init("subject", .string(finding.subject)),
                    .init("message", .string(finding.message)),
                    .init("fix", finding.fix.map(JSONValue.string) ?? .null),
                ]
            )
        }
        return .object([
            .init("version", .string(Version.text)), .init("failed", .bool(hasFailed)),
            .init("findings", .array(values)),
        ])
    }

    private static let width = 9

    private static func column(_ severity: Finding.Severity) -> String {
        severity.rawValue.padded(to: width)
    }

    private var sum: String {
        let counts = Finding.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = findings.count { $0.severity == severity }
            guard count > 0, severity != .ok else { return nil }
            return Printing.count(count, severity.rawValue)
        }
        return counts.isEmpty ? "nothing to do" : counts.joined(separator: ", ")
    }
}

extension String {
    /// The text padded with spaces.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
