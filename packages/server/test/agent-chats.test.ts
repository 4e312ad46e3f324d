import type { ChatCompletion, ChatMessage } from '@longhaul/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pieces, startTestServer, type TestServer } from './test-server.ts';

/** An action of a person in the chat of a front-end. */
type Act =
  | { kind: 'send' }
  /** Goes back to an earlier message, and edits it or regenerates its answer. */
  | { kind: 'back'; to: number; isEdited: boolean }
  /** Edits an answer, as some front-ends allow. */
  | { kind: 'forge'; at: number }
  | { kind: 'two-at-once' };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Act>({ kind: 'send' }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('back' as const), to: fc.nat(20), isEdited: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forge' as const), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant<Act>({ kind: 'two-at-once' }) },
);

const user = (content: string): ChatMessage => ({ role: 'user', content });
const plain = (messages: readonly ChatMessage[]) =>
  messages.map(({ role, content }) => `${role}: ${content}`);

interface Player {
  server: TestServer;
  /** The messages that the model got for each question. */
  seen: Map<string, string[]>;
  next(): string;
}

async function ask(
  { server, seen }: Player,
  messages: ChatMessage[],
  chatId: string | undefined,
): Promise<ChatMessage> {
  const response = await server.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(chatId === undefined ? {} : { 'x-openwebui-chat-id': chatId }),
    },
    body: JSON.stringify({ model: 'agent/coder', messages: [{ role: 'system', content: 'S' }, ...messages] }),
  });
  const completion: ChatCompletion = JSON.parse(await response.text());
  expect(response.status).toBe(200);
  const question = messages.at(-1)?.content;
  // Regardless of the session, the model must get exactly this conversation.
  expect(seen.get(String(question))).toEqual(plain(messages));
  return { role: 'assistant', content: completion.choices[0]?.message.content ?? '' };
}

async function play(
  player: Player,
  chat: ChatMessage[],
  what: Act,
  chatId: string | undefined,
): Promise<void> {
  const turns = chat.length / 2;
  if (what.kind === 'forge' && turns > 0) {
    const index = (what.at % turns) * 2 + 1;
    chat[index] = { role: 'assistant', content: `forged ${player.next()}` };
  }
  if (what.kind === 'back' && turns > 0) {
    const index = (what.to % turns) * 2;
    const before = chat.splice(index);
    // Each text is unique, because this test identifies a question by its text.
    chat.push(
      user(what.isEdited ? `edited ${player.next()}` : `${before[0]?.content} again ${player.next()}`),
    );
  } else chat.push(user(`question ${player.next()}`));
  const [answer, other] = await Promise.all([
    ask(player, chat, chatId),
    what.kind === 'two-at-once'
      ? ask(player, [...chat.slice(0, -1), user(`beside ${player.next()}`)], chatId)
      : undefined,
  ]);
  expect(answer.content).not.toBe(other?.content);
  chat.push(answer);
}

it('sends the client’s conversation to the model after edits, regenerated or forged answers, and simultaneous requests', async () => {
  let count = 0;
  let said = 0;
  const seen = new Map<string, string[]>();
  await using server = await startTestServer({
    play: (question, { messages }) => {
      const texts = messages.map(({ role, content }) => {
        const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
        return `${role}: ${text}`;
      });
      seen.set(question, texts);
      said += 1;
      return pieces(`answer ${said}\n\nof several lines`, { size: 9 });
    },
  });
  const player: Player = {
    server,
    seen,
    next() {
      count += 1;
      return String(count);
    },
  };
  let requests = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 10 }), fc.boolean(), async (acts, hasId) => {
      const chat: ChatMessage[] = [];
      const chatId = hasId ? `chat ${player.next()}` : undefined;
      for (const what of acts) await play(player, chat, what, chatId);
      requests += acts.length;
    }),
    { numRuns: 15 },
  );
  expect(requests).toBeGreaterThan(20);
});
