// Without CLinux: whichever module SOCK_* is first looked up in has it for all files.
import Glibc
import LinuxSystem

extension PrivateNetwork {
    /// Takes the loopback interface up or down (netdevice(7)); while it is down, packets are lost without a sign.
    package func setLoopback(isUp: Bool) throws {
        let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        // struct ifreq: the name, and the flags in 16 bits at offset 16.
        var request = [UInt8]("lo".utf8) + [UInt8](repeating: 0, count: 38)
        request[16] = isUp ? UInt8(IFF_UP) : 0
        guard unsafe ioctl(descriptor, UInt(SIOCSIFFLAGS), &request) == 0 else { throw Errno.current("ioctl") }
    }
}
