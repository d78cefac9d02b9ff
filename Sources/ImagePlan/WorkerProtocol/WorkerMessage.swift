/// The frame of worker protocol version 7, and the bounds that both ends enforce.
///
/// A message is one datagram of a `SOCK_SEQPACKET` pair: the kernel keeps message boundaries, so a hostile peer cannot shift
/// them. Layout, little endian: `EDGW`, version (1 byte), kind (1 byte), length of the body (4 bytes), the body.
package enum WorkerMessage {
    /// The protocol's version; both ends come from one build, so any other version is an error.
    package static let version: UInt8 = 7
    /// Bytes of the frame before the body.
    package static let headSize = 10
    /// The maximum bytes of results inside a message; larger results are passed in sealed memory files.
    package static let maximumInline = 64 << 10
    /// The maximum bytes of a whole message.
    package static let maximumSize = maximumInline + (32 << 10)
    /// The maximum outputs of a job, and so the maximum descriptors with a reply.
    package static let maximumOutputs = 16
    /// The maximum auxiliary images of a job.
    package static let maximumAuxiliaries = 8
    /// The maximum bytes of a plan's canonical text; the limit on request lines keeps real plans shorter.
    package static let maximumPlanSize = 16 << 10
    /// The maximum bytes of a failure's text.
    package static let maximumTextSize = 512
    /// The maximum bytes of a parameter's name.
    package static let maximumNameSize = 256

    /// The kind of a message.
    package enum Kind: UInt8, Sendable {
        /// Worker to daemon, once, with the confinement in force and the formats that it encodes: jobs are accepted.
        case ready = 1
        /// Daemon to worker, with the descriptors of the source and of its auxiliary images.
        case job = 2
        /// Worker to daemon, with the descriptors of the large results.
        case reply = 3
        /// Worker to daemon, before it is ready: the number of a system call that the filter of the canary has trapped.
        case trapped = 4
        /// Daemon to worker: the job that it runs is not wanted any more. A worker without a job ignores it.
        case cancel = 5
    }

    /// The message that cancels a job.
    package static let cancellation = frame(.cancel).bytes

    static let magic: UInt32 = 0x5747_4445

    /// Frames the body that `write` appends.
    ///
    /// - Throws: what `write` throws, or `WorkerMessageError.oversized`.
    static func encode(
        _ kind: Kind,
        _ write: (inout MessageWriter) throws(WorkerMessageError) -> Void
    ) throws(WorkerMessageError) -> [UInt8] {
        var writer = frame(kind)
        try write(&writer)
        writer.patch(UInt32(writer.bytes.count - headSize), at: headSize - 4)
        guard writer.bytes.count <= maximumSize else { throw .oversized }
        return writer.bytes
    }

    /// Checks the frame of a message of the expected kind.
    ///
    /// - Returns: a reader at the start of the body.
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

    /// Returns the worker's greeting.
    ///
    /// - Throws: `WorkerMessageError` for a posture out of the protocol's bounds.
    package static func encodeReady(_ greeting: WorkerGreeting) throws(WorkerMessageError) -> [UInt8] {
        try encode(.ready) { writer throws(WorkerMessageError) in try greeting.write(to: &writer) }
    }

    /// Decodes the worker's greeting.
    ///
    /// - Throws: `WorkerMessageError` for any other bytes.
    package static func decodeReady(_ bytes: [UInt8]) throws(WorkerMessageError) -> WorkerGreeting {
        var reader = try open(bytes, as: .ready)
        let greeting = try WorkerGreeting(from: &reader)
        try reader.finish()
        return greeting
    }

    /// Returns the message about a trapped system call; the call's number is the last four bytes.
    package static func encodeTrapped(_ number: UInt32) -> [UInt8] {
        var writer = frame(.trapped)
        writer.write(number)
        writer.patch(UInt32(writer.bytes.count - headSize), at: headSize - 4)
        return writer.bytes
    }

    /// Decodes the message about a trapped system call.
    ///
    /// - Returns: the number of the call on this machine's architecture.
    /// - Throws: `WorkerMessageError` for any other bytes.
    package static func decodeTrapped(_ bytes: [UInt8]) throws(WorkerMessageError) -> UInt32 {
        var reader = try open(bytes, as: .trapped)
        let number = try reader.read(UInt32.self)
        try reader.finish()
        return number
    }

    /// A frame around an empty body.
    private static func frame(_ kind: Kind) -> MessageWriter {
        var writer = MessageWriter()
        writer.write(magic)
        writer.write(version)
        writer.write(kind.rawValue)
        writer.write(UInt32(0))
        return writer
    }
}

/// The reason why bytes are not a message of worker protocol version 7, or why a value cannot be encoded in one.
package enum WorkerMessageError: Error, Hashable, Sendable {
    case magic
    case version(UInt8)
    case kind
    /// The message ends early, or bytes follow it.
    case length
    case oversized
    /// A field has an unknown value or one out of range; the text is the field's name.
    case field(String)
}
