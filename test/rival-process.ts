/** A process that wants to go on with the same run as another, at the same moment; it tells its parent what it got. */
import { SpillwayError } from "../src/errors.ts";
import { resumeTranscript, type Transcript } from "../src/surfaces/runner/transcript.ts";

const [folder = ""] = process.argv.slice(2);
let held: Transcript | undefined;

process.on("message", async ({ at }: { readonly at?: number }) => {
  if (at === undefined) {
    await held?.[Symbol.asyncDispose]();
    held = undefined;
    process.send?.("free");
    return;
  }
  while (Date.now() < at);
  try {
    held = await resumeTranscript({ folder, maxTranscripts: 9 }, "k");
    process.send?.("got it");
  } catch (error) {
    process.send?.(error instanceof SpillwayError ? error.code : String(error));
  }
});
process.send?.("ready");
