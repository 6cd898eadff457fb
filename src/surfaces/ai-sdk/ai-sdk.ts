/** `spillway/ai-sdk`: tools and overflow recovery for loops on the Vercel AI SDK. */

export { type AiSdkTool, type ToolsOptions, tools } from "./ai-sdk-tools.ts";
export { type MiddlewareOptions, overflowMiddleware } from "./middleware.ts";
