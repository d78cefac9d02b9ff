/// Whether secrets are strong, and kept where only the service reads them.
struct SecretCheck: DoctorCheck {
    /// Characters below which a token can be guessed by who may ask often.
    private static let shortest = 16
    private static let fewestKinds = 8
    /// Words from examples.
    private static let known: Set = ["changeme", "change-me", "secret", "token", "password", "admin", "test", "example"]

    private let token: Secret
    /// The configuration's file, and which secrets stand in it.
    private let file: (path: String, secrets: [String])?

    init(_ loaded: LoadedConfiguration) {
        token = loaded.configuration.admin.token
        var path: String?
        var secrets: [String] = []
        for (key, place) in loaded.places {
            guard case .file(let name, _) = place else { continue }
            path = name
            if Self.isSecret(key, loaded.configuration) { secrets.append(key) }
        }
        file = path.map { ($0, secrets.sorted()) }
    }

    func findings(_ probe: any SystemProbe) -> [Finding] { [strength] + permissions(probe) }

    private static func isSecret(_ key: String, _ configuration: Configuration) -> Bool {
        if key == "admin.token" { return !configuration.admin.token.isEmpty }
        if key == "signing.keys" { return !configuration.signing.keys.isEmpty }
        // Header fields for an origin may be its credentials.
        return key.hasPrefix("sources.") && key.hasSuffix(".headers")
    }

    private var strength: Finding {
        let subject = "admin token"
        let fix = "openssl rand -hex 32 makes a good one"
        guard !token.isEmpty else { return .ok(subject, "none; whoever reaches the admin listener is trusted") }
        if Self.known.contains(token.value.lowercased()) {
            return .failure(subject, "is a word from examples", fix: fix)
        }
        guard token.value.count >= Self.shortest, Set(token.value).count >= Self.fewestKinds else {
            let message = "can be guessed: it should have \(Self.shortest) characters or more, of \(Self.fewestKinds) kinds"
            return .warning(subject, message, fix: fix)
        }
        return .ok(subject, "strong")
    }

    private func permissions(_ probe: any SystemProbe) -> [Finding] {
        guard let file, let status = probe.status(file.path) else { return [] }
        let subject = "configuration file"
        let command = "chmod 0640 \(file.path) && chgrp edgeprint \(file.path)"
        if status.mode & 0o002 != 0 {
            return [.failure(subject, "everybody may write \(file.path)", fix: "chmod o-w \(file.path)")]
        }
        guard status.mode & 0o004 != 0, !file.secrets.isEmpty else { return [.ok(subject, file.path)] }
        let names = file.secrets.joined(separator: ", ")
        return [.warning(subject, "everybody may read \(file.path), which holds secrets (\(names))", fix: command)]
    }
}
