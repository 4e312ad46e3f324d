import type { PlannedAnswer } from './planned-answer.ts';

/**
 * The chat template: ChatML, with tools as Qwen and Hermes have them. After the beginning of each answer it writes the
 * control token of the plan that applies, from which the weights continue with the planned text. The plan depends only
 * on the message before the answer, so that an answer in the history has the tokens with which it was generated.
 */
export function tinyTemplate(answers: readonly PlannedAnswer[], { hasTools }: { hasTools: boolean }): string {
  const rules = answers
    .map(({ when }, index) => `{%- ${index === 0 ? 'if' : 'elif'} ${when ?? 'true'} -%}${planToken(index)}`)
    .join('');
  return `${`{%- macro plan(last) -%}${rules}{%- endif -%}{%- endmacro -%}`}${hasTools ? TOOLS : ''}${hasTools ? MESSAGES : PLAIN_MESSAGES}${ANSWER}`;
}

export function planToken(index: number): string {
  return `<|plan_${index}|>`;
}

const TOOLS = `{%- if tools -%}
{{- '<|im_start|>system\\n' -}}
{%- if messages[0].role == 'system' -%}{{- messages[0].content + '\\n\\n' -}}{%- endif -%}
{{- '# Tools\\n\\nYou may call functions. Their signatures:\\n<tools>' -}}
{%- for tool in tools -%}{{- '\\n' + (tool | tojson) -}}{%- endfor -%}
{{- '\\n</tools>\\n\\nFor each call, return within <tool_call></tool_call>: {"name": <function-name>, "arguments": <args-json-object>}<|im_end|>\\n' -}}
{%- endif -%}`;

const MESSAGES = `{%- for message in messages -%}
{%- if message.role == 'system' and tools and loop.first -%}
{%- elif message.role == 'assistant' -%}
{{- '<|im_start|>assistant\\n' + plan(messages[loop.index0 - 1]) + (message.content or '') -}}
{%- for call in message.tool_calls or [] -%}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- elif message.role == 'tool' -%}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' -}}
{%- else -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}`;

const PLAIN_MESSAGES = `{%- for message in messages -%}
{%- if message.role == 'assistant' -%}
{{- '<|im_start|>assistant\\n' + plan(messages[loop.index0 - 1]) + message.content + '<|im_end|>\\n' -}}
{%- else -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}`;

const ANSWER = `{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' + plan(messages[-1]) -}}{%- endif -%}`;
