// 0.1.0 wrote the requests of pushes and of local notifications in two forms of their own, and providers in columns.
// All get the values' own form.

extension Schema {
  /// Moves columns that belong to a request into it.
  static let requests = """
    UPDATE kept SET request = json_patch('{}', json_object(
      'id', push, 'hasProviderID', request -> '$.hasProviderID',
      'token', CASE WHEN request -> '$.node' IS NULL THEN lower(hex(token)) END,
      'node', json(CASE WHEN request -> '$.node' IS NOT NULL
        THEN json_object('app', app, 'name', request ->> '$.node') END),
      'topic', app, 'type', request -> '$.type',
      'message', json(CASE WHEN request -> '$.message' IS NOT NULL THEN \(message("$.message.")) END),
      'badge', json(CASE WHEN request -> '$.badge' IS NOT NULL
        THEN json_object('number', json_object('value', request -> '$.badge'))
        WHEN request -> '$.badBadge' IS NOT NULL
        THEN json_object('bad', json_object('quote', request -> '$.badBadge')) END),
      'sound', json(CASE WHEN request -> '$.criticalVolume' IS NOT NULL
        THEN \(critical(name: "$.sound", volume: "$.criticalVolume"))
        WHEN request ->> '$.isSystemSound' THEN json_object('system', json('{}'))
        WHEN request -> '$.sound' IS NOT NULL
        THEN json_object('named', json_object('name', request -> '$.sound')) END),
      'contentAvailable', request -> '$.contentAvailable', 'level', request -> '$.level',
      'collapseID', request -> '$.collapseID', 'expires', request -> '$.expiration',
      'priority', request -> '$.priority', 'threadID', request -> '$.threadID', 'faults', request -> '$.faults'))
      WHERE json_valid(request);
    ALTER TABLE kept DROP COLUMN push;
    ALTER TABLE kept DROP COLUMN token;

    UPDATE local_notification SET request = json_patch('{}', json_object(
      'request', json_object('app', app, 'identifier', identifier,
        'trigger', json(CASE WHEN request -> '$.intervalMicroseconds' IS NOT NULL
          THEN json_object('interval', json_object(
            'wait', \(duration("request ->> '$.intervalMicroseconds'")), 'repeats', request -> '$.repeats'))
          ELSE json_object('calendar',
            json_patch(request -> '$.calendar', json_object('repeats', request -> '$.repeats'))) END),
        'content', json_object('id', push,
          'message', json(CASE WHEN request -> '$.action' IS NOT NULL THEN \(message("$.")) END),
          'badge', json(CASE WHEN request -> '$.badge' IS NOT NULL
            THEN json_object('number', json_object('value', request -> '$.badge')) END),
          'sound', json(CASE request ->> '$.sound'
            WHEN 'default' THEN json_object('system', json('{}'))
            WHEN 'named' THEN json_object('named', json_object('name', request -> '$.soundName'))
            WHEN 'critical' THEN \(critical(name: "$.soundName", volume: "$.soundVolume")) END),
          'level', request -> '$.level', 'threadID', request -> '$.threadID')),
      'due', json(CASE WHEN due_uptime IS NOT NULL
        THEN json_object('uptime', json_object('at', \(duration("due_uptime")), 'wall', due_wall))
        ELSE json_object('wall', json_object('at', due_wall, 'from', counted_from,
          'presentedFrom', presented_from, 'presentedTo', presented_to)) END)))
      WHERE json_valid(request);
    ALTER TABLE local_notification RENAME COLUMN request TO pending;
    \(["push", "due_uptime", "due_wall", "counted_from", "presented_from", "presented_to"]
      .map { "ALTER TABLE local_notification DROP COLUMN \($0);" }.joined(separator: "\n"))
    """

  static let providers = """
    CREATE TABLE provider_record (name TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
    INSERT INTO provider_record SELECT name, json_object(
      'name', name, 'apps', CASE WHEN json_valid(apps) THEN json(apps) END,
      'credential', json(CASE kind
        WHEN 'token' THEN json_object('token', json_object(
          'teamID', team_id, 'keyID', key_id, 'publicKey', public_key_pem, 'environment', environment))
        WHEN 'password' THEN json_object('password', json_object('hash', password_hash))
        WHEN 'certificate' THEN json_object('certificate', json_object('pem', certificate_pem)) END))
      FROM provider;
    DROP TABLE provider;
    ALTER TABLE provider_record RENAME TO provider;
    """

  /// Returns whole seconds, and the rest in attoseconds.
  private static func duration(_ microseconds: String) -> String {
    "json_array((\(microseconds)) / 1000000, (\(microseconds)) % 1000000 * 1000000000000)"
  }

  private static func critical(name: String, volume: String) -> String {
    "json_object('critical', json_object('name', request -> '\(name)', 'volume', request -> '\(volume)'))"
  }

  /// - Parameter path: the object that contains the texts and the action.
  private static func message(_ path: String) -> String {
    let texts = ["title", "subtitle", "body"].map { name in
      """
      '\(name)', json(CASE WHEN request -> '\(path)\(name).literal' IS NOT NULL
        THEN json_object('literal', json_object('text', request -> '\(path)\(name).literal'))
        WHEN request -> '\(path)\(name).key' IS NOT NULL
        THEN json_object('localized', json_object('key', request -> '\(path)\(name).key',
          'arguments', request -> '\(path)\(name).arguments')) END)
      """
    }
    return """
      json_object(\(texts.joined(separator: ", ")), 'action', json(CASE request ->> '\(path)action'
        WHEN 'standard' THEN '{"standard":{}}' WHEN 'none' THEN '{"none":{}}'
        ELSE json_object('localized', json_object('key', request -> '\(path)actionKey')) END))
      """
  }
}
