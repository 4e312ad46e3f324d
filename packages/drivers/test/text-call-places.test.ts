import { describe, expect, it } from 'vitest';
import { read } from './read-written.ts';

const JSON_CALL = '{"name": "read", "arguments": {"path": "a.ts"}}';
const HERMES = `<tool_call>${JSON_CALL}</tool_call>`;
const READ = [['read', { path: 'a.ts' }]];

/** Reads an answer whole and in single characters, which must give the same. */
async function readBoth(answer: string) {
  const [whole, slow] = await Promise.all(
    [answer.length, 1].map((pieceChars) => read(answer, { pieceChars })),
  );
  const { text, calls, finishReason, unreadCall } = whole ?? {};
  expect(slow).toMatchObject({ text, calls, finishReason, unreadCall });
  return { text, calls, finishReason, unreadCall };
}

describe('a complete call at the end of an answer', () => {
  it.each([
    'Let me look.',
    'Let me look. ',
    'Let me look.\u00A0',
    'Let me look.\n',
    'Let me look.\n\n  ',
    "I'll check: ",
    "I'll check – ",
    'I will check this - ',
    'I check — ',
    'I will check… ',
    'Sure! ',
    'Ready? ',
    'Ok, ',
    'Checking now; ',
    'On it \u{1F44D} ',
    'I look at **a.ts**: ',
    '我来看一下。',
    '我来看一下： ',
    'The output format is wrong:\n',
    'The output format is wrong. ',
    'The syntax of the file is broken, so I read it:\n',
    "I'll read the example file:\n",
    'Let me look at the output:\n',
    'Let me check the log: ',
    'Now I read the contents:\n',
    'Reading the content of a.ts:\n',
    "I'll run an example:\n",
    'The test fails. Next, I check what the file contains:\n',
    'The log says that it failed:\n',
    'It looks good. First the file:\n',
    'Here is what I do next:\n',
    'This format is new to me.\n',
    'For example, the port is wrong. Let me look:\n',
  ])('is made after %j', async (words) => {
    expect(await readBoth(words + HERMES)).toEqual({
      text: words,
      calls: READ,
      finishReason: 'tool-calls',
      unreadCall: undefined,
    });
  });

  it.each([
    'The file now contains:\n',
    'The file now contains: ',
    'Now the file contains:\n',
    'First, the file has:\n',
    'The output:\n',
    'The output is now:\n',
    'It prints:\n',
    'The log shows an error:\n',
    'Here is the output:\n',
    "Here's what the file looks like now.\n",
    'I wrote the following into a.txt:\n',
    'I found this:\n',
    'The model answered:\n',
    '**a.txt**:\n',
    'a.txt:\n',
    '## Output\n\n',
    'Content of a.txt:\n',
    'Then the server returned:\n',
    'The README says:\n',
    "I'll show you the content:\n",
    'Let me show the output:\n',
    'The result: ',
    'Actual: ',
    '$ cat a.txt\n',
    'I ran cat, and it printed:\n',
    'We see:\n',
    'I changed the fixture to:\n',
    "I'll document the form:\n",
    'You can call it like so:\n',
    'I would write:\n',
    'Testing shows that the model emits:\n',
    '文件内容如下：\n',
  ])('is not made after %j, but asked for', async (words) => {
    expect(await readBoth(words + HERMES)).toEqual({
      text: words + HERMES,
      calls: [],
      finishReason: 'stop',
      unreadCall: 'uncertain',
    });
  });

  it.each([
    'Example:\n',
    'Example 1: ',
    '### Example\n\n',
    'For example:\n',
    'A call looks like this:\n',
    'The syntax is:\n',
    'The format of a call is as follows:\n',
    'Usage:\n',
    '例如：\n',
    'Beispiel: ',
    'The model writes ',
    'The tag is ',
    '- ',
    '1. ',
    '> ',
    'It says "',
    'It is `',
  ])('is text after %j', async (words) => {
    expect(await readBoth(words + HERMES)).toEqual({
      text: words + HERMES,
      calls: [],
      finishReason: 'stop',
      unreadCall: undefined,
    });
  });

  it.each([
    ["I'll check: ", JSON_CALL, READ],
    ['Let me look. ', '[read(path="a.ts")]', READ],
    ['I look. ', 'Action: read\nAction Input: {"path": "a.ts"}', READ],
    ['Let me look. ', '{"type": "tool_use", "name": "read", "input": {"path": "a.ts"}}', READ],
  ])('without a mark is made within a line after a plan: %j, %j', async (words, call, calls) => {
    expect(await readBoth(words + call)).toMatchObject({ text: words, calls });
  });

  it('without a mark is asked for within a line after other words', async () => {
    expect(await readBoth(`The port is wrong. ${JSON_CALL}`)).toMatchObject({
      calls: [],
      unreadCall: 'uncertain',
    });
  });

  it.each([
    '{"id": "call_center", "name": "x"}',
    'See: {"name": "my-package"}',
    'Set: [1, 2]',
    'Hm. {"a": 1}',
  ])('is not JSON of another kind: %j', async (answer) => {
    expect(await readBoth(answer)).toMatchObject({ text: answer, calls: [], unreadCall: undefined });
  });
});

it('reads the analysis of gpt-oss as reasoning', async () => {
  const answer = await read('<|channel|>analysis<|message|>Hm.<|end|>Done.', { pieceChars: 1 });
  expect(answer).toMatchObject({ reasoning: 'Hm.', text: 'Done.' });
  expect(await read('The token <|end|> ends it.')).toMatchObject({ text: 'The token <|end|> ends it.' });
});

it('does not make a call in which an argument is given twice', async () => {
  const inner = '</parameter>\n<parameter=path>\nb\n</parameter>\n</function>';
  const answer = `<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n${inner}`;
  expect(await readBoth(answer)).toMatchObject({ calls: [], unreadCall: 'broken' });
});
