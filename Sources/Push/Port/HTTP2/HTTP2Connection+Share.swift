// The limit on input taken from a connection at a time. A client may send hundreds of requests at once, and a provider
// may do so on hundreds of connections: input beyond its share waits in the kernel, where it costs other providers
// nothing.

import NIOCore

extension HTTP2Connection {
  /// Handles the input that has arrived, as far as there is room.
  func takeInput() {
    while acceptsInput, hasRoom, let step = machine.next({ self.streams[$0]?.state ?? .closed }) { perform(step) }
  }

  /// Handles the input that was left, and reads on. None was left unless reading is held.
  func takeOn() {
    guard isReadHeld, let context else { return }
    together(takeInput)
    expectRestOfFrame(context)
    readOn(context)
  }

  /// Reads, or holds reading while the client does not read its answers or there is no room.
  func read(context: ChannelHandlerContext) {
    if mayRead(context) { context.read() } else { isReadHeld = true }
  }

  func readOn(_ context: ChannelHandlerContext) {
    guard isReadHeld, mayRead(context) else { return }
    isReadHeld = false
    context.read()
  }

  private func mayRead(_ context: ChannelHandlerContext) -> Bool {
    !acceptsInput || context.channel.isWritable && hasRoom
  }

  /// True if the connection has fewer requests under way, and fewer recent refusals, than its share of its provider's
  /// limits. Begins a pause if its share of refusals is used up.
  var hasRoom: Bool {
    guard !isPausing else { return false }
    guard underWay >= limits.requestsUnderWayEach || refusals > 0 else { return true }
    let count = max(1, client.refusals.providerName.map(connections) ?? 1)
    if refusals >= max(1, limits.refusalsPerSecond / limits.pausesPerSecond / count) {
      pause()
      return false
    }
    return underWay < max(limits.requestsUnderWayEach, limits.requestsUnderWay / count)
  }

  func pause() {
    guard let context else { return }
    isPausing = true
    after(.seconds(1) / limits.pausesPerSecond, context) {
      (self.isPausing, self.refusals) = (false, 0)
      self.takeOn()
    }
  }
}
