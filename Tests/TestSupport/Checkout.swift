import Glibc

/// The package's own folder, whose configuration, scripts and samples are read by tests.
package enum Checkout {
    /// Its absolute path, without a slash at the end.
    ///
    /// The working directory where that is a checkout of this package, as it is under `swift test`: so a test bundle that is
    /// already built runs against another clone when it is started there. Otherwise the folder that the tests were compiled in.
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

    /// The path of a file or folder in it.
    package static func path(_ name: String) -> String { folder + "/" + name }
}
