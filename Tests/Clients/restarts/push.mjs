// Node's http2, as README.md says.
import fs from "node:fs";
import http2 from "node:http2";

const { URL: address, CA, BEARER, TOPIC, COUNT } = process.env;
const { origin, pathname } = new URL(address);
let session;

function connected() {
  if (!session || session.closed || session.destroyed) {
    session = http2.connect(origin, { ca: fs.readFileSync(CA) });
    session.on("error", () => {});
  }
  return session;
}

function push(number) {
  return new Promise((resolve, reject) => {
    const stream = connected().request({
      ":method": "POST", ":path": pathname, authorization: `bearer ${BEARER}`, "apns-topic": TOPIC,
    });
    // When the daemon is killed, Node now and then ends neither the stream nor the session.
    const deadline = setTimeout(() => { session?.destroy(); reject(new Error("no answer")); }, 5000);
    let status;
    stream.on("response", fields => { status = fields[":status"]; });
    stream.on("error", reject);
    stream.on("close", () => {
      clearTimeout(deadline);
      if (status) resolve(status); else reject(new Error(`closed with ${stream.rstCode}`));
    });
    stream.resume();
    stream.end(JSON.stringify({ aps: { alert: String(number) } }));
  });
}

let next = 0;
async function work() {
  while (next < Number(COUNT)) {
    const number = next++;
    for (let attempt = 0; attempt < 400; attempt++) {
      try {
        console.log(`${number} ${await push(number)}`);
        break;
      } catch (error) {
        console.log(`${number} failed: ${error.message}`);
        await new Promise(resolve => setTimeout(resolve, 50));
      }
    }
  }
}
await Promise.all(Array.from({ length: 10 }, work));
session?.close();
