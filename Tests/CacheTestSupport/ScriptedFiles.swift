import Glibc
import HTTPCache
package import LinuxSystem

/// The real file system, with a callback before each call, so that a test can make the call fail or inspect the folder at that
/// moment.
package final class ScriptedFiles: FileSystem {
    /// Called with the number and the name of each call.
    package typealias Script = @Sendable (_ number: Int, _ call: String) throws(Errno) -> Void

    private struct State: Sendable {
        var calls = 0
        var script: Script?
        var free: (@Sendable () -> Int)?
    }

    private let state = Lock(State())
    private let system = SystemFiles()

    /// Creates a file system without observation.
    package init() {}

    /// The number of calls so far.
    package var calls: Int { state.withLock { $0.calls } }

    package func setScript(_ script: Script?) { state.withLock { $0.script = script } }

    package func setFree(_ free: (@Sendable () -> Int)?) { state.withLock { $0.free = free } }

    private func announce(_ call: String) throws(Errno) {
        let (number, script) = state.withLock { state in
            state.calls += 1
            return (state.calls, state.script)
        }
        try script?(number, call)
    }

    package func makeFolder(_ path: String) throws(Errno) {
        try announce("makeFolder")
        try system.makeFolder(path)
    }

    package func open(_ path: String, flags: CInt) throws(Errno) -> SharedDescriptor {
        try announce("open")
        return try system.open(path, flags: flags)
    }

    package func size(of file: SharedDescriptor) throws(Errno) -> Int {
        try announce("size")
        return try system.size(of: file)
    }

    package func read(_ file: SharedDescriptor, at offset: Int, count: Int) throws(Errno) -> [UInt8] {
        try announce("read")
        return try system.read(file, at: offset, count: count)
    }

    package func write(_ bytes: [UInt8], to file: SharedDescriptor) throws(Errno) {
        try announce("write")
        // In halves, so that an interruption or an error can occur in between.
        let half = bytes.count / 2
        try system.write(Array(bytes[..<half]), to: file)
        try announce("write")
        try system.write(Array(bytes[half...]), to: file)
    }

    package func copy(_ source: SharedDescriptor, to file: SharedDescriptor, length: Int) throws(Errno) -> Int {
        try announce("copy")
        return try system.copy(source, to: file, length: length)
    }

    package func attach(_ bytes: [UInt8], to file: SharedDescriptor) throws(Errno) {
        try announce("attach")
        try system.attach(bytes, to: file)
    }

    package func attachment(of file: SharedDescriptor) throws(Errno) -> [UInt8]? {
        try announce("attachment")
        return try system.attachment(of: file)
    }

    package func rename(_ path: String, to target: String) throws(Errno) {
        try announce("rename")
        try system.rename(path, to: target)
    }

    package func link(_ path: String, to target: String) throws(Errno) {
        try announce("link")
        try system.link(path, to: target)
    }

    package func name(_ file: SharedDescriptor, length: Int, _ path: String) throws(Errno) -> SharedDescriptor? {
        try announce("name")
        return try system.name(file, length: length, path)
    }

    package func remove(_ path: String) throws(Errno) {
        try announce("remove")
        try system.remove(path)
    }

    package func removeFolder(_ path: String) throws(Errno) {
        try announce("removeFolder")
        try system.removeFolder(path)
    }

    package func list(_ path: String) throws(Errno) -> [String] {
        try announce("list")
        return try system.list(path)
    }

    package func freeBytes(_ path: String) throws(Errno) -> Int {
        try announce("freeBytes")
        if let free = state.withLock({ $0.free }) { return free() }
        return try system.freeBytes(path)
    }
}
