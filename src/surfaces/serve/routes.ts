/** The paths of the server: who may use each, with which methods, and what answers. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "./guard/callers.ts";

/** An admitted request. */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path after the route's own, with the query. */
  readonly url: URL;
};

export type Route = {
  /** Its name in metrics. */
  readonly name: string;
  /** The exact path. */
  readonly path: string;
  /** Whether the paths below it belong to it too. */
  readonly hasPathsBelow?: true;
  readonly methods: readonly string[];
} & (
  | {
      /** Anybody may ask, also under another name of this machine: probes of a cluster know only its address. */
      readonly access: "probe";
      serve(exchange: Exchange): Promise<void>;
    }
  | { readonly access: "public"; serve(exchange: Exchange): Promise<void> }
  | {
      /** `signed-in` is a browser with a cookie, the others a token. */
      readonly access: "token" | "admin" | "signed-in";
      /** Whether a POST has to carry JSON. */
      readonly takesJson?: true;
      serve(exchange: Exchange & { readonly caller: Caller; readonly body: string }): Promise<void>;
    }
  | {
      /** `Authorization` is for a provider of models, so the token is in a header of ours or in the path. */
      readonly access: "llm";
      /** Reads the body itself. `target` is the path without ours and without the token, with the query. */
      serve(exchange: Exchange & { readonly caller: Caller; readonly target: string }): Promise<void>;
    }
);

/** The route of a path; undefined if there is none. */
export function findRoute(routes: readonly Route[], url: URL): Route | undefined {
  const { pathname } = url;
  return routes.find(
    ({ path, hasPathsBelow }) => pathname === path || (hasPathsBelow && pathname.startsWith(`${path}/`)),
  );
}
