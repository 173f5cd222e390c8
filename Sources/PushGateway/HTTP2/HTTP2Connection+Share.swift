// How much is taken from a connection at a time. What one client sends at once may be hundreds of requests, and one provider
// may send them on hundreds of connections: what is beyond its share waits in the kernel, where it costs other providers
// nothing.

import NIOCore

extension HTTP2Connection {
  /// Takes what has arrived, as far as there is room.
  func takeInput() {
    while acceptsInput, hasRoom, let step = machine.next({ self.streams[$0]?.state ?? .closed }) { perform(step) }
  }

  /// Takes what was left, and reads on. Nothing was left unless reading is held.
  func takeOn() {
    guard isReadHeld, let context else { return }
    together(takeInput)
    expectRestOfFrame(context)
    readOn(context)
  }

  /// Nothing is read from a client that does not read its answers, and nothing while there is no room.
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

  /// Whether the connection has less under way, and less refused lately, than its part of what its provider may have. Begins
  /// a pause where that is used up.
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
