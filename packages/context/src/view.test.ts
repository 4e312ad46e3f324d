import type { Compaction, Mark, Message, Part } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { call, code, LogBuilder, text } from '../test/log-fixtures.ts';
import type { ContextLog } from './log.ts';
import { CONTINUATION } from './summary-message.ts';
import { buildView, INTERRUPTED_RESULT, PRUNED_PREFIX, type ViewEntry } from './view.ts';
import { createViewKeeper } from './view-keeper.ts';

const BEFORE = 'assistant: [Older messages are hidden.]';
const AFTER = 'assistant: [End of note.]';

function compaction(hides: string[], rest: Partial<Compaction> = {}): Compaction {
  return {
    kind: 'compaction',
    id: 'compaction',
    sessionId: 'session',
    round: 1,
    strategy: 'reactive-overflow',
    reason: 'threshold',
    tokensBefore: 9,
    tokensAfter: 1,
    summary: { ledger: '### Files\n- src/', narrative: 'It went well.' },
    hides,
    createdAt: 1,
    ...rest,
  };
}

/** One line for each message, with its role and texts. */
function outline(entries: readonly ViewEntry[]): string[] {
  return entries.map(({ message }) => {
    const texts = message.content.map((part) => {
      if (part.type === 'text') return part.text.split('\n')[0];
      if (part.type !== 'tool') return part.type;
      return `${part.name}→${part.output.map((content) => (content.type === 'text' ? content.text : content.type)).join('+')}`;
    });
    return `${message.role}: ${texts.join(' | ')}`;
  });
}

function session(): LogBuilder {
  return new LogBuilder()
    .user('Build it')
    .step('Looking', call('read', { input: { path: 'a.ts' }, output: 'text of a' }))
    .step(call('bash', { input: { command: 'ls' }, output: 'a.ts' }))
    .user('Also test it')
    .step('Done');
}

function markOf(
  kind: 'prune' | 'cut',
  message: Message | undefined,
  partIndex: number,
  keepChars = 300,
): Mark {
  const place = { id: `${kind}-${partIndex}`, messageId: message?.id ?? '', partIndex };
  return kind === 'prune' ? { kind, ...place, compactedAt: 1 } : { kind, ...place, keepChars, createdAt: 1 };
}

function shownResult(log: ContextLog, index: number): string {
  const part = buildView(log)[index]?.message.content[0];
  if (part?.type !== 'tool') throw new Error('There is no tool part.');
  return part.output.map((content) => (content.type === 'text' ? content.text : content.type)).join('\n');
}

describe('buildView', () => {
  it('shows a log without marks unchanged, and does not change it', () => {
    const { log } = session();
    const before = structuredClone(log);
    expect(outline(buildView(log))).toEqual([
      'user: Build it',
      'assistant: Looking | read→text of a',
      'assistant: bash→a.ts',
      'user: Also test it',
      'assistant: Done',
    ]);
    expect(buildView(log)).toEqual(buildView(log));
    expect(log).toEqual(before);
  });

  it('puts the summary after the first user message, in place of the hidden messages', () => {
    const { log } = session().mark(compaction(['id-00002', 'id-00003']));
    expect(outline(buildView(log))).toEqual([
      'user: Build it',
      BEFORE,
      'user: ## Session Summary (Compaction Round 1)',
      AFTER,
      'user: Also test it',
      'assistant: Done',
    ]);
  });

  it.each([
    {
      tail: 'starts with an assistant',
      hides: ['id-00002', 'id-00003', 'id-00004'],
      rest: ['assistant: Done'],
    },
    { tail: 'is empty', hides: ['id-00002', 'id-00003', 'id-00004', 'id-00005'], rest: [] },
  ])('puts nothing after the summary when the tail $tail', ({ hides, rest }) => {
    const { log } = session().mark(compaction(hides));
    expect(outline(buildView(log))).toEqual([
      'user: Build it',
      BEFORE,
      'user: ## Session Summary (Compaction Round 1)',
      ...rest,
    ]);
  });

  it('shows the summary of structured-summary as a message of the assistant, with a message of the user after it', () => {
    const structured = (hides: string[]) => compaction(hides, { strategy: 'structured-summary' });
    const { log } = session().mark(structured(['id-00002', 'id-00003', 'id-00004']));
    expect(outline(buildView(log))).toEqual([
      'user: Build it',
      'assistant: ## Session Summary (Compaction Round 1)',
      `user: ${CONTINUATION}`,
      'assistant: Done',
    ]);
    const { log: next } = session().mark(structured(['id-00002', 'id-00003']));
    expect(outline(buildView(next))).toEqual([
      'user: Build it',
      'assistant: ## Session Summary (Compaction Round 1)',
      'user: Also test it',
      'assistant: Done',
    ]);
  });

  it('alternates roles around a summary, wherever it is and in a view that is extended', () => {
    const builder = new LogBuilder().user('Build it');
    for (let turn = 0; turn < 4; turn += 1) builder.step('one').user(`and ${turn}`);
    const ids = builder.messages.slice(1).map(({ id }) => id);
    for (const [start] of ids.entries()) {
      for (let end = start + 1; end < ids.length; end += 1) {
        const { messages } = builder;
        const log = { messages, marks: [compaction(ids.slice(start, end))] };
        const keeper = createViewKeeper();
        keeper.entriesOf({ ...log, messages: messages.slice(0, end) });
        const roles = buildView(log).map(({ message }) => message.role);
        expect(roles.filter((role, index) => role === roles[index + 1])).toEqual([]);
        expect(keeper.entriesOf(log)).toEqual(buildView(log));
      }
    }
  });

  it('does not take a synthetic message for the first user message', () => {
    const builder = new LogBuilder()
      .user('Go on', { synthetic: 'continue-length' })
      .user('The task')
      .step('ok');
    const { log } = builder.mark(compaction(['id-00003']));
    expect(outline(buildView(log)).slice(0, 4)).toEqual([
      'user: Go on',
      'user: The task',
      BEFORE,
      'user: ## Session Summary (Compaction Round 1)',
    ]);
  });

  it('follows the newest compaction that is not undone', () => {
    const older = compaction(['id-00002']);
    const newer = compaction(['id-00002', 'id-00003'], { id: 'newer', round: 2 });
    const { log } = session().mark(older).mark(newer);
    expect(outline(buildView(log))[2]).toBe('user: ## Session Summary (Compaction Round 2)');
    const undone = { ...log, marks: [older, { ...newer, undoneAt: 5 }] };
    expect(outline(buildView(undone))).toContain('assistant: bash→a.ts');
    const allUndone = { ...log, marks: [older, newer].map((mark) => ({ ...mark, undoneAt: 5 })) };
    expect(outline(buildView(allUndone))).toEqual(outline(buildView(session().log)));
  });

  it('answers every call, also an open call and one with an empty output', () => {
    const states = ['pending', 'running', 'interrupted', 'error', 'completed'] as const;
    const { log } = new LogBuilder()
      .user('x')
      .step(...states.map((state) => call('bash', { state, output: [] })));
    expect(outline(buildView(log))[1]).toBe(
      `assistant: ${[...Array(4).fill(`bash→${INTERRUPTED_RESULT}`), 'bash→[no output]'].join(' | ')}`,
    );
    const failed = new LogBuilder().user('x').step(call('bash', { state: 'error', output: 'exit code 1' }));
    expect(buildView(failed.log)[1]?.message.content[0]).toMatchObject({ isError: true });
    expect(shownResult(failed.log, 1)).toBe('exit code 1');
  });

  it('leaves out empty messages and empty texts', () => {
    const { log } = new LogBuilder().user('').user('real').step('').step(text(''), call('ls')).user([]);
    expect(outline(buildView(log))).toEqual(['user: real', 'assistant: ls→']);
  });

  it('shows a notice to the model only if it is for the model', () => {
    const notice = (forModel: boolean): Part => ({ type: 'notice', text: `notice ${forModel}`, forModel });
    const { log } = new LogBuilder()
      .user([text('x'), notice(true), notice(false)])
      .step('y', notice(false), notice(true));
    expect(outline(buildView(log))).toEqual(['user: x | notice true', 'assistant: y | notice true']);
  });

  it('keeps provider metadata with the name of its model, and drops it without one', () => {
    const signed: Part = {
      type: 'reasoning',
      text: '',
      state: 'done',
      providerMetadata: { anthropic: { signature: 's' } },
    };
    const { log } = new LogBuilder().user('x').step(signed, 'y');
    expect(buildView(log)[1]?.message).toEqual({
      role: 'assistant',
      model: 'test/model',
      content: [
        { type: 'reasoning', text: '', providerMetadata: { anthropic: { signature: 's' } } },
        { type: 'text', text: 'y' },
      ],
    });
    const nameless = log.messages.map(({ model, ...message }) => message);
    expect(buildView({ messages: nameless, marks: [] })[1]?.message).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'y' }],
    });
  });

  it('shows files as files and images as images', () => {
    const { log } = new LogBuilder().user([
      { type: 'file', mediaType: 'image/png', data: '@blob:1' },
      { type: 'file', mediaType: 'application/pdf', data: '@blob:2', filename: 'a.pdf' },
    ]);
    expect(buildView(log)[0]?.message.content).toEqual([
      { type: 'image', data: '@blob:1', mediaType: 'image/png' },
      { type: 'file', data: '@blob:2', mediaType: 'application/pdf', filename: 'a.pdf' },
    ]);
  });
});

describe('a pruned output', () => {
  it('is replaced by a placeholder with its handle and an outline', () => {
    const builder = new LogBuilder()
      .user('x')
      .step(call('read', { input: { path: 'a.ts' }, output: code(20) }));
    const { log } = builder.mark(markOf('prune', builder.messages[1], 0));
    const shown = shownResult(log, 1);
    expect(shown.startsWith(PRUNED_PREFIX)).toBe(true);
    expect(shown).toContain('recall handle m2.0, 20 lines');
    expect(shown).toContain('handler0_0');
    expect(shown.length).toBeLessThan(350);
  });

  it('is shown again after the mark is undone', () => {
    const builder = new LogBuilder().user('x').step(call('read', { output: 'all of it' }));
    const mark = { ...markOf('prune', builder.messages[1], 0), undoneAt: 3 };
    expect(shownResult(builder.mark(mark).log, 1)).toBe('all of it');
  });
});

describe('a cut part', () => {
  it('shows head and tail of a text, with its handle', () => {
    const builder = new LogBuilder().user(`HEAD${'x'.repeat(2_000)}TAIL`);
    const { log } = builder.mark(markOf('cut', builder.messages[0], 0));
    const part = buildView(log)[0]?.message.content[0];
    const shown = part?.type === 'text' ? part.text : '';
    expect(shown).toMatch(/^HEADx+\n\[… .*handle m1\.0 …\]\nx+TAIL$/);
    expect(shown.length).toBeLessThanOrEqual(300);
  });

  it('divides its length among the texts of an output, and leaves out media', () => {
    const long = { type: 'text' as const, text: 'y'.repeat(3_000) };
    const image = { type: 'image' as const, data: '@blob:1' };
    const builder = new LogBuilder().user('x').step(call('shot', { output: [long, long, image] }));
    const shown = shownResult(builder.mark(markOf('cut', builder.messages[1], 0)).log, 1);
    expect(shown.length).toBeLessThanOrEqual(300 + '\n[image left out; handle m2.0]\n'.length);
    expect(shown).toContain('[image left out; handle m2.0]');
  });

  it('cuts long arguments too', () => {
    const input = {
      path: 'a.ts',
      content: 'z'.repeat(9_000),
      nested: [{ deep: 'z'.repeat(9_000), n: 1, none: null }],
    };
    const builder = new LogBuilder().user('x').step(call('write', { input, output: 'Created a.ts' }));
    const { log } = builder.mark(markOf('cut', builder.messages[1], 0));
    const shown = JSON.stringify(buildView(log)[1]?.message);
    expect(shown.length).toBeLessThan(1_500);
    expect(shown).toContain('"path":"a.ts"');
    expect(shown).toContain('handle m2.0');
    expect(builder.messages[1]?.parts[0]).toMatchObject({ input });
  });

  it('follows its newest mark', () => {
    const builder = new LogBuilder().user('x'.repeat(5_000));
    builder
      .mark(markOf('cut', builder.messages[0], 0, 2_000))
      .mark(markOf('cut', builder.messages[0], 0, 200));
    const part = buildView(builder.log)[0]?.message.content[0];
    expect(part?.type === 'text' && part.text.length).toBeLessThanOrEqual(200);
  });
});

describe('the summary of messages from the middle', () => {
  it('takes their place, so that earlier messages keep their place and the cached prefix', () => {
    const builder = session();
    const { log } = builder.mark(compaction(['id-00003', 'id-00004']));
    expect(outline(buildView(log))).toEqual([
      'user: Build it',
      'assistant: Looking | read→text of a',
      'user: ## Session Summary (Compaction Round 1)',
      'assistant: Done',
    ]);
  });
});
