-- The database of a handset as the first step of the schema leaves it, with an app, settings, a notification and a held
-- update in it. Steps are never edited once they are released, so neither is this.
PRAGMA application_id = 0x4462656C;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;

CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE provider (
  name TEXT PRIMARY KEY, kind TEXT NOT NULL, team_id TEXT, key_id TEXT, public_key_pem TEXT, apps TEXT NOT NULL
) STRICT;

CREATE TABLE handset (
  handset INTEGER PRIMARY KEY,
  next_notification INTEGER NOT NULL, next_event INTEGER NOT NULL, next_alert INTEGER NOT NULL
) STRICT;
CREATE TABLE handset_setting (
  handset INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (handset, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE app (
  handset INTEGER NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL, receives_background_updates INTEGER NOT NULL,
  action_title TEXT, lamp_pattern TEXT, foreground_presentation TEXT NOT NULL,
  sounds TEXT NOT NULL, strings TEXT NOT NULL,
  PRIMARY KEY (handset, app)
) STRICT;
CREATE TABLE app_state (
  handset INTEGER NOT NULL, app TEXT NOT NULL, token BLOB NOT NULL, registration TEXT NOT NULL,
  kinds TEXT, unregistered_since INTEGER, lifecycle TEXT NOT NULL, badge INTEGER NOT NULL,
  PRIMARY KEY (handset, app)
) STRICT, WITHOUT ROWID;
CREATE TABLE app_setting (
  handset INTEGER NOT NULL, app TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (handset, app, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE token (
  handset INTEGER NOT NULL, token BLOB NOT NULL, app TEXT NOT NULL, gone_since INTEGER,
  PRIMARY KEY (handset, token)
) STRICT, WITHOUT ROWID;

CREATE TABLE notification (
  handset INTEGER NOT NULL, number INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL, level TEXT NOT NULL,
  collapse_id TEXT, is_listed INTEGER NOT NULL, is_seen INTEGER NOT NULL, alert_order INTEGER,
  has_action INTEGER NOT NULL,
  PRIMARY KEY (handset, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE notification_content (
  handset INTEGER NOT NULL, number INTEGER NOT NULL, arrived INTEGER NOT NULL, app_name TEXT NOT NULL,
  title TEXT, subtitle TEXT, body TEXT, action_title TEXT, thread_id TEXT, payload BLOB NOT NULL,
  PRIMARY KEY (handset, number)
) STRICT;
CREATE TABLE held (
  handset INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL, expires INTEGER NOT NULL, payload BLOB NOT NULL,
  PRIMARY KEY (handset, app)
) STRICT;

CREATE TABLE event (
  handset INTEGER NOT NULL, sequence INTEGER NOT NULL, line TEXT NOT NULL,
  PRIMARY KEY (handset, sequence)
) STRICT, WITHOUT ROWID;

INSERT INTO migration VALUES (1, 'handset');
INSERT INTO meta VALUES ('boot-id', 'a0ac5a13-9b20-4933-b1b3-e60a6b52c9fe');
INSERT INTO handset VALUES (1, 2, 4, 2);
INSERT INTO handset_setting VALUES (1, 'fetch-mode', 'manual'), (1, 'night-hours', '21:00-07:00');
INSERT INTO app VALUES (1, 'com.example.older', 'Older', 1, NULL, NULL, '', '[]', '{}');
INSERT INTO app_state VALUES (
  1, 'com.example.older', x'9457127efaa81ead69b4c45b2033f8cf77cef2ec2c973a9caddcee73ff23fc87', 'registered',
  'badge sound alert', NULL, 'notRunning', 5);
INSERT INTO app_setting VALUES (1, 'com.example.older', 'style', 'alert');
INSERT INTO token VALUES (
  1, x'9457127efaa81ead69b4c45b2033f8cf77cef2ec2c973a9caddcee73ff23fc87', 'com.example.older', NULL);
INSERT INTO notification VALUES (
  1, 1, 'com.example.older', '32C4445D-7A35-4F08-B648-5833EBCA5FEA', 'active', NULL, 1, 0, 1, 1);
INSERT INTO notification_content VALUES (
  1, 1, 1795271264028596, 'Older', 'Kept', NULL, NULL, 'View', NULL,
  CAST('{"aps":{"alert":{"title":"Kept"},"badge":5}}' AS BLOB));
INSERT INTO held VALUES (
  1, 'com.example.older', '4DCF92EC-99D8-48A0-AF35-FF05445F8E37', 4102444800000000,
  CAST('{"aps":{"content-available":1}}' AS BLOB));
INSERT INTO event VALUES
  (1, 1, '{"after":"board","event":"started","sequence":1,"uptimeMicroseconds":1,"wallMicroseconds":1795271263604016}'),
  (1, 2, '{"app":"com.example.older","event":"installed","sequence":2,"uptimeMicroseconds":2,"wallMicroseconds":1795271263740290}'),
  (1, 3, '{"app":"com.example.older","event":"registered","kinds":["badge","sound","alert"],"sequence":3,"uptimeMicroseconds":3,"wallMicroseconds":1795271263784779}');
