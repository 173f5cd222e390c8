// Sends two pushes, one after the other, and prints what came of each: the status, or the error of Node's http2.
const { readFileSync } = require("fs"), http2 = require("http2");
const environment = process.env;
let session;

function push() {
  return new Promise((resolve) => {
    if (!session || session.closed || session.destroyed) {
      session = http2.connect(environment.BELL_URL, { ca: readFileSync(environment.BELL_CA) });
      session.on("error", (error) => resolve(`${error.code || error.name}: ${error.message}`));
    }
    const request = session.request({
      ":method": "POST", ":path": `/3/device/${environment.BELL_TOKEN}`,
      authorization: `bearer ${environment.BEARER}`, "apns-topic": "com.example.mail",
    });
    let status = "closed without an answer";
    request.setTimeout(1000 * Number(environment.SECONDS), () => {
      resolve("no answer");
      session.destroy();
    });
    request.on("response", (headers) => { status = String(headers[":status"]); });
    request.on("data", () => {});
    request.on("error", (error) => resolve(`${error.code || error.name}: ${error.message}`));
    request.on("close", () => resolve(status));
    request.end('{"aps":{"alert":"Hello"}}');
  });
}

(async () => {
  for (let count = 0; count < 2; count += 1) console.log(await push());
  session.destroy();
})();
