/** How the page writes times, numbers and names. */

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const NUMBER = new Intl.NumberFormat("en");

/** Local time; the element that shows it carries the UTC instant as its title. */
export function localTime(instant: string): string {
  const time = Date.parse(instant);
  return Number.isNaN(time) ? instant : FULL.format(time);
}

export function localDay(instant: string): string {
  const time = Date.parse(instant);
  return Number.isNaN(time) ? instant : DAY.format(time);
}

export function number(value: number): string {
  return NUMBER.format(value);
}

/** `1 event`, `2 events`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

export function short(id: string): string {
  return id.slice(0, 12);
}

/** Shows characters that hide or turn text round as their code points, so that nobody is misled by them. */
export function plain(text: string): string {
  return text.replace(HIDDEN, (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
