/** Passes an upstream's response on to the client, with what recovery has to say about it. */
import type { ServerResponse } from "node:http";
import type { ExchangeResult } from "../../overflow/exchange.ts";
import {
  addReportToBody,
  addReportToStream,
  failureHeaders,
  makePreparedHeader,
  makeRecoveredHeader,
} from "../../overflow/wire/failure.ts";
import { sumLengths } from "./held-body.ts";
import type { UpstreamResponse } from "./inspect-response.ts";
import { filterHeaders } from "./relay.ts";

type Result = ExchangeResult<UpstreamResponse>;

/** How the headers of a response are changed on the way. */
type HeaderChanges = {
  readonly added?: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly dropped: readonly string[];
};

/** Passes the response on, or the provider's error with our fields in it. */
export function respond(response: ServerResponse, result: Result, hiddenHeaders: readonly string[]): void {
  if (result.outcome !== "failed")
    forward(response, result.answer, { added: addedHeaders(result), dropped: hiddenHeaders });
  else {
    const dropped = [...hiddenHeaders, "content-encoding", "content-length"];
    forward(response, addReport(result), { added: failureHeaders, dropped });
  }
}

/** A refusal with the report in it. If it is an event of a stream, the rest of the stream follows. */
function addReport({ answer, refusal, report }: Extract<Result, { outcome: "failed" }>): UpstreamResponse {
  const { message, chunks, isComplete } = answer;
  const body = String(refusal.body);
  if ((message.statusCode ?? 502) < 400)
    return { message, chunks: [addReportToStream(report, chunks, body)], isComplete };
  return { message, chunks: [Buffer.from(addReportToBody(report, body))], isComplete: true };
}

function addedHeaders(result: Exclude<Result, { outcome: "failed" }>): Readonly<Record<string, string>> {
  if (result.outcome === "unchanged") return {};
  return result.outcome === "recovered" ? makeRecoveredHeader(result.stubs) : makePreparedHeader(result.stubs);
}

/** Sends status and headers, the chunks that were held, and then every chunk as it arrives. */
export function forward(
  response: ServerResponse,
  { message, chunks, isComplete }: UpstreamResponse,
  { added = {}, dropped }: HeaderChanges,
): void {
  const headers = [...filterHeaders(message.rawHeaders, dropped), ...Object.entries(added).flat()];
  const announced = dropped.includes("content-length") ? undefined : message.headers["content-length"];
  const length = isComplete ? String(sumLengths(chunks)) : announced;
  if (length !== undefined) headers.push("content-length", length);
  response.writeHead(message.statusCode ?? 502, message.statusMessage, headers);
  for (const chunk of chunks) response.write(chunk);
  if (isComplete) {
    response.end();
    return;
  }
  // If the upstream breaks off, the client's connection is cut. If the client leaves, its signal ends the upstream request.
  if (message.destroyed && !message.readableEnded) response.destroy();
  else message.once("error", () => response.destroy()).pipe(response);
}
