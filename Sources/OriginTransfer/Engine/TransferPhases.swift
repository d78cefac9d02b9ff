import CCurl
package import LinuxSystem

extension TransferTiming {
    /// Reads the timing of a handle's request.
    init(_ easy: EasyHandle) {
        self.init()
        let (resolved, connected) = (easy.offset(CURLINFO_NAMELOOKUP_TIME_T), easy.offset(CURLINFO_CONNECT_TIME_T))
        let secured = easy.offset(CURLINFO_APPCONNECT_TIME_T)
        // A kept connection has these times, too, all of them next to nothing.
        if easy.long(CURLINFO_NUM_CONNECTS) > 0 {
            resolve = UInt32(clamping: resolved)
            connect = UInt32(clamping: connected - resolved)
            secure = UInt32(clamping: secured > 0 ? secured - connected : 0)
        }
        firstByte = UInt32(clamping: easy.offset(CURLINFO_STARTTRANSFER_TIME_T))
        total = UInt32(clamping: easy.offset(CURLINFO_TOTAL_TIME_T))
    }
}

extension TransferStatistics {
    /// The phases of requests whose response head was received.
    package struct Phases: Hashable, Sendable {
        /// Waiting in the daemon's queue; once per load.
        package var queue = DurationCounts()
        /// New connections alone.
        package var resolve = DurationCounts()
        /// New connections alone.
        package var connect = DurationCounts()
        /// New connections over TLS alone.
        package var secure = DurationCounts()
        package var firstByte = DurationCounts()
        package var total = DurationCounts()

        /// Counts a request.
        mutating func observe(_ timing: TransferTiming, isNew: Bool) {
            if isNew {
                resolve.observe(UInt64(timing.resolve))
                connect.observe(UInt64(timing.connect))
                if timing.secure > 0 { secure.observe(UInt64(timing.secure)) }
            }
            firstByte.observe(UInt64(timing.firstByte))
            total.observe(UInt64(timing.total))
        }
    }
}
