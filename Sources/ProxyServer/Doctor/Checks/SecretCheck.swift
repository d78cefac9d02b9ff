import Cluster
import ImagePipeline
import LinuxSystem
import OriginTransfer
import HTTPSemantics

/// Checks that secrets are strong and not readable by other users.
struct SecretCheck: DoctorCheck {
    /// The minimum length of a token.
    private static let shortest = 16
    private static let fewestKinds = 8
    /// Well-known example values.
    private static let known: Set = [
        "changeme", "change-me", "secret", "token", "password", "admin", "test", "example",
    ]

    private let token: Secret
    /// That of nodes; empty outside of a cluster with owners.
    private let clusterToken: Secret
    /// The configuration file, or `nil`.
    private let path: String?
    /// Keys with secrets, and the values as they would appear in the file.
    private let secrets: [(key: String, text: String)]

    init(_ loaded: LoadedConfiguration) {
        let configuration = loaded.configuration
        token = configuration.admin.token
        let cluster = configuration.cluster
        clusterToken = cluster.token
        path = loaded.places.values.lazy.compactMap { if case .file(let path, _) = $0 { path } else { nil } }.first
        var secrets = [
            ("admin.token", token.value), ("cluster.token", clusterToken.value),
            ("cluster.secret-key", cluster.secretKey.value), ("cluster.session-token", cluster.sessionToken.value),
            ("cluster.log", cluster.log?.password.value ?? ""),
        ]
        secrets += configuration.signing.keys.map { ("signing.keys", $0.bytes.hexText) }
        secrets += configuration.keys.map { ("keys.\($0.name)", $0.key.secretText) }
        secrets += configuration.dialects.secrets
        for site in configuration.sites {
            secrets += site.settings.dialects.secrets.map { ("sites.\(site.name).\($0.key)", $0.text) }
            secrets.append(("sites.\(site.name).token", site.token.value))
            secrets += site.settings.signing.keys.map { ("sites.\(site.name).signing.keys", $0.bytes.hexText) }
        }
        // Header fields for an origin may contain credentials.
        secrets += configuration.allSources.flatMap { source in
            source.rule.headers.map { ("sources.\(source.rule.name).headers", $0.value) }
        }
        self.secrets = secrets.filter { !$0.1.isEmpty }
    }

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let nodes = clusterToken.isEmpty ? [] : [strength(of: clusterToken, "cluster token")]
        return [adminStrength] + nodes + permissions(probe)
    }

    private var adminStrength: Finding {
        let subject = "admin token"
        guard !token.isEmpty else { return .ok(subject, "none; all clients of the admin listener are trusted") }
        return strength(of: token, subject)
    }

    private func strength(of token: Secret, _ subject: String) -> Finding {
        let fix = "generate one with openssl rand -hex 32"
        if Self.known.contains(token.value.lowercased()) {
            return .failure(subject, "is a well-known example value", fix: fix)
        }
        guard token.value.count >= Self.shortest, Set(token.value).count >= Self.fewestKinds else {
            let message =
                "is weak: it should have at least \(Self.shortest) characters, \(Self.fewestKinds) of them different"
            return .warning(subject, message, fix: fix)
        }
        return .ok(subject, "strong")
    }

    private func permissions(_ probe: any SystemProbe) -> [Finding] {
        guard let path, let status = probe.status(path) else { return [] }
        let subject = "configuration file"
        if status.mode & 0o002 != 0 {
            return [.failure(subject, "\(path) is writable by all users", fix: "chmod o-w \(path)")]
        }
        guard status.mode & 0o004 != 0 else { return [.ok(subject, path)] }
        // Secrets from separate files or variables are not in this file.
        let text = probe.text(path)?.lowercased()
        let found = Set(secrets.filter { text?.contains($0.text.lowercased()) ?? true }.map(\.key)).sorted()
        guard !found.isEmpty else { return [.ok(subject, path)] }
        return [
            .warning(
                subject,
                "\(path) is readable by all users and contains secrets (\(found.joined(separator: ", ")))",
                fix: "chmod 0640 \(path) && chgrp edgeprint \(path), or move the secrets to separate files (!file)"
            )
        ]
    }
}

extension Configuration.DialectKeys {
    /// Keys with secrets, and the values as they would appear in the file.
    fileprivate var secrets: [(key: String, text: String)] {
        let signing = [("keys", imgproxy.keys), ("salts", imgproxy.salts), ("url-keys", imgproxy.urlKeys)].flatMap {
            key,
            values in
            values.map { (key: "dialects.imgproxy.\(key)", text: $0.bytes.hexText) }
        }
        return signing + thumbor.keys.map { ("dialects.thumbor.keys", $0.value) }
            + imagor.keys.map { ("dialects.imagor.keys", $0.value) }
    }
}
