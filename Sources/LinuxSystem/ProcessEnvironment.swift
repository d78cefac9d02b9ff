import CLinux
import Glibc

/// The environment variables of this process.
package enum ProcessEnvironment {
    /// Variables that libraries read while the daemon runs: for messages, time zones, name resolution, TLS and memory.
    private static let libraryNames: Set<String> = [
        "HOME", "HOSTALIASES", "LANG", "LANGUAGE", "LOCALDOMAIN", "OPENSSL_CONF", "OPENSSL_MODULES", "PATH",
        "RES_OPTIONS",
        "SSLKEYLOGFILE", "SSL_CERT_DIR", "SSL_CERT_FILE", "TMPDIR", "TZ", "TZDIR",
    ]
    private static let libraryPrefixes = ["LC_", "LIBDISPATCH_", "MALLOC_", "SWIFT_"]

    /// Removes all variables from the process except those that libraries read, and returns all of them.
    ///
    /// `unsetenv` only removes a pointer: the text stays in the block that the kernel has filled at exec, and /proc/PID/environ
    /// shows that block. The text itself is therefore overwritten. Which variables are secret is not known, since any of them can
    /// be named by `${NAME}` in the configuration.
    ///
    /// Call it on the main thread before any other thread exists: getenv(3) takes no lock. Of variables with equal names the first
    /// one counts, as for getenv.
    package static func take() -> [String: Secret] {
        guard let list = unsafe edge_environment() else { return [:] }
        var variables: [String: Secret] = [:]
        var (read, kept) = (0, 0)
        while let entry = unsafe list[read] {
            read += 1
            let text = unsafe String(cString: entry)
            let name = text.prefix { $0 != "=" }
            if variables[String(name)] == nil {
                variables[String(name)] = Secret(String(text.dropFirst(name.count + 1)))
            }
            if isForLibraries(String(name)) {
                unsafe list[kept] = entry
                kept += 1
            } else {
                unsafe edge_erase(entry)
            }
        }
        unsafe list[kept] = nil
        return variables
    }

    private static func isForLibraries(_ name: String) -> Bool {
        libraryNames.contains(name) || libraryPrefixes.contains { name.hasPrefix($0) }
    }
}
