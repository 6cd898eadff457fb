/** Numbers, sizes and times as sentences show them. */

/**
 * `1,234,567` for sentences; machine fields and the truncation notice carry plain digits. Not toLocaleString: its first
 * call takes 15 ms of every command's start.
 */
export function formatNumber(count: number): string {
  return String(count).replace(/(?<!\.\d*)\B(?=(?:\d{3})+(?!\d))/g, ",");
}

/** `1 line`, `2 lines`; `2 entries` if the plural is given. */
export function formatCount(count: number, thing: string, things = `${thing}s`): string {
  return `${formatNumber(count)} ${count === 1 ? thing : things}`;
}

/** `612 KB`, `1.4 MB`: two significant digits, or whole units. */
export function formatSize(sizeBytes: number): string {
  if (sizeBytes < 1_000) return `${sizeBytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let size = sizeBytes / 1_000;
  let unit = 0;
  while (Math.round(size) >= 1_000 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** `2 hours`, `30 seconds`: a duration in one unit. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return formatCount(seconds, "second");
  return seconds < 7_200
    ? formatCount(Math.round(seconds / 60), "minute")
    : formatCount(Math.round(seconds / 3_600), "hour");
}
