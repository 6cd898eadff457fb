/** Answers one resources/list with the code below the given root. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const [root = ""] = process.argv.slice(2);
const sessionModule =
  ["src/session/session.ts", "src/session.ts"].map((path) => join(root, path)).find(existsSync) ?? "";
const { openSession } = await import(sessionModule);
const { listResources } = await import(join(root, "src/surfaces/mcp/resources.ts"));
const session = await openSession();
process.stdout.write(`${JSON.stringify(await listResources(session)).length}\n`);
await session[Symbol.asyncDispose]();
