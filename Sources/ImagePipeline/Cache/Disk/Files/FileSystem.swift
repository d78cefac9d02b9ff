package import LinuxSystem

/// The calls on content files that a disk store makes: a seam, so that tests can make any of them fail.
///
/// Blocking; called on the writer's thread and on read-lane threads. The index does its own input and output.
package protocol FileSystem: Sendable {
    /// Makes a folder; one that is there already is no error.
    func makeFolder(_ path: String) throws(Errno)
    /// Opens a file, close-on-exec; a created one is readable by its owner only.
    func open(_ path: String, flags: CInt) throws(Errno) -> SharedDescriptor
    /// Bytes of an open file.
    func size(of file: SharedDescriptor) throws(Errno) -> Int
    /// Reads up to `count` bytes at an offset; fewer, or none, at the file's end.
    func read(_ file: SharedDescriptor, at offset: Int, count: Int) throws(Errno) -> [UInt8]
    /// Appends all bytes.
    func write(_ bytes: [UInt8], to file: SharedDescriptor) throws(Errno)
    /// Copies a file's first bytes without moving the source's offset.
    ///
    /// - Returns: bytes copied, fewer than `length` where the source ends sooner.
    func copy(_ source: SharedDescriptor, to file: SharedDescriptor, length: Int) throws(Errno) -> Int
    /// Gives a file its final name, in place of what has it.
    func rename(_ path: String, to target: String) throws(Errno)
    /// Deletes a file; one that is not there is no error.
    func remove(_ path: String) throws(Errno)
    /// The names in a folder without `.` and `..`; none when it is not there.
    func list(_ path: String) throws(Errno) -> [String]
    /// Bytes that this process may still write to the file system of a folder.
    func freeBytes(_ path: String) throws(Errno) -> Int
}
