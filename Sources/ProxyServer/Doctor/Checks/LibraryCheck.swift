import ImagePipeline

/// Checks the C libraries that the daemon is linked with.
struct LibraryCheck: DoctorCheck {
    /// Whether an origin uses https.
    let needsTLS: Bool

    /// The first version of SQLite with STRICT tables.
    private static let leastSQLite = [3, 37]

    func findings(_ probe: any SystemProbe) -> [Finding] {
        let found = probe.libraries
        return [curl(found), sqlite(found), .ok("libcrypto", found.crypto)]
    }

    private func curl(_ found: LinkedLibraries) -> Finding {
        let fix = "install Debian's libcurl4, and check LD_LIBRARY_PATH"
        guard let tls = found.tls else {
            let message = "\(found.curl) without TLS: https origins are unreachable"
            return needsTLS ? .failure("libcurl", message, fix: fix) : .warning("libcurl", message, fix: fix)
        }
        let text = "\(found.curl), \(tls)"
        guard found.hasHTTP2 else { return .note("libcurl", "\(text), without HTTP/2 to origins", fix: fix) }
        guard found.resolvesInThreads else {
            return .warning("libcurl", "\(text), whose name resolution blocks all transfers", fix: fix)
        }
        return .ok("libcurl", "\(text), HTTP/2")
    }

    private func sqlite(_ found: LinkedLibraries) -> Finding {
        let numbers = found.sqlite.split(separator: ".").compactMap { Int($0) }
        guard !numbers.lexicographicallyPrecedes(Self.leastSQLite) else {
            let message = "\(found.sqlite) is older than 3.37: the cache's index cannot be created"
            return .failure(
                "SQLite",
                message,
                fix: "install Debian's libsqlite3-0, and check LD_LIBRARY_PATH"
            )
        }
        return .ok("SQLite", found.sqlite)
    }
}
