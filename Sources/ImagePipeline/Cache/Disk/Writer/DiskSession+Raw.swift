import LinuxSystem

/// Storing what is kept of raw sources, within the open transaction.
extension DiskSession {
    /// Stores all that is kept of a URL in place of what was.
    func store(_ content: RawContent, use: DiskIndex.Use) throws(DiskFault) {
        let (record, bytes) = content.encoded
        let state = try originEntry(record.key)
        guard bytes.count <= shared.quota(of: .originals) else {
            // What it replaces is not right any more.
            if let body = state?.body {
                do throws(SQLiteError) { try drop(body) } catch { throw .index(error) }
            }
            throw .body("larger than the quota")
        }
        try makeRoom(.originals, for: bytes.count)
        let encoded = record.encoded
        let trailer = ContentTrailer.encode(origin: encoded, bodyLength: bytes.count)
        let path = try write(.originals, record.key, record.digest, trailer) { file throws(DiskFault) in
            try DiskFault.file { () throws(Errno) in try self.files.write(bytes, to: file) }
        }
        let old = try originEntry(record.key)
        _ = try put(record, encoded, over: old, body: .new(trailer: trailer.count), use: use)
        noteStored(.originals, path: path, length: bytes.count)
    }
}
