/** Tables of text. */

/** The first columns to the left, as many as are texts, numbers to the right. Each line ends with a line break. */
export function alignColumns(rows: readonly (readonly string[])[], texts = 1): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column < texts ? cell.padEnd(width) : cell.padStart(width);
    });
    return `${cells.join("  ")}\n`;
  });
}
