/** A process that resumes the same run as another at the same moment, and reports to its parent whether it got it. */
import { SpillwayError } from "../src/errors.ts";
import { resumeTranscript, type Transcript } from "../src/surfaces/runner/transcript.ts";

const [folder = ""] = process.argv.slice(2);
let transcript: Transcript | undefined;

process.on("message", async ({ at }: { readonly at?: number }) => {
  if (at === undefined) {
    await transcript?.[Symbol.asyncDispose]();
    transcript = undefined;
    process.send?.("free");
    return;
  }
  while (Date.now() < at);
  try {
    transcript = await resumeTranscript({ folder, maxTranscripts: 9 }, "k");
    process.send?.("got it");
  } catch (error) {
    process.send?.(error instanceof SpillwayError ? error.code : String(error));
  }
});
process.send?.("ready");
