import CHiredis
import Glibc
import LinuxSystem

/// A blocking connection to Redis or Valkey, over hiredis.
///
/// Confined to one thread. Safe: `context` is valid from init to deinit and not shared.
@safe final class RedisConnection {
    /// Why an exchange has failed: the connection cannot be used any more.
    struct Failure: Error {
        let reason: String
    }

    private let context: UnsafeMutablePointer<redisContext>
    private let interruption: LogInterruption
    private var receiveTimeout: Int64

    /// Connects, authenticates and selects the database.
    ///
    /// - Parameters:
    ///   - connect: nanoseconds for connecting.
    ///   - command: nanoseconds for each answer.
    init(_ location: LogLocation, connect: Int64, command: Int64, interruption: LogInterruption) throws(LogError) {
        let opened =
            switch location.endpoint {
            case .host(let host, let port):
                unsafe redisConnectWithTimeout(host, CInt(port), timeval(nanoseconds: connect))
            case .unix(let path):
                unsafe redisConnectUnixWithTimeout(path, timeval(nanoseconds: connect))
            }
        guard let context = unsafe opened else { throw .unreachable("no memory") }
        unsafe self.context = unsafe context
        self.interruption = interruption
        receiveTimeout = 0
        if unsafe context.pointee.err != 0 { throw .unreachable(failure.reason) }
        // The workers must not inherit it.
        unsafe _ = fcntl(context.pointee.fd, F_SETFD, FD_CLOEXEC)
        unsafe interruption.register(context.pointee.fd)
        setTimeout(command)
        var greeting: [[[UInt8]]] = []
        if !location.password.isEmpty {
            let words = location.user.isEmpty ? [location.password.value] : [location.user, location.password.value]
            greeting.append((["AUTH"] + words).map { Array($0.utf8) })
        }
        if location.database != 0 { greeting.append(["SELECT", "\(location.database)"].map { Array($0.utf8) }) }
        if greeting.isEmpty { return }
        var replies: [RedisReply] = []
        do { try exchange(greeting, replies: &replies) } catch { throw .unreachable(error.reason) }
        for (index, reply) in replies.enumerated() {
            guard case .failure(let reason) = reply else { continue }
            // An engine that does not know a command repeats its arguments, or the beginning of them.
            let isSecret =
                index == 0 && !location.password.isEmpty && reason.lowercased().contains("unknown command")
            throw .refused(isSecret ? "the engine does not take AUTH" : reason)
        }
    }

    deinit {
        interruption.register(nil)
        unsafe redisFree(context)
    }

    /// Sets how long to wait for each answer, in nanoseconds.
    func setTimeout(_ nanoseconds: Int64) {
        guard nanoseconds != receiveTimeout else { return }
        receiveTimeout = nanoseconds
        unsafe _ = redisSetTimeout(context, timeval(nanoseconds: nanoseconds))
    }

    /// Sends commands at once and receives their replies in order.
    ///
    /// - Parameter replies: the replies that have arrived, also before a failure.
    func exchange(_ commands: [[[UInt8]]], replies: inout [RedisReply]) throws(Failure) {
        for words in commands { try add(words) }
        for _ in commands {
            var reply: UnsafeMutableRawPointer?
            guard unsafe redisGetReply(context, &reply) == REDIS_OK, let reply = unsafe reply else { throw failure }
            replies.append(unsafe RedisReply(reply.assumingMemoryBound(to: redisReply.self)))
            unsafe freeReplyObject(reply)
        }
    }

    private func add(_ words: [[UInt8]]) throws(Failure) {
        let sizes = words.map(\.count)
        let bytes = Array(words.joined())
        let code = unsafe bytes.withUnsafeBytes { bytes in
            var next = 0
            var starts = unsafe sizes.map { size -> UnsafePointer<CChar>? in
                defer { next += size }
                return unsafe bytes.baseAddress?.advanced(by: next).assumingMemoryBound(to: CChar.self)
            }
            return unsafe redisAppendCommandArgv(context, CInt(sizes.count), &starts, sizes)
        }
        guard code == REDIS_OK else { throw failure }
    }

    private var failure: Failure {
        if interruption.isInterrupted { return Failure(reason: "the daemon is ending") }
        let text = unsafe String(cString: edge_redis_error(context))
        // How a read or write after the time of SO_RCVTIMEO ends; see socket(7).
        return Failure(reason: text == Errno.text(of: EAGAIN) ? "no answer in time" : text)
    }
}

extension timeval {
    fileprivate init(nanoseconds: Int64) {
        // All zero would mean no limit.
        let microseconds = max(nanoseconds / 1_000, 1)
        self.init(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
    }
}
