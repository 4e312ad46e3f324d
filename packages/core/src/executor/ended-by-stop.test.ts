import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../ports/tool.ts';
import { isEndedByStop } from './ended-by-stop.ts';

const killed: ToolResult = { content: [], isError: true, wasKilled: true };

describe('isEndedByStop', () => {
  it('is true if the command dies before or after the program learns that it stops', async () => {
    const drain = new AbortController();
    const before = isEndedByStop(killed, drain.signal);
    drain.abort();
    expect(await before).toBe(true);
    expect(await isEndedByStop(killed, drain.signal)).toBe(true);
  });

  it('is false for a command that failed by itself, and for one that was killed while the program runs on', async () => {
    const drain = new AbortController();
    expect(await isEndedByStop(killed, drain.signal)).toBe(false);
    expect(await isEndedByStop(killed, undefined)).toBe(false);
    drain.abort();
    expect(await isEndedByStop({ content: [], isError: true }, drain.signal)).toBe(false);
  });
});
