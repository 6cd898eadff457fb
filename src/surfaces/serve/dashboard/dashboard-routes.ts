/** The dashboard at `/`: its static files, and its data as JSON for the owner who is signed in. GET changes nothing. */
import type { ServerResponse } from "node:http";
import { SpillwayError } from "../../../errors.ts";
import type { Owners } from "../owners.ts";
import type { Exchange, Route } from "../routes.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import { assetNames, readAsset } from "./assets.ts";
import type { DashboardContext } from "./dashboard-data.ts";
import type { ViewData } from "./view-data.ts";

export type DashboardOptions = Pick<DashboardContext, "catalogue" | "resource" | "now"> & {
  readonly owners: Owners;
  readonly signIn: SignIn;
  /** Ends the live streams when the server stops. */
  readonly streams: AbortSignal;
};

/** Scripts and styles of this server only, nothing inline, nothing from elsewhere. */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** `plainPage` is for programs that ask for no HTML. */
export function dashboardRoutes(options: DashboardOptions, plainPage: string): Route[] {
  return [pageRoute(options, plainPage), ...assetRoutes(), ...dataRoutes(options), liveRoute(options)];
}

function pageRoute({ signIn }: DashboardOptions, plainPage: string): Route {
  return {
    name: "page",
    path: "/",
    methods: ["GET", "HEAD"],
    access: "public",
    async serve({ request, response }) {
      const caller = await signIn.findCaller(request);
      if (request.headers.accept?.includes("text/html"))
        return send(response, 200, "text/html", await readAsset(caller ? "dashboard.html" : "welcome.html"));
      const signedInLine = caller === undefined ? "" : `\nYou are signed in as ${caller.owner}.\n`;
      send(response, 200, "text/plain", `${plainPage}${signedInLine}`);
    },
  };
}

function assetRoutes(): Route[] {
  const paths = assetNames.map((name) => [`/dashboard/${name}`, name] as const);
  // Browsers ask for it on pages that name no icon.
  return [...paths, ["/favicon.ico", "icon.svg"] as const].map(([path, name]) => ({
    name: "asset",
    path,
    methods: ["GET", "HEAD"],
    access: "public",
    serve: async ({ response }) => send(response, 200, typeOf(name), await readAsset(name)),
  }));
}

function typeOf(name: string): string {
  if (name.endsWith(".svg")) return "image/svg+xml";
  return name.endsWith(".css") ? "text/css" : "text/javascript";
}

/** The data of the views, by how each is asked for. A read marks its artifact as used, so a preview is not a GET. */
const dataMethods = {
  me: "GET",
  usage: "GET",
  clients: "GET",
  decisions: "GET",
  overflows: "GET",
  jobs: "GET",
  servers: "GET",
  artifacts: "GET",
  preview: "POST",
} as const satisfies Record<keyof ViewData, string>;

function dataRoutes(options: DashboardOptions): Route[] {
  const names = Object.keys(dataMethods) as (keyof ViewData)[];
  return names.map((name) => makeDataRoute(name, dataMethods[name], options));
}

/** The code of the views is loaded when a browser asks for the first: most servers only answer agents. */
function makeDataRoute(name: keyof ViewData, method: string, options: DashboardOptions): Route {
  return {
    name: `dashboard-${name}`,
    path: `/dashboard/api/${name}`,
    methods: [method],
    access: "signed-in",
    ...(method === "POST" && { takesJson: true }),
    async serve({ response, url, caller, body }) {
      using entered = await options.owners.open(caller);
      const context = { ...options, caller, session: entered.session, query: url.searchParams, body };
      try {
        const { dashboardData } = await import("./dashboard-data.ts");
        sendJson(response, 200, await dashboardData[name](context));
      } catch (error) {
        if (!(error instanceof SpillwayError)) throw error;
        sendJson(response, error.code === "usage" ? 400 : 404, { error: error.message, hint: error.hint });
      }
    },
  };
}

function liveRoute({ owners, streams }: DashboardOptions): Route {
  return {
    name: "dashboard-live",
    path: "/dashboard/api/live",
    methods: ["GET"],
    access: "signed-in",
    async serve({ response, caller }) {
      using entered = await owners.open(caller);
      const { sendLive } = await import("./live-stream.ts");
      await sendLive(response, entered.session.eventFolder, streams);
    },
  };
}

const sendJson = (response: Exchange["response"], status: number, value: unknown): void =>
  send(response, status, "application/json", JSON.stringify(value));

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    "content-type": `${type}; charset=utf-8`,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
  });
  response.end(response.req.method === "HEAD" ? undefined : text);
}
