/**
 * `spillway/testing`: the contracts of handlers, tools, dialects and object stores as test suites for `node:test`. Call
 * a suite with your own implementation, and it runs every test that the built-in ones pass.
 */
import type { Dialect } from "./overflow/dialects/dialect.ts";
import type { Simulator } from "./overflow/dialects/simulator.ts";

export { objectsContract } from "./artifacts/objects.contract.ts";
export { handlerContract, type Sample as HandlerSample } from "./extract/handler.contract.ts";
export {
  type Conversation,
  type HttpSimulator,
  type NumberedCall,
  type NumberedTurn,
  numberCalls,
  offeredTools,
  type RefusalWording,
  type ScriptedAnswer,
  type SimulatedSizes,
  type SimulatedUsage,
  type Simulator,
  sign,
  simulatedModel,
  type ToolResult,
  type Turn,
  toolSchema,
} from "./overflow/dialects/simulator.ts";
export { type ToolSample, toolContract } from "./tools/tool.contract.ts";

/** Tests every promise of a dialect over generated conversations. It needs the package `fast-check`. */
export async function dialectContract(dialect: Dialect, simulator: Simulator): Promise<void> {
  const suite = await import("./overflow/dialects/dialect.contract.ts");
  suite.dialectContract(dialect, simulator);
}
