import Glibc

/// The memory of this process.
enum ResidentMemory {
    /// The resident bytes (proc_pid_statm(5)); 0 if they are unknown.
    static var bytes: Int {
        let fields = (MachineProbe().text("/proc/self/statm") ?? "").split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(CInt(_SC_PAGESIZE)))
    }
}
