/**
 * A server that asks for a longer wait is broken, or has no quota left for the day. The caller decides whether to wait
 * this long.
 */
const MAX_MS = 24 * 60 * 60 * 1000;

/**
 * Returns how long the server asks to wait, in milliseconds: from `retry-after-ms`, then from `retry-after` in seconds
 * or as an HTTP date, then from Google's RetryInfo (`13s`), then from OpenAI's text ("Please try again in 1.2s").
 */
export function readRetryAfterMs(hints: {
  headers: Readonly<Record<string, string>>;
  retryDelay?: string;
  text: string;
  /** Milliseconds since the epoch. */
  now: number;
}): number | undefined {
  const wait =
    milliseconds(header(hints.headers, 'retry-after-ms')) ??
    secondsOrDate(header(hints.headers, 'retry-after'), hints.now) ??
    duration(hints.retryDelay) ??
    duration(/try again in ((?:\d+h)?(?:\d+m(?!s))?[\d.]+m?s)/i.exec(hints.text)?.[1]);
  return wait === undefined ? undefined : Math.min(Math.max(0, Math.ceil(wait)), MAX_MS);
}

function header(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  for (const [key, value] of Object.entries(headers)) if (key.toLowerCase() === name) return value.trim();
  return undefined;
}

function milliseconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function secondsOrDate(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const seconds = milliseconds(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}

/** Parses `13s`, `1.5s`, `20ms` or `6m0s`. */
function duration(value: string | undefined): number | undefined {
  const match = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)(ms|s))?$/.exec(value ?? '');
  if (!value || !match) return undefined;
  const [, hours = '0', minutes = '0', rest = '0', unit = 's'] = match;
  const wait =
    Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(rest) * (unit === 'ms' ? 1 : 1000);
  return Number.isNaN(wait) ? undefined : wait;
}
