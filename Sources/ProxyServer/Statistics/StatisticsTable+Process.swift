import ImagePipeline

extension StatisticsTable {
    /// The daemon's process, by the metric names of all Prometheus clients, and the versions of what it consists of.
    static let process: [Item] = [
        .labels(
            Metric("edgeprint_build_info", "Versions of Edgeprint and its libraries, as labels of a constant 1.")
        ) { reading in
            let libraries = reading.libraries
            return [
                ("version", reading.version), ("curl", libraries.curl), ("tls", libraries.tls ?? ""),
                ("sqlite", libraries.sqlite), ("crypto", libraries.crypto),
                // Known once a worker was asked for its coders.
                ("vips", reading.coders?.libvips ?? ""),
            ]
        },
        .total(
            Metric("process_cpu_seconds_total", "Processor time of the daemon in user and system mode, in seconds.")
        ) { $0.process.processorSeconds },
        .gauge(nil, Metric("process_resident_memory_bytes", "Resident memory of the daemon.")) {
            $0.process.residentBytes
        },
        .gauge(nil, Metric("process_virtual_memory_bytes", "Address space of the daemon.")) {
            $0.process.virtualBytes
        },
        .gauge(nil, Metric("process_open_fds", "Open file descriptors of the daemon.")) { $0.process.openFiles },
        .fact(nil, Metric("process_max_fds", "Maximum number of open file descriptors of the daemon.")) {
            $0.process.maximumFiles.map(JSONValue.number) ?? .null
        },
        .gauge(nil, Metric("process_threads", "Threads of the daemon.")) { $0.process.threads },
        .fact(
            nil,
            Metric("process_start_time_seconds", "Start of the daemon, in seconds since 1970.")
        ) { .decimal($0.process.start) },
    ]
}
