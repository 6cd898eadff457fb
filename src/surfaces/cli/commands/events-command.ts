/** `spillway events`: shows the events of a run. */
import { SpillwayError } from "../../../errors.ts";
import { listRuns, readEvents } from "../../../telemetry/event-log.ts";
import type { LoggedEvent } from "../../../telemetry/events.ts";
import { rejectExtraArguments } from "../arguments.ts";
import type { Call, Command, ExitCode } from "../command.ts";
import { printListing } from "../listing.ts";
import { allRow, readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const eventsCommand: Command = {
  usage: "events [run]",
  examples: [
    ["events", "the decisions of the last run"],
    ["events --ref af_...", "what happened to one artifact"],
    ["events --follow --json", "everything that happens from now on, in all runs, until Ctrl-C"],
  ],
  about: "Prints the events of a run, oldest first. Without a name, those of the last run.",
  options: {
    list: { type: "boolean", about: "List the runs that have events, the last one first." },
    ref: { type: "string", value: "REF", about: "Only events of this artifact." },
    follow: {
      type: "boolean",
      about:
        "Print events as they happen, until Ctrl-C: those of the named run from its first, or of all runs from now on.",
    },
    all: allRow,
  },
  details: "docs/events.md describes each event.",
  async run(call) {
    const { json, values } = call;
    rejectExtraArguments(1, call);
    const { eventFolder: folder } = await call.session();
    if (values.list === true && values.follow === true)
      throw new SpillwayError("usage", "events takes --list or --follow, not both.", {
        hint: "Run spillway events --list, then spillway events --follow RUN.",
      });
    if (values.list === true) {
      const runs = await listRuns(folder);
      await printListing(
        call,
        runs.map((run) => (json ? toJsonLine({ run }) : `${run}\n`)),
      );
      return 0;
    }
    const ref = readText(call, "ref");
    const isWanted = (event: LoggedEvent) =>
      ref === undefined || ("artifact_ref" in event && event.artifact_ref === ref);
    if (values.follow === true) return printNewEvents(call, folder, isWanted);
    const events = (await readEvents(folder, call.args[0])).filter(isWanted);
    await printListing(call, events.map(json ? toJsonLine : textLine));
    return 0;
  },
};

async function printNewEvents(
  { args, json, signal, terminal }: Call,
  folder: string,
  isWanted: (event: LoggedEvent) => boolean,
): Promise<ExitCode> {
  const { followEvents } = await import("../../../telemetry/follow-events.ts");
  if (!json) terminal.note("Events are shown as they happen; Ctrl-C ends it.\n");
  for await (const event of followEvents(folder, { run: args[0], signal }))
    if (isWanted(event)) await terminal.out(json ? toJsonLine(event) : textLine(event));
  return 0;
}

function textLine({ at, run: _, event, ...fields }: LoggedEvent): string {
  const facts = Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`);
  return `${at}  ${event}  ${facts.join(" ")}\n`;
}

function formatValue(value: unknown): string {
  return typeof value === "string" && /^[\w./:+-]+$/.test(value) ? value : JSON.stringify(value);
}
