import Glibc
import ImagePlan
import LinuxSystem

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

    /// A file's bytes, `nil` without a file, or the reason why they cannot be used.
    typealias Content = Result<[UInt8]?, FaceCascade.Malformed>

    /// The cascade by Rainer Lienhart, of trees of two nodes; others find fewer faces, or more that are none.
    ///
    /// `Benchmarks/README.md` compares them in the section "Faces".
    static let path = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml"
    /// The largest file that is used, in bytes; the real one has 541 kB.
    private static let largest = 4 << 20

    /// The file's content until it is parsed, then nothing.
    static let content = Lock<Content>(read(path))

    /// What there is to search with, parsed once.
    static let state = parsed(
        content.withLock { content in
            defer { content = .success(nil) }
            return content
        }
    )

    /// Reads the file.
    static func load() { content.withLock { _ in } }

    /// How a worker reports the state.
    static var capability: WorkerCapabilities.Faces {
        switch state {
        case .absent: .init(areFound: false)
        case .malformed(let error): .init(areFound: false, problem: "\(path) \(error)")
        case .ready: .init(areFound: true)
        }
    }

    /// Parses a file's content.
    static func parsed(_ content: Content) -> State {
        do throws(FaceCascade.Malformed) {
            guard let bytes = try content.get() else { return .absent }
            return .ready(FaceFinder(try FaceCascade(parsing: bytes)))
        } catch {
            return .malformed(error)
        }
    }

    /// Reads a file; only one that does not exist is absent.
    static func read(_ path: String) -> Content {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return errno == ENOENT || errno == ENOTDIR ? .success(nil) : .failure(failure(errno)) }
        defer { close(file) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(failure(errno)) }
            if count == 0 { return .success(content) }
            content += chunk[..<count]
            guard content.count <= largest else { return .failure(.init("is larger than \(largest >> 20) MiB")) }
        }
    }

    private static func failure(_ code: CInt) -> FaceCascade.Malformed {
        .init("cannot be read: \(unsafe String(cString: strerror(code)))")
    }
}
