import type { EventPayload, LonghaulEvent, SubtaskFacts } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { widthOf } from './format.ts';
import { LiveStatus } from './live-status.ts';

const started = (childId: string, more: object = {}): EventPayload => ({
  type: 'subtask:started',
  childId,
  callId: `call ${childId}`,
  handle: 'm2.0',
  agent: 'explore',
  title: `Find ${childId}`,
  ...more,
});

const facts = (sessionId: string, more: Partial<SubtaskFacts> = {}): SubtaskFacts => ({
  sessionId,
  agent: 'explore',
  state: 'running',
  ...more,
});

const progress = (childId: string, more: Partial<SubtaskFacts> = {}): EventPayload => ({
  type: 'subtask:progress',
  callId: `call ${childId}`,
  handle: 'm2.0',
  facts: facts(childId, more),
});

const call = (callId: string): EventPayload => ({
  type: 'llm:tool-call',
  toolName: 'task',
  args: { prompt: 'Find' },
  callId,
});

function linesAfter(payloads: readonly EventPayload[], columns = 100): string[] {
  const status = new LiveStatus();
  for (const payload of payloads) status.update({ ...payload, sessionId: 's', at: 0 } as LonghaulEvent);
  return status.lines(0, columns);
}

const WORK = { title: 'grep zebra', steps: 3, tokens: 4_200, contextPercent: 21 };

describe('the lines of running children', () => {
  it('replace the lines of their calls: one for each child, also those that wait', () => {
    const both = [
      call('call a'),
      call('call b'),
      started('a'),
      progress('a', WORK),
      started('b'),
      progress('b', { state: 'waiting' }),
    ];
    expect(linesAfter(both)).toEqual([
      'explore Find a · grep zebra · 3 steps · 4.2k tokens · 21 %',
      'explore Find b · waiting · 0 steps · 0 tokens',
    ]);
    expect(linesAfter([...both, { ...progress('a'), type: 'subtask:finished' } as EventPayload])).toContain(
      'explore Find b · waiting · 0 steps · 0 tokens',
    );
    expect(linesAfter([...both, { type: 'llm:thinking' }])[0]).toBe('thinking 0.0 s');
  });

  it('show a child that an earlier run has started, and end with the run', () => {
    const found = [progress('a', WORK)];
    expect(linesAfter(found)).toEqual(['explore · grep zebra · 3 steps · 4.2k tokens · 21 %']);
    const end = { type: 'run:finished', runId: 'r', status: 'cancelled' } as EventPayload;
    expect(linesAfter([...found, end])).toEqual([]);
  });

  it('keep the figures in a narrow terminal, and name how many further children work', () => {
    const many = Array.from({ length: 20 }, (_, index) => progress(`child ${index}`, WORK));
    const wide = {
      title: '漢字'.repeat(80),
      agent: 'x'.repeat(80),
      steps: 3,
      tokens: 4_200,
      contextPercent: 21,
    };
    for (const columns of [20, 40, 80]) {
      const lines = linesAfter([started('w'), progress('w', wide), ...many], columns);
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
      expect(lines.at(-1)).toMatch(/^\+15 more children/);
      if (columns >= 60) expect(lines[0]).toMatch(/3 steps · 4\.2k tokens · 21 %$/);
    }
  });

  it('set those in the background apart', () => {
    const status = new LiveStatus({ showsBackground: false });
    const event = {
      ...progress('a', { ...WORK, isBackground: true }),
      sessionId: 's',
      at: 0,
    } as LonghaulEvent;
    status.update(event);
    expect(status.lines(0, 80)).toEqual([]);
    expect(status.childLines('background', 80)).toEqual([
      'explore · grep zebra · 3 steps · 4.2k tokens · 21 %',
    ]);
  });
});
