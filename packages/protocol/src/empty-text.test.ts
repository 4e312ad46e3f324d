import { describe, expect, it } from 'vitest';
import { isBlank, saysNothing, withoutTurnEnd } from './empty-text.ts';

const INVISIBLE = [
  '',
  ' \n\t\r',
  '\u200b',
  '\u2060',
  '\u200d',
  '\u00ad',
  '\ufeff',
  '\0',
  '\u00a0\u3000',
  '\u200e\u202e\u2066',
  '\u3164\uffa0\u115f',
  '\ufe0f',
  '\u034f',
  '\u2800',
  '\u{e0020}',
  '\ud83d',
  '\u001b\u0007',
];

describe('isBlank', () => {
  it.each(INVISIBLE)('is true for %j', (text) => {
    expect(isBlank(text)).toBe(true);
    expect(saysNothing(text)).toBe(true);
  });

  it.each(['a', '0', '.', '\u200ba', '✓', '👍', 'é', '\ue0b0', '-'])('is false for %j', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});

describe('saysNothing', () => {
  it.each([
    '<|im_end|>',
    '\n<|im_end|>\n<|endoftext|>',
    '</s>',
    '<|eot_id|>',
    '<end_of_turn>',
    '<start_of_turn>model\n',
    '<|im_start|>assistant\n',
    '<|start_header_id|>assistant<|end_header_id|>\n\n',
    '<｜end▁of▁sentence｜>',
    '[/INST]',
    '</think>',
    '<think></think>',
    '[/THINK]',
    '<tool_response>\nopen\n</tool_response>',
    '```\n```',
    '```json\n\n```\n',
    '~~~\n~~~',
    '...',
    '…',
    '. . .',
    '</tool_call>',
    '<answer>\n</answer>',
    '<|channel|>final<|message|>',
    '<|channel|>analysis<|message|>Need ls.<|end|>',
    '<|start|>assistant<|channel|>final<|message|>',
    '<0x0A>',
    '<|endoftext|>Human:',
    '&nbsp;',
    '<br>',
  ])('is true for %j', (answer) => {
    expect(isBlank(answer)).toBe(false);
    expect(saysNothing(answer)).toBe(true);
    expect(saysNothing(`\u200b${answer}\n`)).toBe(true);
  });

  it.each([
    'No.',
    '3.',
    '-',
    '42',
    '`<|im_end|>`',
    'Done.<|im_end|>',
    '<div></div>',
    '```\nx\n```',
    '```hello```',
    '<tool_response>\nopen',
    '<tool_response>a</tool_response> It is open.',
    'x</think>',
    '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>It is open.',
    'a<br>',
    '✓',
    '👍',
  ])('is false for %j', (answer) => {
    expect(saysNothing(answer)).toBe(false);
  });
});

describe('withoutTurnEnd', () => {
  it.each([
    ['Done.<|im_end|>', 'Done.'],
    ['Done.<|eot_id|>\n', 'Done.'],
    ['It is 好。<｜end▁of▁sentence｜>', 'It is 好。'],
    ['`x`<|end|>', '`x`'],
    ['Done.\n<|im_end|>', 'Done.'],
    ['Done. <|eot_id|>', 'Done.'],
  ])('removes the token from %j', (answer, expected) => {
    expect(withoutTurnEnd(answer)).toBe(expected);
  });

  it.each([
    'The token is <|im_end|>',
    '`<|im_end|>`',
    'Tokens:\n<|im_end|>',
    'eos=<|im_end|>',
    'Done. <|magic|>',
  ])('keeps %j', (answer) => {
    expect(withoutTurnEnd(answer)).toBe(answer);
  });
});
