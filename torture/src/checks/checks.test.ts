import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventPayload, Part, ToolPart } from '@longhaul/protocol';
import { describe, it } from 'vitest';
import { JUDGED, KEPT } from '../agent/hooks.ts';
import { IMPORTED_PICTURES, importedTexts } from '../records/import-file.ts';
import type {
  CommandKind,
  EffectLine,
  LifeLine,
  QueueLine,
  ReceivedLine,
  TickLine,
} from '../records/lines.ts';
import { openLines, readLines } from '../records/lines.ts';
import type { StoredMark, StoredMessage, StoredPart, StoredSession } from '../records/read-database.ts';
import { checkBranches } from './check-branches.ts';
import { checkCancels } from './check-cancels.ts';
import { checkDoneReverts, checkFork, checkImport } from './check-commands.ts';
import { checkBlobs, checkDatabase, checkEnded, checkUnchanged } from './check-database.ts';
import { checkEffects } from './check-effects.ts';
import { checkFrozen } from './check-frozen.ts';
import { checkMessages } from './check-messages.ts';
import { checkNotes } from './check-notes.ts';
import { checkRequests } from './check-requests.ts';
import { checkStreams, type LifeRecord } from './check-streams.ts';
import type { Defect } from './defect.ts';
import { type ModelRequest, requestsOf } from './model-journal.ts';

const CALL: ToolPart = {
  type: 'tool',
  callId: 'c1-a',
  name: 'effect',
  input: {},
  state: 'completed',
  startedAt: 5,
};

/** Records of a small correct session. Each test changes one thing. */
function records() {
  const messages: StoredMessage[] = [
    message(1, 'user', [text('Do it. TOKEN-1'), text('Also TOKEN-2')]),
    message(2, 'assistant', [text('[r1] All of the answer.'), CALL]),
  ];
  const sent: QueueLine[] = [
    ...sending('q1', 'TOKEN-1', 1),
    ...sending('q2', 'TOKEN-2', 2),
    // Never acknowledged and never stored.
    { type: 'sending', at: 1, id: 'q3', token: 'TOKEN-3', number: 3 },
  ];
  const requests: ModelRequest[] = [
    request(1, [{ role: 'user', content: 'Do it. TOKEN-1 Also TOKEN-2' }]),
    request(2, [
      { role: 'user', content: 'Do it. TOKEN-1 Also TOKEN-2' },
      { role: 'assistant', tool_calls: [toolCall('c1-a')] },
      { role: 'tool', tool_call_id: 'c1-a', content: 'done' },
    ]),
  ];
  const effects: EffectLine[] = [{ callId: 'c1-a', step: 1, item: 'a', at: 6, by: 'process 1', life: 1 }];
  return { messages, sent, requests, effects };
}

describe('checkMessages', () => {
  const check = ({ sent, messages, requests }: ReturnType<typeof records>, marks: StoredMark[] = []) =>
    kindsOf(checkMessages(sent, { messages, marks }, requests));

  it('accepts correct records', () => assert.deepEqual(check(records()), []));

  it('reports an acknowledged message that is not in the log', () => {
    const spoilt = records();
    spoilt.messages[0]?.parts.pop();
    assert.deepEqual(check(spoilt), ['lost-message']);
  });

  it('reports a message that reached no request', () => {
    const spoilt = records();
    spoilt.requests = [request(1, [{ role: 'user', content: 'TOKEN-1' }])];
    assert.deepEqual(check(spoilt), ['lost-message']);
  });

  it('reports a message that is in the log twice', () => {
    const spoilt = records();
    spoilt.messages.push(message(3, 'user', [text('Also TOKEN-2')]));
    assert.deepEqual(check(spoilt), ['duplicate-message']);
  });

  it('reports messages of one sender in the wrong order', () => {
    const spoilt = records();
    spoilt.messages[0]?.parts.reverse();
    assert.deepEqual(check(spoilt), ['lost-message']);
  });
});

describe('checkNotes', () => {
  const events = (...payloads: EventPayload[]) =>
    payloads.map((payload, index) => ({ number: index + 1, payload }));
  const taken: EventPayload = { type: 'message:dequeued', count: 1, ids: ['q1'], coalesced: false };
  const compressed = (reason: 'manual' | 'threshold') =>
    ({ type: 'context:compressed', reason }) as EventPayload;
  const check = (...notes: string[]) =>
    kindsOf(
      checkNotes({
        messages: notes.map((note, index) => message(index + 1, 'user', [text(note)])),
        events: events(taken, compressed('threshold'), compressed('manual')),
      }),
    );

  it('accepts one text for each', () => assert.deepEqual(check(JUDGED, KEPT), []));

  it('reports a text that is missing or repeated', () => {
    assert.deepEqual(check(JUDGED), ['lost-message']);
    assert.deepEqual(check(JUDGED, JUDGED, KEPT), ['duplicate-message']);
  });
});

describe('checkMessages after a revert', () => {
  const check = (requests: ModelRequest[], marks: StoredMark[] = [revert({ at: 4, to: 2 })]) => {
    const { sent, messages } = records();
    const branched = [
      ...messages,
      message(3, 'user', [text('Note TOKEN-3')]),
      message(4, 'assistant', [text('[r3] Noted.')]),
      message(5, 'user', [text('Note TOKEN-4')]),
      message(6, 'assistant', [text('[r4] Another.')]),
    ];
    const sending4 = sending('q4', 'TOKEN-4', 4);
    return kindsOf(checkMessages([...sent, ...sending4], { messages: branched, marks }, requests));
  };
  const first = { role: 'user', content: 'Do it. TOKEN-1 Also TOKEN-2' };
  const asked = (number: number, token: string) => request(number, [first, { role: 'user', content: token }]);

  it('accepts branches whose messages reached the model', () => {
    assert.deepEqual(check([asked(3, 'TOKEN-3'), asked(4, 'TOKEN-4')]), []);
  });

  it('reports a message that reached no request, on both branches if they have an answer', () => {
    assert.deepEqual(check([asked(4, 'TOKEN-4')]), ['lost-message']);
    assert.deepEqual(check([asked(3, 'TOKEN-3')]), ['lost-message']);
  });

  it('accepts a message that was reverted before its branch had an answer', () => {
    // The answer m4 and all that follows continue from m2.
    const marks = [revert({ at: 3, to: 2 })];
    assert.deepEqual(check([asked(4, 'TOKEN-4')], marks), []);
    assert.deepEqual(check([asked(4, 'Another.')], marks), ['lost-message']);
  });
});

describe('checkBranches', () => {
  const check = (seen: readonly object[], marks: StoredMark[]) => {
    const { messages } = records();
    const branched = [
      ...messages,
      message(3, 'user', [text('Note TOKEN-3-x')]),
      message(4, 'assistant', [text('[r2] A second one.'), { ...CALL, callId: 'c2-a' }]),
      message(5, 'user', [text('Note TOKEN-4-x')]),
      message(6, 'assistant', [{ type: 'reasoning', text: '[t3] Hm.', state: 'done' }]),
    ];
    return kindsOf(checkBranches([request(3, seen)], { messages: branched, marks }));
  };
  const toM2 = [revert({ at: 4, to: 2 })];
  const user = (content: string) => ({ role: 'user', content });

  it('accepts messages before the answer in its branch, and those that are not stored', () => {
    const all = [user('TOKEN-3-x'), { role: 'assistant', content: '[r2] A' }, user('TOKEN-4-x')];
    assert.deepEqual(check(all, []), []);
    assert.deepEqual(check([user('TOKEN-1'), user('TOKEN-4-x [r99]')], toM2), []);
    assert.deepEqual(check(all, [revert({ at: 4, to: 4 })]), []);
  });

  it('reports a text, a call and a message of the user that the branch has left, also in a summary', () => {
    for (const seen of [
      { role: 'assistant', content: '[r2] A second one.' },
      { role: 'assistant', tool_calls: [toolCall('c2-a')] },
      user('TOKEN-3-x'),
      user('Summary: the answer was "[r2] A second one."'),
    ])
      assert.deepEqual(check([seen], toM2), ['corruption']);
  });

  it('follows several reverts, and one that is taken back', () => {
    const seen = [user('TOKEN-3-x'), { role: 'assistant', content: '[r2] A' }];
    const back = [revert({ at: 4, to: 2 }), revert({ id: 'b', at: 4, to: 4, undoes: 'a' })];
    assert.deepEqual(check(seen, back), []);
    assert.deepEqual(check(seen, [...back, revert({ id: 'c', at: 4, to: 1 })]), ['corruption', 'corruption']);
    // m5 follows m3, not its answer.
    assert.deepEqual(check(seen, [revert({ at: 4, to: 3 })]), ['corruption']);
  });
});

describe('checkRequests', () => {
  const check = (messages: readonly object[]) => kindsOf(checkRequests([request(1, messages)]));
  const call = { role: 'assistant', tool_calls: [toolCall('a'), toolCall('b')] };
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'done' });
  const user = { role: 'user', content: 'Go on.' };

  it('accepts calls with their results in order', () => {
    assert.deepEqual(check([user, call, result('a'), result('b'), user]), []);
  });

  it('reports a call without a result, in the middle and at the end', () => {
    assert.deepEqual(check([user, call, result('a'), user]), ['orphan-call']);
    assert.deepEqual(check([user, call, result('a')]), ['orphan-call']);
  });

  it('reports a result without a call, a second result, and results out of order', () => {
    assert.deepEqual(check([user, result('a')]), ['orphan-call']);
    assert.deepEqual(check([call, result('a'), result('b'), result('b')]), ['orphan-call']);
    assert.ok(check([call, result('b'), result('a')]).includes('orphan-call'));
  });

  it('reports a call that occurs twice', () => {
    assert.deepEqual(check([call, result('a'), result('b'), call, result('a'), result('b')]), [
      'orphan-call',
      'orphan-call',
    ]);
  });

  it('reports a rejected request', () => {
    const refused = { ...request(1, [user]), outcome: 'rejected', status: 400 };
    assert.deepEqual(kindsOf(checkRequests([refused])), ['corruption']);
  });

  it('reads requests and their outcomes from the journal, including a partial request of a killed client', () => {
    const requests = requestsOf([
      { type: 'request', path: '/v1/chat/completions', number: 1, at: 1, body: '{"messages":[' },
      { type: 'end', number: 1, at: 2, outcome: 'rejected', status: 400 },
    ]);
    assert.deepEqual(requests, [{ number: 1, at: 1, body: undefined, outcome: 'rejected', status: 400 }]);
    assert.deepEqual(checkRequests(requests), []);
  });
});

describe('checkEffects', () => {
  const check = ({ effects, messages }: ReturnType<typeof records>) =>
    kindsOf(checkEffects(effects, messages));
  const withCall = (part: ToolPart) => {
    const spoilt = records();
    spoilt.messages[1]?.parts.splice(1, 1, stored(part, 1));
    return spoilt;
  };

  it('accepts one effect for one call', () => assert.deepEqual(check(records()), []));

  it('reports a call that was started twice', () => {
    const spoilt = records();
    spoilt.effects.push({ callId: 'c1-a', step: 1, item: 'a', at: 9, by: 'process 2', life: 2 });
    assert.deepEqual(check(spoilt), ['repeated-side-effect']);
  });

  it('reports an effect of a call that is not in the log or not started in it', () => {
    const { startedAt: _, ...pending } = CALL;
    assert.deepEqual(check(withCall({ ...CALL, callId: 'c9-i' })), ['orphan-call']);
    assert.deepEqual(check(withCall({ ...pending, state: 'interrupted' })), ['orphan-call']);
  });

  it('reports a completed call without an effect, and a call that is in the log twice', () => {
    assert.deepEqual(check({ ...records(), effects: [] }), ['lost-message']);
    const spoilt = records();
    spoilt.messages.push(message(3, 'assistant', spoilt.messages[1]?.parts.map(({ part }) => part) ?? []));
    assert.deepEqual(check(spoilt), ['duplicate-message']);
  });
});

describe('checkStreams', () => {
  /**
   * Checks an answer that arrived in `pieces` of `chars` characters, one every 10 ms, with `stored` characters stored.
   */
  const check = (options: {
    pieces: number;
    chars: number;
    stored: number;
    end?: 'killed' | 'ended';
    frozenAt?: number;
    status?: string;
    body?: string;
    /** Whether the process has received a piece of another answer since. */
    hasNext?: boolean;
  }) => {
    const { pieces, chars, stored, end = 'killed', frozenAt, status, hasNext = false } = options;
    const whole = `[r1] ${'x'.repeat(pieces * chars)}`;
    const received = Array.from({ length: pieces }, (_, index): ReceivedLine => {
      const content = (index === 0 ? '[r1] ' : '') + 'x'.repeat(chars);
      const data = `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
      return { type: 'bytes', at: index * 10, request: 1, data };
    });
    const messages = [message(1, 'assistant', [text(options.body ?? whole.slice(0, stored))])];
    const answered = { ...request(1, []), outcome: 'answered' };
    if (hasNext) {
      const data = `data: ${JSON.stringify({ choices: [{ delta: { content: '[r2] y' } }] })}\n\n`;
      received.push({ type: 'bytes', at: pieces * 10, request: 2, data });
    }
    return checkStreams([life({ endedAt: pieces * 10, end, frozenAt, status }, received)], messages, [
      answered,
    ]);
  };

  it('allows a kill to lose 4 KiB of any age, and any number of bytes of the last 50 ms', () => {
    const old = check({ pieces: 100, chars: 40, stored: 5 });
    assert.deepEqual(old.defects, []);
    assert.deepEqual([old.mostLostBytes, old.mostLostMs], [4_000, 1_000]);
    assert.deepEqual(check({ pieces: 5, chars: 3_000, stored: 0 }).defects, []);
  });

  it('reports a loss of more than 4 KiB that is older than 50 ms', () => {
    assert.deepEqual(kindsOf(check({ pieces: 110, chars: 40, stored: 5 }).defects), ['lost-message']);
  });

  it('reports any missing text of a complete answer when the process was not killed', () => {
    const spoilt = check({ pieces: 10, chars: 10, stored: 104, end: 'ended' });
    assert.deepEqual(kindsOf(spoilt.defects), ['lost-message']);
    assert.deepEqual(check({ pieces: 10, chars: 10, stored: 105, end: 'ended' }).defects, []);
  });

  it('allows a cancel to lose the end of the newest answer, but not of an earlier one', () => {
    const cancelled = { pieces: 10, chars: 10, stored: 104, end: 'ended', status: 'cancelled' } as const;
    assert.deepEqual(check(cancelled).defects, []);
    assert.deepEqual(kindsOf(check({ ...cancelled, hasNext: true }).defects), ['lost-message']);
  });

  it('treats a process that was stopped as killed at that moment', () => {
    const stopped = { pieces: 200, chars: 4_000, end: 'ended', frozenAt: 995 } as const;
    assert.deepEqual(check({ ...stopped, stored: 400_005 }).defects, []);
    assert.deepEqual(check({ ...stopped, stored: 380_005 }).defects, []);
    assert.deepEqual(kindsOf(check({ ...stopped, stored: 370_005 }).defects), ['lost-message']);
  });

  it('reports a stored text that is not the beginning of the answer', () => {
    const spoilt = check({ pieces: 3, chars: 10, stored: 0, body: '[r1] xxxy' });
    assert.deepEqual(kindsOf(spoilt.defects), ['corruption']);
  });
});

describe('checkCancels', () => {
  /** A life whose run begins at `began` and asks the model at `time`, and an effect of it at `time`. */
  const check = (
    time: number,
    { began = 1, next = 200, frozenAt }: Partial<Record<'began' | 'next' | 'frozenAt', number>> = {},
  ) => {
    const lives = [
      life({ frozenAt }, [
        { type: 'run', at: began },
        { type: 'asked', at: time, request: 1 },
      ]),
      life({ life: 2 }, [{ type: 'run', at: next }]),
    ];
    const effects = records().effects.map((effect) => ({ ...effect, at: time }));
    return kindsOf(checkCancels([{ askedAt: 90, answeredAt: 100 }], lives, effects));
  };

  it('reports an effect and a request after the cancel was answered, but not those of the next run', () => {
    assert.deepEqual(check(99), []);
    assert.deepEqual(check(150), ['repeated-side-effect', 'corruption']);
    assert.deepEqual(check(201), []);
    assert.deepEqual(check(150, { next: 95 }), []);
    assert.deepEqual(check(150, { began: 95 }), []);
  });

  it('leaves stopped processes to checkFrozen', () => {
    assert.deepEqual(check(150, { frozenAt: 80 }), []);
  });
});

describe('checkFrozen', () => {
  /** Life 1 is stopped from 100 to 300. Life 2 takes its session, and its first tool starts at 200. */
  const check = (
    records: { effects?: EffectLine[]; ticks?: TickLine[]; asked?: number[] },
    frozen: Partial<LifeLine> = {},
  ) => {
    const { effects = [], ticks = [], asked = [] } = records;
    const requests = asked.map((at, index): ReceivedLine => ({ type: 'asked', at, request: index + 1 }));
    const stopped = { frozenAt: 100, thawedAt: 300, status: 'interrupted', ...frozen };
    const lives = [
      life(stopped, [{ type: 'tool', at: 50, name: 'bash' }, ...requests]),
      life({ life: 2 }, [{ type: 'tool', at: 200, name: 'progress' }]),
    ];
    return kindsOf(checkFrozen(lives, { effects, ticks }));
  };
  const tick = (at: number, life = 1): TickLine => ({ callId: 'c1-s', life, at });
  const effect = (at: number, by: string): EffectLine => ({
    callId: 'c1-s',
    step: 1,
    item: 's',
    life: 1,
    at,
    by,
  });

  it('accepts commands that end before the first tool of the next life', () => {
    assert.deepEqual(
      check({ effects: [effect(90, 'shell 1')], ticks: [tick(90), tick(199), tick(250, 2)] }),
      [],
    );
  });

  it('reports a command that still runs, once for each command, and a command that starts', () => {
    assert.deepEqual(check({ ticks: [tick(90), tick(201), tick(250)] }), ['repeated-side-effect']);
    assert.deepEqual(check({ ticks: [tick(201)] }, { thawedAt: undefined }), ['repeated-side-effect']);
    assert.deepEqual(check({ effects: [effect(301, 'shell 1')] }), ['repeated-side-effect']);
  });

  it('leaves effects of the process itself to checkEffects: it may have been about to cause them', () => {
    assert.deepEqual(check({ effects: [effect(301, 'process 1')] }), []);
  });

  it('reports more requests than the one that was pending', () => {
    assert.deepEqual(check({ asked: [90, 301] }), []);
    assert.deepEqual(check({ asked: [301, 302] }), ['corruption']);
  });

  it('reports an end that does not name the reason, but not of a process that was killed', () => {
    assert.deepEqual(check({}, { status: 'completed' }), ['corruption']);
    assert.deepEqual(check({}, { status: undefined }), ['corruption']);
    assert.deepEqual(check({}, { thawedAt: undefined, status: undefined }), []);
  });
});

describe('checkImport', () => {
  const imported = (change: (session: StoredSession) => void = () => undefined) => {
    const spoilt = session();
    spoilt.messages = importedTexts(3).map((words, index) =>
      message(index + 1, index % 2 === 0 ? 'user' : 'assistant', [
        text(words),
        ...(index < IMPORTED_PICTURES
          ? [{ type: 'file', mediaType: 'image/png', data: '@blob:x' } as const]
          : []),
      ]),
    );
    change(spoilt);
    return kindsOf(checkImport(spoilt, 3));
  };

  it('accepts a complete import', () => assert.deepEqual(imported(), []));

  it('reports an import that can be seen without its end, a text or a picture', () => {
    assert.deepEqual(
      imported(({ messages }) => void messages.splice(440)),
      ['lost-message'],
    );
    assert.deepEqual(
      imported(({ messages }) => messages[200]?.parts.splice(0, 1, stored(text('Another text.'), 0))),
      ['lost-message'],
    );
    assert.deepEqual(
      imported(({ messages }) => messages[0]?.parts.pop()),
      ['lost-message'],
    );
  });

  it('reports an import whose run has not ended', () => {
    assert.deepEqual(
      imported(({ runs }) => Object.assign(runs[0] ?? {}, { hasEnded: false })),
      ['corruption'],
    );
  });
});

describe('checkFork', () => {
  const fork = (change: (copy: StoredMessage[]) => void = () => undefined, lastSequence = 2) => {
    const copy = session();
    change(copy.messages);
    return kindsOf(checkFork(copy, session(), { name: 'fork-1', lastSequence }));
  };
  const withMarks = (ofFork: StoredMark[], ofSource: StoredMark[]) => {
    const [copy, source] = [session(), session()];
    copy.marks.push(...ofFork);
    source.marks.push(...ofSource);
    return kindsOf(checkFork(copy, source, { name: 'fork-1', lastSequence: 2 }));
  };
  const replace = (part: Part, isOpen = false) =>
    fork((messages) => messages[1]?.parts.splice(0, 1, isOpen ? { index: 0, part } : stored(part, 0)));

  it('accepts a complete copy, and an answer that was cut off when it was copied', () => {
    assert.deepEqual(fork(), []);
    assert.deepEqual(replace({ type: 'text', text: '[r1] All of', state: 'interrupted' }), []);
  });

  it('reports missing messages and parts', () => {
    assert.deepEqual(fork(undefined, 3), ['lost-message']);
    assert.deepEqual(
      fork((messages) => messages[1]?.parts.pop()),
      ['lost-message'],
    );
  });

  it('reports reverts that are missing or not of the source, but not those that were made since', () => {
    const [first, later] = [revert({ at: 1, to: 0 }), revert({ id: 'b', at: 2, to: 1 })];
    assert.deepEqual(withMarks([first], [first]), []);
    assert.deepEqual(withMarks([first], [first, later]), []);
    assert.deepEqual(withMarks([first, later], [first, later]), []);
    assert.deepEqual(withMarks([], [first]), ['corruption']);
    assert.deepEqual(withMarks([later], [first, later]), ['corruption']);
    assert.deepEqual(withMarks([first, later], [first]), ['corruption']);
  });

  it('reports a compaction whose predecessor is missing in its branch', () => {
    const compactions = [compaction(1, 0), compaction(2, 1)];
    assert.deepEqual(withMarks(compactions.slice(0, 1), compactions), []);
    assert.deepEqual(withMarks(compactions.slice(1), compactions), ['corruption']);
  });

  it('reports parts that differ from the source or are open', () => {
    assert.deepEqual(replace(text('[r1] Something else.')), ['corruption']);
    assert.deepEqual(replace({ type: 'text', text: '[r1] None of', state: 'interrupted' }), ['corruption']);
    assert.deepEqual(replace({ type: 'text', text: '[r1] All of', state: 'running' }, true), ['corruption']);
  });
});

describe('checkDoneReverts', () => {
  const check = (
    kind: CommandKind,
    marks: StoredMark[],
    { known = 1, ...line }: { known?: number; isDone?: boolean; isUnchanged?: boolean } = {},
  ) =>
    kindsOf(
      checkDoneReverts(
        [{ kind, isDone: true, message: 3, plan: kind, ...line }],
        [compaction(1, 0), ...marks],
        known,
      ),
    );
  const toM2 = revert({ at: 4, to: 2 });
  const back = revert({ id: 'b', at: 4, to: 4, undoes: 'a' });

  it('accepts stored reverts, and commands that were killed or refused', () => {
    assert.deepEqual(check('revert', [toM2]), []);
    assert.deepEqual(check('revert-conversation', [toM2]), []);
    assert.deepEqual(check('revert-files', [revert({ at: 4, to: 4 })]), []);
    assert.deepEqual(check('unrevert', [toM2, back], { known: 2 }), []);
    assert.deepEqual(check('revert', [], { isDone: false }), []);
    assert.deepEqual(check('revert', [], { isUnchanged: true }), []);
    assert.deepEqual(check('fork-files', []), []);
  });

  it('reports a revert that is not stored, only stored earlier, or goes elsewhere', () => {
    for (const kind of ['revert', 'revert-files', 'revert-conversation', 'unrevert'] as const)
      assert.deepEqual(check(kind, []), ['corruption']);
    assert.deepEqual(check('revert', [toM2], { known: 2 }), ['corruption']);
    assert.deepEqual(check('revert', [revert({ at: 4, to: 3 })]), ['corruption']);
    assert.deepEqual(check('revert', [back]), ['corruption']);
    assert.deepEqual(check('unrevert', [toM2]), ['corruption']);
  });
});

describe('the database checks', () => {
  /** Checks a session with these compactions and reverts, and their events. */
  const checkMarks = (marks: StoredMark[], { compactions = -1, compressed = -1, reverted = -1 } = {}) => {
    const count = (kind: StoredMark['kind'], other: number) =>
      other === -1 ? marks.filter((mark) => mark.kind === kind).length : other;
    const types = [
      ...Array<string>(count('compaction', compressed)).fill('context:compressed'),
      ...Array<string>(count('revert', reverted)).fill('session:reverted'),
    ];
    // Only the type matters.
    const payloads = types.map((type): EventPayload => JSON.parse(JSON.stringify({ type })));
    const whole = session();
    const events = [...whole.events, ...payloads.map((payload, index) => ({ number: index + 3, payload }))];
    const messages = [...whole.messages, message(3, 'user', []), message(4, 'assistant', [])];
    const spoilt = { ...whole, messages, marks, events, compactions: count('compaction', compactions) };
    return kindsOf(checkDatabase(spoilt));
  };

  it('report a compaction that is missing, repeated or only half stored', () => {
    const check = (rounds: number[], { compactions = -1, events = -1 } = {}) =>
      checkMarks(rounds.map(compaction), { compactions, compressed: events });
    assert.deepEqual(check([1, 2, 3]), []);
    assert.deepEqual(check([1, 3]), ['corruption']);
    assert.deepEqual(check([1, 1]), ['corruption']);
    assert.deepEqual(check([1], { compactions: 2 }), ['corruption']);
    assert.deepEqual(check([1], { events: 0 }), ['corruption']);
  });

  it('count compactions on each branch, and report one that is missing or repeated there', () => {
    const toM2 = revert({ at: 4, to: 2, branchedAt: 25 });
    const check = (...marks: (number | StoredMark)[]) =>
      checkMarks(marks.map((mark, index) => (typeof mark === 'number' ? compaction(mark, index) : mark)));
    // The compactions were made at 10 and 20, before m3, and at 30.
    assert.deepEqual(check(1, 2, 3, toM2, 3, 4), []);
    assert.deepEqual(check(1, 2, 3, toM2, 4), ['corruption']);
    assert.deepEqual(check(1, 2, 3, toM2, 3, 3), ['corruption']);
    assert.deepEqual(check(1, 2, 3, toM2, 1), ['corruption']);
    // Taken back, and files alone.
    const back = revert({ id: 'b', at: 4, to: 4, undoes: 'a' });
    assert.deepEqual(check(1, 2, 3, toM2, back, 4), []);
    assert.deepEqual(check(1, 2, 3, toM2, 3, back, 4), []);
    assert.deepEqual(check(1, 2, 3, toM2, back, 3), ['corruption']);
    assert.deepEqual(check(1, revert({ at: 4, to: 4 }), 2), []);
    assert.deepEqual(check(1, revert({ at: 4, to: 4 }), 1), ['corruption']);
    // All times are equal while the clock is behind. Compactions of earlier stretches stay, those of the left one do not.
    const late = revert({ id: 'b', at: 4, to: 3, branchedAt: 10 });
    assert.deepEqual(check(1, revert({ at: 2, to: 2 }), 2, late, 2, 3), []);
    assert.deepEqual(check(1, revert({ at: 2, to: 2 }), 2, late, 3), ['corruption']);
    // To before the first message, and back to the other branch.
    const toStart = revert({ at: 4, to: 0, branchedAt: 5 });
    assert.deepEqual(check(1, toStart, 1, 2), []);
    assert.deepEqual(check(1, 2, toStart, 1, revert({ id: 'b', at: 4, to: 4 }), 3), []);
  });

  it('report a revert that is half stored, or that goes nowhere', () => {
    const toM2 = revert({ at: 4, to: 2 });
    assert.deepEqual(checkMarks([toM2]), []);
    assert.deepEqual(checkMarks([toM2], { reverted: 0 }), ['corruption']);
    assert.deepEqual(checkMarks([], { reverted: 1 }), ['corruption']);
    assert.deepEqual(checkMarks([revert({ at: 4, to: 5 })]), ['corruption']);
    assert.deepEqual(checkMarks([revert({ at: 9, to: 2 })]), ['corruption']);
  });

  it("report SQLite's problems, and gaps in messages, parts and events", () => {
    const check = (spoilt: Partial<StoredSession>) => kindsOf(checkDatabase({ ...session(), ...spoilt }));
    assert.deepEqual(check({}), []);
    assert.deepEqual(check({ problems: ['integrity: row 3 missing from index'] }), ['corruption']);
    assert.deepEqual(check({ messages: [message(2, 'user', [])] }), ['lost-message']);
    assert.deepEqual(check({ events: session().events.slice(1) }), ['corruption']);
    const [hole] = [message(1, 'assistant', [text('a'), text('b')])];
    hole.parts.shift();
    assert.deepEqual(check({ messages: [hole] }), ['lost-message']);
  });

  it('report stored data that is missing, and closed parts that have changed', () => {
    const before = session();
    const after = (change: (messages: StoredMessage[]) => void) => {
      const spoilt = session();
      change(spoilt.messages);
      return kindsOf(checkUnchanged(before, spoilt));
    };
    assert.deepEqual(
      after(() => undefined),
      [],
    );
    assert.deepEqual(
      after((messages) => void messages.pop()),
      ['lost-message'],
    );
    assert.deepEqual(
      after((messages) => void messages[1]?.parts.pop()),
      ['lost-message'],
    );
    assert.deepEqual(
      after((messages) => messages[0]?.parts.splice(0, 1, stored(text('Something else'), 0))),
      ['corruption'],
    );
    before.messages[1]?.parts.push({ index: 2, part: { type: 'text', text: 'so far', state: 'running' } });
    const shorter: StoredPart = { index: 2, part: { type: 'text', text: 'so', state: 'running' } };
    assert.deepEqual(
      after((messages) => messages[1]?.parts.push(shorter)),
      ['lost-message'],
    );
  });

  it('report open parts, waiting messages and missing end events of a finished session', () => {
    const check = (change: (session: StoredSession) => void) => {
      const spoilt = session();
      change(spoilt);
      return kindsOf(checkEnded(spoilt));
    };
    assert.deepEqual(
      check(() => undefined),
      [],
    );
    assert.deepEqual(
      check(({ waiting }) => waiting.push('q9')),
      ['lost-message'],
    );
    assert.deepEqual(
      check(({ messages }) => Object.assign(messages[1] ?? {}, { status: 'running' })),
      ['corruption'],
    );
    assert.deepEqual(
      check(({ messages }) => delete messages[1]?.parts[0]?.fingerprint),
      ['corruption'],
    );
    assert.deepEqual(
      check(({ runs }) => Object.assign(runs[0] ?? {}, { hasEnded: false })),
      ['corruption'],
    );
    assert.deepEqual(
      check(({ events }) => void events.pop()),
      ['corruption'],
    );
    assert.deepEqual(
      check(({ events }) => void events.push(...events.slice(1))),
      ['corruption'],
    );
    assert.deepEqual(
      check(({ runs }) => Object.assign(runs[0] ?? {}, { status: 'interrupted' })),
      ['corruption'],
    );
  });

  it('report a missing blob, and a blob that does not match its id', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longhaul-checks-'));
    try {
      const id = createHash('sha256').update('bytes').digest('hex');
      const named = session();
      named.messages[0]?.parts.push(stored({ type: 'file', mediaType: 'image/png', data: `@blob:${id}` }, 2));
      assert.deepEqual(kindsOf(checkBlobs(named, folder)), ['corruption']);
      await mkdir(join(folder, id.slice(0, 2)));
      await writeFile(join(folder, id.slice(0, 2), id.slice(2)), 'byte');
      assert.deepEqual(kindsOf(checkBlobs(named, folder)), ['corruption']);
      await writeFile(join(folder, id.slice(0, 2), id.slice(2)), 'bytes');
      assert.deepEqual(checkBlobs(named, folder), []);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('readLines', () => {
  it('ignores a last line whose writer was killed while writing it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'longhaul-lines-'));
    try {
      const path = join(folder, 'lines.jsonl');
      assert.deepEqual(readLines(path), []);
      {
        using lines = openLines<{ n: number }>(path);
        lines.write({ n: 1 });
        lines.write({ n: 2 });
      }
      await writeFile(path, '{"n":', { flag: 'a' });
      assert.deepEqual(readLines(path), [{ n: 1 }, { n: 2 }]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

function kindsOf(defects: readonly Defect[]): string[] {
  return defects.map(({ kind }) => kind);
}

function life(line: Partial<LifeLine>, received: ReceivedLine[]): LifeRecord {
  const killed = {
    life: 1,
    pid: 1,
    startedAt: 0,
    endedAt: 1_000,
    plan: '',
    client: '',
    end: 'killed',
    wasCancelled: false,
  } as const;
  return { life: { ...killed, ...line }, received };
}

function text(words: string): Part {
  return { type: 'text', text: words, state: 'done' };
}

/** @param index Its time is ten times the next index. */
function compaction(round: number, index: number): StoredMark {
  return { kind: 'compaction', round, createdAt: (index + 1) * 10 };
}

function revert(place: {
  id?: string;
  at: number;
  to: number;
  branchedAt?: number;
  undoes?: string;
}): StoredMark {
  return { kind: 'revert', id: 'a', ...place };
}

function stored(part: Part, index: number): StoredPart {
  return { index, part, fingerprint: JSON.stringify(part) };
}

function message(sequence: number, role: 'user' | 'assistant', parts: readonly Part[]): StoredMessage {
  return { id: `id-${sequence}`, sequence, role, status: 'done', parts: parts.map(stored) };
}

function session(): StoredSession {
  return {
    messages: records().messages,
    runs: [{ runId: 'run', epoch: 1, startedAt: 1, status: 'completed', hasEnded: true }],
    events: [
      { number: 1, payload: { type: 'run:started', runId: 'run', task: '', model: '' } },
      { number: 2, payload: finished() },
    ],
    waiting: [],
    marks: [],
    compactions: 0,
    prunes: 0,
    problems: [],
  };
}

function finished() {
  const usage = {
    ...{ inputTokens: 0, outputTokens: 0, reasoningTokens: 0 },
    ...{ cacheReadTokens: 0, cacheWriteTokens: 0, totalTokens: 0 },
  };
  return {
    ...({ type: 'run:finished', runId: 'run', status: 'completed' } as const),
    ...{ stepCount: 1, usage, text: '', compactions: 0 },
  };
}

function sending(id: string, token: string, number: number): QueueLine[] {
  return [
    { type: 'sending', at: 1, id, token, number },
    { type: 'acknowledged', at: 2, id },
  ];
}

function toolCall(id: string) {
  return { id, type: 'function', function: { name: 'effect', arguments: '{}' } };
}

function request(number: number, messages: readonly object[]): ModelRequest {
  // Parsed from JSON without validation, like a body from the wire.
  const body: ModelRequest['body'] = JSON.parse(JSON.stringify({ model: 'scripted', messages }));
  return { number, at: number, body, outcome: 'answered', status: 200 };
}
