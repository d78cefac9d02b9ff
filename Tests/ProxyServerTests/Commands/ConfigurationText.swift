import Foundation
import TestSupport

/// A configuration file that is gone with its owner.
struct ConfigurationText {
    let path: String
    private let folder: TemporaryFolder

    init(_ yaml: String) throws {
        folder = try TemporaryFolder()
        path = folder.path + "/edgeprint.yaml"
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: path))
    }
}
