// Sends one push with Node's http2: its header fields and its payload are in the environment. Prints the answer's status.
import fs from "node:fs";
import http2 from "node:http2";

const { URL: address, CA, FIELDS, PAYLOAD } = process.env;
const { origin, pathname } = new URL(address);
const session = http2.connect(origin, { ca: fs.readFileSync(CA) });
session.on("error", error => { console.error(error.message); process.exit(1); });
const stream = session.request({ ":method": "POST", ":path": pathname, ...JSON.parse(FIELDS) });
stream.on("response", fields => console.log(fields[":status"]));
stream.on("error", error => { console.error(error.message); process.exit(1); });
stream.on("close", () => session.close());
stream.resume();
stream.end(PAYLOAD);
