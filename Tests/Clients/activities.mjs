// Sends the pushes on standard input over Node's http2, a JSON object a line, and prints each status and reason.
import { readFileSync } from "fs";
import http2 from "http2";
import { createInterface } from "readline";

const session = http2.connect(process.env.BELL_URL, { ca: readFileSync(process.env.BELL_CA) });

function push({ token, topic, aps }) {
  return new Promise((resolve, reject) => {
    const request = session.request({
      ":method": "POST", ":path": `/3/device/${token}`, authorization: `bearer ${process.env.BEARER}`,
      "apns-topic": topic, "apns-push-type": "liveactivity",
    });
    let status, body = "";
    request.on("response", (headers) => { status = headers[":status"]; });
    request.on("data", (data) => { body += data; });
    request.on("error", reject);
    request.on("end", () => resolve({ status, reason: body ? JSON.parse(body).reason : null }));
    request.end(JSON.stringify({ aps }));
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await push(JSON.parse(line))));
}
session.close();
