import Foundation

/// The small files of `ImageWorkerTests/Samples`, which no test can write by itself.
package enum SampleFiles {
    // Tests/TestSupport/SampleFiles.swift
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "ImageWorkerTests/Samples")

    /// A file's bytes.
    package static func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: folder.appending(path: name)))
    }
}
