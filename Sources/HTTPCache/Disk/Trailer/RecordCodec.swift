/// Encodes and decodes records on disk with a table of their fields.
///
/// An index row and a file's trailer hold the same bytes. Never change the meaning of a released tag; a new field takes the next
/// number and has a default. Fields with unknown tags are kept and written again.
package struct RecordCodec<Record: Sendable>: Sendable {
    private let blank: Record
    private let unknown: any WritableKeyPath<Record, TaggedFields> & Sendable
    private let fields: [RecordField<Record>]
    /// Positions in `fields` by tag.
    private let places: [UInt16: Int]
    /// The positions of the required fields, as bits.
    private let required: UInt64

    /// Creates a codec.
    ///
    /// - Parameters:
    ///   - blank: the record with the defaults of its optional fields.
    ///   - unknown: where the fields of unknown tags are kept.
    ///   - fields: at most 64, in the order in which they are written.
    package init(
        blank: Record,
        unknown: any WritableKeyPath<Record, TaggedFields> & Sendable,
        _ fields: [RecordField<Record>]
    ) {
        self.blank = blank
        self.unknown = unknown
        self.fields = fields
        places = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($0.element.tag, $0.offset) })
        required = fields.enumerated().reduce(0) { $1.element.isRequired ? $0 | 1 << UInt64($1.offset) : $0 }
    }

    /// Encodes a record.
    package func encode(_ record: Record) -> [UInt8] {
        var encoding = TaggedFields()
        for field in fields { field.write(record, &encoding) }
        encoding.append(record[keyPath: unknown])
        return encoding.bytes
    }

    /// Decodes a record; `nil` if a required field is missing or a value is unknown to this release.
    package func decode(_ bytes: ArraySlice<UInt8>) -> Record? {
        var record = blank
        var found: UInt64 = 0
        let isRead = TaggedFields.forEach(in: bytes) { tag, value in
            guard let place = places[tag] else {
                record[keyPath: unknown].put(tag, value)
                return true
            }
            found |= 1 << UInt64(place)
            return fields[place].read(&record, value)
        }
        return isRead && found & required == required ? record : nil
    }
}

/// One field of a record: its tag, encoder and decoder.
package struct RecordField<Record: Sendable>: Sendable {
    let tag: UInt16
    var isRequired = false
    /// Appends the field unless it has its default.
    let write: @Sendable (Record, inout TaggedFields) -> Void
    /// Sets the field from its encoding; false if this release does not know the value.
    let read: @Sendable (inout Record, ArraySlice<UInt8>) -> Bool

    /// A value; optionally omitted if it is the default.
    package static func value<Value: TaggedValue & Equatable & Sendable>(
        _ tag: UInt16,
        _ path: any WritableKeyPath<Record, Value> & Sendable,
        isRequired: Bool = false,
        omitting absent: Value? = nil
    ) -> RecordField {
        RecordField(tag: tag, isRequired: isRequired) { record, encoding in
            let value = record[keyPath: path]
            if value != absent { encoding.put(tag, value.taggedBytes) }
        } read: { record, bytes in
            guard let value = Value(taggedBytes: bytes) else { return false }
            record[keyPath: path] = value
            return true
        }
    }

    /// An optional value; an invalid encoding decodes as missing.
    package static func optional<Value: TaggedValue & Sendable>(
        _ tag: UInt16,
        _ path: any WritableKeyPath<Record, Value?> & Sendable
    ) -> RecordField {
        RecordField(tag: tag) { record, encoding in
            if let value = record[keyPath: path] { encoding.put(tag, value.taggedBytes) }
        } read: { record, bytes in
            record[keyPath: path] = Value(taggedBytes: bytes)
            return true
        }
    }

    /// A list, with one field per value.
    package static func list<Value: TaggedValue & Sendable>(
        _ tag: UInt16,
        _ path: any WritableKeyPath<Record, [Value]> & Sendable
    ) -> RecordField {
        RecordField(tag: tag) { record, encoding in
            for value in record[keyPath: path] { encoding.put(tag, value.taggedBytes) }
        } read: { record, bytes in
            guard let value = Value(taggedBytes: bytes) else { return false }
            record[keyPath: path].append(value)
            return true
        }
    }

    /// Bytes, omitted if empty.
    static func bytes(_ tag: UInt16, _ path: any WritableKeyPath<Record, [UInt8]> & Sendable) -> RecordField {
        RecordField(tag: tag) { record, encoding in
            let bytes = record[keyPath: path]
            if !bytes.isEmpty { encoding.put(tag, bytes) }
        } read: { record, bytes in
            record[keyPath: path] = Array(bytes)
            return true
        }
    }

    /// A value stored as a number.
    package static func number<Value: RawRepresentable & Equatable & Sendable>(
        _ tag: UInt16,
        _ path: any WritableKeyPath<Record, Value> & Sendable,
        isRequired: Bool = false,
        omitting absent: Value? = nil
    ) -> RecordField where Value.RawValue: FixedWidthInteger {
        RecordField(tag: tag, isRequired: isRequired) { record, encoding in
            let value = record[keyPath: path]
            if value != absent { encoding.put(tag, Int64(value.rawValue)) }
        } read: { record, bytes in
            guard let number = Int64(taggedBytes: bytes).flatMap({ Value.RawValue(exactly: $0) }),
                let value = Value(rawValue: number)
            else { return false }
            record[keyPath: path] = value
            return true
        }
    }

    /// A field that is no longer written.
    static func legacy(
        _ tag: UInt16,
        _ read: @escaping @Sendable (inout Record, ArraySlice<UInt8>) -> Void
    ) -> RecordField {
        RecordField(tag: tag) { _, _ in
        } read: { record, bytes in
            read(&record, bytes)
            return true
        }
    }

    /// Fields that layouts before 11 stored in the record; their tags now belong to the metadata.
    static func movedToMetadata(
        _ tags: [UInt16],
        _ path: any WritableKeyPath<Record, [UInt8]> & Sendable
    ) -> [RecordField] {
        tags.map { tag in
            legacy(tag) { record, bytes in
                var field = TaggedFields()
                field.put(tag, bytes)
                record[keyPath: path] += field.bytes
            }
        }
    }
}
