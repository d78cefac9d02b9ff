import Glibc

/// The package's folder, from which tests read configuration, scripts and samples.
package enum Checkout {
    /// The absolute path, without a trailing slash.
    ///
    /// The working directory if it is a checkout of this package, as under `swift test`, so that an existing test bundle can run
    /// against another clone. Otherwise the folder in which the tests were compiled.
    package static let folder: String = {
        // Tests/TestSupport/Checkout.swift
        let compiled = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
            separator: "/"
        )
        guard let working = unsafe getcwd(nil, 0) else { return compiled }
        defer { unsafe free(working) }
        let here = unsafe String(cString: working)
        return unsafe access(here + "/Tests/TestSupport", R_OK) == 0 ? here : compiled
    }()

    /// The path of a file or folder in the package.
    package static func path(_ name: String) -> String { folder + "/" + name }
}
