/** Numbers and times as people read them. */

const numbers = new Intl.NumberFormat("en");

/** @param {number} value */
export const formatNumber = (value) => numbers.format(Math.round(value));

const units = ["B", "KB", "MB", "GB", "TB"];

/**
 * `1.4 MB`
 * @param {number} bytes
 */
export function formatSize(bytes) {
  let [size, unit] = [bytes, 0];
  while (size >= 1_000 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${size >= 10 || unit === 0 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/**
 * @param {number} part
 * @param {number} whole
 */
export const formatShare = (part, whole) => (whole === 0 ? "–" : `${Math.round((100 * part) / whole)} %`);

/**
 * `2026-11-16 07:12`, in the reader's time.
 * @param {string} iso
 */
export function formatTime(iso) {
  const at = new Date(iso);
  /** @param {number} value */
  const two = (value) => String(value).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
