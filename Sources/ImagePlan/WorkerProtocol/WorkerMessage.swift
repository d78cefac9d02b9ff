/// The frame of worker protocol version 2, and the bounds both ends keep.
///
/// A message is one datagram of a `SOCK_SEQPACKET` pair, so the kernel keeps the boundaries and a hostile peer cannot
/// shift them. Layout, little endian: `EDGW`, version (1 byte), kind (1 byte), length of the body (4 bytes), the body.
package enum WorkerMessage {
    /// The protocol's version; both ends come from one build, so another version is an error.
    package static let version: UInt8 = 2
    /// Bytes of the frame before the body.
    package static let headSize = 10
    /// The most bytes of results that travel inside a message; what is larger travels in a sealed memory file.
    package static let maximumInline = 64 << 10
    /// The most bytes of a whole message.
    package static let maximumSize = maximumInline + (32 << 10)
    /// The most outputs of one job: no more descriptors travel with one message.
    package static let maximumOutputs = 16
    /// The most ingredients of one job.
    package static let maximumIngredients = 8
    /// The most bytes of one plan's canonical text; the request line's limit keeps real ones below.
    package static let maximumPlanSize = 16 << 10
    /// The most bytes of a failure's text.
    package static let maximumTextSize = 512
    /// The most bytes of a parameter's name.
    package static let maximumNameSize = 256

    /// What a message is.
    package enum Kind: UInt8, Sendable {
        /// Worker to daemon, once: libvips is up, jobs are welcome.
        case ready = 1
        /// Daemon to worker, with the descriptors of the source and of its ingredients.
        case job = 2
        /// Worker to daemon, with the descriptors of the large results.
        case reply = 3
    }

    static let magic: UInt32 = 0x5747_4445

    /// Wraps a body that `write` makes.
    static func encode(_ kind: Kind, _ write: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        writer.write(magic)
        writer.write(version)
        writer.write(kind.rawValue)
        writer.write(UInt32(0))
        write(&writer)
        writer.patch(UInt32(writer.bytes.count - headSize), at: headSize - 4)
        return writer.bytes
    }

    /// Opens a frame of the expected kind.
    ///
    /// - Returns: a reader that stands at the body's start.
    static func open(_ bytes: [UInt8], as kind: Kind) throws(WorkerMessageError) -> MessageReader {
        guard bytes.count <= maximumSize else { throw .oversized }
        var reader = MessageReader(bytes)
        guard try reader.read(UInt32.self) == magic else { throw .magic }
        let version = try reader.read(UInt8.self)
        guard version == Self.version else { throw .version(version) }
        guard try reader.read(UInt8.self) == kind.rawValue else { throw .kind }
        guard try Int(reader.read(UInt32.self)) == reader.remaining else { throw .length }
        return reader
    }

    /// The worker's greeting.
    package static func encodeReady() -> [UInt8] { encode(.ready) { _ in } }

    /// Checks the worker's greeting.
    ///
    /// - Throws: `WorkerMessageError` for any other bytes.
    package static func decodeReady(_ bytes: [UInt8]) throws(WorkerMessageError) {
        let reader = try open(bytes, as: .ready)
        guard reader.remaining == 0 else { throw .length }
    }
}

/// Why bytes are no message of worker protocol version 2.
package enum WorkerMessageError: Error, Hashable, Sendable {
    case magic
    case version(UInt8)
    case kind
    /// The bytes end before the message does, or go on after it.
    case length
    case oversized
    /// A field whose value the protocol does not know, or that is out of range; the text is its name.
    case field(String)
}
