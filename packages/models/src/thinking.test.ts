import { expect, it } from 'vitest';
import { createThinkingSplitter, withoutThoughts } from './thinking.ts';

function split(answer: string, pieceChars = answer.length) {
  const splitter = createThinkingSplitter();
  const said = { text: '', reasoning: '' };
  const add = (pieces: ReturnType<typeof splitter.push>) => {
    for (const piece of pieces) {
      if (piece.kind === 'text-was-reasoning') Object.assign(said, { text: '', reasoning: said.text });
      else said[piece.kind] += piece.text;
    }
  };
  for (let at = 0; at < answer.length; at += Math.max(1, pieceChars))
    add(splitter.push(answer.slice(at, at + Math.max(1, pieceChars))));
  add(splitter.end());
  return said;
}

it.each<[answer: string, reasoning: string, text: string]>([
  ['<think>Hm.</think>Done.', 'Hm.', 'Done.'],
  ['\n<think>\nHm.\n</think>\n\nDone.', '\nHm.\n', 'Done.'],
  ['<think></think>\n\nDone.', '', 'Done.'],
  ['<think>A</think>\n<think>B</think>Done.', 'AB', 'Done.'],
  ['<think>Hm, and then', 'Hm, and then', ''],
  ['<think>a </thin b</think>Done.', 'a </thin b', 'Done.'],
  ['<think>Hm.</think>\n', 'Hm.', ''],
  ['<thinking>Hm.</thinking>Done.', 'Hm.', 'Done.'],
  ['[THINK]Hm.[/THINK]Done.', 'Hm.', 'Done.'],
  ['◁think▷Hm.◁/think▷Done.', 'Hm.', 'Done.'],
  ['Use `<think>` tags: <think>x</think>', '', 'Use `<think>` tags: <think>x</think>'],
  ['<thin air', '', '<thin air'],
  ['  Done.', '', '  Done.'],
  ['<think', '', '<think'],
  ['', '', ''],
  ['Hm, so be it.\n</think>\n\nDone.', 'Hm, so be it.\n', 'Done.'],
  ['Hm.</think>Done.', 'Hm.', 'Done.'],
  ['Hm. </think> Done.', 'Hm. ', 'Done.'],
  ['</think>\n\nDone.', '', 'Done.'],
  ['Hm.</think>', 'Hm.', ''],
  ['Hm.[/THINK]Done.', 'Hm.', 'Done.'],
  ['Hm.</think><think>So.</think>Done.', 'Hm.So.', 'Done.'],
  ['Hm.</think>Close it with </think>', 'Hm.', 'Close it with </think>'],
  ['Close it with `</think>` always.', '', 'Close it with `</think>` always.'],
  ['Close it with "</think>".', '', 'Close it with "</think>".'],
  ['Close it with </think>, then answer.', '', 'Close it with </think>, then answer.'],
  ['The tag </think> closes it.', '', 'The tag </think> closes it.'],
  ['As in:\n```\nHm.\n</think>\n```\n', '', 'As in:\n```\nHm.\n</think>\n```\n'],
  ['From <think> on\n</think>', '', 'From <think> on\n</think>'],
  ['a < b, a </ b, a </think', '', 'a < b, a </ b, a </think'],
])('splits %j, however it arrives', (answer, reasoning, text) => {
  for (const pieceChars of [1, 2, 3, 5, 7, answer.length]) {
    expect(split(answer, pieceChars)).toEqual({ reasoning, text });
  }
});

it('passes text on at once after the beginning', () => {
  const splitter = createThinkingSplitter();
  expect(splitter.push('Done')).toEqual([{ kind: 'text', text: 'Done' }]);
  expect(splitter.push(' <thi')).toEqual([{ kind: 'text', text: ' <thi' }]);
});

it.each([
  ['<think>Hm.</think>Done.', 'Done.'],
  ['Hm, so be it.\n</think>\n\nDone.', 'Done.'],
  ['<think>Hm', ''],
  ['Done.', 'Done.'],
  ['Close it with </think>, open it with <think>.', 'Close it with </think>, open it with <think>.'],
])('removes the thoughts of %j', (answer, text) => {
  expect(withoutThoughts(answer)).toBe(text);
});
