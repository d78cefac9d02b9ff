/// The store is the pipeline's disk tier.
extension DiskStore: DiskStoring {}
