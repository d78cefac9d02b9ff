package import LinuxSystem

extension DiskStore {
    /// The shape and the bounds of a disk store.
    package struct Configuration: Sendable {
        /// The folder, absolute; made when it is not there.
        package var path: String
        /// Bytes of originals; 0 stores none.
        package var originalsQuota: Int
        /// Bytes of variants; 0 stores none.
        package var variantsQuota: Int
        /// Eviction goes on until a class is down to this share of its quota, 0–1.
        package var lowWater: Double = 0.9
        /// Bytes of objects that wait for the writer; one larger object is taken when nothing waits.
        package var queueBytes: Int = 64 << 20
        /// Writes that wait for the writer.
        package var queueCount: Int = 4096
        /// Access times that wait for the writer; more are forgotten.
        package var touchCount: Int = 8192
        /// Seconds from an error of the disk until it is tried again.
        package var retrySeconds: Int64 = 5
        /// Whether the writer compares files and rows in the background after the start.
        package var reconciles: Bool = true
        /// The clocks.
        package var time: any TimeSource
        /// The calls on content files.
        package var files: any FileSystem

        /// Describes a store; the contract's quotas where nothing is given.
        package init(
            path: String,
            originalsQuota: Int = 10 << 30,
            variantsQuota: Int = 10 << 30,
            time: any TimeSource = SystemTime(),
            files: any FileSystem = SystemFiles()
        ) {
            self.path = path
            self.originalsQuota = originalsQuota
            self.variantsQuota = variantsQuota
            self.time = time
            self.files = files
        }
    }
}
