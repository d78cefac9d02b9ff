import Foundation
import HTTPKit
import ImagePipeline
import Testing
import LinuxSystem

@testable import ProxyServer

/// The Debian package's differences from the default configuration.
@Suite(.timeLimit(.minutes(1)))
struct PackageTests {
    private static let checkout = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.checkout.appendingPathComponent(path), encoding: .utf8)
    }

    /// The configuration as written by scripts/make-deb.
    private func packaged() throws -> String {
        let script = Self.checkout.appendingPathComponent("deploy/debian/edgeprint.sed").path
        let file = Self.checkout.appendingPathComponent("config/edgeprint.yaml").path
        let run = try CommandRun(program: "/bin/sed", ["-f", script, file])
        #expect(run.code == 0, "\(run.errors)")
        return run.output
    }

    @Test func `the admin listener is a socket in the service's folder, and everything else is default`() throws {
        var configuration = try load(packaged())
        #expect(configuration.admin.listen == [.unix(path: "/run/edgeprint/admin.sock")])
        #expect(try text("deploy/edgeprint.service").contains("\nRuntimeDirectory=edgeprint\n"))
        configuration.admin.listen = Configuration().admin.listen
        #expect(configuration == Configuration())
        // Commands find it without options.
        #expect(throws: Never.self) { try AdminClient(load(packaged())) }
    }

    @Test func `the commented lines for TCP with a token are valid`() throws {
        var lines = try packaged().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines.removeAll { $0.hasPrefix("  listen: unix:") || $0 == "  token: \"\"" }
        lines = lines.map { line in
            line.hasPrefix("  # listen: [") || line.hasPrefix("  # token: !file")
                ? line.replacing("# ", with: "") : line
        }
        let configuration = try load(
            lines.joined(separator: "\n"),
            files: ["/etc/edgeprint/admin-token": "0123456789abcdef\n"]
        )
        #expect(configuration.admin.listen.map(\.description) == ["unix:/run/edgeprint/admin.sock", "127.0.0.1:8081"])
        #expect(configuration.admin.token.value == "0123456789abcdef")
    }

    @Test func `the socket for nginx is restricted to nginx and root`() throws {
        let unit = try text("deploy/edgeprint.socket")
        #expect(unit.contains("\nSocketMode=0660\n") && unit.contains("\nSocketGroup=www-data\n"))
        #expect(try text("deploy/edgeprint.service").contains("\nCacheDirectoryMode=0700\n"))
    }
}
