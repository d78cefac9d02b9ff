package import LinuxSystem

extension DiskStore {
    /// The shape and the bounds of a disk store.
    package struct Configuration: Sendable {
        /// The folder, absolute; made when it is not there.
        package var path: String
        /// How much it may hold, at first.
        package var limits: DiskLimits
        /// Eviction goes on until a class is down to this share of its quota, 0–1.
        package var lowWater: Double = 0.9
        /// Bytes of objects that wait for the writer; one larger object is taken when nothing waits.
        package var queueBytes: Int = 64 << 20
        /// Writes that wait for the writer.
        package var queueCount: Int = 4096
        /// Access times that wait for the writer; more are forgotten.
        package var touchCount: Int = 8192
        /// Failures that are kept over a restart; the oldest go.
        package var failureCount: Int = 100_000
        /// Failures that wait for the writer; more are forgotten.
        package var pendingFailureCount: Int = 8192
        /// Bodies of which is remembered, eight bytes each, that they were verified since the start.
        package var verifiedCount: Int = 1 << 18
        /// Seconds from an error of the disk until it is tried again.
        package var retrySeconds: Int64 = 5
        /// Whether the writer compares files and rows in the background after the start.
        package var reconciles: Bool = true
        /// Whether this release knows the metadata of an entry, which else is a miss; not called for raw responses.
        package var isReadable: @Sendable (DiskClass, _ metadata: [UInt8]) -> Bool = { _, _ in true }
        /// A folder that was filled before, looked at after the own one and never written.
        package var seed: String?
        /// Called once, on the writer's thread, when the store stops to do its work, and once when it does it again.
        package var healthChanged: (@Sendable (DiskHealth) -> Void)?
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
            limits = DiskLimits(originals: originalsQuota, variants: variantsQuota)
            self.time = time
            self.files = files
        }
    }
}
