// Loaded before a program: when that ends, it reports its usage to the parent.
process.channel?.unref();
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({
    cpuMilliseconds: (user + system) / 1_000,
    peakBytes: process.resourceUsage().maxRSS * 1_024,
  });
});
