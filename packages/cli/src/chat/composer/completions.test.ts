import { findMentions } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { Completions } from './completions.ts';

const { signal } = new AbortController();
const PATHS = ['src/', 'src/a.ts', 'two words.txt', "it's.md", '日本.txt'];

function completions({ asked = [] }: { asked?: string[] } = {}): Completions {
  return new Completions({
    commands: () => [
      { name: 'compact', hint: '[words]', description: 'hides' },
      { name: 'context', description: 'shows' },
      { name: 'fixIssue', description: 'own' },
      { name: 'effort', description: 'thinks', values: async () => ['low', 'high'].map(item) },
    ],
    prompts: async (typed) =>
      [{ name: 'every:sum', hint: 'a=…', description: 'adds' }].filter(
        ({ name }) => typed !== '/' && name.startsWith(typed.slice(1)),
      ),
    resources: async (typed) =>
      ['every:demo://a'].filter((name) => typed !== '@' && name.startsWith(typed.slice(1))),
    paths: async (words) => {
      asked.push(words);
      return PATHS.filter((path) => path.includes(words));
    },
  });
}

function item(value: string) {
  return { value, label: value };
}

/** The values that are suggested with the cursor at the end of the text. */
async function suggested(text: string, from = completions()): Promise<string[] | undefined> {
  const lines = text.split('\n');
  const line = lines.length - 1;
  const found = await from.getSuggestions(lines, line, lines[line]?.length ?? 0, { signal });
  return found?.items.map(({ value }) => value);
}

/** The text after the first suggestion is taken. */
async function taken(text: string): Promise<string | undefined> {
  const from = completions();
  const found = await from.getSuggestions([text], 0, text.length, { signal });
  const [first] = found?.items ?? [];
  if (found === null || first === undefined) return undefined;
  return from.applyCompletion([text], 0, text.length, first, found.prefix).lines[0];
}

it.each([
  ['/', ['/compact', '/context', '/fixIssue', '/effort']],
  ['/co', ['/compact', '/context']],
  ['/CON', ['/context']],
  ['/fixi', ['/fixIssue']],
  ['/effort ', ['low', 'high']],
  ['/effort hi', ['high']],
])('completes the command %j', async (text, values) => {
  expect(await suggested(text)).toEqual(values);
});

it.each([
  '/nothing',
  '/effort high',
  'Read @src/a.ts',
  'see /co',
  'a text\n/co',
  '/context x',
  '/usr/bin',
  'plain',
  'me@example.com',
  '@@nothing',
])('suggests nothing for %j', async (text) => {
  expect(await suggested(text)).toBeUndefined();
});

it('completes a path after @ anywhere in the text', async () => {
  expect(await suggested('first\nRead (@src/')).toEqual(['@src/', '@src/a.ts']);
});

it('looks for the words in an open quotation mark', async () => {
  const asked: string[] = [];
  await suggested('Read @"two wo', completions({ asked }));
  expect(asked).toEqual(['two wo']);
});

it.each([
  ['Read @two', 'Read @"two words.txt" '],
  ['Read @"two wo', 'Read @"two words.txt" '],
  ['Read @src/a', 'Read @src/a.ts '],
  ['Read @src', 'Read @src/'],
  ['@日', '@日本.txt '],
  ['/eff', '/effort '],
  ['/effort l', '/effort low '],
])('replaces %j by %j', async (text, expected) => {
  expect(await taken(text)).toBe(expected);
});

it.each(['two', 'it', '日', 'src/a'])(
  'writes a mention that attaches the path found with %j',
  async (words) => {
    const text = (await taken(`@${words}`)) ?? '';
    const [mention] = findMentions(text);
    expect(PATHS).toContain(mention?.names[0]);
  },
);

it('keeps what follows the cursor, and the other lines', () => {
  const from = completions();
  const done = from.applyCompletion(['first', 'Read @sr now'], 1, 8, item('@src/a.ts'), '@sr');
  expect(done).toEqual({ lines: ['first', 'Read @src/a.ts  now'], cursorLine: 1, cursorCol: 15 });
});

it('knows the text to which its suggestions belong', async () => {
  const from = completions();
  await suggested('/co', from);
  expect(from.areFor('/co')).toBe(true);
  expect(from.areFor('/con')).toBe(false);
});

it('completes prompts and resources of MCP servers', async () => {
  expect(await suggested('/ever')).toEqual(['/every:sum']);
  expect(await suggested('/every:s')).toEqual(['/every:sum']);
  expect(await taken('See @every:de')).toBe('See @every:demo://a ');
});
