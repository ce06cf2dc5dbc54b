/** When things happened: columns over time, coloured by kind or author; dragging over them chooses a range of days. */

import { h, svg } from "../dom";
import { count, localDay, plain } from "../words";

const COLUMNS = 90;
const DAY = 86_400_000;
const [WIDTH, HEIGHT] = [COLUMNS * 10, 96];
/** What has a colour of its own, in the order in which it is stacked, from the bottom: name, and name of the colour. */
type Series = [name: string, colour: string][];

export const KINDS: Series = [["create", "first"], ["supersede", "second"], ["confirm", "third"], ["delete", "alert"], ["erase", "alert"]];
const COLOURS = ["first", "second", "third", "fourth"];

/** Gives colours to the authors of the most events, who come first. */
export function authors(names: string[]): Series {
  return names.slice(0, COLOURS.length).map((name, at) => [name, COLOURS[at]!]);
}

interface Range {
  first: number;
  span: number;
}

/** Draws the events of each day; `chosen` is told the first and the last day of a stretch that the reader marks. */
export function density(rows: [day: string, name: string, events: number][], series: Series, chosen: (from: string, to: string) => void): HTMLElement | null {
  if (rows.length === 0) return null;
  const range = rangeOf(rows.map(([day]) => day));
  const columns = stacked(rows, range, series);
  const most = Math.max(...columns.map((column) => column.reduce((sum, events) => sum + events, 0)));
  const total = rows.reduce((sum, [, , events]) => sum + events, 0);
  const last = dayOf(range, COLUMNS - 1);
  const chart = svg(
    "svg",
    {
      class: "density",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${count(total, "event")} from ${localDay(dayOf(range, 0))} to ${localDay(last)}`,
    },
    columns.flatMap((column, at) => bars(column, at, most, series)),
  );
  brush(chart, (from, to) => chosen(dayOf(range, from), dayOf(range, to + 1, -1)));
  return h("figure", {}, chart, h("figcaption", {}, h("span", {}, localDay(dayOf(range, 0))), legend(rows, series), h("span", {}, localDay(last))));
}

function rangeOf(days: string[]): Range {
  const times = days.map((day) => Date.parse(day));
  const last = Math.max(...times);
  const first = Math.min(...times, last - (COLUMNS - 1) * DAY); // each day has a column of its own, if there are few
  return { first, span: ((last - first) / DAY + 1) / COLUMNS };
}

function dayOf({ first, span }: Range, column: number, more = 0): string {
  return new Date(first + (Math.floor(column * span) + more) * DAY).toISOString().slice(0, 10);
}

function stacked(rows: [day: string, name: string, events: number][], { first, span }: Range, series: Series): number[][] {
  const places = new Map(series.map(([name], at) => [name, at]));
  const columns = Array.from({ length: COLUMNS }, () => new Array<number>(series.length + 1).fill(0));
  for (const [day, name, events] of rows) {
    const at = Math.min(COLUMNS - 1, Math.floor((Date.parse(day) - first) / DAY / span));
    columns[at]![places.get(name) ?? series.length]! += events;
  }
  return columns;
}

function bars(column: number[], at: number, most: number, series: Series): SVGElement[] {
  let top = HEIGHT;
  return column.flatMap((events, place) => {
    if (events === 0) return [];
    const height = Math.max(1.5, (events / most) * (HEIGHT - 4));
    top -= height;
    return [svg("rect", { class: `bar-${series[place]?.[1] ?? "other"}`, x: at * 10 + 1, y: top, width: 8, height })];
  });
}

/** Names the colours that are seen. */
function legend(rows: [day: string, name: string, events: number][], series: Series): HTMLElement {
  const names = new Set(rows.map(([, name]) => name));
  const known = series.filter(([name]) => names.has(name));
  const others = names.size > known.length ? [h("span", { class: "legend-other" }, "others")] : [];
  return h("span", { class: "legend" }, known.map(([name, colour]) => h("span", { class: `legend-${colour}` }, plain(name))), others);
}

/** Lets the reader mark a stretch of columns with a pointer; for the keyboard there are the two days beside it. */
function brush(chart: SVGElement, chosen: (from: number, to: number) => void): void {
  const mark = svg("rect", { class: "brush", y: 0, height: HEIGHT, width: 0, x: 0 });
  chart.append(mark);
  let from: number | null = null;
  const columnAt = (event: PointerEvent): number => {
    const box = chart.getBoundingClientRect();
    return Math.max(0, Math.min(COLUMNS - 1, Math.floor(((event.clientX - box.left) / box.width) * COLUMNS)));
  };
  chart.addEventListener("pointerdown", (event) => {
    from = columnAt(event);
    chart.setPointerCapture(event.pointerId);
  });
  chart.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const to = columnAt(event);
    mark.setAttribute("x", String(Math.min(from, to) * 10));
    mark.setAttribute("width", String((Math.abs(to - from) + 1) * 10));
  });
  chart.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const to = columnAt(event);
    chosen(Math.min(from, to), Math.max(from, to));
    from = null;
  });
}
