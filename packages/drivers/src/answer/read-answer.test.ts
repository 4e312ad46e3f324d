import type { StepEvent } from '@longhaul/core';
import type { JsonValue } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { read } from '../../test/read-written.ts';

const READ = [['read', { path: 'a.ts' }]];
const hermes = (json: string) => `<tool_call>\n${json}\n</tool_call>`;
const CALL = '{"name": "read", "arguments": {"path": "a.ts"}}';

const PREFIX = 'antml:';
/** A value with the closing tags of all forms. */
const TAGGED = 'a </parameter> b </arg_value> c\n</parameter>\n</function>\n</invoke>\n</tool_call>\nend';

/** Each form with the way in which its models write a call. */
const FORMS: [form: string, answer: string, calls?: unknown[][]][] = [
  ['Hermes', hermes(CALL)],
  ['Hermes on one line', `<tool_call>${CALL}</tool_call>`],
  ['Hermes without an end', `<tool_call>\n${CALL}\n`],
  [
    'Hermes with a raw newline',
    hermes('{"name": "write", "arguments": {"path": "a", "content": "1\n2"}}'),
    [['write', { path: 'a', content: '1\n2' }]],
  ],
  ['Hermes with Python values', hermes(`{'name': 'read', 'arguments': {'path': 'a.ts'}}`)],
  ['Hermes with arguments as text', hermes('{"name": "read", "arguments": "{\\"path\\": \\"a.ts\\"}"}')],
  [
    'Hermes, two calls',
    `${hermes(CALL)}\n${hermes('{"name": "list", "arguments": {}}')}`,
    [...READ, ['list', {}]],
  ],
  [
    'Hermes, two calls in one tag',
    hermes(`${CALL}\n{"name": "list", "arguments": {}}`),
    [...READ, ['list', {}]],
  ],
  ['Hermes with the end of a turn', `${hermes(CALL)}<|im_end|>`],
  ['Granite', `<|tool_call|>[${CALL}]`],
  ['Qwen 2.5 coder', `<tools>\n${CALL}\n</tools>`],
  ['LongCat', `<longcat_tool_call>${CALL}</longcat_tool_call>`],
  ['Phi', `functools[${CALL}]`],
  [
    'Seed',
    '<seed:tool_call>\n<function=read>\n<parameter=path>a.ts</parameter>\n</function>\n</seed:tool_call>',
  ],
  ['Nemotron', `<TOOLCALL>[${CALL}]</TOOLCALL>`],
  ['Llama with a tag', '<|python_tag|>{"name": "read", "parameters": {"path": "a.ts"}}<|eom_id|>'],
  ['Llama with JSON in a function', '<function=read>{"path": "a.ts"}</function>'],
  [
    'Qwen coder',
    '<tool_call>\n<function=read>\n<parameter=path>\na.ts\n</parameter>\n<parameter=limit>\n5\n</parameter>\n</function>\n</tool_call>',
    [['read', { path: 'a.ts', limit: 5 }]],
  ],
  [
    'Qwen coder without the outer tag',
    '<function=read>\n<parameter=path>\na.ts\n</parameter>\n</function>\n</tool_call>'.replace(
      '\n</tool_call>',
      '',
    ),
  ],
  [
    'Qwen coder with several lines',
    '<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n<b>\n  "1"\n</parameter>\n</function>',
    [['write', { path: 'a', content: '<b>\n  "1"' }]],
  ],
  [
    'Qwen coder with a number as text',
    '<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n42\n</parameter>\n</function>',
    [['write', { path: 'a', content: '42' }]],
  ],
  ['Qwen coder without parameters', '<function=list>\n</function>', [['list', {}]]],
  [
    'GLM',
    '<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.ts</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>5</arg_value>\n</tool_call>',
    [['read', { path: 'a.ts', limit: 5 }]],
  ],
  ['GLM without arguments', '<tool_call>list\n</tool_call>', [['list', {}]]],
  [
    'Kimi',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "a.ts"}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  [
    'Kimi, two calls',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "a.ts"}<|tool_call_end|><|tool_call_begin|>functions.list:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    [...READ, ['list', {}]],
  ],
  [
    'MiniMax M2',
    '<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">a.ts</parameter>\n<parameter name="limit">5</parameter>\n</invoke>\n</minimax:tool_call>',
    [['read', { path: 'a.ts', limit: 5 }]],
  ],
  ['MiniMax M1', `<tool_calls>\n${CALL}\n</tool_calls>`],
  ['invoke alone', '<invoke name="read">\n<parameter name="path">a.ts</parameter>\n</invoke>'],
  ['Mistral', `[TOOL_CALLS][${CALL}]`],
  ['Mistral with a space and an end', `[TOOL_CALLS] [${CALL}]</s>`],
  ['Mistral with names', '[TOOL_CALLS]read[ARGS]{"path": "a.ts"}'],
  [
    'Mistral with names, two calls',
    '[TOOL_CALLS]read[ARGS]{"path": "a.ts"}[TOOL_CALLS]list[ARGS]{}',
    [...READ, ['list', {}]],
  ],
  ['Mistral with a name alone', '[TOOL_CALLS]read{"path": "a.ts"}'],
  [
    'DeepSeek V3.1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path": "a.ts"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ],
  [
    'DeepSeek R1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{"path": "a.ts"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
  ],
  [
    'DeepSeek V3.2',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n<｜DSML｜parameter name="path" string="true">a.ts</｜DSML｜parameter>\n<｜DSML｜parameter name="limit" string="false">5</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    [['read', { path: 'a.ts', limit: 5 }]],
  ],
  ['gpt-oss', '<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path": "a.ts"}<|call|>'],
  ['gpt-oss as code', '<|channel|>commentary to=read code<|message|>{"path": "a.ts"}'],
  ['gpt-oss in the analysis', '<|channel|>analysis to=functions.read <|message|>{"path": "a.ts"}<|call|>'],
  [
    'gpt-oss, two calls',
    '<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path": "a.ts"}<|call|><|start|>assistant<|channel|>commentary to=functions.list json<|message|>{}<|call|>',
    [...READ, ['list', {}]],
  ],
  ['bare JSON of Anthropic', '{"type": "tool_use", "name": "read", "input": {"path": "a.ts"}}'],
  [
    'bare JSON of Anthropic with an id',
    '{"id": "toolu_01A", "type": "tool_use", "name": "read", "input": {"path": "a.ts"}}',
  ],
  [
    'bare JSON of Anthropic, type first',
    '[{"type": "tool_use", "id": "toolu_01A", "name": "read", "input": {"path": "a.ts"}}]',
  ],
  [
    'bare JSON of Responses',
    '{"type": "function_call", "call_id": "c", "name": "read", "arguments": "{\\"path\\": \\"a.ts\\"}"}',
  ],
  [
    'Gemma 4',
    '<|tool_call>call:read{path:<|"|>a.ts<|"|>,limit:5}<tool_call|>',
    [['read', { path: 'a.ts', limit: 5 }]],
  ],
  [
    'Gemma 4, two calls with braces in a text',
    '<|tool_call>call:write{path:<|"|>a<|"|>, content:<|"|>{"a": [1, "}"]}\n<|"|>}<tool_call|><|tool_call>call:list{}<tool_call|><turn|>'.replace(
      '<turn|>',
      '',
    ),
    [
      ['write', { path: 'a', content: '{"a": [1, "}"]}\n' }],
      ['list', {}],
    ],
  ],
  ['Gemma 4 with JSON', '<|tool_call>call:read{"path": "a.ts"}<tool_call|>'],
  ['FunctionGemma', '<start_function_call>call:read{path:<escape>a.ts<escape>}<end_function_call>'],
  [
    'InternLM',
    '<|action_start|><|plugin|>{"name": "read", "parameters": {"path": "a.ts"}}<|action_end|><|im_end|>',
  ],
  [
    'InternLM on several lines',
    '<|action_start|> <|plugin|>\n{"name": "read", "parameters": {"path": "a.ts"}}\n<|action_end|>',
  ],
  [
    'invoke in function_calls',
    '<function_calls>\n<invoke name="read">\n<parameter name="path">a.ts</parameter>\n</invoke>\n</function_calls>',
  ],
  ...['', PREFIX].map((prefix): [string, string] => [
    `invoke with the prefix "${prefix}"`,
    `<${prefix}function_calls>\n<${prefix}invoke name="read">\n<${prefix}parameter name="path">a.ts</${prefix}parameter>\n</${prefix}invoke>\n</${prefix}function_calls>`,
  ]),
  [
    'invoke alone with a prefix',
    `<${PREFIX}invoke name="read">\n<${PREFIX}parameter name="path">a.ts</${PREFIX}parameter>\n</${PREFIX}invoke>`,
  ],
  [
    'Qwen coder with closing tags in a value',
    `<tool_call>\n<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n${TAGGED}\n</parameter>\n</function>\n</tool_call>`,
    [['write', { path: 'a', content: TAGGED }]],
  ],
  [
    'Qwen coder with closing tags in a value, and another call',
    `<function=write>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n${TAGGED}\n</parameter>\n</function>\n<function=list>\n</function>`,
    [
      ['write', { path: 'a', content: TAGGED }],
      ['list', {}],
    ],
  ],
  [
    'invoke with closing tags in a value',
    `<function_calls>\n<invoke name="write">\n<parameter name="path">a</parameter>\n<parameter name="content">${TAGGED}</parameter>\n</invoke>\n<invoke name="list">\n</invoke>\n</function_calls>`,
    [
      ['write', { path: 'a', content: TAGGED }],
      ['list', {}],
    ],
  ],
  [
    'GLM with closing tags in a value',
    `<tool_call>write\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n<arg_key>content</arg_key>\n<arg_value>${TAGGED}</arg_value>\n</tool_call>`,
    [['write', { path: 'a', content: TAGGED }]],
  ],
  ['bare JSON', CALL],
  ['bare JSON with parameters', '{"name": "read", "parameters": {"path": "a.ts"}}'],
  ['bare JSON with a type', '{"type": "function", "name": "read", "parameters": {"path": "a.ts"}}'],
  [
    'bare JSON in the form of the API',
    '{"type": "function", "function": {"name": "read", "arguments": "{\\"path\\": \\"a.ts\\"}"}}',
  ],
  [
    'bare JSON as tool_calls',
    `{"tool_calls": [${CALL}, {"name": "list", "arguments": {}}]}`,
    [...READ, ['list', {}]],
  ],
  [
    'bare JSON as a message of the API',
    '{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "read", "arguments": "{\\"path\\": \\"a.ts\\"}"}}]}',
  ],
  ['LM Studio', `[TOOL_REQUEST]${CALL}[END_TOOL_REQUEST]`],
  ['Llama 4', '<|python_start|>[read(path="a.ts")]<|python_end|>'],
  ['Llama 3 as Python', '<|python_tag|>read.call(path="a.ts")<|eom_id|>'],
  [
    'Llama 3 as a plain call',
    '<|python_tag|>read(path="a.ts", limit=5)',
    [['read', { path: 'a.ts', limit: 5 }]],
  ],
  ['LFM2', '<|tool_call_start|>[read(path="a.ts")]<|tool_call_end|>'],
  [
    'LFM2, two calls',
    '<|tool_call_start|>[read(path="a.ts"), list()]<|tool_call_end|><|im_end|>',
    [...READ, ['list', {}]],
  ],
  ['Python', '[read(path="a.ts")]'],
  ['Python, two calls', "[read(path='a.ts'), list()]<|eot_id|>", [...READ, ['list', {}]]],
  [
    'Python on several lines',
    '[\n  read(\n    path="a.ts",\n    limit=1_000,\n  ),\n]',
    [['read', { path: 'a.ts', limit: 1000 }]],
  ],
  [
    'Python with escapes',
    String.raw`[write(path="a", content='it\'s "1"\n\tx=[1]\d \u00e9')]`,
    [['write', { path: 'a', content: 'it\'s "1"\n\tx=[1]\\d é' }]],
  ],
  [
    'Python with a long string',
    '[write(path="a", content="""one\n"two")]\n""")]',
    [['write', { path: 'a', content: 'one\n"two")]\n' }]],
  ],
  [
    'Python with a raw string',
    String.raw`[write(path="a", content=r"\d+\n")]`,
    [['write', { path: 'a', content: String.raw`\d+\n` }]],
  ],
  ['Gemma', '```tool_code\nread(path="a.ts")\n```'],
  [
    'Gemma with print',
    '```tool_code\nprint(default_api.read(path="a.ts"))\nprint(list())\n```\n',
    [...READ, ['list', {}]],
  ],
  ['Gemma with a list', '```tool_code\n[read(path="a.ts")]\n```'],
  ['ReAct', 'Action: read\nAction Input: {"path": "a.ts"}'],
  ['ReAct with a stop word', 'Action: read\nAction Input: {"path": "a.ts"}\nObservation:'],
  ['ReAct in a fence', 'Action: read\nAction Input: ```json\n{"path": "a.ts"}\n```'],
  ['Cline', '<read>\n<path>a.ts</path>\n</read>'],
  [
    'Cline on one line',
    '<read><path>a.ts</path><limit>5</limit></read>',
    [['read', { path: 'a.ts', limit: 5 }]],
  ],
  [
    'Cline with markup in a value',
    '<write>\n<path>a</path>\n<content>\n<path>x</path> y\n</content> z\n</content>\n</write>',
    [['write', { path: 'a', content: '<path>x</path> y\n</content> z' }]],
  ],
  ['a bare list', `[${CALL}, {"name": "list", "arguments": {}}]`, [...READ, ['list', {}]]],
];

describe('a call written as text', () => {
  it.each(FORMS)('is made: %s', async (_form, written, calls = READ) => {
    for (const pieceChars of [1, 4, written.length]) {
      const answer = await read(written, { pieceChars });
      expect(answer).toMatchObject({ text: '', calls, finishReason: 'tool-calls', unreadCall: undefined });
    }
  });

  it.each(FORMS.filter(([form]) => !form.includes('bare')))(
    'is made after words: %s',
    async (_form, written, calls = READ) => {
      const answer = await read(`Let me look.\n\n${written}`);
      expect(answer).toMatchObject({ calls, finishReason: 'tool-calls' });
      expect(answer.text.trim()).toBe('Let me look.');
    },
  );

  it('is made after thoughts', async () => {
    expect(await read(`<think>I need a.ts.</think>\n\n${hermes(CALL)}`)).toMatchObject({
      reasoning: 'I need a.ts.',
      text: '',
      calls: READ,
    });
  });

  it.each([
    '<|channel|>analysis<|message|>I need a.ts.<|end|><|start|>assistant<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path": "a.ts"}<|call|>',
    '<|start|>assistant<|channel|>analysis<|message|>I need a.ts.<|end|><|start|>assistant to=functions.read<|channel|>commentary json<|message|>{"path": "a.ts"}<|call|>',
    '<|channel|>analysis<|message|>I need a.ts.<|end|>\n<|start|>assistant<|channel|>commentary to=read<|message|>{"path": "a.ts"}',
  ])('is made after the analysis of gpt-oss: %s', async (written) => {
    for (const pieceChars of [1, 4, written.length]) {
      expect(await read(written, { pieceChars })).toMatchObject({
        reasoning: 'I need a.ts.',
        text: '',
        calls: READ,
      });
    }
  });

  it('is made before words on the same line, as LFM2 writes it', async () => {
    const written = '<|tool_call_start|>[read(path="a.ts")]<|tool_call_end|>Reading a.ts.<|im_end|>';
    expect(await read(written)).toMatchObject({ text: 'Reading a.ts.<|im_end|>', calls: READ });
  });

  it.each(['[', '[read', '<', '<read', 'Action', '```tool', '{"name', '<tool_call'])(
    'can begin with %j, which is text if the line continues differently',
    async (start) => {
      const answer = await read(`One.\n${start} x y z and more`, { pieceChars: 1 });
      const deltas = answer.events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []));
      expect(deltas.slice(-6).join('')).toBe('d more');
      expect(Math.max(...deltas.map(({ length }) => length))).toBeLessThanOrEqual(start.length + 3);
    },
  );

  it('gets its own id each time', async () => {
    const ids = await Promise.all([1, 2].map(async () => (await read(hermes(CALL))).events));
    const found = ids.flat().flatMap((event) => (event.type === 'tool-call' ? [event.callId] : []));
    expect(new Set(found).size).toBe(2);
  });

  it.each<[name: string, answer: string]>([
    ['in a code fence', `This is the form:\n\`\`\`xml\n${hermes(CALL)}\n\`\`\`\n`],
    ['in an open code fence', `\`\`\`\n${hermes(CALL)}`],
    ['in inline code', `Write \`<tool_call>${CALL}</tool_call>\`.`],
    ['in a quotation', `> ${hermes(CALL)}`],
    ['after a quotation mark', `The log says "<tool_call>${CALL}</tool_call>".`],
    ['as a bare object in a code fence', `\`\`\`json\n${CALL}\n\`\`\``],
    ['as a bare object after words', `The call is ${CALL}`],
  ])('is not made %s', async (_name, written) => {
    const expected = { text: written, calls: [], finishReason: 'stop', unreadCall: undefined };
    expect(await read(written)).toMatchObject(expected);
  });

  it.each<[name: string, answer: string]>([
    ['names no tool', hermes('{"name": "destroy", "arguments": {}}')],
    ['has arguments that its tool refuses', hermes('{"name": "read", "arguments": {"limit": 1}}')],
    ['is incomplete', '<tool_call>\n{"name": "write", "arguments": {"path": "a", "content": "half'],
    ['has a second call that cannot be read', `${hermes(CALL)}\n<tool_call>oops</tool_call>`],
    ['is bare and has arguments that its tool refuses', '{"name": "read", "arguments": {}}'],
    ['is in a form without a parser', '<|tool_call|>read(path="a.ts")'],
  ])('is reported as unread if it %s', async (_name, written) => {
    expect(await read(written)).toMatchObject({
      text: written,
      calls: [],
      finishReason: 'tool-calls',
      unreadCall: 'broken',
    });
  });

  it('is reported as uncertain if it is followed by words', async () => {
    const written = `${hermes(CALL)}\nThe file contains 42.`;
    expect(await read(written)).toMatchObject({
      text: written,
      calls: [],
      finishReason: 'stop',
      unreadCall: 'uncertain',
    });
  });

  it('is not made if the answer was cut off, or if the setting forbids it', async () => {
    expect(await read(hermes(CALL), { finishReason: 'length' })).toMatchObject({
      calls: [],
      finishReason: 'length',
    });
    const off = await read(hermes(CALL), { callsInText: false });
    expect(off).toMatchObject({ text: hermes(CALL), calls: [], finishReason: 'stop', unreadCall: undefined });
  });

  it('is not made if the answer has a real call', async () => {
    const before: StepEvent[] = [{ type: 'tool-call', callId: 'c', name: 'list', input: {} }];
    const answer = await read(hermes(CALL), { before, finishReason: 'tool-calls' });
    expect(answer).toMatchObject({ text: hermes(CALL), calls: [['list', {}]] });
  });
});

it.each([
  '{"name": "my-package", "version": "1"}',
  '{"status": "ok"}',
  '[1, 2]',
  '{"type": "object"}',
  'x < y [TOOL',
  '{',
])('passes the answer %j on unchanged', async (answer) => {
  expect(await read(answer)).toMatchObject({
    text: answer,
    calls: [],
    finishReason: 'stop',
    unreadCall: undefined,
  });
});

it('passes text on as it arrives, unless it can begin a call', async () => {
  const answer = await read('One < two. Three [four] {five}.', { pieceChars: 5 });
  const deltas = answer.events.filter(({ type }) => type === 'text-delta');
  expect(deltas.length).toBeGreaterThanOrEqual(5);
});

it('reads thoughts without an end as reasoning, and finds no answer', async () => {
  expect(await read('<think>Hm, and then')).toMatchObject({ reasoning: 'Hm, and then', text: '' });
});

describe('a call', () => {
  const played = async (event: StepEvent) => {
    const answer = await read('', { before: [event], finishReason: 'tool-calls' });
    return answer.events.filter(({ type }) => type.startsWith('tool-call'));
  };

  it.each(['functions.read', 'read<|channel|>commentary', 'read:0', 'default_api:read', 'tools.read'])(
    'of %j is a call of read',
    async (name) => {
      const call: StepEvent = { type: 'tool-call', callId: 'c', name, input: { path: 'a.ts' } };
      expect(await played(call)).toEqual([{ ...call, name: 'read' }]);
    },
  );

  it('of a tool that does not exist stays text', async () => {
    const call: StepEvent = { type: 'tool-call', callId: 'c', name: 'destroy', input: {} };
    expect(await played(call)).toEqual([call]);
  });

  it('with arguments that can be repaired is valid', async () => {
    const inputText = `{'path': 'a.ts'}</tool_call>`;
    const call: StepEvent = {
      type: 'tool-call-invalid',
      callId: 'c',
      name: 'read',
      inputText,
      reason: 'no JSON',
    };
    expect(await played(call)).toEqual([
      { type: 'tool-call', callId: 'c', name: 'read', input: { path: 'a.ts' } },
    ]);
  });

  it('with arguments that were cut stays invalid', async () => {
    const inputText = '{"path": "a", "content": "half {}';
    const call: StepEvent = {
      type: 'tool-call-invalid',
      callId: 'c',
      name: 'write',
      inputText,
      reason: 'no JSON',
    };
    expect(await played(call)).toEqual([call]);
  });

  it('of several tools in one becomes several calls', async () => {
    const uses: JsonValue = [
      { recipient_name: 'functions.read', parameters: { path: 'a.ts' } },
      { recipient_name: 'functions.list', parameters: {} },
    ];
    const input = { tool_uses: uses };
    expect(await played({ type: 'tool-call', callId: 'c', name: 'multi_tool_use.parallel', input })).toEqual([
      { type: 'tool-call', callId: 'c', name: 'read', input: { path: 'a.ts' } },
      { type: 'tool-call', callId: 'c-2', name: 'list', input: {} },
    ]);
  });
});
