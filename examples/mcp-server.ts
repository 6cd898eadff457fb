/**
 * An MCP server with Spillway's tools, a format and a tool of your own. Give it to a client:
 *
 *   claude mcp add my-server -- node examples/mcp-server.ts
 *
 * As a user of the package you would import from "spillway/mcp".
 */
import { serveStdio } from "../src/surfaces/mcp/mcp.ts";
import { listArtifacts, subtitles } from "./extensions.ts";

await serveStdio({ handlers: [subtitles], tools: [listArtifacts] });
