/// A part of a worker message, declared once as a list of fields.
///
/// Encoder and decoder both follow the list, and both check each value against the field's bounds. A new field is a property
/// with a default value and one line in `fields`. Fields have no tags: they travel in the order of the list.
protocol FieldCoded: Sendable {
    /// A value for the decoder to fill; it need not be valid.
    static var blank: Self { get }
    /// All fields, in the order in which they are encoded.
    static var fields: [MessageField<Self>] { get }
}

extension FieldCoded {
    /// Reads all fields.
    init(from reader: inout MessageReader) throws(WorkerMessageError) {
        self = Self.blank
        for field in Self.fields { try field.read(&self, &reader) }
    }

    /// Writes all fields.
    ///
    /// - Throws: `WorkerMessageError.field` for a value out of its field's bounds.
    func write(to writer: inout MessageWriter) throws(WorkerMessageError) {
        for field in Self.fields { try field.write(self, &writer) }
    }
}

/// One field of a message: how it is written and read.
struct MessageField<Body>: Sendable {
    let write: @Sendable (Body, inout MessageWriter) throws(WorkerMessageError) -> Void
    let read: @Sendable (inout Body, inout MessageReader) throws(WorkerMessageError) -> Void

    private init(
        write: @escaping @Sendable (Body, inout MessageWriter) throws(WorkerMessageError) -> Void,
        read: @escaping @Sendable (inout Body, inout MessageReader) throws(WorkerMessageError) -> Void
    ) {
        self.write = write
        self.read = read
    }

    /// Declares a field; `name` appears in errors.
    init<Value>(
        _ name: StaticString,
        _ path: any WritableKeyPath<Body, Value> & Sendable,
        _ codec: FieldCodec<Value>
    ) {
        write = { body, writer throws(WorkerMessageError) in try codec.write(body[keyPath: path], name, &writer) }
        read = { body, reader throws(WorkerMessageError) in body[keyPath: path] = try codec.read(name, &reader) }
    }

    /// Declares further fields of each element of a list in an earlier field.
    ///
    /// Fields that joined a list's elements later travel here, after the fields that the message had before.
    static func each<Element>(
        of path: any WritableKeyPath<Body, [Element]> & Sendable,
        _ fields: [MessageField<Element>]
    ) -> Self {
        Self { body, writer throws(WorkerMessageError) in
            for element in body[keyPath: path] {
                for field in fields { try field.write(element, &writer) }
            }
        } read: { body, reader throws(WorkerMessageError) in
            for index in body[keyPath: path].indices {
                for field in fields { try field.read(&body[keyPath: path][index], &reader) }
            }
        }
    }
}

/// How values of a type are written and read; both check the bounds and name the field in errors.
struct FieldCodec<Value>: Sendable {
    let write: @Sendable (Value, StaticString, inout MessageWriter) throws(WorkerMessageError) -> Void
    let read: @Sendable (StaticString, inout MessageReader) throws(WorkerMessageError) -> Value
}

extension FieldCodec where Value: FixedWidthInteger & UnsignedInteger & Sendable {
    /// An integer of the declared type, with any value.
    static var unsigned: Self {
        Self { value, _, writer throws(WorkerMessageError) in
            writer.write(value)
        } read: { _, reader throws(WorkerMessageError) in
            try reader.read(Value.self)
        }
    }
}

extension FieldCodec<Int> {
    /// One byte.
    static func uint8(_ range: ClosedRange<Int>) -> Self { integer(UInt8.self) { range.contains($0) } }

    /// One byte with one of the given values.
    static func uint8(among values: [Int]) -> Self { integer(UInt8.self) { values.contains($0) } }

    /// Two bytes.
    static func uint16(_ range: ClosedRange<Int>) -> Self { integer(UInt16.self) { range.contains($0) } }

    /// Four bytes.
    static func uint32(_ range: ClosedRange<Int>) -> Self { integer(UInt32.self) { range.contains($0) } }

    /// Eight bytes.
    static func uint64(_ range: ClosedRange<Int>) -> Self { integer(UInt64.self) { range.contains($0) } }

    private static func integer<Wire: FixedWidthInteger & UnsignedInteger & Sendable>(
        _ wire: Wire.Type,
        _ isValid: @escaping @Sendable (Int) -> Bool
    ) -> Self {
        Self { value, name, writer throws(WorkerMessageError) in
            guard isValid(value), let number = wire.init(exactly: value) else { throw .field(name.description) }
            writer.write(number)
        } read: { name, reader throws(WorkerMessageError) in
            guard let value = try Int(exactly: reader.read(wire)), isValid(value) else {
                throw .field(name.description)
            }
            return value
        }
    }
}

extension FieldCodec<Int?> {
    /// One byte, 0 for `nil`; the range excludes 0.
    static func uint8(_ range: ClosedRange<Int>) -> Self {
        let number = FieldCodec<Int>.uint8(range)
        return Self { value, name, writer throws(WorkerMessageError) in
            if let value { try number.write(value, name, &writer) } else { writer.write(UInt8(0)) }
        } read: { name, reader throws(WorkerMessageError) in
            reader.skip(0) ? nil : try number.read(name, &reader)
        }
    }

    /// Two bytes, 0 for `nil`; the range starts at 1.
    static func uint16(_ range: ClosedRange<Int>) -> Self {
        let number = FieldCodec<Int>.uint16(0...range.upperBound)
        return Self { value, name, writer throws(WorkerMessageError) in
            guard value != 0 else { throw .field(name.description) }
            try number.write(value ?? 0, name, &writer)
        } read: { name, reader throws(WorkerMessageError) in
            let value = try number.read(name, &reader)
            return value == 0 ? nil : value
        }
    }
}

extension FieldCodec<Bool> {
    /// One byte, 0 or 1.
    static let flag = Self { value, _, writer throws(WorkerMessageError) in
        writer.write(UInt8(value ? 1 : 0))
    } read: { name, reader throws(WorkerMessageError) in
        try FieldCodec<Int>.uint8(0...1).read(name, &reader) == 1
    }
}

extension FieldCodec<Bool?> {
    /// One byte: 0, 1, or 2 for `nil`.
    static let flag = Self { value, _, writer throws(WorkerMessageError) in
        writer.write(UInt8(value.map { $0 ? 1 : 0 } ?? 2))
    } read: { name, reader throws(WorkerMessageError) in
        let value = try FieldCodec<Int>.uint8(0...2).read(name, &reader)
        return value == 2 ? nil : value == 1
    }
}

extension FieldCodec where Value: RawRepresentable<UInt8> & Sendable {
    /// One byte, the raw value.
    static var enumeration: Self {
        Self { value, _, writer throws(WorkerMessageError) in
            writer.write(value.rawValue)
        } read: { name, reader throws(WorkerMessageError) in
            guard let value = try Value(rawValue: reader.read(UInt8.self)) else { throw .field(name.description) }
            return value
        }
    }
}

extension FieldCodec<String> {
    /// UTF-8 without control characters after its 16-bit length, which is at most `maximum` bytes.
    static func text(_ maximum: Int) -> Self {
        Self { text, name, writer throws(WorkerMessageError) in
            guard text.utf8.count <= min(maximum, Int(UInt16.max)), !text.hasControls else {
                throw .field(name.description)
            }
            writer.write(UInt16(text.utf8.count))
            writer.write(raw: text.utf8)
        } read: { name, reader throws(WorkerMessageError) in
            let count = try Int(reader.read(UInt16.self))
            guard count <= maximum, let text = try reader.readText(count: count), !text.hasControls else {
                throw .field(name.description)
            }
            return text
        }
    }
}

extension FieldCodec where Value: FieldCoded {
    /// All fields of a part.
    static var record: Self {
        Self { value, _, writer throws(WorkerMessageError) in
            try value.write(to: &writer)
        } read: { _, reader throws(WorkerMessageError) in
            try Value(from: &reader)
        }
    }
}

extension FieldCodec {
    /// All fields of a part; `nil` is one byte that cannot begin a part.
    static func record<Part: FieldCoded>(nil mark: UInt8) -> Self where Value == Part? {
        Self { value, _, writer throws(WorkerMessageError) in
            if let value { try value.write(to: &writer) } else { writer.write(mark) }
        } read: { _, reader throws(WorkerMessageError) in
            reader.skip(mark) ? nil : try Part(from: &reader)
        }
    }

    /// Parts, preceded by their number in one byte.
    static func list<Part: FieldCoded>(_ counts: ClosedRange<Int>) -> Self where Value == [Part] {
        let count = FieldCodec<Int>.uint8(counts)
        return Self { value, name, writer throws(WorkerMessageError) in
            try count.write(value.count, name, &writer)
            for part in value { try part.write(to: &writer) }
        } read: { name, reader throws(WorkerMessageError) in
            var parts: [Part] = []
            for _ in 0..<(try count.read(name, &reader)) { try parts.append(Part(from: &reader)) }
            return parts
        }
    }
}

extension String {
    fileprivate var hasControls: Bool { unicodeScalars.contains(where: \.isControl) }
}
