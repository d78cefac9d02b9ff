import CLinux
import Glibc
import ImagePlan
import LinuxSystem

extension WorkerProcess {
    /// What came of waiting for a message.
    enum Arrival {
        /// One whole message and the descriptors beside it.
        case message([UInt8], [SharedDescriptor])
        /// The process closed its socket: it ended, or is about to.
        case hungUp
        /// The driver's event was raised.
        case woken
        /// The time is over.
        case late
    }

    /// Sends a message with descriptors, of which it may have 16; `false` when the process does not take it.
    func send(_ message: [UInt8], descriptors: [CInt]) -> Bool {
        let sent = unsafe message.withUnsafeBytes { bytes in
            unsafe edge_send_with_descriptors(
                socket,
                bytes.baseAddress,
                bytes.count,
                descriptors,
                CInt(descriptors.count)
            )
        }
        return sent == message.count
    }

    /// Waits for a message until a monotonic time, or until `wake` is raised.
    func receive(until limit: Int64, wake: WakeEvent, time: any TimeSource) -> Arrival {
        while true {
            let left = limit - time.monotonic
            guard left > 0 else { return .late }
            var entries = [
                pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds = CInt(clamping: (left + 999_999) / 1_000_000)
            let count = unsafe poll(&entries, 2, milliseconds)
            if count < 0, errno != EINTR { return .hungUp }
            guard count > 0 else { continue }
            if entries[0].revents != 0 {
                if let arrival = receiveNow() { return arrival }
            }
            if entries[1].revents != 0 {
                wake.take()
                return .woken
            }
        }
    }

    /// Reads one message; `nil` when there is none after all.
    private func receiveNow() -> Arrival? {
        // One byte more than a message may have, so that a longer one shows.
        var bytes = [UInt8](repeating: 0, count: WorkerMessage.maximumSize + 1)
        var numbers = [CInt](repeating: -1, count: WorkerMessage.maximumOutputs)
        var room = CInt(numbers.count)
        let count = unsafe edge_receive_with_descriptors(socket, &bytes, bytes.count, &numbers, &room)
        if count < 0 {
            if errno == EAGAIN || errno == EINTR { return nil }
            // EMSGSIZE: more descriptors than a message may carry. An empty message decodes as malformed.
            return errno == EMSGSIZE ? .message([], []) : .hungUp
        }
        let descriptors = numbers.prefix(Int(room)).map { SharedDescriptor(owning: $0) }
        if count == 0 { return .hungUp }
        bytes.removeSubrange(Int(count)...)
        return .message(bytes, descriptors)
    }
}
