import Foundation
import TestSupport

/// A temporary configuration file, deleted with this object.
struct ConfigurationText {
    let path: String
    private let folder: TemporaryFolder

    init(_ yaml: String) throws {
        folder = try TemporaryFolder()
        path = folder.path + "/edgeprint.yaml"
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: path))
    }
}
