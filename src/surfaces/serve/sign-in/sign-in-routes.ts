/** `/sign-in` and `/sign-out`. A link shows a page with a button: nothing changes on GET, so no preview uses the code up. */
import type { ServerResponse } from "node:http";
import { createBodyReader } from "../http/read-body.ts";
import { refuse } from "../refusal.ts";
import type { Exchange, Route } from "../routes.ts";
import type { AttemptLimit } from "./attempt-limit.ts";
import type { SignIn } from "./sign-in.ts";

export const SIGN_IN_PATH = "/sign-in";

const MAX_FORM_BYTES = 16 * 1024;

export function signInRoutes(signIn: SignIn, attempts: AttemptLimit): Route[] {
  return [
    {
      name: "sign-in",
      path: SIGN_IN_PATH,
      methods: ["GET", "POST"],
      access: "public",
      async serve(exchange) {
        if (exchange.request.method === "GET") return sendPage(exchange.response, 200, formOf(exchange.url));
        const form = await readForm(exchange);
        if (form === undefined) return;
        const { request, response } = exchange;
        const lookWaitSeconds = form.code === undefined ? 0 : attempts.takeLook();
        if (lookWaitSeconds > 0) return sendTooMany(response, lookWaitSeconds);
        const cookie = await signIn.makeCookie(form);
        if (cookie !== undefined) return redirect(response, cookie);
        const waitSeconds = attempts.takeFailure(request.socket.remoteAddress ?? "");
        if (waitSeconds > 0) sendTooMany(response, waitSeconds);
        else sendPage(response, 403, refusedForm);
      },
    },
    {
      name: "sign-out",
      path: "/sign-out",
      methods: ["POST"],
      access: "public",
      serve: async ({ response }) => redirect(response, signIn.endCookie),
    },
  ];
}

/** The code or the token of the form; undefined if the request was refused. */
async function readForm({ request, response }: Exchange) {
  if (!/^application\/x-www-form-urlencoded *(?:;|$)/i.test(request.headers["content-type"] ?? "")) {
    refuse(response, { status: 415, message: "Send the form of this page." });
    return undefined;
  }
  using reader = createBodyReader(MAX_FORM_BYTES, { current: 0 });
  const body = await reader.read(request);
  if ("refusal" in body) {
    refuse(response, body.refusal);
    return undefined;
  }
  const fields = new URLSearchParams(body.text);
  return { code: findCode(fields), token: fields.get("token") ?? undefined };
}

/** A code has letters that need no escaping; anything else is not a code of ours. */
function findCode(fields: URLSearchParams): string | undefined {
  const code = fields.get("code");
  return code !== null && /^[\w-]{43}$/.test(code) ? code : undefined;
}

function redirect(response: ServerResponse, cookie: string): void {
  response.writeHead(303, { location: "/", "set-cookie": cookie, "cache-control": "no-store", "content-length": 0 });
  response.end();
}

function sendTooMany(response: ServerResponse, waitSeconds: number): void {
  const sentence = `Too many attempts to sign in. Try again in ${waitSeconds} s.`;
  response.setHeader("retry-after", waitSeconds);
  sendPage(response, 429, `<p role="alert" class="bad">${sentence}</p>${tokenField}`);
}

const tokenField =
  '<p>spillway serve prints your token and a link when it starts. Others get a token from its operator: <code>spillway token add NAME</code>.</p><p><label>Token <input type="password" name="token" autocomplete="off" required></label></p>';

const refusedForm = `<p role="alert" class="bad">This link or token is not valid; a link works once, for ten minutes.</p>${tokenField}`;

function formOf({ searchParams }: URL): string {
  const code = findCode(searchParams);
  return code === undefined ? tokenField : `<input type="hidden" name="code" value="${code}">`;
}

/** The style of the dashboard, and nothing that runs. */
const CONTENT_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

function sendPage(response: ServerResponse, status: number, fields: string): void {
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in – Spillway</title><link rel="icon" href="/dashboard/icon.svg"><link rel="stylesheet" href="/dashboard/dashboard.css">
</head><body><main class="welcome"><h1>Spillway</h1><form method="post" action="${SIGN_IN_PATH}">${fields}<button>Sign in</button></form></main></body></html>
`;
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(page),
    "cache-control": "no-store",
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    // With no-referrer a browser would send the form with the origin null.
    "referrer-policy": "same-origin",
  });
  response.end(page);
}
