import { LonghaulError } from '@longhaul/protocol';

const AGES: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const SIZES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** Parses an age such as `30d`; returns milliseconds. @throws {LonghaulError} `usage` */
export function parseAge(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([mhdw])$/i.exec(text.trim()) ?? [];
  const ms = Number(number) * (AGES[unit.toLowerCase()] ?? Number.NaN);
  if (ms > 0) return ms;
  throw new LonghaulError('usage', `${flag} must be an age such as 90m, 12h, 30d or 8w, not "${text}".`);
}

/** Parses a size such as `2GB`; returns bytes. A kilobyte has 1,000 of them. @throws {LonghaulError} `usage` */
export function parseSize(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?)b?$/i.exec(text.trim()) ?? [];
  const bytes = Number(number) * (SIZES[unit.toLowerCase()] ?? Number.NaN);
  if (bytes > 0) return bytes;
  throw new LonghaulError('usage', `${flag} must be a size such as 500MB or 2GB, not "${text}".`);
}
