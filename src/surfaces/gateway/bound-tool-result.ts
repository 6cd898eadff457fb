/** Bounds the result of any tool, for hosts whose hooks see results: what the gateway does, without a server. */
import { findClientProfile, noClient, unknownClient } from "../../config/clients.ts";
import type { Session } from "../../session/session.ts";
import { findClientView } from "./client-view.ts";
import type { JsonObject } from "./json-rpc.ts";
import { makeResultBudget } from "./result-editor.ts";
import { boundResult } from "./results/bound-result.ts";

/** Where a result comes from, and who reads it. */
export type BoundToolOptions = {
  readonly session: Session;
  /** The name of the tool, for the record. */
  readonly tool: string;
  /**
   * The host, as the table of clients names it; one that is not there gets 8,000 characters. Without a host, the settings
   * decide how much fits.
   */
  readonly client?: string;
  /** How the model calls `read_artifact` there. */
  readonly readTool?: string;
};

/** A result in the form of MCP that fits, with the rest kept under a ref; undefined if it fits as it is. */
export function boundToolResult(
  result: { readonly content: readonly unknown[]; readonly isError?: boolean | undefined },
  { session, tool, client, readTool = "read_artifact" }: BoundToolOptions,
): Promise<JsonObject | undefined> {
  const profile = client === undefined ? noClient : (findClientProfile(client) ?? unknownClient);
  return boundResult(
    { ...result },
    {
      ...{ session, tool, readTool, server: client ?? "tools", schema: undefined },
      shows: findClientView(profile.name).shows,
      budget: makeResultBudget(session.settings, profile),
    },
  );
}
