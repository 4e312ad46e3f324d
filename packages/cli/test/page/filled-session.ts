import { type Script, userTexts } from '@longhaul/scripted-model';
import type { PageBench } from './page-bench.ts';

/** Writes a file for `write X`, and answers all other messages with many words. */
export const writeScript: Script = ({ messages, asksForSummary }) => {
  if (asksForSummary) return 'The user wrote files.';
  const asked = userTexts(messages).at(-1) ?? '';
  const text = /write (.*)/.exec(asked)?.[1];
  if (text !== undefined && messages.at(-1)?.role !== 'tool')
    return { toolCalls: [{ name: 'write', arguments: { path: 'notes.txt', content: `${text}\n` } }] };
  return `Done: ${asked}. ${'Many words fill the window. '.repeat(150)}`;
};

/** A session of three turns, each of which writes the file. */
export async function filledSession(bench: PageBench): Promise<string> {
  const { client } = bench;
  const { id } = await client.sessions.create({ title: 'Filled' });
  for (const text of ['write one', 'write two', 'write three']) {
    await client.sendMessage(id, text);
    await bench.ended(id);
  }
  return id;
}
