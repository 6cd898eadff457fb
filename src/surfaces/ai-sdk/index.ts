/** `spillway/ai-sdk`: tools and overflow recovery for loops on the Vercel AI SDK. */
export { type MiddlewareOptions, overflowMiddleware } from "./middleware.ts";
export { type AiSdkTool, type ToolsOptions, tools } from "./tools.ts";
