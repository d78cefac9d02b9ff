/// Takes the content of a request as it arrives; used on the loop's thread only.
///
/// It reports a failure of its own when the handler receives the request.
package protocol RequestBodySink: AnyObject {
    /// Appends bytes; must not block for long.
    func append(_ bytes: UnsafeRawBufferPointer)
}
