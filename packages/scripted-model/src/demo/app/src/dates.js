// Days are ISO strings such as 2026-03-01: they sort as text, and no time zone can move them.

const DAY_MS = 86_400_000;

/** Today on this computer's calendar. */
export function today(now = new Date()) {
  const month = String(now.getMonth() + 1).padStart(2, '0');
  const date = String(now.getDate()).padStart(2, '0');
  return `${now.getFullYear()}-${month}-${date}`;
}

/** Returns `text` if it is a real day, and throws otherwise: 2026-02-30 is none. */
export function parseDay(text) {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time) || toDay(time) !== text) {
    throw new RangeError(`Expected a day such as 2026-03-01, got "${text}"`);
  }
  return text;
}

export function addDays(day, count) {
  return toDay(Date.parse(`${parseDay(day)}T00:00:00Z`) + count * DAY_MS);
}

function toDay(time) {
  return new Date(time).toISOString().slice(0, 10);
}
