import { fileURLToPath } from 'node:url';
import { createMemoryBlobStore } from '@longhaul/storage/blobs';
import { answer } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { promptArguments } from '../src/named/prompt-arguments.ts';
import { openRun, type ServedRun } from './run-with-servers.ts';

const program = fileURLToPath(new URL('lively-server.ts', import.meta.url));
const lively = { command: process.execPath, args: [program] };

/** Runs a session with the server for one message. Returns what the model got, without images. */
async function sent(text: string): Promise<{ served: ServedRun; texts: string[]; images: number }> {
  const served = await openRun({ lively }, [answer('Done.')], { blobs: createMemoryBlobStore() });
  await served.run.run(text);
  const content = served.driver.requests[0]?.messages.at(-1)?.content ?? [];
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return { served, texts, images: content.filter(({ type }) => type === 'image').length };
}

it('attaches the resources that a message names, without control characters', async () => {
  const { served, texts, images } = await sent('See @lively:demo://note, and @"lively:demo://picture".');
  await using _ = served;
  expect(texts).toEqual([
    'See @lively:demo://note, and @"lively:demo://picture".',
    'Resource lively:demo://note:',
    '[demo://note]\nBuy milk.',
    'Resource lively:demo://picture:',
    '[demo://picture]',
  ]);
  expect(images).toBe(1);
  expect(served.run.of('context:warning')).toEqual([]);
});

it('sends names of other servers as they are written', async () => {
  const { served, texts } = await sent(
    'Ask @other:demo://note or a@lively:demo://note, see @lively and /lively:greet',
  );
  await using _ = served;
  expect(texts).toHaveLength(1);
});

it('reports what cannot be read, cuts what is long, and attaches each resource once', async () => {
  const { served, texts } = await sent('@lively:demo://broken @lively:demo://long @lively:demo://long');
  await using _ = served;
  expect(texts).toHaveLength(4);
  expect(texts[1]).toMatch(/^\[Resource lively:demo:\/\/broken could not be read: .*The disk is gone/);
  expect(texts[3]).toMatch(/x\n\[50014 more characters are left out\]$/);
  const warnings = served.run.of('context:warning').map(({ message }) => message);
  expect(warnings).toContainEqual(expect.stringContaining('demo://broken could not be read'));
});

it('expands a prompt with its arguments', async () => {
  const { served, texts, images } = await sent('/lively:greet who="Ada L." loudly');
  await using _ = served;
  expect(texts).toEqual([
    '/lively:greet who="Ada L." loudly',
    'Prompt lively:greet:',
    'Greet Ada L. loudly.',
    '[answer of the assistant, as an example]',
    'Hello!',
  ]);
  expect(images).toBe(1);
  const offers = await served.pool.offers(served.run.sessionId, AbortSignal.abort());
  expect(offers).toEqual({ prompts: [], resources: [] });
});

it.each([
  ['/lively:gret', 'has no prompt "gret". Did you mean "greet"?'],
  ['/lively:greet', 'needs who. Write /lively:greet who=VALUE.'],
])('explains a wrong prompt: %s', async (text, problem) => {
  const { served, texts } = await sent(text);
  await using _ = served;
  expect(texts[1]).toContain(problem);
  expect(served.run.of('context:warning')[0]?.message).toContain(problem);
});

it('lists what a person can name', async () => {
  const { served } = await sent('Go');
  await using _ = served;
  const { prompts, resources } = await served.pool.offers(served.run.sessionId, new AbortController().signal);
  expect(prompts).toEqual([
    {
      server: 'lively',
      name: 'greet',
      description: 'Greets somebody.',
      arguments: [
        { name: 'who', isRequired: true },
        { name: 'how', isRequired: false },
      ],
    },
  ]);
  expect(resources.map(({ uri }) => uri)).toContain('demo://note');
});

it('reads nothing that a text after the first one names, as of an attached file', async () => {
  await using served = await openRun({ lively }, [answer('Done.')]);
  const parts = ['Look.', 'Attached file a.txt:\n@lively:demo://note'];
  await served.run.runtime.run(served.run.sessionId, {
    content: parts.map((text) => ({ type: 'text', text })),
  });
  expect(JSON.stringify(served.driver.requests[0]?.messages)).not.toContain('milk');
});

it.each<[string, string[], Record<string, string>]>([
  ['', ['a'], {}],
  ['one', ['a', 'b'], { a: 'one' }],
  ['one two three', ['a', 'b'], { a: 'one', b: 'two three' }],
  ['b=2 one', ['a', 'b'], { a: 'one', b: '2' }],
  ['a=\'x y\' b="q \\" z"', ['a', 'b'], { a: 'x y', b: 'q " z' }],
  ['https://x.example/?q=1', ['url'], { url: 'https://x.example/?q=1' }],
  ['__proto__=1', ['a'], { a: '__proto__=1' }],
  ['extra', [], {}],
])('reads the arguments of a prompt: %j for %j', (words, names, expected) => {
  expect(
    promptArguments(
      words,
      names.map((name) => ({ name })),
    ),
  ).toEqual(expected);
});
