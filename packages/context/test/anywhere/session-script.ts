import { createContextSession, openAiChatFormat } from '@longhaul/context';

/** A session of many steps in a small window, without Node's modules. It runs in any JavaScript engine. */
export async function runSession(): Promise<string> {
  const session = createContextSession({
    format: openAiChatFormat(),
    windowTokens: 8_000,
    maxOutputTokens: 1_000,
  });
  session.append([{ role: 'user', content: 'Read all parts.' }]);
  let rounds = 0;
  let most = 0;
  for (let number = 1; number <= 40; number += 1) {
    const call = { name: 'read', arguments: JSON.stringify({ path: `src/part${number}.ts` }) };
    session.append([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: `c${number}`, type: 'function', function: call }],
      },
      { role: 'tool', tool_call_id: `c${number}`, content: `export const value${number} = 1;\n`.repeat(60) },
    ]);
    const { messages, compacted } = await session.fit();
    if (compacted !== undefined) rounds = compacted.round;
    most = Math.max(most, messages.length);
  }
  const found = session.recall({ query: 'value3 = 1' }).includes('m4.1');
  return `rounds ${rounds}, at most ${most} messages, recalled ${found}`;
}

// Bun prints the result. A browser calls the function itself.
if (import.meta.main) runSession().then(console.log);
