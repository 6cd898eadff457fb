/** Tells clients that ask for OAuth who issues tokens for this server (RFC 9728). */
import type { Route } from "./routes.ts";

export type ResourceMetadata = {
  /** The address of the MCP endpoint as clients know it. */
  readonly resource: () => string;
  readonly issuer: string;
};

const PATH = "/.well-known/oauth-protected-resource";

/** Where the document is, for the challenge to a client without a token. */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${PATH}${pathname}`;
}

/** The document is public: it says nothing but where to log in. */
export function metadataRoutes({ resource, issuer }: ResourceMetadata, resourcePath: string): Route[] {
  return [PATH, `${PATH}${resourcePath}`].map((path) => ({
    name: "metadata",
    path,
    methods: ["GET"],
    access: "public",
    async serve({ response }) {
      response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
      response.end(
        JSON.stringify({
          resource: resource(),
          authorization_servers: [issuer],
          bearer_methods_supported: ["header"],
          resource_name: "Spillway",
        }),
      );
    },
  }));
}
