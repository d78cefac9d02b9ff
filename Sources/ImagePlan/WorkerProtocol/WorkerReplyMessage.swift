/// An encoded reply: the reply itself, and the location of each result's bytes.
package struct WorkerReplyMessage: Hashable, Sendable {
    /// The location of a result's bytes.
    package enum Payload: Hashable, Sendable {
        /// In the message, at this range of its bytes.
        case inline(Range<Int>)
        /// In the memory file that is the n-th descriptor passed with the message.
        case descriptor(Int)
    }

    package var reply: WorkerReply
    /// One payload per output, in order; empty for a failure.
    package var payloads: [Payload] = []

    /// Decodes a reply strictly.
    ///
    /// - Throws: `WorkerMessageError` for anything but exactly one well-formed reply whose payloads account for every byte and
    ///   for each of `descriptors` descriptors.
    package init(decoding bytes: [UInt8], descriptors: Int) throws(WorkerMessageError) {
        var reader = try WorkerMessage.open(bytes, as: .reply)
        let head = try ReplyHead(from: &reader)
        reply = WorkerReply(id: head.id, result: .success([]), timing: head.timing)
        if head.status == 0 {
            let items = try ReplyItems(from: &reader).items
            reply.result = .success(items.map(\.output))
            try readPayloads(of: items, &reader, descriptors: descriptors)
        } else {
            guard descriptors == 0 else { throw .field("descriptors") }
            let failure = try ReplyFailure(from: &reader)
            reply.result = try .failure(WorkerReply.Failure(code: head.status, failure))
        }
        try reader.finish()
    }

    private mutating func readPayloads(
        of items: [ReplyItem],
        _ reader: inout MessageReader,
        descriptors: Int
    ) throws(WorkerMessageError) {
        var next = 0
        for item in items {
            if item.isFile {
                payloads.append(.descriptor(next))
                next += 1
            } else {
                try payloads.append(.inline(reader.take(item.output.length)))
            }
        }
        guard next == descriptors else { throw .field("descriptors") }
    }
}

extension WorkerReply {
    /// Returns the message that carries this reply.
    ///
    /// - Parameter inline: per output its bytes, or `nil` if a memory file carries them; empty for a failure.
    /// - Throws: `WorkerMessageError` for a value out of the protocol's bounds.
    package func encoded(inline: [[UInt8]?] = []) throws(WorkerMessageError) -> [UInt8] {
        try WorkerMessage.encode(.reply) { writer throws(WorkerMessageError) in
            try ReplyHead(id: id, status: result.status, timing: timing).write(to: &writer)
            switch result {
            case .success(let outputs):
                guard inline.count == outputs.count else { throw .field("outputs") }
                for case (let output, let bytes?) in zip(outputs, inline) where bytes.count != output.length {
                    throw .field("length")
                }
                let items = zip(outputs, inline).map { ReplyItem(output: $0, isFile: $1 == nil) }
                try ReplyItems(items: items).write(to: &writer)
                for case let bytes? in inline { writer.write(raw: bytes) }
            case .failure(let failure):
                let text = ReplyFailure(text: failure.text, parameter: failure.parameter ?? "")
                try text.write(to: &writer)
            }
        }
    }
}

/// The start of every reply.
private struct ReplyHead: FieldCoded {
    var id: UInt64 = 0
    /// 0 for success, else the failure's code.
    var status: UInt8 = 0
    var timing = WorkerReply.Timing()

    static let blank = ReplyHead()

    static let fields: [MessageField<ReplyHead>] = [
        MessageField("id", \.id, .unsigned),
        MessageField("status", \.status, .unsigned),
        MessageField("decode", \.timing.decode, .unsigned),
        MessageField("transform", \.timing.transform, .unsigned),
        MessageField("encode", \.timing.encode, .unsigned),
    ]
}

/// A result and the location of its bytes.
private struct ReplyItem: FieldCoded {
    var output: WorkerReply.Output
    /// Whether a memory file carries the bytes instead of the message.
    var isFile = false

    static let blank = ReplyItem(
        output: .init(format: .jpeg, width: 0, height: 0, frames: 0, hasAlpha: false, length: 0)
    )

    static let fields: [MessageField<ReplyItem>] = [
        MessageField("format", \.output.format, .enumeration),
        MessageField("width", \.output.width, .uint32(sizes)),
        MessageField("height", \.output.height, .uint32(sizes)),
        MessageField("frames", \.output.frames, .uint32(sizes)),
        MessageField("hasAlpha", \.output.hasAlpha, .flag),
        MessageField("length", \.output.length, .uint64(sizes)),
        MessageField("place", \.isFile, .flag),
    ]

    private static let sizes = 1...Int(Int32.max)
}

/// The results of a reply; the bytes of the inline ones follow.
private struct ReplyItems: FieldCoded {
    var items: [ReplyItem] = []

    static let blank = ReplyItems()

    /// The order is that of protocol version 7: append new fields of results as one more `each`.
    static let fields: [MessageField<ReplyItems>] = [
        MessageField("outputs", \.items, .list(1...WorkerMessage.maximumOutputs)),
        .each(
            of: \.items,
            [
                MessageField("quality", \.output.quality, .uint8(1...100)),
                MessageField("tries", \.output.tries, .uint8(0...255)),
            ]
        ),
        .each(of: \.items, [MessageField("score", \.output.score, .uint16(1...1_000))]),
    ]
}

/// The details of a failure in a reply, besides its code.
private struct ReplyFailure: FieldCoded {
    var text = ""
    /// The request's parameter that caused it; empty if there is none.
    var parameter = ""

    static let blank = ReplyFailure()

    static let fields: [MessageField<ReplyFailure>] = [
        MessageField("text", \.text, .text(WorkerMessage.maximumTextSize)),
        MessageField("parameter", \.parameter, .text(WorkerMessage.maximumNameSize)),
    ]
}

extension Result<[WorkerReply.Output], WorkerReply.Failure> {
    fileprivate var status: UInt8 {
        switch self {
        case .success: 0
        case .failure(let failure): failure.code
        }
    }
}

extension WorkerReply.Failure {
    fileprivate init(code: UInt8, _ body: ReplyFailure) throws(WorkerMessageError) {
        let parameter = body.parameter.isEmpty ? nil : body.parameter
        guard parameter == nil || code == 2 || code == 3 else { throw .field("parameter") }
        switch code {
        case 1: self = .unsupported(body.text)
        case 2: self = .broken(body.text, parameter: parameter)
        case 3: self = .refused(body.text, parameter: parameter)
        case 4:
            guard body.text.isEmpty else { throw .field("text") }
            self = .deadline
        case 5: self = .worker(body.text)
        case 6:
            guard body.text.isEmpty else { throw .field("text") }
            self = .cancelled
        default: throw .field("status")
        }
    }

    fileprivate var code: UInt8 {
        switch self {
        case .unsupported: 1
        case .broken: 2
        case .refused: 3
        case .deadline: 4
        case .worker: 5
        case .cancelled: 6
        }
    }

    /// The failure's text without control characters, cut to the protocol's bound.
    fileprivate var text: String {
        switch self {
        case .unsupported(let text), .broken(let text, _), .refused(let text, _), .worker(let text):
            var clean = ""
            var size = 0
            for scalar in text.unicodeScalars {
                size += scalar.utf8.count
                guard size <= WorkerMessage.maximumTextSize else { break }
                clean.unicodeScalars.append(scalar.isControl ? " " : scalar)
            }
            return clean
        case .deadline, .cancelled: return ""
        }
    }

    /// The parameter's name; `nil` if the failure has none or a message cannot carry it.
    fileprivate var parameter: String? {
        switch self {
        case .broken(_, let name?), .refused(_, let name?):
            let isSound =
                name.utf8.count <= WorkerMessage.maximumNameSize && !name.unicodeScalars.contains(where: \.isControl)
            return isSound ? name : nil
        default: return nil
        }
    }
}
