import ImagePipeline
import LinuxSystem
import OriginTransfer
import HTTPSemantics

/// Whether secrets are strong, and kept where only the service reads them.
struct SecretCheck: DoctorCheck {
    /// Characters below which a token can be guessed by who may ask often.
    private static let shortest = 16
    private static let fewestKinds = 8
    /// Words from examples.
    private static let known: Set = [
        "changeme", "change-me", "secret", "token", "password", "admin", "test", "example",
    ]

    private let token: Secret
    /// The configuration's file; `nil` where there is none.
    private let path: String?
    /// Keys that hold secrets, and these as they may stand in the file.
    private let secrets: [(key: String, text: String)]

    init(_ loaded: LoadedConfiguration) {
        let configuration = loaded.configuration
        token = configuration.admin.token
        path = loaded.places.values.lazy.compactMap { if case .file(let path, _) = $0 { path } else { nil } }.first
        var secrets = [("admin.token", token.value)]
        secrets += configuration.signing.keys.map { ("signing.keys", $0.bytes.hexText) }
        // Header fields for an origin may be its credentials.
        secrets += configuration.sources.flatMap { source in
            source.rule.headers.map { ("sources.\(source.rule.name).headers", $0.value) }
        }
        self.secrets = secrets.filter { !$0.1.isEmpty }
    }

    func findings(_ probe: any SystemProbe) -> [Finding] { [strength] + permissions(probe) }

    private var strength: Finding {
        let subject = "admin token"
        let fix = "openssl rand -hex 32 makes a good one"
        guard !token.isEmpty else { return .ok(subject, "none; whoever reaches the admin listener is trusted") }
        if Self.known.contains(token.value.lowercased()) {
            return .failure(subject, "is a word from examples", fix: fix)
        }
        guard token.value.count >= Self.shortest, Set(token.value).count >= Self.fewestKinds else {
            let message =
                "can be guessed: it should have \(Self.shortest) characters or more, of \(Self.fewestKinds) kinds"
            return .warning(subject, message, fix: fix)
        }
        return .ok(subject, "strong")
    }

    private func permissions(_ probe: any SystemProbe) -> [Finding] {
        guard let path, let status = probe.status(path) else { return [] }
        let subject = "configuration file"
        if status.mode & 0o002 != 0 {
            return [.failure(subject, "everybody may write \(path)", fix: "chmod o-w \(path)")]
        }
        guard status.mode & 0o004 != 0 else { return [.ok(subject, path)] }
        // What comes from a file of its own, or from a variable, does not stand in this one.
        let text = probe.text(path)?.lowercased()
        let found = Set(secrets.filter { text?.contains($0.text.lowercased()) ?? true }.map(\.key)).sorted()
        guard !found.isEmpty else { return [.ok(subject, path)] }
        return [
            .warning(
                subject,
                "everybody may read \(path), which holds secrets (\(found.joined(separator: ", ")))",
                fix: "chmod 0640 \(path) && chgrp edgeprint \(path), or keep them in files of their own (!file)"
            )
        ]
    }
}
