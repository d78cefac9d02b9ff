import CLinux
import Glibc
import LinuxSystem

/// The system calls on a connection's socket; `nil` means that the call would block.
enum SocketCalls {
    /// As `retrying`, but not generic and in this module: generic functions of other modules are not specialised here, which costs
    /// more than parsing.
    @inline(__always)
    static func again(_ call: StaticString, _ body: () -> Int) throws(Errno) -> Int? {
        while true {
            let value = body()
            if value >= 0 { return value }
            switch errno {
            case EINTR: continue
            case EAGAIN: return nil
            default: throw Errno.current(call)
            }
        }
    }

    /// Receives into memory, with one call.
    @inline(__always)
    static func receive(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int? {
        try again("recv") { unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Sends memory with one call, never raising SIGPIPE.
    ///
    /// - Parameter hasMore: whether more follows at once, so that the kernel need not send a short segment.
    /// - Returns: the result of send(2): -1 with `errno` if it would block or fails.
    @inline(__always)
    static func send(_ descriptor: CInt, _ vectors: UnsafeMutablePointer<iovec>, _ count: Int, hasMore: Bool) -> Int {
        let flags = CInt(MSG_NOSIGNAL) | (hasMore ? CInt(MSG_MORE) : 0)
        if count == 1 {
            return unsafe Glibc.send(descriptor, vectors.pointee.iov_base, vectors.pointee.iov_len, flags)
        }
        var message = unsafe msghdr()
        unsafe message.msg_iov = vectors
        unsafe message.msg_iovlen = count
        return unsafe sendmsg(descriptor, &message, flags)
    }

    /// Sends two buffers with one call.
    ///
    /// - Returns: the result of send(2).
    @inline(__always)
    static func send(_ descriptor: CInt, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        // The kernel only reads the memory.
        var vectors: [2 of iovec] = unsafe [
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count),
        ]
        return unsafe withUnsafeMutablePointer(to: &vectors) { pointer in
            unsafe pointer.withMemoryRebound(to: iovec.self, capacity: 2) { base in
                unsafe send(descriptor, base, 2, hasMore: false)
            }
        }
    }

    /// Sends part of a file.
    ///
    /// - Returns: the number of bytes sent; 0 if the file ends before `offset`.
    static func send(_ descriptor: CInt, file: CInt, offset: Int64, count: Int) throws(Errno) -> Int? {
        var position = off_t(offset)
        return try again("sendfile") { unsafe sendfile(descriptor, file, &position, count) }
    }
}
