/// A reply as it travels: the answer, and where each result's bytes are.
package struct WorkerReplyMessage: Hashable, Sendable {
    /// Where the bytes of one result are.
    package enum Payload: Hashable, Sendable {
        /// In the message, at this range of its bytes.
        case inline(Range<Int>)
        /// In the memory file that is the n-th descriptor beside the message.
        case descriptor(Int)
    }

    /// The answer.
    package var reply: WorkerReply
    /// One an output, in order; empty for a failure.
    package var payloads: [Payload]

    /// Reads a reply strictly.
    ///
    /// - Throws: `WorkerMessageError` for anything but exactly one well-formed reply whose payloads account for every byte and
    ///   every one of `descriptors` descriptors.
    package init(decoding bytes: [UInt8], descriptors: Int) throws(WorkerMessageError) {
        var reader = try WorkerMessage.open(bytes, as: .reply)
        let id = try reader.read(UInt64.self)
        let code = try reader.read(UInt8.self)
        let timing = try WorkerReply.Timing(
            decode: reader.read(UInt32.self),
            transform: reader.read(UInt32.self),
            encode: reader.read(UInt32.self)
        )
        payloads = []
        if code == 0 {
            let (outputs, places) = try Self.readOutputs(&reader, descriptors: descriptors)
            reply = WorkerReply(id: id, result: .success(outputs), timing: timing)
            payloads = places
        } else {
            guard descriptors == 0 else { throw .field("descriptors") }
            let text = try reader.readText(maximum: WorkerMessage.maximumTextSize, "text")
            let name = try reader.readText(maximum: WorkerMessage.maximumNameSize, "parameter")
            let failure = try WorkerReply.Failure(code: code, text: text, parameter: name.isEmpty ? nil : name)
            reply = WorkerReply(id: id, result: .failure(failure), timing: timing)
        }
        guard reader.remaining == 0 else { throw .length }
    }

    private static func readOutputs(
        _ reader: inout MessageReader,
        descriptors: Int
    ) throws(WorkerMessageError) -> ([WorkerReply.Output], [Payload]) {
        let count = try reader.read(UInt8.self, in: 1...WorkerMessage.maximumOutputs, "outputs")
        var outputs: [WorkerReply.Output] = []
        var inline: [Bool] = []
        for _ in 0..<count {
            let output = try WorkerReply.Output(
                format: reader.read(ResultFormat.self, "format"),
                width: reader.read(UInt32.self, in: 1...Int(Int32.max), "width"),
                height: reader.read(UInt32.self, in: 1...Int(Int32.max), "height"),
                frames: reader.read(UInt32.self, in: 1...Int(Int32.max), "frames"),
                hasAlpha: reader.read(UInt8.self, in: 0...1, "hasAlpha") == 1,
                length: reader.read(UInt64.self, in: 1...Int(Int32.max), "length")
            )
            outputs.append(output)
            try inline.append(reader.read(UInt8.self, in: 0...1, "place") == 0)
        }
        for index in outputs.indices { try outputs[index].readSearch(&reader) }
        var places: [Payload] = []
        var next = 0
        for (output, inline) in zip(outputs, inline) {
            if inline {
                try places.append(.inline(reader.take(output.length)))
            } else {
                places.append(.descriptor(next))
                next += 1
            }
        }
        guard next == descriptors else { throw .field("descriptors") }
        return (outputs, places)
    }
}

extension WorkerReply {
    /// The message that carries this reply.
    ///
    /// - Parameter inline: for each output its bytes where they travel in the message, `nil` where a memory file carries them.
    /// - Throws: `WorkerMessageError` where a value is outside of the protocol's bounds.
    package func encoded(inline: [[UInt8]?] = []) throws(WorkerMessageError) -> [UInt8] {
        if case .success(let outputs) = result {
            guard (1...WorkerMessage.maximumOutputs).contains(outputs.count), inline.count == outputs.count else {
                throw .field("outputs")
            }
            for (output, bytes) in zip(outputs, inline) {
                try output.validate(inline: bytes)
            }
        }
        let bytes = WorkerMessage.encode(.reply) { writer in
            writer.write(id)
            switch result {
            case .success(let outputs):
                write(to: &writer, code: 0)
                writer.write(UInt8(outputs.count))
                for (output, bytes) in zip(outputs, inline) {
                    output.write(to: &writer, inline: bytes != nil)
                }
                for output in outputs { output.writeSearch(to: &writer) }
                for case .some(let bytes) in inline {
                    writer.write(raw: bytes)
                }
            case .failure(let failure):
                write(to: &writer, code: failure.code)
                writer.write(text: failure.text)
                writer.write(text: failure.parameter ?? "")
            }
        }
        guard bytes.count <= WorkerMessage.maximumSize else { throw .oversized }
        return bytes
    }

    private func write(to writer: inout MessageWriter, code: UInt8) {
        writer.write(code)
        writer.write(timing.decode)
        writer.write(timing.transform)
        writer.write(timing.encode)
    }
}

extension WorkerReply.Output {
    fileprivate func validate(inline: [UInt8]?) throws(WorkerMessageError) {
        let sizes = 1...Int(Int32.max)
        for (value, name) in [(width, "width"), (height, "height"), (frames, "frames"), (length, "length")] {
            guard sizes.contains(value) else { throw .field(name) }
        }
        if let inline, inline.count != length { throw .field("length") }
        try validateSearch()
    }

    fileprivate func write(to writer: inout MessageWriter, inline: Bool) {
        writer.write(format.rawValue)
        writer.write(UInt32(width))
        writer.write(UInt32(height))
        writer.write(UInt32(frames))
        writer.write(UInt8(hasAlpha ? 1 : 0))
        writer.write(UInt64(length))
        writer.write(UInt8(inline ? 0 : 1))
    }
}

extension WorkerReply.Failure {
    fileprivate init(code: UInt8, text: String, parameter: String?) throws(WorkerMessageError) {
        guard parameter == nil || code == 2 || code == 3 else { throw .field("parameter") }
        switch code {
        case 1: self = .unsupported(text)
        case 2: self = .broken(text, parameter: parameter)
        case 3: self = .refused(text, parameter: parameter)
        case 4:
            guard text.isEmpty else { throw .field("text") }
            self = .deadline
        case 5: self = .worker(text)
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
        }
    }

    /// The failure's words, without control characters and cut to the protocol's bound.
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
        case .deadline: return ""
        }
    }

    /// The parameter's name; `nil` where there is none, or none that a message holds.
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
