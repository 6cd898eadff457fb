/** Bars over days, as SVG without a library: the dashboard draws nothing else. */
import { draw, make, makeTable } from "./elements.js";
import { formatNumber } from "./formats.js";

const HEIGHT = 220;
const [MIN_WIDTH, MAX_WIDTH, MARGINS] = [280, 1_140, 60];
const [LEFT, BOTTOM, TOP] = [64, 24, 8];

/**
 * Two bars for each day on one scale. `series` is two of { label, count }, where `count` takes a day's usage. The same
 * figures follow as a table, for readers who cannot see the drawing.
 */
export function makeDayChart(title, days, series) {
  const width = findWidth();
  const max = Math.max(1, ...days.flatMap(({ usage }) => series.map(({ count }) => count(usage))));
  const step = (width - LEFT) / Math.max(1, days.length);
  const top = (value) => TOP + (1 - value / max) * (HEIGHT - BOTTOM - TOP);
  const bars = days.flatMap(({ usage }, index) =>
    series.map(({ count }, place) => {
      const value = count(usage);
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
  const names = [days[0], days.at(-1)].filter((day, index, both) => day && (index === 0 || day !== both[0]));
  const labels = names.map(({ name }, index) =>
    draw("text", { x: index === 0 ? LEFT : width, y: HEIGHT - 6, "text-anchor": index === 0 ? "start" : "end" }, name),
  );
  return make(
    "figure",
    { class: "panel chart" },
    make("figcaption", {}, make("h2", {}, title)),
    makeLegend(series),
    draw("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": summarize(title, days, series) }, [
      ...lines,
      ...bars,
      ...labels,
    ]),
    make("details", {}, make("summary", {}, "The same as a table"), makeFigures(title, days, series)),
  );
}

/** The width of the page: a drawing that is scaled would have letters too small to read on a phone. */
const findWidth = () => Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, document.documentElement.clientWidth - MARGINS));

const makeLegend = (series) =>
  make(
    "ul",
    { class: "legend" },
    series.map(({ label }, place) => make("li", {}, make("span", { class: place === 0 ? "first" : "second" }), label)),
  );

const makeFigures = (title, days, series) =>
  makeTable(
    title,
    [
      { label: "Day", cell: ({ name }) => name },
      ...series.map(({ label, count }) => ({ label, isNumber: true, cell: ({ usage }) => formatNumber(count(usage)) })),
    ],
    days,
  );

function summarize(title, days, series) {
  const sums = series.map(({ label, count }) => {
    const sum = days.reduce((total, { usage }) => total + count(usage), 0);
    return `${label}: ${formatNumber(sum)} in all`;
  });
  return `${title}, ${days.length} days. ${sums.join(". ")}.`;
}

/** `1.2M` */
const shorten = (value) => new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(value);
