import type { ChatMessage } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import {
  assistant,
  contextWith,
  SYSTEM,
  selectingModel,
  user,
  words,
} from '../../test/compaction-support.ts';

interface Turn {
  sent: readonly ChatMessage[];
  tokens: number;
  isNew: boolean;
}

/** A chat of a front-end that resends the whole conversation each turn. */
async function longChat(
  turns: number,
  windowTokens: number,
  options: Parameters<typeof contextWith>[0] = {},
) {
  const { context, tokenizer, cache } = contextWith(options);
  const history: ChatMessage[] = [];
  const log: Turn[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    history.push(user(`Question ${turn}: ${words(turn, 200)}`));
    // A front-end's system text may contain the date.
    const system = { ...SYSTEM, content: `It is day ${Math.floor(turn / 20)}. You are a helpful assistant.` };
    // Each request has new message objects.
    const messages: ChatMessage[] = JSON.parse(JSON.stringify([system, ...history]));
    const prepared = await context.prepare({ model: 'm', windowTokens, messages });
    const tokens = prepared.messages.reduce(
      (sum, { content }) => sum + Math.ceil(String(content).length / 4) + 4,
      3,
    );
    log.push({ sent: prepared.messages, tokens, isNew: prepared.compacted?.isFromCache === false });
    history.push(assistant(`Answer ${turn}: ${words(turn + 5_000, 600)}`));
  }
  return { log, tokenizer, cache, history };
}

it.each([
  ['no model', 8_192, 200],
  ['a selecting model', 8_192, 200],
  ['a selecting model', 4_096, 60],
  ['no model', 16_384, 150],
])('fits with %s and a window of %i a chat of %i turns', async (kind, window, turns) => {
  const model = selectingModel();
  const { log } = await longChat(turns, window, kind === 'no model' ? {} : { askModel: model.askModel });
  const rounds = log.flatMap((turn, index) => (turn.isNew ? [index] : []));
  expect(rounds.length).toBeGreaterThan(1);
  // A turn has about 210 tokens.
  const turnsOfQuarter = Math.floor(window / 4 / 215);
  for (const [index, start] of rounds.entries()) {
    const next = rounds[index + 1];
    if (next !== undefined) expect(next - start).toBeGreaterThanOrEqual(turnsOfQuarter);
  }
  for (const { tokens } of log) expect(tokens + 1_000).toBeLessThanOrEqual(window);
  for (const [index, turn] of log.entries()) {
    const before = log[index - 1];
    expect(turn.sent.at(-1)?.content).toContain(`Question ${index + 1}:`);
    if (before === undefined || turn.isNew) continue;
    // Except for system text, each request begins with the previous one.
    expect(JSON.stringify(turn.sent.slice(1, before.sent.length))).toBe(JSON.stringify(before.sent.slice(1)));
  }
  // A compaction removes 40 to 62 % of the request. In a small window it removes up to 67 %, to free a quarter of the
  // window.
  for (const [index, turn] of log.entries()) {
    const before = log[index - 1];
    if (before === undefined || !turn.isNew) continue;
    const share = turn.tokens / (before.tokens + 210);
    expect(share).toBeGreaterThan(window < 8_192 ? 0.33 : 0.38);
    expect(share).toBeLessThan(0.6);
  }
  expect(model.asks.length).toBe(kind === 'no model' ? 0 : rounds.length);
});

it('counts each resent message once', async () => {
  const { tokenizer, history } = await longChat(120, 8_192);
  const counted = new Map<string, number>();
  for (const text of tokenizer.counted) counted.set(text, (counted.get(text) ?? 0) + 1);
  for (const { content } of history.slice(0, -1)) expect(counted.get(String(content))).toBe(1);
});

it('counts a long text in pieces, so that other requests are served in the meantime', async () => {
  const { context, tokenizer } = contextWith();
  const text = words(1, 500_000);
  const turns = { count: 0 };
  const takeTurn = () => {
    turns.count += 1;
    turn = setImmediate(takeTurn);
  };
  let turn = setImmediate(takeTurn);
  const prepared = await context.prepare({ model: 'm', windowTokens: 1_000_000, messages: [user(text)] });
  clearImmediate(turn);
  expect(Math.max(...tokenizer.counted.map(({ length }) => length))).toBeLessThan(40_000);
  expect(Math.abs(prepared.estimatedTokens - 125_007)).toBeLessThan(20);
  expect(turns.count).toBeGreaterThan(1);
});
