/// Who is shown the rows of a picture as they are read.
protocol RowObserver: AnyObject {
    /// The next row, from top to bottom; valid during the call.
    func see(_ row: UnsafePointer<UInt8>) throws(VipsError)
}
