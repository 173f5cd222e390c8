PRAGMA application_id = 1147299180;
PRAGMA user_version = 6;
PRAGMA journal_mode = WAL;
BEGIN TRANSACTION;
CREATE TABLE app (
  handset INTEGER NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL, receives_background_updates INTEGER NOT NULL,
  action_title TEXT, lamp_pattern TEXT, foreground_presentation TEXT NOT NULL,
  sounds TEXT NOT NULL, strings TEXT NOT NULL, has_hooks INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (handset, app)
) STRICT;
INSERT INTO "app" VALUES(1,'com.example.mailroom','Mailroom',1,'Sort','double','','["letter","parcel","stamp"]','{"LETTER_FROM":"A letter from %@","OPEN_MAILBOX":"Open mailbox","PARCELS_WAITING":"%1$@ parcels for %2$@ are waiting"}',1);
INSERT INTO "app" VALUES(1,'com.example.news','News',1,'Read','blink','','[]','{}',1);
INSERT INTO "app" VALUES(1,'com.example.held','Held',1,NULL,NULL,'','[]','{}',1);
INSERT INTO "app" VALUES(1,'com.example.old','Old',0,NULL,NULL,'','[]','{}',0);
CREATE TABLE app_setting (
  handset INTEGER NOT NULL, app TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (handset, app, key)
) STRICT, WITHOUT ROWID;
INSERT INTO "app_setting" VALUES(1,'com.example.mailroom','critical','on');
INSERT INTO "app_setting" VALUES(1,'com.example.mailroom','style','alert');
INSERT INTO "app_setting" VALUES(1,'com.example.news','volume','40%');
CREATE TABLE app_state (
  handset INTEGER NOT NULL, app TEXT NOT NULL, token BLOB NOT NULL, registration TEXT NOT NULL,
  kinds TEXT, unregistered_since INTEGER, lifecycle TEXT NOT NULL, badge INTEGER NOT NULL, listens INTEGER NOT NULL DEFAULT 0, foreground_presentation TEXT,
  PRIMARY KEY (handset, app)
) STRICT, WITHOUT ROWID;
INSERT INTO "app_state" VALUES(1,'com.example.held',X'988355807A0D29BAC0626934278834A0C222DACCAF36944519C7BF01AA907261','registered','badge sound alert',NULL,'background',0,0,NULL);
INSERT INTO "app_state" VALUES(1,'com.example.mailroom',X'6CB3EA91063ADB01EED1FA21869A5358E8AFBA9A23C410C9F4CAB1B5406A0DA6','registered','badge sound alert',NULL,'forceQuit',5,0,NULL);
INSERT INTO "app_state" VALUES(1,'com.example.news',X'3134D91CC237394208B747802C57B917FAFCF6579C4F4AF1AFAB89F6709C1CCC','registered','badge sound alert',NULL,'background',2,0,NULL);
INSERT INTO "app_state" VALUES(1,'com.example.old',X'F38A102EEFC38B9AE5EBD3C5B8488B4802BB677777F021B4A22C44808F4AAEBE','unregistered',NULL,1795400175171977,'notRunning',0,0,NULL);
CREATE TABLE delivery (
  handset INTEGER NOT NULL, app TEXT NOT NULL, place INTEGER NOT NULL, uptime INTEGER NOT NULL,
  wall INTEGER NOT NULL,
  PRIMARY KEY (handset, app, place)
) STRICT, WITHOUT ROWID;
INSERT INTO "delivery" VALUES(1,'com.example.held',0,69138319151,1795399275171977);
INSERT INTO "delivery" VALUES(1,'com.example.held',1,69138319151,1795399275171977);
INSERT INTO "delivery" VALUES(1,'com.example.held',2,69138319151,1795399275171977);
INSERT INTO "delivery" VALUES(1,'com.example.news',0,70038319151,1795400175171977);
CREATE TABLE device (handset INTEGER PRIMARY KEY, device_id BLOB NOT NULL UNIQUE) STRICT;
INSERT INTO "device" VALUES(1,X'D5C68AF89696334D7EC1D2C795F178677B65FAFE');
CREATE TABLE event (
  handset INTEGER NOT NULL, sequence INTEGER NOT NULL, line TEXT NOT NULL, rulings TEXT,
  PRIMARY KEY (handset, sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO "event" VALUES(1,1,'{"after":"board","event":"started","sequence":1,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,2,'{"app":"com.example.mailroom","event":"installed","sequence":2,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,3,'{"app":"com.example.mailroom","event":"registered","kinds":["badge","sound","alert"],"sequence":3,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,4,'{"app":"com.example.news","event":"installed","sequence":4,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,5,'{"app":"com.example.news","event":"registered","kinds":["badge","sound","alert"],"sequence":5,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,6,'{"app":"com.example.held","event":"installed","sequence":6,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,7,'{"app":"com.example.held","event":"registered","kinds":["badge","sound","alert"],"sequence":7,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,8,'{"app":"com.example.old","event":"installed","sequence":8,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,9,'{"app":"com.example.old","event":"registered","kinds":["badge","sound","alert"],"sequence":9,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,10,'{"app":"com.example.mailroom","event":"setting","key":"style","sequence":10,"uptimeMicroseconds":69138319151,"value":"alert","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,11,'{"app":"com.example.mailroom","event":"setting","key":"critical","sequence":11,"uptimeMicroseconds":69138319151,"value":"on","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,12,'{"app":"com.example.news","event":"setting","key":"volume","sequence":12,"uptimeMicroseconds":69138319151,"value":"40%","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,13,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000001","sequence":13,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.person B1.set S2.on S1.allowed S6.registered N1.system S1.listed N3.alert S5.audible A1.own D3.vibrates D1.lit');
INSERT INTO "event" VALUES(1,14,'{"app":"com.example.mailroom","event":"badge","number":3,"push":"00000000-0000-4000-8000-000000000001","sequence":14,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,15,'{"app":"com.example.mailroom","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000001","sequence":15,"sound":"letter","style":"alert","uptimeMicroseconds":69138319151,"vibration":"pulse","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,16,'{"event":"sound-started","name":"letter","push":"00000000-0000-4000-8000-000000000001","sequence":16,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,17,'{"event":"sound-ended","name":"letter","push":"00000000-0000-4000-8000-000000000001","reason":"finished","sequence":17,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,18,'{"event":"lamp","lit":true,"sequence":18,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,19,'{"event":"display","sequence":19,"text":"   3","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,20,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000002","sequence":20,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.person B4.absent A1.none S2.on S1.allowed S6.registered N1.system S1.listed N3.alert N7.over D1.lit');
INSERT INTO "event" VALUES(1,21,'{"app":"com.example.mailroom","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000002","sequence":21,"style":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,22,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000003","sequence":22,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.person B4.absent A1.none S2.on S1.allowed S6.registered N1.system S1.listed N3.alert N7.over D1.another');
INSERT INTO "event" VALUES(1,23,'{"app":"com.example.mailroom","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000003","sequence":23,"style":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,24,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000004","sequence":24,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.person B4.absent A1.none S2.on S1.allowed S6.registered N1.system N8.replaced S1.listed N3.alert N7.over D1.another');
INSERT INTO "event" VALUES(1,25,'{"app":"com.example.mailroom","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000004","replaces":"00000000-0000-4000-8000-000000000003","sequence":25,"style":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,26,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000005","sequence":26,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.person B4.absent S2.on S1.allowed S6.registered N1.system S1.listed N3.alert N7.over N9.critical A1.own D3.vibrates D1.lit');
INSERT INTO "event" VALUES(1,27,'{"app":"com.example.mailroom","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000005","sequence":27,"sound":"letter","style":"alert","uptimeMicroseconds":69138319151,"vibration":"triple","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,28,'{"event":"sound-started","name":"letter","push":"00000000-0000-4000-8000-000000000005","sequence":28,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,29,'{"event":"sound-ended","name":"letter","push":"00000000-0000-4000-8000-000000000005","reason":"finished","sequence":29,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,30,'{"app":"com.example.news","event":"accepted","push":"00000000-0000-4000-8000-000000000006","sequence":30,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.person B1.set A1.none S2.on S1.allowed S6.registered N1.system S1.listed N3.banner D1.another');
INSERT INTO "event" VALUES(1,31,'{"app":"com.example.news","event":"badge","number":2,"push":"00000000-0000-4000-8000-000000000006","sequence":31,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,32,'{"app":"com.example.news","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000006","sequence":32,"style":"banner","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,33,'{"event":"display","sequence":33,"text":"   5","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,34,'{"app":"com.example.news","event":"accepted","push":"00000000-0000-4000-8000-000000000007","sequence":34,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good B2.bad F1.online R1.registered U2.person S2.on S1.allowed S6.registered N1.system S1.listed N3.banner S5.audible A1.default D3.vibrates D1.another');
INSERT INTO "event" VALUES(1,35,'{"app":"com.example.news","event":"ignored","path":"aps.unknown","problem":"no such key; an app''s own keys belong outside aps","push":"00000000-0000-4000-8000-000000000007","sequence":35,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,36,'{"app":"com.example.news","event":"bad-badge","push":"00000000-0000-4000-8000-000000000007","sequence":36,"uptimeMicroseconds":69138319151,"value":"-1","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,37,'{"app":"com.example.news","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000007","sequence":37,"sound":"default","style":"banner","uptimeMicroseconds":69138319151,"vibration":"pulse","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,38,'{"event":"sound-started","name":"default","push":"00000000-0000-4000-8000-000000000007","sequence":38,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,39,'{"event":"sound-ended","name":"default","push":"00000000-0000-4000-8000-000000000007","reason":"finished","sequence":39,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,40,'{"app":"com.example.mailroom","button":"close","event":"answered","push":"00000000-0000-4000-8000-000000000005","sequence":40,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,41,'{"condition":"silent","event":"condition","on":true,"sequence":41,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,42,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000008","sequence":42,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.person B4.absent S2.on S1.allowed S6.registered N1.system S1.listed N3.alert N7.over S5.silent D3.vibrates D1.another');
INSERT INTO "event" VALUES(1,43,'{"app":"com.example.mailroom","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000008","sequence":43,"silenced":"the ring/silent switch is on silent (S5)","style":"alert","uptimeMicroseconds":69138319151,"vibration":"pulse","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,44,'{"condition":"silent","event":"condition","on":false,"sequence":44,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,45,'{"event":"setting","key":"quiet-hours","sequence":45,"uptimeMicroseconds":69138319151,"value":"00:00-23:59","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,46,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000009","sequence":46,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.person B4.absent S2.on S1.allowed S6.registered N1.system S1.listed N3.alert N7.over S5.quiet-hours D3.vibrates D1.another');
INSERT INTO "event" VALUES(1,47,'{"app":"com.example.mailroom","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000009","sequence":47,"silenced":"these are quiet hours (S5)","style":"alert","uptimeMicroseconds":69138319151,"vibration":"pulse","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,48,'{"event":"setting","key":"night-hours","sequence":48,"uptimeMicroseconds":69138319151,"value":"21:00-07:00","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,49,'{"event":"setting","key":"fetch-interval","sequence":49,"uptimeMicroseconds":69138319151,"value":"30m","wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,50,'{"app":"com.example.mailroom","event":"lifecycle","sequence":50,"state":"foreground","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,51,'{"app":"com.example.mailroom","count":6,"event":"cleared","reason":"the app was opened (N10)","sequence":51,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,52,'{"event":"lamp","lit":true,"sequence":52,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,53,'{"app":"com.example.mailroom","event":"badge","number":1,"sequence":53,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,54,'{"event":"display","sequence":54,"text":"   3","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,55,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000010","sequence":55,"type":"alert","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.person N2.badge A1.none S2.on S1.allowed S6.registered N2.foreground N2.given');
INSERT INTO "event" VALUES(1,56,'{"app":"com.example.mailroom","event":"not-presented","push":"00000000-0000-4000-8000-000000000010","reason":"the app is in the foreground (N2)","sequence":56,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,57,'{"app":"com.example.mailroom","event":"delivered","push":"00000000-0000-4000-8000-000000000010","sequence":57,"state":"foreground","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,58,'{"app":"com.example.mailroom","event":"lifecycle","sequence":58,"state":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,59,'{"app":"com.example.mailroom","event":"completed","push":"00000000-0000-4000-8000-000000000010","result":"newData","sequence":59,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,60,'{"app":"com.example.held","event":"accepted","push":"00000000-0000-4000-8000-000000000011","sequence":60,"type":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.update U1.mode U7.free');
INSERT INTO "event" VALUES(1,61,'{"app":"com.example.held","event":"lifecycle","sequence":61,"state":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,62,'{"app":"com.example.held","event":"delivered","push":"00000000-0000-4000-8000-000000000011","sequence":62,"state":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,63,'{"app":"com.example.held","event":"completed","push":"00000000-0000-4000-8000-000000000011","result":"newData","sequence":63,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,64,'{"app":"com.example.held","event":"accepted","push":"00000000-0000-4000-8000-000000000012","sequence":64,"type":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.update U1.mode U7.free');
INSERT INTO "event" VALUES(1,65,'{"app":"com.example.held","event":"delivered","push":"00000000-0000-4000-8000-000000000012","sequence":65,"state":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,66,'{"app":"com.example.held","event":"completed","push":"00000000-0000-4000-8000-000000000012","result":"newData","sequence":66,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,67,'{"app":"com.example.held","event":"accepted","push":"00000000-0000-4000-8000-000000000013","sequence":67,"type":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.update U1.mode U7.free');
INSERT INTO "event" VALUES(1,68,'{"app":"com.example.held","event":"delivered","push":"00000000-0000-4000-8000-000000000013","sequence":68,"state":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,69,'{"app":"com.example.held","event":"completed","push":"00000000-0000-4000-8000-000000000013","result":"newData","sequence":69,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,70,'{"app":"com.example.held","event":"accepted","push":"00000000-0000-4000-8000-000000000014","sequence":70,"type":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.update U1.mode U7.spent');
INSERT INTO "event" VALUES(1,71,'{"app":"com.example.held","event":"held","push":"00000000-0000-4000-8000-000000000014","reason":"three updates were delivered in the last 60 minutes (U7)","sequence":71,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,72,'{"app":"com.example.held","event":"accepted","push":"00000000-0000-4000-8000-000000000015","sequence":72,"type":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.update U1.mode U4.replaced U7.spent');
INSERT INTO "event" VALUES(1,73,'{"app":"com.example.held","event":"discarded","push":"00000000-0000-4000-8000-000000000014","reason":"a newer update took its place (U4)","replacedBy":"00000000-0000-4000-8000-000000000015","sequence":73,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,74,'{"app":"com.example.held","event":"held","push":"00000000-0000-4000-8000-000000000015","reason":"three updates were delivered in the last 60 minutes (U7)","sequence":74,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,75,'{"app":"com.example.old","event":"accepted","push":"00000000-0000-4000-8000-000000000016","sequence":75,"type":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.update U1.no-mode');
INSERT INTO "event" VALUES(1,76,'{"app":"com.example.old","event":"discarded","push":"00000000-0000-4000-8000-000000000016","reason":"the app has no remote-notification background mode (U1)","sequence":76,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,77,'{"app":"com.example.mailroom","event":"lifecycle","sequence":77,"state":"forceQuit","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,78,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000017","sequence":78,"type":"background","uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}','R4.good F1.online R1.registered U2.update U1.mode U5.force-quit');
INSERT INTO "event" VALUES(1,79,'{"app":"com.example.mailroom","event":"discarded","push":"00000000-0000-4000-8000-000000000017","reason":"the app is force-quit and is not woken (U5)","sequence":79,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,80,'{"app":"com.example.mailroom","dueWallMicroseconds":1795399875171977,"event":"scheduled","identifier":"in10m","push":"73d78ba4-572b-4f5f-b806-be0a2184e5a5","sequence":80,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,81,'{"app":"com.example.mailroom","dueWallMicroseconds":1795406475171977,"event":"scheduled","identifier":"in2h","push":"f08ff473-61df-4062-9757-94eda8f492df","sequence":81,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,82,'{"app":"com.example.mailroom","dueWallMicroseconds":1795413600000000,"event":"scheduled","identifier":"daily0700","push":"b6c00d94-ee49-4c8e-8abd-94d8af5fbfcf","sequence":82,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,83,'{"app":"com.example.mailroom","dueWallMicroseconds":1795419000000000,"event":"scheduled","identifier":"weeklymonday0830","push":"fc199a8b-830b-4e27-8ca9-7fff2af10fec","sequence":83,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,84,'{"app":"com.example.mailroom","dueWallMicroseconds":1797318000000000,"event":"scheduled","identifier":"monthly150800","push":"7268261c-454d-4540-b4be-3e862a34d522","sequence":84,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,85,'{"app":"com.example.mailroom","dueWallMicroseconds":1798131600000000,"event":"scheduled","identifier":"yearly12241800","push":"a124ea6d-319b-4731-9c88-c81e3bd9623e","sequence":85,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,86,'{"app":"com.example.mailroom","dueWallMicroseconds":1795417200000000,"event":"scheduled","identifier":"at0800","push":"08c3cf2f-c1a9-4dae-b2b0-3d0fdf1d14ad","sequence":86,"uptimeMicroseconds":69138319151,"wallMicroseconds":1795399275171977}',NULL);
INSERT INTO "event" VALUES(1,87,'{"app":"com.example.mailroom","event":"due","identifier":"in10m","push":"73d78ba4-572b-4f5f-b806-be0a2184e5a5","sequence":87,"uptimeMicroseconds":69738319151,"wallMicroseconds":1795399875171977}','L1.due R1.registered U2.person B1.set S2.on S1.allowed S6.registered N1.system S1.listed N3.alert S5.quiet-hours D3.vibrates D1.lit');
INSERT INTO "event" VALUES(1,88,'{"app":"com.example.mailroom","event":"badge","number":4,"push":"73d78ba4-572b-4f5f-b806-be0a2184e5a5","sequence":88,"uptimeMicroseconds":69738319151,"wallMicroseconds":1795399875171977}',NULL);
INSERT INTO "event" VALUES(1,89,'{"app":"com.example.mailroom","event":"presented","listed":true,"push":"73d78ba4-572b-4f5f-b806-be0a2184e5a5","sequence":89,"silenced":"these are quiet hours (S5)","style":"alert","uptimeMicroseconds":69738319151,"vibration":"pulse","wallMicroseconds":1795399875171977}',NULL);
INSERT INTO "event" VALUES(1,90,'{"event":"lamp","lit":true,"sequence":90,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,91,'{"event":"display","sequence":91,"text":"   6","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,92,'{"app":"com.example.gone","event":"installed","sequence":92,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,93,'{"app":"com.example.gone","event":"registered","kinds":["badge","sound","alert"],"sequence":93,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,94,'{"app":"com.example.mailroom","event":"node-created","node":"Inbox","sequence":94,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,95,'{"app":"com.example.mailroom","event":"accepted","push":"CF80E15F-5C08-4976-A21A-1D4A53CC4E38","sequence":95,"type":"alert","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}','R1.node F1.online R1.registered U2.person B1.set A1.none S2.on S1.allowed S6.registered N1.system S1.listed N3.alert N7.over D1.lit');
INSERT INTO "event" VALUES(1,96,'{"app":"com.example.mailroom","event":"badge","number":5,"push":"CF80E15F-5C08-4976-A21A-1D4A53CC4E38","sequence":96,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,97,'{"app":"com.example.mailroom","event":"presented","listed":true,"push":"CF80E15F-5C08-4976-A21A-1D4A53CC4E38","sequence":97,"style":"alert","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,98,'{"event":"display","sequence":98,"text":"   7","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,99,'{"app":"com.example.mailroom","event":"node-created","node":"Deleted","sequence":99,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,100,'{"app":"com.example.mailroom","event":"node-deleted","node":"Deleted","sequence":100,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,101,'{"app":"com.example.gone","event":"node-created","node":"Inbox","sequence":101,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,102,'{"app":"com.example.gone","event":"uninstalled","sequence":102,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,103,'{"app":"com.example.old","event":"accepted","push":"00000000-0000-4000-8000-000000000018","sequence":103,"type":"alert","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}','R4.good F1.online R1.registered U2.person B4.absent A1.none S2.on S1.allowed S6.registered N1.system S1.listed N3.banner D1.lit');
INSERT INTO "event" VALUES(1,104,'{"app":"com.example.old","event":"presented","listed":true,"push":"00000000-0000-4000-8000-000000000018","sequence":104,"style":"banner","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,105,'{"event":"lamp","lit":true,"sequence":105,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,106,'{"app":"com.example.old","event":"unregistered","sequence":106,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,107,'{"app":"com.example.old","count":1,"event":"cleared","reason":"the app unregistered (R2)","sequence":107,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,108,'{"event":"lamp","lit":true,"sequence":108,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,109,'{"app":"com.example.old","detail":"the app of that device token is no longer registered","event":"refused","push":"00000000-0000-4000-8000-000000000019","reason":"Unregistered","sequence":109,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}','R4.gone');
INSERT INTO "event" VALUES(1,110,'{"app":"com.example.news","event":"accepted","push":"00000000-0000-4000-8000-000000000020","sequence":110,"type":"background","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}','R4.good F1.online R1.registered U2.update U1.mode U7.free');
INSERT INTO "event" VALUES(1,111,'{"app":"com.example.news","event":"lifecycle","sequence":111,"state":"background","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,112,'{"app":"com.example.news","event":"delivered","push":"00000000-0000-4000-8000-000000000020","sequence":112,"state":"background","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,113,'{"condition":"offline","event":"condition","on":true,"sequence":113,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,114,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000021","sequence":114,"type":"alert","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}','R4.good F1.kept');
INSERT INTO "event" VALUES(1,115,'{"app":"com.example.mailroom","event":"kept","push":"00000000-0000-4000-8000-000000000021","reason":"the handset is offline (F1)","sequence":115,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,116,'{"app":"com.example.mailroom","event":"accepted","push":"00000000-0000-4000-8000-000000000022","sequence":116,"type":"alert","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}','R4.good F1.replaced F1.kept');
INSERT INTO "event" VALUES(1,117,'{"app":"com.example.mailroom","event":"discarded","push":"00000000-0000-4000-8000-000000000021","reason":"a newer one took its place while the handset is offline (F1)","replacedBy":"00000000-0000-4000-8000-000000000022","sequence":117,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,118,'{"app":"com.example.mailroom","event":"kept","push":"00000000-0000-4000-8000-000000000022","reason":"the handset is offline (F1)","sequence":118,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
INSERT INTO "event" VALUES(1,119,'{"app":"com.example.news","event":"accepted","push":"00000000-0000-4000-8000-000000000023","sequence":119,"type":"alert","uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}','R4.good F1.once');
INSERT INTO "event" VALUES(1,120,'{"app":"com.example.news","event":"discarded","push":"00000000-0000-4000-8000-000000000023","reason":"it was good for one try, and the handset is offline (F1)","sequence":120,"uptimeMicroseconds":70038319151,"wallMicroseconds":1795400175171977}',NULL);
CREATE TABLE handset (
  handset INTEGER PRIMARY KEY,
  next_notification INTEGER NOT NULL, next_event INTEGER NOT NULL, next_alert INTEGER NOT NULL
, fetch_start_uptime INTEGER NOT NULL DEFAULT 0, fetch_start_wall INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO "handset" VALUES(1,12,121,10,69138319151,1795399275171977);
CREATE TABLE handset_condition (
  handset INTEGER NOT NULL, condition TEXT NOT NULL,
  PRIMARY KEY (handset, condition)
) STRICT, WITHOUT ROWID;
INSERT INTO "handset_condition" VALUES(1,'offline');
CREATE TABLE handset_setting (
  handset INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (handset, key)
) STRICT, WITHOUT ROWID;
INSERT INTO "handset_setting" VALUES(1,'fetch-interval','30m');
INSERT INTO "handset_setting" VALUES(1,'night-hours','21:00-07:00');
INSERT INTO "handset_setting" VALUES(1,'quiet-hours','00:00-23:59');
CREATE TABLE held (
  handset INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL, expires INTEGER NOT NULL, payload BLOB NOT NULL, due_uptime INTEGER,
  PRIMARY KEY (handset, app)
) STRICT;
INSERT INTO "held" VALUES(1,'com.example.held','00000000-0000-4000-8000-000000000015',1797991275171977,X'7B22617073223A207B22636F6E74656E742D617661696C61626C65223A20317D2C20226E756D626572223A2031357D',NULL);
CREATE TABLE kept (
  handset INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL, number INTEGER NOT NULL,
  expires INTEGER NOT NULL, token BLOB NOT NULL, request TEXT NOT NULL, payload BLOB NOT NULL,
  PRIMARY KEY (handset, app)
) STRICT;
INSERT INTO "kept" VALUES(1,'com.example.mailroom','00000000-0000-4000-8000-000000000022',118,1797992175171977,X'6CB3EA91063ADB01EED1FA21869A5358E8AFBA9A23C410C9F4CAB1B5406A0DA6','{"badge":7,"contentAvailable":false,"criticalVolume":1,"expiration":1797992175171977,"faults":[],"isSystemSound":false,"level":"critical","message":{"action":"standard","body":{"literal":"Kept while offline"}},"priority":10,"type":"alert"}',X'7B22617073223A207B22616C657274223A20224B657074207768696C65206F66666C696E65222C20226261646765223A20372C2022736F756E64223A207B22637269746963616C223A20312C2022766F6C756D65223A20317D7D2C20226E756D626572223A2032327D');
CREATE TABLE local_notification (
  handset INTEGER NOT NULL, app TEXT NOT NULL, identifier TEXT NOT NULL, push TEXT NOT NULL,
  request TEXT NOT NULL, payload BLOB NOT NULL,
  due_uptime INTEGER, due_wall INTEGER NOT NULL,
  counted_from INTEGER, presented_from INTEGER, presented_to INTEGER,
  PRIMARY KEY (handset, app, identifier)
) STRICT;
INSERT INTO "local_notification" VALUES(1,'com.example.mailroom','in2h','f08ff473-61df-4062-9757-94eda8f492df','{"action":"standard","badge":4,"intervalMicroseconds":7200000000,"level":"active","repeats":true,"sound":"default","title":{"literal":"in2h"}}',X'7B22617073223A7B22616C657274223A7B227469746C65223A22696E3268227D2C226261646765223A342C22736F756E64223A2264656661756C74227D2C226C6F63616C2D6E6F74696669636174696F6E223A22696E3268227D',76338319151,1795406475171977,NULL,NULL,NULL);
INSERT INTO "local_notification" VALUES(1,'com.example.mailroom','daily0700','b6c00d94-ee49-4c8e-8abd-94d8af5fbfcf','{"action":"standard","badge":4,"calendar":{"hour":7,"minute":0,"second":0},"level":"active","repeats":true,"sound":"default","title":{"literal":"daily0700"}}',X'7B22617073223A7B22616C657274223A7B227469746C65223A226461696C7930373030227D2C226261646765223A342C22736F756E64223A2264656661756C74227D2C226C6F63616C2D6E6F74696669636174696F6E223A226461696C7930373030227D',NULL,1795413600000000,1795399275171977,NULL,NULL);
INSERT INTO "local_notification" VALUES(1,'com.example.mailroom','weeklymonday0830','fc199a8b-830b-4e27-8ca9-7fff2af10fec','{"action":"standard","badge":4,"calendar":{"hour":8,"minute":30,"second":0,"weekday":1},"level":"active","repeats":true,"sound":"default","title":{"literal":"weeklymonday0830"}}',X'7B22617073223A7B22616C657274223A7B227469746C65223A227765656B6C796D6F6E64617930383330227D2C226261646765223A342C22736F756E64223A2264656661756C74227D2C226C6F63616C2D6E6F74696669636174696F6E223A227765656B6C796D6F6E64617930383330227D',NULL,1795419000000000,1795399275171977,NULL,NULL);
INSERT INTO "local_notification" VALUES(1,'com.example.mailroom','monthly150800','7268261c-454d-4540-b4be-3e862a34d522','{"action":"standard","badge":4,"calendar":{"day":15,"hour":8,"minute":0,"second":0},"level":"active","repeats":true,"sound":"default","title":{"literal":"monthly150800"}}',X'7B22617073223A7B22616C657274223A7B227469746C65223A226D6F6E74686C79313530383030227D2C226261646765223A342C22736F756E64223A2264656661756C74227D2C226C6F63616C2D6E6F74696669636174696F6E223A226D6F6E74686C79313530383030227D',NULL,1797318000000000,1795399275171977,NULL,NULL);
INSERT INTO "local_notification" VALUES(1,'com.example.mailroom','yearly12241800','a124ea6d-319b-4731-9c88-c81e3bd9623e','{"action":"standard","badge":4,"calendar":{"day":24,"hour":18,"minute":0,"month":12,"second":0},"level":"active","repeats":true,"sound":"default","title":{"literal":"yearly12241800"}}',X'7B22617073223A7B22616C657274223A7B227469746C65223A22796561726C793132323431383030227D2C226261646765223A342C22736F756E64223A2264656661756C74227D2C226C6F63616C2D6E6F74696669636174696F6E223A22796561726C793132323431383030227D',NULL,1798131600000000,1795399275171977,NULL,NULL);
INSERT INTO "local_notification" VALUES(1,'com.example.mailroom','at0800','08c3cf2f-c1a9-4dae-b2b0-3d0fdf1d14ad','{"action":"standard","badge":4,"calendar":{"hour":8,"minute":0,"second":0},"level":"active","repeats":false,"sound":"default","title":{"literal":"at0800"}}',X'7B22617073223A7B22616C657274223A7B227469746C65223A22617430383030227D2C226261646765223A342C22736F756E64223A2264656661756C74227D2C226C6F63616C2D6E6F74696669636174696F6E223A22617430383030227D',NULL,1795417200000000,1795399275171977,NULL,NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "meta" VALUES('boot-id','00000000-0000-0000-0000-000000000000');
INSERT INTO "meta" VALUES('virtual-clock','70038319151 1795400175171977');
CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO "migration" VALUES(1,'handset');
INSERT INTO "migration" VALUES(2,'background updates');
INSERT INTO "migration" VALUES(3,'schedule');
INSERT INTO "migration" VALUES(4,'rulings');
INSERT INTO "migration" VALUES(5,'publishing nodes');
INSERT INTO "migration" VALUES(6,'provider certificates');
CREATE TABLE node (
  handset INTEGER NOT NULL, app TEXT NOT NULL, name TEXT NOT NULL, push TEXT, gone_since INTEGER, published BLOB,
  PRIMARY KEY (handset, app, name)
) STRICT;
INSERT INTO "node" VALUES(1,'com.example.mailroom','Inbox','CF80E15F-5C08-4976-A21A-1D4A53CC4E38',NULL,X'3C706C6973742076657273696F6E3D22312E30223E3C646963743E3C6B65793E5549416C657274426F64793C2F6B65793E3C737472696E673E46726F6D20323030383C2F737472696E673E3C6B65793E55494170706C69636174696F6E42616467653C2F6B65793E3C696E74656765723E353C2F696E74656765723E3C2F646963743E3C2F706C6973743E');
INSERT INTO "node" VALUES(1,'com.example.gone','Inbox',NULL,1795400175171977,NULL);
CREATE TABLE notification (
  handset INTEGER NOT NULL, number INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL, level TEXT NOT NULL,
  collapse_id TEXT, is_listed INTEGER NOT NULL, is_seen INTEGER NOT NULL, alert_order INTEGER,
  has_action INTEGER NOT NULL,
  PRIMARY KEY (handset, number)
) STRICT, WITHOUT ROWID;
INSERT INTO "notification" VALUES(1,5,'com.example.news','00000000-0000-4000-8000-000000000006','passive',NULL,1,0,NULL,1);
INSERT INTO "notification" VALUES(1,6,'com.example.news','00000000-0000-4000-8000-000000000007','active',NULL,1,0,NULL,1);
INSERT INTO "notification" VALUES(1,9,'com.example.mailroom','73d78ba4-572b-4f5f-b806-be0a2184e5a5','active','in10m',1,0,8,1);
INSERT INTO "notification" VALUES(1,10,'com.example.mailroom','CF80E15F-5C08-4976-A21A-1D4A53CC4E38','active',NULL,1,0,9,1);
CREATE TABLE notification_content (
  handset INTEGER NOT NULL, number INTEGER NOT NULL, arrived INTEGER NOT NULL, app_name TEXT NOT NULL,
  title TEXT, subtitle TEXT, body TEXT, action_title TEXT, thread_id TEXT, payload BLOB NOT NULL,
  PRIMARY KEY (handset, number)
) STRICT;
INSERT INTO "notification_content" VALUES(1,5,1795399275171977,'News',NULL,NULL,'Quiet','Read',NULL,X'7B22617073223A207B22616C657274223A20225175696574222C2022696E74657272757074696F6E2D6C6576656C223A202270617373697665222C20226261646765223A20327D2C20226E756D626572223A20367D');
INSERT INTO "notification_content" VALUES(1,6,1795399275171977,'News',NULL,NULL,'A banner','Read',NULL,X'7B22617073223A207B22616C657274223A2022412062616E6E6572222C2022736F756E64223A202264656661756C74222C20226261646765223A202D312C2022756E6B6E6F776E223A20747275657D2C20226E756D626572223A20377D');
INSERT INTO "notification_content" VALUES(1,9,1795399875171977,'Mailroom','in10m',NULL,NULL,'Sort',NULL,X'7B22617073223A7B22616C657274223A7B227469746C65223A22696E31306D227D2C226261646765223A342C22736F756E64223A2264656661756C74227D2C226C6F63616C2D6E6F74696669636174696F6E223A22696E31306D227D');
INSERT INTO "notification_content" VALUES(1,10,1795400175171977,'Mailroom',NULL,NULL,'From 2008','Sort',NULL,X'7B22617073223A7B22616C657274223A2246726F6D2032303038222C226261646765223A357D7D');
CREATE TABLE offered (
  handset INTEGER NOT NULL, app TEXT NOT NULL, push TEXT NOT NULL COLLATE NOCASE, number INTEGER NOT NULL,
  attempt INTEGER NOT NULL, expires INTEGER NOT NULL, deadline_uptime INTEGER, is_charged INTEGER NOT NULL,
  waits INTEGER NOT NULL, payload BLOB NOT NULL,
  PRIMARY KEY (handset, app, push)
) STRICT;
INSERT INTO "offered" VALUES(1,'com.example.news','00000000-0000-4000-8000-000000000020',111,1,1797992175171977,NULL,1,0,X'7B22617073223A207B22636F6E74656E742D617661696C61626C65223A20317D2C20226E756D626572223A2032307D');
CREATE TABLE provider (
  name TEXT PRIMARY KEY, kind TEXT NOT NULL, team_id TEXT, key_id TEXT, public_key_pem TEXT, apps TEXT NOT NULL
, password_hash TEXT, environment TEXT NOT NULL DEFAULT 'both', certificate_pem TEXT) STRICT;
INSERT INTO "provider" VALUES('tests','token','TEAM123456','KEY1234567','-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE4kSQbPJlTl+aFJ79iPYPu3AcOK7E
r/b1GbC0RVQKCN0c3oopw9E8dBtHpwzZpDc0aJqhR9Gt8KSR4tJBwAQEaw==
-----END PUBLIC KEY-----','["com.example.held","com.example.mailroom","com.example.news","com.example.old"]',NULL,'both',NULL);
INSERT INTO "provider" VALUES('certified','certificate',NULL,NULL,NULL,'["com.example.mailroom"]',NULL,'both','-----BEGIN CERTIFICATE-----
MIIBlTCCATqgAwIBAgIUe7sAGnsk8nBiZVHaQ4Y1DBc0NB4wCgYIKoZIzj0EAwIw
STEhMB8GA1UEAwwYUHVzaCBTZXJ2aWNlczogY2VydGlmaWVkMSQwIgYKCZImiZPy
LGQBAQwUY29tLmV4YW1wbGUubWFpbHJvb20wIBcNMjYwOTI0MDIwMTE2WhgPMjEy
NjEwMzAwMjAxMTZaMEkxITAfBgNVBAMMGFB1c2ggU2VydmljZXM6IGNlcnRpZmll
ZDEkMCIGCgmSJomT8ixkAQEMFGNvbS5leGFtcGxlLm1haWxyb29tMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAElnnyo+NnoOVppTt/SL7oPpqRPrlaGAyCQWf7LZaU
3Fd2QL9qUTpPC2aG33BYguAd0jhjgq31a3kaTHylkjb4lTAKBggqhkjOPQQDAgNJ
ADBGAiEA+LndXqWTATDrxThMTU1wBLDcy3rjo/4fklQdI2SsMZYCIQDVo8ki/G/Q
wCUF6cc19aE5sbW+L7m1sGPHvus8Y76a6A==
-----END CERTIFICATE-----
');
INSERT INTO "provider" VALUES('post','password',NULL,NULL,NULL,'["com.example.gone","com.example.mailroom"]','$scrypt$ln=14,r=8,p=1$5L3e275GKIU7PX0Kafn3HQ==$s6hbWdnJq/kwLXd+PVVLjJ9IrE3UyX9cmNBD3JPlm/E=','both',NULL);
CREATE TABLE token (
  handset INTEGER NOT NULL, token BLOB NOT NULL, app TEXT NOT NULL, gone_since INTEGER,
  PRIMARY KEY (handset, token)
) STRICT, WITHOUT ROWID;
INSERT INTO "token" VALUES(1,X'28DF72DE402978FCC255112D3A1DEC17461F727F94FC95CF34E91B59A06B1191','com.example.gone',1795400175171977);
INSERT INTO "token" VALUES(1,X'3134D91CC237394208B747802C57B917FAFCF6579C4F4AF1AFAB89F6709C1CCC','com.example.news',NULL);
INSERT INTO "token" VALUES(1,X'6CB3EA91063ADB01EED1FA21869A5358E8AFBA9A23C410C9F4CAB1B5406A0DA6','com.example.mailroom',NULL);
INSERT INTO "token" VALUES(1,X'988355807A0D29BAC0626934278834A0C222DACCAF36944519C7BF01AA907261','com.example.held',NULL);
INSERT INTO "token" VALUES(1,X'F38A102EEFC38B9AE5EBD3C5B8488B4802BB677777F021B4A22C44808F4AAEBE','com.example.old',1795400175171977);
COMMIT;
