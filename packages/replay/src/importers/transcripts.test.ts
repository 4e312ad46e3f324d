import type { Message } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { missingTranscripts, readTranscript } from '../../test/support.ts';
import { stepsOf, toEvents } from '../events.ts';
import { readSession } from './import-session.ts';
import { argumentsText } from './part-text.ts';

/** The folder's own table: file, format, thousands of visible characters, tool calls, compactions. */
const TABLE = [
  ['mini-swe-agent-django-13265.traj.json', 'mini-swe-agent', 338, 156, 0],
  ['mini-swe-agent-django-15738.traj.json', 'mini-swe-agent', 253, 115, 0],
  ['mini-swe-agent-sqlfluff-1733.traj.json', 'mini-swe-agent', 384, 157, 0],
  ['mini-swe-agent-astroid-1333.traj.json', 'mini-swe-agent', 342, 188, 0],
  ['pi-long-with-compactions.jsonl', 'pi', 1462, 454, 2],
  ['claude-code-skills-long.jsonl', 'claude-code', 986, 388, 0],
  ['claude-code-evaluator-compacted.jsonl', 'claude-code', 500, 107, 1],
  ['claude-code-manifest.jsonl', 'claude-code', 293, 108, 0],
  ['codex-agentv.jsonl', 'codex', 871, 181, 0],
  ['codex-agentv-compacted.jsonl', 'codex', 1528, 280, 1],
  ['opencode-export.json', 'opencode', 184, 78, 0],
  ['openhands-ponyc-4595.json', 'openhands', 97, 24, 0],
] as const;

/**
 * Counts characters as the table does, which differs in three points. The table omits attached files. For mini-swe-agent the table counts a call as the
 * JSON of `{name, arguments}` with the arguments as a string, so quotes and line breaks are escaped twice. In the
 * manifest, three lines have illegal escapes: the table omits their results, and this importer repairs them.
 */
function asTheTableCounts(name: string, content: Buffer): number {
  if (name === 'claude-code-manifest.jsonl')
    return readSession(withoutIllegalLines(content)).report.visibleChars;
  const { messages, report } = readSession(content);
  const attached = messages.filter((message) => message.metadata?.['attachment'] !== undefined);
  if (report.format === 'claude-code') return report.visibleChars - userChars(attached);
  if (report.format !== 'mini-swe-agent') return report.visibleChars;
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool'));
  const escaped = calls.map(
    (part) => JSON.stringify({ name: part.name, arguments: argumentsText(part) }).length,
  );
  return report.visibleChars - report.chars.calls + escaped.reduce((sum, length) => sum + length, 0);
}

function userChars(messages: readonly Message[]): number {
  const parts = messages.flatMap((message) => message.parts);
  return parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
}

function withoutIllegalLines(content: Buffer): string {
  return content
    .toString()
    .split('\n')
    .filter((line) => !/[^\\]\\[^"\\/bfnrtu]/.test(line.replaceAll('\\\\', '')))
    .join('\n');
}

const missing = missingTranscripts();

describe.skipIf(missing !== undefined)(`real sessions${missing === undefined ? '' : `: ${missing}`}`, () => {
  it.each(TABLE)('%s', (name, format, thousands, calls, compactions) => {
    const content = readTranscript(name);
    const { messages, report } = readSession(content);
    expect(report.format).toBe(format);
    expect(report.calls).toBe(calls);
    expect(report.compactions).toHaveLength(compactions);
    expect(report.messages).toBe(messages.length);
    expect(Math.abs(asTheTableCounts(name, content) / 1000 - thousands) / thousands).toBeLessThan(0.01);
    expect(report.results).toBeGreaterThanOrEqual(report.calls - 6);
  });

  it.each(TABLE)('%s gives the same messages in pieces of any size', async (name) => {
    const content = readTranscript(name);
    const whole = readSession(content);
    const { SessionReader } = await import('./session-reader.ts');
    const reader = new SessionReader();
    const text = content.toString();
    const messages = [];
    for (let from = 0; from < text.length; from += 9973)
      messages.push(...reader.push(text.slice(from, from + 9973)));
    messages.push(...reader.end());
    expect(messages).toEqual(whole.messages);
    expect(reader.report).toEqual(whole.report);
  });

  it.each(TABLE)('%s gives events in order, with each result after all calls of its step', (name) => {
    const { messages } = readSession(readTranscript(name));
    const events = toEvents(messages);
    const open = new Set<string>();
    for (const { kind, callId } of events) {
      if (kind === 'call') open.add(callId ?? '');
      if (kind === 'result') expect(open.delete(callId ?? '')).toBe(true);
    }
    for (const { from, to } of stepsOf(events))
      for (const { kind } of events.slice(from, to)) expect(['assistant', 'call']).toContain(kind);
  });
});
