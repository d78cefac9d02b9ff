import Glibc

/// Two connected descriptors for tests of writers; both are closed at the end.
final class DescriptorPair: Sendable {
    /// The kind of descriptors.
    enum Kind: Sendable {
        case pipe, socket
    }

    let reading: CInt
    let writing: CInt

    init(_ kind: Kind) throws {
        var descriptors: [CInt] = [0, 0]
        let code =
            switch kind {
            case .pipe: unsafe pipe(&descriptors)
            case .socket: unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &descriptors)
            }
        guard code == 0 else { throw CancellationError() }
        (reading, writing) = (descriptors[0], descriptors[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Reads the available bytes without waiting.
    func readAvailable() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, 0) == 1 else { return all }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(reading, &chunk, chunk.count)
            guard count > 0 else { return all }
            all += chunk[..<count]
        }
    }

    /// The available bytes as text.
    func readText() -> String { String(decoding: readAvailable(), as: UTF8.self) }
}
