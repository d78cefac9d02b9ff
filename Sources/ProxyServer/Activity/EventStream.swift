import CLinux
import Glibc
import HTTPKit
import LinuxSystem

/// A stream of server-sent events to one subscriber (WHATWG HTML §9.2), with a bounded buffer.
///
/// The buffer is a memory file that the connection follows as it grows, and that forgets what has been sent. While it is full,
/// events are dropped and counted; the subscriber receives their number as event `lost` once there is room. Any thread.
final class EventStream: Sendable {
    private struct State: Sendable {
        var count = 0
        var lost = 0
        var isOver = false
    }

    /// The response fields of a stream; nginx must not buffer it.
    static let fields = {
        var block = FieldBlock()
        block.append("Content-Type", "text/event-stream")
        block.append("Cache-Control", "no-store")
        block.append("X-Accel-Buffering", "no")
        return block.bytes
    }()

    private let file: GrowingFile
    /// The maximum bytes that are written and not sent.
    private let limit: Int
    private let state = Lock(State())
    /// Returns the data of the event that is sent once a second; `nil` to send none.
    let snapshot: (@Sendable () -> String)?
    private let lastSnapshot = Lock("")

    /// Creates an empty stream.
    ///
    /// - Parameters:
    ///   - limit: more than the 256 KiB in which `GrowingFile` forgets.
    ///   - snapshot: the data of a repeated event.
    /// - Throws: `Errno` if the system is out of descriptors or memory.
    init(limit: Int, snapshot: (@Sendable () -> String)? = nil) throws(Errno) {
        let number = try checked("memfd_create") { unsafe edge_memfd_create("edgeprint-events") }
        file = GrowingFile(SharedDescriptor(owning: number), expected: nil, isKept: false)
        self.limit = limit
        self.snapshot = snapshot
    }

    /// The response that sends the events; call it once.
    ///
    /// - Parameter onEnd: called when the subscriber has left.
    func response(onEnd: @escaping @Sendable () -> Void) -> Response {
        guard let reader = file.reader() else { return Response(Problem(500, "The stream has a reader already.")) }
        file.forgetRead { [weak self] in self?.tellLost() }
        file.onAbandon(onEnd)
        var response = Response(status: 200)
        response.fields = Self.fields
        response.body = .growing(reader, offset: 0, length: nil)
        return response
    }

    /// Adds an event; false if the buffer is full, and the event is lost.
    @discardableResult
    func send(_ name: String, id: Int? = nil, _ data: String) -> Bool {
        let number = id.map { "id: \($0)\n" } ?? ""
        return append("\(number)event: \(name)\ndata: \(data)\n\n")
    }

    /// Adds a comment, which keeps intermediaries from closing an idle connection.
    func sendComment() { append(":\n\n") }

    /// Adds the snapshot, if it has changed.
    func sendSnapshot(_ name: String) {
        guard let text = snapshot?(), lastSnapshot.withLock({ $0 != text }) else { return }
        if send(name, text) { lastSnapshot.withLock { $0 = text } }
    }

    /// Ends the stream.
    func end() {
        state.withLock { $0.isOver = true }
        file.end(.complete)
    }

    private func tellLost() {
        if state.withLock({ $0.lost > 0 }) { append("") }
    }

    @discardableResult
    private func append(_ text: String) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return true }
            let notice = state.lost > 0 ? "event: lost\ndata: {\"lost\":\(state.lost)}\n\n" : ""
            let bytes = Array((notice + text).utf8)
            guard file.retained + bytes.count <= limit, write(bytes) else {
                if !text.isEmpty { state.lost += 1 }
                return false
            }
            state.lost = 0
            state.count += bytes.count
            file.grow(to: state.count)
            return true
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        unsafe Glibc.write(file.file.number, bytes, bytes.count) == bytes.count
    }
}
