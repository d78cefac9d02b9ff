import Glibc

/// What `make` tells tests by variables: longer runs than those of every day, other binaries.
package enum TestEnvironment {
    /// A variable's value; `nil` where it is not set.
    package static func value(_ name: String) -> String? {
        // Safe: nothing in the tests changes the environment.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
