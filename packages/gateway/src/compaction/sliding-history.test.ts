import type { ChatMessage } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import {
  assistant,
  contextWith,
  SYSTEM,
  selectingModel,
  textsOf,
  user,
  words,
} from '../../test/compaction-support.ts';

const WINDOW = 8_192;

/** A chat of 60 turns through a client that sends only its last `last` messages. */
async function slidingChat(
  last: number,
  options: { windowTokens?: number; turn?: (number: number) => ChatMessage[] } = {},
) {
  const { windowTokens = WINDOW, turn = plainTurn } = options;
  const model = selectingModel();
  const { context } = contextWith({ askModel: model.askModel });
  const history: ChatMessage[] = [];
  const turns = [];
  for (let number = 1; number <= 60; number += 1) {
    const [question = user(''), ...answer] = turn(number);
    history.push(question);
    const messages: ChatMessage[] = JSON.parse(JSON.stringify([SYSTEM, ...history.slice(-last)]));
    const prepared = await context.prepare({ model: 'm', windowTokens, messages });
    expect(prepared.messages.at(-1)).toEqual(question);
    expect(prepared.estimatedTokens).toBeLessThan(windowTokens * 0.7);
    turns.push({ sent: prepared.messages, compacted: prepared.compacted });
    history.push(...answer);
  }
  return { turns, asks: model.asks.length, history, context };
}

function plainTurn(number: number): ChatMessage[] {
  return [
    user(`Question ${number}: ${words(number, 300)}`),
    assistant(`Answer ${number}: ${words(number + 5_000, 600)}`),
  ];
}

it.each([
  [60, WINDOW, 4],
  [59, WINDOW, 4],
  [80, WINDOW, 4],
  [30, 4_096, 10],
])(
  'summarizes the last %i messages in a window of %i when the room is used up, not each turn',
  async (last, windowTokens, most) => {
    const { turns, asks } = await slidingChat(last, { windowTokens });
    const made = turns.filter(({ compacted }) => compacted?.isFromCache === false);
    expect(made.map(({ compacted }) => compacted?.round)).toEqual(made.map((_, index) => index + 1));
    expect([asks, made.length]).toEqual([made.length, asks]);
    expect(asks).toBeGreaterThan(1);
    expect(asks).toBeLessThanOrEqual(most);
    const slidFrom = Math.ceil(last / 2) + 1;
    for (const [index, { sent, compacted }] of turns.entries()) {
      const before = turns[index - 1];
      if (before === undefined || index < slidFrom || compacted?.isFromCache !== true) continue;
      // The summary still covers the messages that the client has dropped, and a user message comes first.
      expect(sent[1]?.role).toBe('user');
      expect(textsOf(sent)).toContain(`This is summary ${compacted.round} of`);
      // From the second turn after a compaction on, each request begins with the previous one.
      if (turns[index - 2]?.compacted?.round !== compacted.round) continue;
      expect(JSON.stringify(sent.slice(0, before.sent.length))).toBe(JSON.stringify(before.sent));
    }
  },
);

it('finds the compaction if the client separates steps with tools, and after a document was cut', async () => {
  const call = (id: string): ChatMessage => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: `{"path":"${id}.ts"}` } }],
  });
  const turn = (number: number): ChatMessage[] => {
    const [question = user(''), answer = user('')] = plainTurn(number);
    const asked = number === 30 ? user(`The head. ${words(3_000, 16_000)} The tail.`) : question;
    const id = `c${number}`;
    return [asked, call(id), { role: 'tool', tool_call_id: id, content: words(number + 900, 300) }, answer];
  };
  const { turns, asks } = await slidingChat(91, { turn });
  expect(asks).toBeGreaterThan(3);
  expect(asks).toBeLessThan(12);
  for (const { sent } of turns) {
    const open = new Set<string>();
    for (const { role, tool_calls = [], tool_call_id = '' } of sent) {
      if (role === 'tool') expect(open.delete(tool_call_id)).toBe(true);
      else expect(open.size).toBe(0);
      for (const { id } of tool_calls) open.add(id);
    }
  }
});

it('finds no compaction of another owner or of another conversation', async () => {
  const { context, history } = await slidingChat(60);
  const asked = user('And now?');
  const sent = (messages: readonly ChatMessage[]) => ({ model: 'm', windowTokens: WINDOW, messages });
  // It begins with a message that no earlier request began with.
  const slid = [SYSTEM, ...history.slice(-59), asked];
  const isFound = async (messages: readonly ChatMessage[], who = {}) => {
    const { compacted } = await context.prepare({ ...sent(messages), ...who });
    expect(compacted).toBeDefined();
    return compacted?.isFromCache === true && compacted.round > 1;
  };
  expect(await isFound(slid)).toBe(true);
  expect(await isFound([...slid, assistant('Yes.'), asked], { client: 'another' })).toBe(false);
  expect(await isFound([...slid, assistant('Well.'), asked], { chatId: 'another' })).toBe(false);
  const edited = slid.map((message, index) => (index === 9 ? assistant('Something else.') : message));
  expect(await isFound(edited)).toBe(false);
  const shortened = slid.filter((_, index) => index !== 9);
  expect(await isFound(shortened)).toBe(false);
});

it('does not match conversations that share only a few short messages', async () => {
  const model = selectingModel();
  const { context } = contextWith({ askModel: model.askModel });
  const short = [user('Hi'), assistant('Hello!'), user('Go on'), assistant('Yes.')];
  const long = (seed: number) =>
    Array.from({ length: 6 }, (_, index) => [
      user(words(seed + index, 2_000)),
      assistant(words(seed + 50 + index, 2_000)),
    ]).flat();
  const base = { model: 'm', windowTokens: WINDOW };
  // A document and a question leave no room for anything before them.
  const large = [user(words(7, 12_000)), user(words(8, 27_000))];
  const first = await context.prepare({ ...base, messages: [...long(1), ...short, ...large] });
  expect(first.messages.map(({ content }) => content)).not.toContain('Yes.');
  expect(first.compacted?.round).toBe(1);
  const second = await context.prepare({ ...base, messages: [...short, ...long(200), user('So?')] });
  expect(second.compacted?.isFromCache).toBe(false);
});

/** A chat of 50 turns whose first messages change each turn. */
async function changingChat(preamble: (turn: number) => ChatMessage[]) {
  const model = selectingModel();
  const { context } = contextWith({ askModel: model.askModel });
  const history: ChatMessage[] = [];
  for (let turn = 1; turn <= 50; turn += 1) {
    const [question = user(''), ...answer] = plainTurn(turn);
    history.push(question);
    const first = preamble(turn);
    const messages: ChatMessage[] = JSON.parse(JSON.stringify([SYSTEM, ...first, ...history]));
    const prepared = await context.prepare({ model: 'm', windowTokens: WINDOW, messages });
    // What has changed is sent as it is now.
    const changed = first.filter(
      ({ content }) => JSON.stringify(preamble(0)).includes(String(content)) === false,
    );
    expect(changed).toHaveLength(1);
    if (prepared.compacted?.isFromCache === true) expect(prepared.messages).toContainEqual(changed[0]);
    expect(prepared.messages.at(-1)).toEqual(question);
    expect(prepared.estimatedTokens).toBeLessThan(WINDOW * 0.7);
    history.push(...answer);
  }
  return model.asks.length;
}

it.each([
  [
    'the time in the first message',
    (turn: number) => [user(`It is 10:${turn}. Know rivers.`), assistant('Yes.')],
  ],
  [
    'files and a map of the repository',
    (turn: number) => [
      user('These files are read-only: a.md'),
      assistant('Ok.'),
      user(`The repository: ${words(turn * 31, 400)}`),
      assistant('Ok, I will not edit them.'),
    ],
  ],
])('finds the compaction again with %s', async (_, preamble) => {
  const asks = await changingChat(preamble);
  expect(asks).toBeGreaterThan(1);
  expect(asks).toBeLessThanOrEqual(5);
});

/** A turn as aider sends it: the examples, files and the map of the repository stand around the chat. */
function aiderRequest(
  order: readonly string[],
  { turn, done, question }: { turn: number; done: readonly ChatMessage[]; question: string },
): ChatMessage[] {
  const chunks: Record<string, readonly ChatMessage[]> = {
    examples: [
      ...[1, 2].flatMap((seed) => [user(words(seed, 900)), assistant(words(seed + 40, 900))]),
      user('I switched to a new code base. Please do not consider the above files.'),
      assistant('Ok.'),
    ],
    readonly: [
      user(`Here are some read-only files: ${words(3, 300)}`),
      assistant('Ok, I will use these files.'),
    ],
    repo: [
      user(`Here are summaries of files: ${words(turn * 31, 900)}`),
      assistant('Ok, I will not edit them.'),
    ],
    done,
    files: [
      user(`I have added these files to the chat: ${words(turn * 17, 1_500)}`),
      assistant('Ok, any changes will be to those files.'),
    ],
    // The rules are repeated in the newest question only.
    cur: [user(`${question}\n\n${words(5, 600)}`)],
  };
  return [SYSTEM, ...order.flatMap((name) => chunks[name] ?? [])];
}

it.each([
  [['examples', 'readonly', 'repo', 'done', 'files', 'cur']],
  [['examples', 'readonly', 'files', 'repo', 'done', 'cur']],
])('summarizes a chat of aider once in several turns with its parts in the order %j', async (order) => {
  const model = selectingModel();
  const first = contextWith({ askModel: model.askModel });
  const done: ChatMessage[] = [];
  for (let turn = 1; turn <= 50; turn += 1) {
    // In the last turn, the gateway has been started again.
    const { context } = turn < 50 ? first : contextWith({ askModel: model.askModel, cache: first.cache });
    const question = `Question ${turn}: ${words(turn, 200)}`;
    const messages: ChatMessage[] = JSON.parse(JSON.stringify(aiderRequest(order, { turn, done, question })));
    const prepared = await context.prepare({ model: 'm', windowTokens: 16_384, messages });
    if (turn === 50) expect(prepared.compacted?.isFromCache).toBe(true);
    expect(prepared.estimatedTokens).toBeLessThan(16_384 * 0.75);
    // Also in the first compaction, what the client renews is sent as it is now.
    expect(textsOf(prepared.messages)).toContain(words(turn * 31, 900));
    expect(textsOf(prepared.messages)).toContain(words(turn * 17, 1_500));
    done.push(user(question), assistant(`Answer ${turn}: ${words(turn + 5_000, 1_200)}`));
  }
  expect(model.asks.length).toBeGreaterThan(1);
  expect(model.asks.length).toBeLessThanOrEqual(5);
});
