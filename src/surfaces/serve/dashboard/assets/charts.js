/** Bars over days, as SVG without a library: the dashboard draws nothing else. */
import { draw, make, makeTable } from "./elements.js";
import { formatNumber } from "./formats.js";

const HEIGHT = 220;
const [MIN_WIDTH, MAX_WIDTH, MARGINS] = [280, 1_140, 60];
const [LEFT, BOTTOM, TOP] = [64, 24, 8];

/** @typedef {{ readonly name: string }} Day */

/**
 * What a bar shows.
 * @template {Day} D
 * @typedef {{ readonly label: string, readonly count: (day: D) => number }} Series
 */

/**
 * Two bars for each day on one scale. The same figures follow as a table, for readers who cannot see the drawing.
 * @template {Day} D
 * @param {string} title
 * @param {readonly D[]} days
 * @param {readonly [Series<D>, Series<D>]} series
 */
export function makeDayChart(title, days, series) {
  return make(
    "figure",
    { class: "panel chart" },
    make("figcaption", {}, make("h3", {}, title)),
    makeLegend(series),
    drawBars(title, days, series),
    make("details", {}, make("summary", {}, "The same as a table"), makeFigures(title, days, series)),
  );
}

/**
 * @template {Day} D
 * @param {string} title
 * @param {readonly D[]} days
 * @param {readonly Series<D>[]} series
 */
function drawBars(title, days, series) {
  const width = findWidth();
  // An even number, so that the line in the middle is a whole one too.
  const max = 2 * Math.ceil(Math.max(2, ...days.flatMap((day) => series.map(({ count }) => count(day)))) / 2);
  const step = (width - LEFT) / Math.max(1, days.length);
  /** @param {number} value */
  const top = (value) => TOP + (1 - value / max) * (HEIGHT - BOTTOM - TOP);
  const bars = days.flatMap((day, index) =>
    series.map(({ count }, place) => {
      const value = count(day);
      return draw("rect", {
        class: place === 0 ? "first" : "second",
        x: LEFT + index * step + place * step * 0.42 + step * 0.08,
        y: top(value),
        width: Math.max(1, step * 0.4),
        height: HEIGHT - BOTTOM - top(value),
      });
    }),
  );
  const lines = [0, 0.5, 1].flatMap((share) => [
    draw("line", { class: "axis", x1: LEFT, x2: width, y1: top(max * share), y2: top(max * share) }),
    draw("text", { x: LEFT - 6, y: top(max * share) + 4, "text-anchor": "end" }, shorten(max * share)),
  ]);
  const summary = summarize(title, days, series);
  const children = [...lines, ...bars, ...drawDates(days, width)];
  return draw("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summary }, children);
}

/**
 * The first day and the last one.
 * @param {readonly Day[]} days
 * @param {number} width
 */
function drawDates(days, width) {
  const [first, last] = [days[0], days.at(-1)];
  const y = HEIGHT - 6;
  return [
    first && draw("text", { x: LEFT, y, "text-anchor": "start" }, first.name),
    last && last !== first ? draw("text", { x: width, y, "text-anchor": "end" }, last.name) : null,
  ];
}

/** The width of the page: a drawing that is scaled would have letters too small to read on a phone. */
const findWidth = () => Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, document.documentElement.clientWidth - MARGINS));

/** @param {readonly { readonly label: string }[]} series */
const makeLegend = (series) =>
  make(
    "ul",
    { class: "legend" },
    series.map(({ label }, place) => make("li", {}, make("span", { class: place === 0 ? "first" : "second" }), label)),
  );

/**
 * @template {Day} D
 * @param {string} title
 * @param {readonly D[]} days
 * @param {readonly Series<D>[]} series
 */
const makeFigures = (title, days, series) =>
  makeTable(
    title,
    [
      { label: "Day", isHeading: true, isTime: true, cell: ({ name }) => name },
      ...series.map(({ label, count }) => ({
        label,
        isNumber: true,
        cell: /** @param {D} day */ (day) => formatNumber(count(day)),
      })),
    ],
    days,
  );

/**
 * @template {Day} D
 * @param {string} title
 * @param {readonly D[]} days
 * @param {readonly Series<D>[]} series
 */
function summarize(title, days, series) {
  const sums = series.map(({ label, count }) => {
    const sum = days.reduce((total, day) => total + count(day), 0);
    return `${label}: ${formatNumber(sum)} in all`;
  });
  return `${title}, ${days.length} days. ${sums.join(". ")}.`;
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/**
 * `1.2M`
 * @param {number} value
 */
const shorten = (value) => compact.format(value);
