/** Prints what a process has used when it exits: CPU milliseconds and peak megabytes. */
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`meter ${(user + system) / 1_000} ${process.resourceUsage().maxRSS / 1_024}\n`);
});
