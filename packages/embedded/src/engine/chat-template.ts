import { isObject, type JsonValue } from '@longhaul/protocol';
import type { JinjaLibrary, JinjaTemplate, LlamaModel, Token } from '../library/llama-types.ts';
import type { ChatMessage, ChatTool, Prompt } from './engine.ts';

/** For a file without a template. */
const CHATML = `{%- for message in messages -%}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}{%- endfor -%}{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}`;

/** Stands for the text of a control token that a message contains. Private-use characters, which no text has. */
const [OPEN, CLOSE] = ['\u{F5E00}', '\u{F5E01}'];

/** How calls are written: `json`: as JSON between `<tool_call>` tags; `other`: as the template says. */
export type CallFormat = 'json' | 'other';

/** Turns conversations into the tokens that the model was trained to read. */
export class ChatTemplate {
  /** The form of calls that the prompt describes to the model. */
  readonly callFormat: CallFormat;
  readonly #model: LlamaModel;
  readonly #template: JinjaTemplate;
  readonly #hasTools: boolean;
  readonly #controls: RegExp | undefined;

  constructor(model: LlamaModel, jinja: JinjaLibrary) {
    const source = templateOf(model) ?? CHATML;
    this.#model = model;
    this.#template = new jinja.Template(source);
    this.#hasTools = /\btools\b/.test(source);
    const isJson =
      source.includes('<tool_call>') && source.includes('arguments') && !source.includes('<function');
    this.callFormat = !this.#hasTools || isJson ? 'json' : 'other';
    this.#controls = controlTokens(model);
  }

  /** @throws {Error} The template refuses the conversation, in its own words. */
  tokens(prompt: Prompt): Token[] {
    const texts: string[] = [];
    const messages = this.#hasTools ? prompt.messages : withToolsAsText(prompt);
    const shown = messages.map((message) => this.#readable(message, texts));
    const rendered = this.#render(shown, prompt);
    return rendered.split(MARKED).flatMap((piece, index) => {
      // Every second piece is the number of a text that only looks like a control token.
      if (index % 2 === 1) return this.#model.tokenize(texts[Number(piece)] ?? '', false);
      return piece === '' ? [] : this.#model.tokenize(piece, true);
    });
  }

  #render(messages: ChatMessage[], { tools, templateValues }: Prompt): string {
    const values = {
      ...templateValues,
      tools:
        tools.length > 0 && this.#hasTools
          ? tools.map((tool) => ({ type: 'function', function: { ...tool } }))
          : undefined,
      add_generation_prompt: true,
      bos_token: this.#model.tokens.bosString ?? '',
      eos_token: this.#model.tokens.eosString ?? '',
    };
    try {
      return this.#template.render({ ...values, messages });
    } catch (thrown) {
      const joined = withoutSystem(messages);
      if (joined === undefined) throw thrown;
      return this.#template.render({ ...values, messages: joined });
    }
  }

  /** Text only, arguments as objects, and nothing that would be read as a control token. */
  #readable(message: ChatMessage, texts: string[]): ChatMessage {
    const content = textOf(message.content);
    const marked =
      this.#controls === undefined
        ? content
        : content.replace(this.#controls, (text) => `${OPEN}${texts.push(text) - 1}${CLOSE}`);
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map(withParsedArguments) : undefined;
    return { ...message, content: marked, ...(calls === undefined ? {} : { tool_calls: calls }) };
  }
}

const MARKED = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'u');

function templateOf({ fileInfo }: LlamaModel): string | undefined {
  const tokenizer = fileInfo.metadata['tokenizer'];
  if (typeof tokenizer !== 'object' || tokenizer === null || !('chat_template' in tokenizer))
    return undefined;
  const template = tokenizer.chat_template;
  return typeof template === 'string' ? template : undefined;
}

function controlTokens(model: LlamaModel): RegExp | undefined {
  const texts: string[] = [];
  for (const token of model.iterateAllTokens())
    if (model.isSpecialToken(token)) texts.push(model.detokenize([token], true));
  const escaped = texts.filter((text) => text.length > 1).map((text) => RegExp.escape(text));
  return escaped.length === 0 ? undefined : new RegExp(escaped.join('|'), 'g');
}

/** Returns the text of a message. Media are left out, because the engine reads text only. */
export function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

function withParsedArguments(call: JsonValue): JsonValue {
  const named = isObject(call) ? call['function'] : undefined;
  if (!isObject(call) || !isObject(named) || typeof named['arguments'] !== 'string') return call;
  return { ...call, function: { ...named, arguments: parsed(named['arguments']) } };
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    // Arguments that a model wrote wrongly are shown to it as it wrote them.
    return text;
  }
}

/** For a template that refuses system messages or messages of one role in a row. Undefined: there is nothing to join. */
function withoutSystem(messages: readonly ChatMessage[]): ChatMessage[] | undefined {
  const joined: ChatMessage[] = [];
  for (const message of messages) {
    const role = message.role === 'system' ? 'user' : message.role;
    const before = joined.at(-1);
    if (before?.role === role && role === 'user')
      before.content = `${textOf(before.content)}\n\n${textOf(message.content)}`;
    else joined.push({ ...message, role });
  }
  const isSame =
    joined.length === messages.length && joined.every(({ role }, index) => role === messages[index]?.role);
  return isSame ? undefined : joined;
}

/** For a template that knows no tools: their description in the system text, calls and results as texts. */
function withToolsAsText({ messages, tools }: Prompt): ChatMessage[] {
  const said = messages.map((message): ChatMessage => {
    if (message.role === 'tool')
      return { role: 'user', content: `<tool_response>\n${textOf(message.content)}\n</tool_response>` };
    if (!Array.isArray(message.tool_calls)) return message;
    const calls = message.tool_calls.map(callText).join('\n');
    return { role: message.role, content: `${textOf(message.content)}${calls}` };
  });
  if (tools.length === 0) return said;
  const [first, ...rest] = said;
  const isSystem = first?.role === 'system';
  const system = isSystem ? `${textOf(first.content)}\n\n` : '';
  return [
    { role: 'system', content: `${system}${toolsText(tools)}` },
    ...(isSystem || first === undefined ? [] : [first]),
    ...rest,
  ];
}

function callText(call: JsonValue): string {
  const named = isObject(call) ? call['function'] : undefined;
  if (!isObject(named)) return '';
  const { name = '', arguments: input = {} } = named;
  const shown = typeof input === 'string' ? input : JSON.stringify(input);
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${shown}}\n</tool_call>`;
}

function toolsText(tools: readonly ChatTool[]): string {
  return [
    'You can call these tools:',
    ...tools.map((tool) => JSON.stringify(tool)),
    'To call a tool, write <tool_call>, then {"name": NAME, "arguments": OBJECT} as JSON, then </tool_call>. The result follows as <tool_response>.',
  ].join('\n');
}
