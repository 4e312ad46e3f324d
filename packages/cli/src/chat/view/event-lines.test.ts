import type { EventPayload, EventType, LonghaulEvent } from '@longhaul/protocol';
import { ZERO_USAGE } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { widthOf } from '../../render/format.ts';
import { createPaint } from '../../render/paint.ts';
import { escapeForTerminal } from '../../safe-terminal.ts';
import { ConversationView } from './conversation-view.ts';
import { Openables } from './openable.ts';

const PLACE = { messageId: 'm', partIndex: 0, offset: 0 };
const CALL = { callId: 'c', toolName: 'bash' };
const ERROR = { name: 'LonghaulError', code: 'provider_overloaded', retryable: true } as const;

const SPENT = { budget: 'day', unit: 'costUsd', spent: 9, limit: 10 } as const;
const FACTS = (text: string) => ({ sessionId: 'k', agent: text, title: text, state: 'running' as const });

/** An event of each kind, in which every text is the given one. */
const EVENTS: Record<EventType, (text: string) => EventPayload> = {
  'run:started': (text) => ({ type: 'run:started', runId: 'r', task: text, model: text }),
  'run:finished': (text) => ({
    type: 'run:finished',
    runId: 'r',
    status: 'failed',
    stepCount: 2,
    usage: { ...ZERO_USAGE, inputTokens: 1_500, outputTokens: 20 },
    cost: 0.25,
    text,
    error: { ...ERROR, message: text, data: {} },
    compactions: 1,
  }),
  'run:repaired': (text) => ({
    type: 'run:repaired',
    runIds: ['r'],
    unknownCalls: 1,
    unstartedCalls: 0,
    partialText: false,
    message: text,
  }),
  'session:status': () => ({ type: 'session:status', status: 'busy' }),
  'llm:thinking': () => ({ type: 'llm:thinking' }),
  'llm:chunk': (text) => ({
    type: 'llm:chunk',
    chunkType: 'text',
    content: `${text}\n\n`,
    ...PLACE,
  }),
  'llm:tool-call': (text) => ({ type: 'llm:tool-call', ...CALL, args: { command: text } }),
  'llm:tool-progress': (text) => ({
    type: 'llm:tool-progress',
    callId: 'c',
    title: text,
    metadata: { lines: [text] },
  }),
  'llm:tool-result': (text) => ({
    type: 'llm:tool-result',
    ...CALL,
    success: false,
    sanitized: [{ type: 'text', text: `${text}\n${text}` }],
    title: text,
  }),
  'llm:response': (text) => ({
    type: 'llm:response',
    content: text,
    provider: text,
    model: text,
    finishReason: 'stop',
  }),
  'llm:error': (text) => ({
    type: 'llm:error',
    error: { ...ERROR, message: text, data: {} },
    context: text,
    recoverable: true,
  }),
  'llm:retry': (text) => ({ type: 'llm:retry', attempt: 1, delayMs: 2_000, reason: text }),
  'llm:switched': (text) => ({
    type: 'llm:switched',
    newConfig: { model: text, windowTokens: 8_192 },
    historyRetained: true,
  }),
  'llm:unsupported-input': (text) => ({ type: 'llm:unsupported-input', errors: [text], provider: text }),
  'context:compressed': (text) => ({
    type: 'context:compressed',
    originalTokens: 90_000,
    compressedTokens: 4_000,
    originalMessages: 50,
    compressedMessages: 5,
    strategy: text,
    reason: 'threshold',
    round: 3,
  }),
  'context:pruned': () => ({ type: 'context:pruned', prunedCount: 2, savedTokens: 1_500 }),
  'context:undone': () => ({ type: 'context:undone', round: 3 }),
  'context:usage': () => ({ type: 'context:usage', tokens: 1, usableTokens: 2, windowTokens: 3 }),
  'context:warning': (text) => ({ type: 'context:warning', message: text }),
  'budget:warning': (text) => ({ type: 'budget:warning', message: text, ...SPENT }),
  'budget:exceeded': (text) => ({ type: 'budget:exceeded', message: text, ...SPENT }),
  'files:changed': (text) => ({
    type: 'files:changed',
    before: 'a',
    after: 'b',
    files: [{ path: text, change: 'modified', added: 1, removed: 0, restorable: true }],
    byAgent: true,
  }),
  'process:started': (text) => ({ type: 'process:started', handle: 'm2.0', command: text, isKept: true }),
  'process:ended': (text) => ({ type: 'process:ended', handle: 'm2.0', command: text, exitCode: 1 }),
  'subtask:started': (text) => ({
    type: 'subtask:started',
    childId: 'k',
    callId: 'c',
    handle: 'm2.0',
    agent: text,
    title: text,
  }),
  'subtask:progress': (text) => ({
    type: 'subtask:progress',
    callId: 'c',
    handle: 'm2.0',
    facts: FACTS(text),
  }),
  'subtask:finished': (text) => ({
    type: 'subtask:finished',
    callId: 'c',
    handle: 'm2.0',
    facts: FACTS(text),
  }),
  'session:reverted': () => ({ type: 'session:reverted', handle: 'm3', files: 2, conversation: true }),
  'session:unreverted': () => ({ type: 'session:unreverted' }),
  'session:titled': (text) => ({ type: 'session:titled', title: text }),
  'run:waiting': () => ({ type: 'run:waiting', position: 2 }),
  'queue:changed': () => ({ type: 'queue:changed', count: 1 }),
  'message:queued': () => ({ type: 'message:queued', id: 'm', position: 1 }),
  'message:dequeued': () => ({ type: 'message:dequeued', count: 1, ids: ['m'], coalesced: false }),
  'approval:requested': (text) => ({
    type: 'approval:requested',
    ...CALL,
    handle: 'a1',
    args: { command: text },
  }),
  'approval:answered': (text) => ({
    type: 'approval:answered',
    callId: 'c',
    handle: 'a1',
    allowed: false,
    reason: text,
  }),
  'trust:requested': (text) => ({ type: 'trust:requested', workspace: text, wants: [] }),
  'trust:answered': (text) => ({ type: 'trust:answered', workspace: text, wants: [], answer: 'ignored' }),
};

/** What is printed of each event. The others print nothing: lines that are redrawn show them, or a command did. */
const PRINTED: Partial<Record<EventType, RegExp>> = {
  'run:finished': /✗ Failed .*2 steps · 1 compaction · 1\.5k in, 20 out · \$0\.25[\s\S]*WORD/,
  'run:repaired': /! WORD/,
  'llm:chunk': /^WORD$/m,
  'llm:tool-result': /bash[\s\S]*WORD/,
  'llm:response': /^WORD$/m,
  'llm:error': /! WORD: WORD/,
  'llm:retry': /↻ WORD Try 2 in 2\.0 s/,
  'llm:switched': /◇ model The model of this session is now WORD, with a window of 8,192 tokens\./,
  'llm:unsupported-input': /! WORD/,
  'context:compressed': /◆ compacted 90k → 4k tokens, 50 → 5 messages \(WORD, round 3\) · Ctrl-O opens it/,
  'context:pruned': /◇ pruned 2 old tool outputs, 1\.5k tokens saved/,
  'context:undone': /◇ undone compaction 3/,
  'context:warning': /! WORD/,
  'budget:warning': /! WORD/,
  'files:changed': /◇ files 1 changed/,
  'process:started': /◇ kept m2\.0 outlives the run \(longhaul ps\): WORD/,
  'approval:answered': /! not allowed: WORD/,
};

it('names no internal id if a call is refused without a reason', () => {
  const refused: EventPayload = { type: 'approval:answered', callId: 'call_1', handle: 'a1', allowed: false };
  expect(shown([refused], 80).printed).toContain('! not allowed\n');
});

const KINDS = Object.keys(EVENTS) as EventType[];
const SIZES = [20, 80, 200];
const TEXTS = ['word '.repeat(100), 'a\nb\n\nc', '漢字漢字 '.repeat(50), '👩‍👩‍👧‍👦 é '.repeat(30)];

/** Returns everything that is printed of the events, and the lines that are redrawn after each. */
function shown(payloads: readonly EventPayload[], columns: number) {
  let printed = '';
  const redrawn: string[] = [];
  const openables = new Openables();
  const view = new ConversationView({
    paint: createPaint(false),
    colors: false,
    columns: () => columns,
    print: (text) => {
      printed += text;
    },
    openables,
    compactionText: async () => '',
    showsReasoning: () => false,
  });
  for (const payload of payloads) {
    view.show({ ...payload, sessionId: 's', at: 0 } as LonghaulEvent);
    redrawn.push(
      ...view.unfinishedLines(columns),
      ...view.activityLines(columns),
      ...view.childLines('background', columns),
    );
  }
  return { printed, redrawn, openables, view };
}

function tooWide(lines: readonly string[], columns: number): string[] {
  return lines.filter((line) => widthOf(line) > columns);
}

describe.each(KINDS)('an event %s', (kind) => {
  const make = EVENTS[kind];

  it('prints what a person needs, and nothing else', () => {
    const { printed } = shown([make('WORD')], 200);
    const expected = PRINTED[kind];
    if (expected === undefined) expect(printed).toBe('');
    else expect(printed).toMatch(expected);
    expect(printed).toMatch(/^$|\n$/);
  });

  it.each(SIZES)('fits into %d columns, with many lines and wide characters', (columns) => {
    for (const text of TEXTS) {
      const { printed, redrawn } = shown([make(text), make(text)], columns);
      expect(tooWide(printed.split('\n'), columns)).toEqual([]);
      expect(tooWide(redrawn, columns)).toEqual([]);
      expect(redrawn.filter((line) => line.includes('\n'))).toEqual([]);
    }
  });

  it('does not let a text control the terminal', () => {
    const evil = '\u001b[2J\u001b]0;stolen\u0007\u001b]52;c;aGk=\u0007\u009b31m\u202e\r\u0008gone';
    const { printed, redrawn } = shown([make(evil)], 80);
    const written = escapeForTerminal(`${printed}${redrawn.join('\n')}`);
    expect(written).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });
});

describe('a conversation', () => {
  it('shows a call from its start to its result', () => {
    const { redrawn, printed, view } = shown([EVENTS['llm:tool-call']('make test')], 80);
    expect(redrawn.at(-1)).toMatch(/^bash make test +0\.0 s$/);
    expect(printed).toBe('');
    view.show({ ...EVENTS['llm:tool-result']('done'), sessionId: 's', at: 0 } as LonghaulEvent);
    expect(view.activityLines(80)).toEqual([]);
  });

  it('folds reasoning into one line, which opens whole', async () => {
    const reasoning = (content: string): EventPayload => ({
      type: 'llm:chunk',
      chunkType: 'reasoning',
      content,
      ...PLACE,
    });
    const { printed, redrawn, openables } = shown(
      [reasoning('First I look.\nThen '), reasoning('I act.'), EVENTS['llm:chunk']('The answer.')],
      80,
    );
    expect(redrawn).toContain('  Then I act.');
    expect(printed).toMatch(/^∴ thought for 0\.0 s, 2 lines · Ctrl-O opens it\n/);
    expect(printed).toContain('The answer.');
    expect(printed).not.toContain('First I look.');
    expect(await openables.items[0]?.text()).toContain('First I look.\nThen I act.');
  });

  it.each(['漢字'.repeat(60), 'x'.repeat(300)])(
    'shows the end of text without blanks while it grows',
    (text) => {
      const chunk: EventPayload = { type: 'llm:chunk', chunkType: 'text', ...PLACE, content: `${text}END` };
      const { redrawn } = shown([chunk], 40);
      expect(tooWide(redrawn, 40)).toEqual([]);
      expect(redrawn.join('')).toContain(`${text}END`);
      const thought = shown([{ ...chunk, chunkType: 'reasoning' }], 40).redrawn;
      expect(tooWide(thought, 40)).toEqual([]);
      expect(thought.join('')).toMatch(/END/);
    },
  );

  it.each([
    ['completed', /✓ .* · 2 steps/],
    ['cancelled', /■ Stopped /],
    ['limit', /■ Stopped at a limit /],
    ['interrupted', /■ Interrupted /],
  ] as const)('names the end of a run that is %s', (status, expected) => {
    const event = { ...EVENTS['run:finished']('why'), status } as EventPayload;
    expect(shown([event], 80).printed).toMatch(expected);
    for (const columns of SIZES)
      expect(tooWide(shown([event], columns).printed.split('\n'), columns)).toEqual([]);
  });

  it('reads the todo list from the result of its tool, and not from another tool', () => {
    const items = [
      { text: 'Look', status: 'done' },
      { text: 'Act', status: 'in_progress' },
    ];
    const result = (toolName: string, success: boolean): EventPayload => ({
      type: 'llm:tool-result',
      callId: 'c',
      toolName,
      success,
      sanitized: [],
      metadata: { items },
    });
    expect(shown([result('bash', true)], 80).view.todo).toEqual([]);
    expect(shown([result('todo', false)], 80).view.todo).toEqual([]);
    expect(shown([result('todo', true)], 80).view.todo).toEqual(items);
  });

  it('prints the end of a child in the background, and folds the result that arrives', async () => {
    const facts = {
      ...FACTS('Looks'),
      state: 'completed',
      steps: 3,
      tokens: 4_200,
      isBackground: true,
    } as const;
    const place = { callId: 'c', handle: 'm2.0', facts };
    const { printed, openables, view } = shown([{ type: 'subtask:finished', ...place }], 80);
    expect(printed).toBe('◇ child m2.0 Looks completed · 3 steps · 4.2k tokens\n');
    const text = Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n');
    const origin = { kind: 'subtask', sessionId: 'k', handle: 'm2.0' } as const;
    view.showMessage({ content: [{ type: 'text', text }], origin });
    expect(await openables.items[0]?.text()).toBe(text);
  });

  it('opens an output that was shortened', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n');
    const result: EventPayload = {
      type: 'llm:tool-result',
      ...CALL,
      success: true,
      sanitized: [{ type: 'text', text: lines }],
    };
    const { printed, openables } = shown([result], 80);
    expect(printed).not.toContain('line 100\n');
    expect(openables.items).toHaveLength(1);
    const whole = await openables.items[0]?.text();
    expect(whole).toContain('line 0');
    expect(whole).toContain('line 299');
  });
});
