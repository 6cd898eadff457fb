/** An MCP server of a library user, with a handler and a tool of its own. */
import { listArtifacts, subtitles } from "../examples/extensions.ts";
import { serveStdio } from "../src/surfaces/mcp/mcp.ts";

await serveStdio({ handlers: [subtitles], tools: [listArtifacts] });
