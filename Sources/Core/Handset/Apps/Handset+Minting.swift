// Tokens besides an app's ordinary one. HandsetCore makes no random words: it asks the host for each token with an
// effect, and gets it as an input.

extension Handset {
  /// Returns the uses for which the app needs a token besides its ordinary one, while it is registered.
  func tokenPurposes(of app: App) -> [TokenPurpose] {
    guard case .registered = app.state.registration else { return [] }
    let types = app.manifest.pushTypes ?? []
    return activityTokenPurposes(of: app) + (types.contains(.widgets) ? [.widgets] : [])
      + (types.contains(.controls) ? [.controls] : [])
  }

  /// Asks for every token that the app lacks.
  mutating func askForTokens(of id: AppID, _ turn: inout Turn) {
    guard let app = apps[id] else { return }
    for purpose in tokenPurposes(of: app) where purposeTokens[id]?[purpose] == nil {
      turn.effects.append(.mint(purpose, id))
    }
  }

  /// Asks again after a start for every token that an app lacks.
  mutating func askForAllTokens(_ turn: inout Turn) {
    for app in apps.values.sorted(by: { $0.id < $1.id }) where !tokenPurposes(of: app).isEmpty {
      askForTokens(of: app.id, &turn)
    }
  }

  /// Takes a token that was asked for. It is ignored if it is not needed any more, or if there is one already.
  mutating func take(_ token: DeviceToken, for purpose: TokenPurpose, of app: App, _ turn: inout Turn) -> Verdict {
    guard tokenPurposes(of: app).contains(purpose), purposeTokens[app.id]?[purpose] == nil, tokens[token] == nil else {
      return .accepted
    }
    commit(.token(token, before: nil, after: TokenRecord(app: app.id, purpose: purpose)), &turn)
    if case .activity(let id) = purpose {
      emit(.activityToken(id, token.hex.prefix(bytes: 8)), app: app.id, &turn)
    }
    return .accepted
  }

  /// Ends the tokens of the app that it does not need any more. Pushes to them are answered 410 from now on.
  mutating func retireUnneededTokens(of id: AppID, _ turn: inout Turn) {
    guard let owned = purposeTokens[id] else { return }
    let needed = Set(apps[id].map { tokenPurposes(of: $0) } ?? [])
    for (purpose, token) in owned.sorted(by: { $0.value < $1.value }) where !needed.contains(purpose) {
      retire(token, &turn)
    }
  }

  /// Returns the app's valid tokens besides its ordinary one.
  public func purposeTokens(of app: AppID) -> [TokenPurpose: DeviceToken] { purposeTokens[app] ?? [:] }
}
