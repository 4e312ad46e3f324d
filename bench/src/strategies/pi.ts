import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReplayMethod, Segment } from '@longhaul/replay';
import { segmentOf } from '@longhaul/replay';
import { STUB_SUMMARY, textTokens } from './stub-summary.ts';
import { tokensOfUnits, type Unit, unitsBefore, unitsOf } from './units.ts';

export const PI_PACKAGE = '@earendil-works/pi-coding-agent';
export const PI_VERSION = '1.6.0';

/** The used part of pi's compaction exports. Its messages and entries are plain objects. */
interface Pi {
  shouldCompact(tokens: number, windowTokens: number, settings: PiSettings): boolean;
  findCutPoint(
    entries: readonly object[],
    start: number,
    end: number,
    keepRecentTokens: number,
  ): { firstKeptEntryIndex: number; turnStartIndex: number; isSplitTurn: boolean };
  compact(preparation: object, model: object, ...more: unknown[]): Promise<{ summary: string }>;
  DEFAULT_COMPACTION_SETTINGS: PiSettings;
}

interface PiSettings {
  enabled: boolean;
  reserveTokens: number;
  keepRecentTokens: number;
}

interface PiEntry {
  type: 'message';
  id: string;
  message: object;
}

/** Loads pi's package from a separate folder. With its dependencies it is too large for this repository. */
export async function loadPi(peersFolder: string | undefined): Promise<Pi | undefined> {
  const path = join(peersFolder ?? '', 'node_modules', PI_PACKAGE, 'dist/index.js');
  if (peersFolder === undefined || !existsSync(path)) return undefined;
  return import(pathToFileURL(path).href);
}

/**
 * pi's compaction: its own trigger, cut point and `compact`, with a stub for the summariser. Its defaults (16,384
 * tokens reserved, 20,000 kept) are for large windows, so at most a quarter of the window is reserved and at most 30 %
 * is kept.
 */
export function piCompaction(pi: Pi): ReplayMethod {
  return {
    name: 'pi compaction',
    start(session, { windowTokens }) {
      const units = unitsOf(session);
      const entries: PiEntry[] = [];
      const defaults = pi.DEFAULT_COMPACTION_SETTINGS;
      const settings = {
        ...defaults,
        reserveTokens: Math.min(defaults.reserveTokens, Math.floor(windowTokens / 4)),
        keepRecentTokens: Math.min(defaults.keepRecentTokens, Math.floor(windowTokens * 0.3)),
      };
      const files = { read: new Set<string>(), written: new Set<string>(), edited: new Set<string>() };
      let summary: Segment | undefined;
      let start = 0;
      const view = () => [
        ...(summary === undefined ? [] : [summary]),
        ...units.slice(start, entries.length).flatMap((unit) => [...unit.events]),
      ];
      const tokens = () => (summary?.tokens ?? 0) + tokensOfUnits(units.slice(start, entries.length));
      return {
        async viewBefore({ firstEvent }) {
          const end = unitsBefore(units, entries.length, firstEvent);
          for (const unit of units.slice(entries.length, end))
            entries.push({ type: 'message', id: String(entries.length), message: toPiMessage(unit) });
          if (!pi.shouldCompact(tokens(), windowTokens, settings)) return { view: view() };
          const cut = pi.findCutPoint(entries, start, end, settings.keepRecentTokens);
          if (cut.firstKeptEntryIndex <= start) return { view: view() };
          const historyEnd = cut.isSplitTurn ? cut.turnStartIndex : cut.firstKeptEntryIndex;
          for (const unit of units.slice(start, cut.firstKeptEntryIndex)) noteFiles(unit, files);
          const calls = new CountedCalls();
          const result = await pi.compact(
            {
              firstKeptEntryId: String(cut.firstKeptEntryIndex),
              messagesToSummarize: entries.slice(start, historyEnd).map((entry) => entry.message),
              turnPrefixMessages: cut.isSplitTurn
                ? entries.slice(historyEnd, cut.firstKeptEntryIndex).map((entry) => entry.message)
                : [],
              isSplitTurn: cut.isSplitTurn,
              tokensBefore: tokens(),
              previousSummary: summary?.text,
              fileOps: files,
              settings,
            },
            { reasoning: false },
            ...[undefined, undefined, undefined, undefined, undefined],
            calls.stream,
          );
          summary = segmentOf('user', result.summary);
          start = cut.firstKeptEntryIndex;
          return { view: view(), callTokens: calls.tokens };
        },
      };
    },
  };
}

/** Answers every summary request with the stub and counts its tokens. */
class CountedCalls {
  tokens = 0;
  readonly stream = async (_model: unknown, context: unknown) => {
    this.tokens += textTokens(textIn(context)) + textTokens(STUB_SUMMARY);
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: {} };
    const content = [{ type: 'text', text: STUB_SUMMARY }];
    return { result: async () => ({ role: 'assistant', content, stopReason: 'stop', usage }) };
  };
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textIn).join('');
}

function toPiMessage({ kind, events, call, end }: Unit): object {
  const text = events[0]?.text ?? '';
  if (kind === 'user') return { role: 'user', content: [{ type: 'text', text }], timestamp: 0 };
  if (kind === 'result')
    return {
      role: 'toolResult',
      toolCallId: String(call),
      toolName: 'tool',
      content: [{ type: 'text', text }],
    };
  const first = end - events.length;
  const content = events.map((event, at) =>
    event.kind === 'call'
      ? { type: 'toolCall', id: String(first + at), name: 'tool', arguments: event.input ?? {} }
      : { type: 'text', text: event.text },
  );
  return { role: 'assistant', content, stopReason: 'toolUse' };
}

/** pi lists the files that its own tools used. Here any call with a path counts; with a text it counts as an edit. */
function noteFiles({ events }: Unit, files: { read: Set<string>; edited: Set<string> }): void {
  for (const { kind, input } of events) {
    if (kind !== 'call' || typeof input !== 'object' || input === null) continue;
    const fields = new Map(Object.entries(input));
    const path = ['path', 'file_path', 'filePath', 'file'].map((name) => fields.get(name)).find(isText);
    if (path === undefined) continue;
    const writes = ['content', 'new_string', 'newText', 'edits'].some((name) => fields.has(name));
    (writes ? files.edited : files.read).add(path);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
