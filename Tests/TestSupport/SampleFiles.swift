import Foundation

/// The small files in `ImageWorkerTests/Samples`, which tests cannot generate.
package enum SampleFiles {
    // Tests/TestSupport/SampleFiles.swift
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "ImageWorkerTests/Samples")

    /// The bytes of a file.
    package static func bytes(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: folder.appending(path: name)))
    }
}
