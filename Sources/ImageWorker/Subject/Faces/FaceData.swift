import Glibc
import ImagePlan
import LinuxSystem

/// The installed data to find faces with: the network YuNet, or else the cascade of Debian's package `opencv-data`; without both, no faces
/// are looked for.
///
/// The file is read before the worker locks itself, and parsed when a picture first needs it: a cascade takes 25 ms.
enum FaceData {
    /// What there is to search with.
    enum State: Sendable {
        case absent
        case malformed(Malformed, Kind)
        case ready(any FaceFinder, Kind)
    }

    /// The reason why a file cannot be used, as a clause whose subject is the file.
    struct Malformed: Error, Hashable, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// A file's bytes, `nil` without a file, or the reason why they cannot be used.
    typealias Content = Result<[UInt8]?, Malformed>

    /// A way to find faces; the first that is installed is used.
    enum Kind: String, CaseIterable, Sendable {
        /// Finds most faces, also small ones and those turned to a side.
        case network
        /// Finds large frontal ones.
        case cascade

        /// Where the file is.
        ///
        /// The cascade is Rainer Lienhart's, of trees of two nodes; others find fewer faces, or more that are none. `Benchmarks/README.md`
        /// compares them in the section "Faces".
        var path: String {
            switch self {
            case .network: "/usr/local/share/edgeprint/yunet.onnx"
            case .cascade: "/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml"
            }
        }

        /// Parses a file's content.
        func finder(_ bytes: [UInt8]) throws(Malformed) -> any FaceFinder {
            switch self {
            case .network: NetworkFaceFinder(try FaceNetwork(parsing: bytes))
            case .cascade: CascadeFaceFinder(try FaceCascade(parsing: bytes))
            }
        }
    }

    /// The largest file that is used, in bytes; the real ones have 230 and 541 kB.
    private static let largest = 4 << 20

    /// The kind that is installed, and its content until it is parsed, then nothing.
    static let installed = Lock(found(Kind.allCases.map { ($0, $0.path) }))

    /// What there is to search with, parsed once.
    static let state: State = {
        let found = installed.withLock { installed in
            defer { installed?.content = .success(nil) }
            return installed
        }
        return found.map { parsed($0.content, as: $0.kind) } ?? .absent
    }()

    /// Reads the file.
    static func load() { installed.withLock { _ in } }

    /// How a worker reports the state.
    static var capability: WorkerCapabilities.Faces {
        switch state {
        case .absent: .init(areFound: false)
        case .malformed(let error, let kind):
            .init(areFound: false, method: kind.rawValue, problem: "\(kind.path) \(error)")
        case .ready(_, let kind): .init(areFound: true, method: kind.rawValue)
        }
    }

    /// Reads the first of some files that exists; one that cannot be read is not passed over.
    static func found(_ files: [(kind: Kind, path: String)]) -> (kind: Kind, content: Content)? {
        for (kind, path) in files {
            let content = read(path)
            if content != .success(nil) { return (kind, content) }
        }
        return nil
    }

    /// Parses a file's content.
    static func parsed(_ content: Content, as kind: Kind) -> State {
        do throws(Malformed) {
            guard let bytes = try content.get() else { return .absent }
            return .ready(try kind.finder(bytes), kind)
        } catch {
            return .malformed(error, kind)
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

    private static func failure(_ code: CInt) -> Malformed {
        .init("cannot be read: \(unsafe String(cString: strerror(code)))")
    }
}
