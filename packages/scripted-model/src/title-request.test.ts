import { describe, expect, it } from 'vitest';
import { createScriptedModelServer } from './server.ts';
import { asksForTitle, firstLine, namedTask } from './title-request.ts';

const SYSTEM = 'You name coding sessions. Answer with one title.';
const request = (task: string) => ({
  model: 'scripted',
  messages: [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: `Write the title.\n<task>\n${task}\n</task>` },
  ],
});

async function ask(url: string, body: unknown) {
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
  const { choices, usage } = (await response.json()) as {
    choices: { message: { content: string } }[];
    usage: { total_tokens: number };
  };
  return { text: choices[0]?.message.content, tokens: usage.total_tokens };
}

describe('a request for a title', () => {
  it('is recognised at the beginning of a text only', () => {
    expect(asksForTitle(JSON.stringify(request('x')))).toBe(true);
    expect(asksForTitle(JSON.stringify({ content: JSON.stringify(request('x')) }))).toBe(false);
    expect(asksForTitle(JSON.stringify({ content: `He said: ${SYSTEM}` }))).toBe(false);
  });

  it('is answered without the script, without tokens and without a number', async () => {
    await using server = await createScriptedModelServer({ script: ({ number }) => `Answer ${number}` });
    expect(await ask(server.url, request('Build it\nwell'))).toEqual({ text: 'Build it', tokens: 0 });
    const other = { model: 'scripted', messages: [{ role: 'user', content: 'Hello' }] };
    expect(await ask(server.url, other)).toMatchObject({ text: 'Answer 1' });
    expect(server.requests).toHaveLength(1);
  });

  it('is answered by the rule of a test', async () => {
    const title = (task: string) => `About: ${task}`;
    await using server = await createScriptedModelServer({ script: () => 'No', title });
    expect(await ask(server.url, request('Build it'))).toMatchObject({ text: 'About: Build it' });
  });

  it('has no task without a tag', () => {
    expect(namedTask({ model: 'm', messages: [{ role: 'user', content: 'x' }] })).toBe('');
    expect(firstLine('')).toBe('');
  });
});
