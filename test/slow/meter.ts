/** Preloaded: prints what a process has used when it exits, in CPU milliseconds and peak kilobytes. */
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`meter ${(user + system) / 1_000} ${process.resourceUsage().maxRSS}\n`);
});
