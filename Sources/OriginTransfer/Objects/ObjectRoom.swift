import LinuxSystem

/// Where the contents of objects are kept while they arrive, and which accounts bound them, as `TransferEngine` does for originals.
package struct ObjectRoom: Sendable {
    /// The accounts; `nil` if the contents are not counted.
    package var ledgers: BodyLedgers?
    /// A folder for contents over `memoryBody` bytes or of unknown length, and for those for which half of the memory limit has no room;
    /// `nil` keeps all in memory.
    package var folder: String?
    /// Maximum bytes of a content in memory if there is a folder.
    package var memoryBody = 8 << 20

    /// Creates a room.
    package init(ledgers: BodyLedgers? = nil, folder: String? = nil) {
        self.ledgers = ledgers
        self.folder = folder
    }

    /// Creates a file for a content.
    ///
    /// - Parameters:
    ///   - length: its length in bytes; `nil` if it is unknown.
    ///   - limit: maximum bytes.
    /// - Throws: `.overloaded` if the system is out of descriptors or memory.
    func sink(for length: Int?, limit: Int) throws(TransferError) -> BodySink {
        let isShort = length.map { $0 <= memoryBody } ?? false
        let hasRoom = ledgers.map { $0.memory.used <= $0.memory.limit / 2 } ?? true
        return try BodySink(limit: limit, folder: isShort && hasRoom ? nil : folder, ledgers: ledgers)
    }
}
