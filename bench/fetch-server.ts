/** The server for the fetch bench, in its own process so that its CPU time is not counted as ours. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const paragraph =
  "<p>The reservoir's <a href='/gauge'>gauge</a> was read at dawn, and <em>again</em> at noon; both readings agreed.</p>\n";

/** About 200 KB, different for every number. */
function page(number: string): string {
  const sections = Array.from(
    { length: 40 },
    (_, index) => `<h2>Section ${index} of ${number}</h2>\n${paragraph.repeat(42)}`,
  );
  return `<!doctype html><html><head><title>Page ${number}</title></head><body><nav>${"<a href='/x'>link</a> ".repeat(50)}</nav><main><article><h1>Page ${number}</h1>\n${sections.join("\n")}</article></main></body></html>`;
}

const mebibyte = Buffer.alloc(1024 * 1024, Buffer.from([0, 255, 7, 130]));

const server = createServer((request, response) => {
  const [, kind, argument = ""] = request.url?.split("/") ?? [];
  if (kind === "page") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page(argument));
    return;
  }
  let remaining = Number(argument);
  const writeMore = () => {
    while (remaining > 0 && response.write(mebibyte)) remaining--;
    if (remaining === 0) response.end();
    remaining--;
  };
  response.writeHead(200, { "content-type": "application/octet-stream" });
  response.on("drain", writeMore);
  writeMore();
});
// On a busy machine a round may take longer than the default of five seconds.
server.keepAliveTimeout = 120_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
