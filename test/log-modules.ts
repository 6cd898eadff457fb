/** Preloaded into a child process (--import): writes the URLs of all modules it loaded to a file of its own at exit. */
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

const urls: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    urls.push(url);
    return nextLoad(url, context);
  },
});
if (isMainThread) {
  // Children of the process inherit the preload and write their own file.
  const file = join(process.env.MODULE_LOG_FOLDER ?? ".", `${process.pid}.txt`);
  process.on("exit", () => writeFileSync(file, urls.join("\n")));
}
