import Glibc

/// Environment variables with which `make` requests longer runs or other binaries.
package enum TestEnvironment {
    /// The value of a variable; `nil` if it is not set.
    package static func value(_ name: String) -> String? {
        // Safe: nothing in the tests changes the environment.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
