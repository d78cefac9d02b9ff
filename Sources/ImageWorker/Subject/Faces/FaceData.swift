import Glibc
import ImagePlan

/// The installed cascade of frontal faces, a file of Debian's package `opencv-data`; without it, no faces are looked for.
///
/// The file is read before the worker locks itself, and parsed when a picture first needs it, since that takes 25 ms.
enum FaceData {
    /// What there is to search with.
    enum State: Sendable {
        case absent
        case malformed(FaceCascade.Malformed)
        case ready(FaceFinder)
    }

    /// The cascade by Rainer Lienhart, of trees of two nodes; others find fewer faces, or more that are none (`Benchmarks/README.md`).
    private static let path = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml"
    /// The largest file that is read, in bytes; the real one has 541 kB.
    private static let largest = 4 << 20

    private static let bytes = read(path)

    /// What there is to search with, parsed once.
    static let state = parsed(bytes)

    /// Reads the file.
    static func load() { _ = bytes }

    /// How a worker reports the state.
    static var capability: WorkerCapabilities.Faces {
        switch state {
        case .absent: .init(areFound: false)
        case .malformed(let error): .init(areFound: false, problem: "\(path) \(error)")
        case .ready: .init(areFound: true)
        }
    }

    /// Parses a file's content.
    static func parsed(_ bytes: [UInt8]?) -> State {
        guard let bytes else { return .absent }
        do throws(FaceCascade.Malformed) {
            return .ready(FaceFinder(try FaceCascade(parsing: bytes)))
        } catch {
            return .malformed(error)
        }
    }

    /// Returns the content of a file; `nil` if it cannot be read, and the first bytes of one that is too large.
    private static func read(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while content.count < largest {
            let count = unsafe Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            content += chunk[..<count]
        }
        return content
    }
}
