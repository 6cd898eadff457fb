/** Many agents in one process, each with its own owner, fetching concurrently; prints the results as JSON. */

/** The built library, as users run it. */
const library: typeof import("../src/index.ts") = await import(new URL("../dist/index.js", import.meta.url).href);
const { defaultSettings, fetchSource, openHttpClient, openSession } = library;
const [, , origin = "", home = "", agentCount = "100", fetchCount = "10000"] = process.argv;
const agents = Number(agentCount);
const perAgent = Number(fetchCount) / agents;
const settings = { ...defaultSettings, home, "network.allow": [new URL(origin).host], "network.timeout": 600_000 };
await using network = openHttpClient({ settings, env: {} });
let [done, errors, wrong, foreign, peakBytes] = [0, 0, 0, 0, 0];
const watch = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, 50);
const refs: string[] = [];

async function runAgent(agent: number): Promise<void> {
  await using session = await openSession({
    settings: { ...settings, run: `agent-${agent}` },
    owner: `agent-${agent}`,
    network,
  });
  for (let round = 0; round < perAgent; round++) {
    const number = (agent * 7 + round) % 100;
    try {
      const { fields } = await fetchSource(`${origin}/page/${number}`, { noCache: true }, session);
      if (!fields.artifact_ref || !new RegExp(`\\bPage ${number}\\b`).test(fields.content ?? "")) wrong++;
      if (fields.artifact_ref && round === 0) refs[agent] = fields.artifact_ref;
      done++;
    } catch {
      errors++;
    }
  }
  const neighbour = refs[(agent + 1) % agents];
  if (neighbour === undefined) return;
  await session.store.find(neighbour).then(
    () => foreign++,
    () => undefined,
  );
}

const started = performance.now();
await Promise.all(Array.from({ length: agents }, (_, agent) => runAgent(agent)));
clearInterval(watch);
const { user, system } = process.cpuUsage();
const seconds = (performance.now() - started) / 1_000;
const unlike = refs.length - new Set(refs).size;
console.log(
  JSON.stringify({ done, errors, wrong, foreign, unlike, peakBytes, seconds, cpuSeconds: (user + system) / 1e6 }),
);
