/** `spillway events`: shows the events of a run. */
import { listRuns, readEvents } from "../../../telemetry/event-log.ts";
import type { LoggedEvent } from "../../../telemetry/events.ts";
import { rejectExtraArguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { printListing } from "../listing.ts";
import { allRow, readText } from "../options.ts";
import { toJsonLine } from "../output.ts";

export const eventsCommand: Command = {
  usage: "events [run]",
  examples: [
    ["events", "the decisions of the last run"],
    ["events --ref af_2d11", "what happened to one artifact"],
  ],
  about: "Prints the events of a run, oldest first. Without a name, those of the last run.",
  options: {
    list: { type: "boolean", about: "List the runs that have events, the last one first." },
    ref: { type: "string", value: "REF", about: "Only events of this artifact." },
    all: allRow,
  },
  details: "docs/events.md describes each event.",
  async run(call) {
    const { json, values } = call;
    rejectExtraArguments(1, call);
    const { eventFolder: folder } = await call.session();
    if (values.list === true) {
      const runs = await listRuns(folder);
      await printListing(
        call,
        runs.map((run) => (json ? toJsonLine({ run }) : `${run}\n`)),
      );
      return 0;
    }
    const ref = readText(call, "ref");
    const events = await readEvents(folder, call.args[0]);
    const selected = events.filter(
      (event) => ref === undefined || ("artifact_ref" in event && event.artifact_ref === ref),
    );
    await printListing(call, selected.map(json ? toJsonLine : textLine));
    return 0;
  },
};

function textLine({ at, run: _, event, ...fields }: LoggedEvent): string {
  const facts = Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`);
  return `${at}  ${event}  ${facts.join(" ")}\n`;
}

function formatValue(value: unknown): string {
  return typeof value === "string" && /^[\w./:+-]+$/.test(value) ? value : JSON.stringify(value);
}
