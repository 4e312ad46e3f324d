import type { JsonValue, ToolPart } from '@longhaul/protocol';
import type { StepEvent } from '../../ports/index.ts';

export function startOf(type: 'text-delta' | 'reasoning-delta'): 'text-start' | 'reasoning-start' {
  return type === 'text-delta' ? 'text-start' : 'reasoning-start';
}

export function toToolPart(event: Extract<StepEvent, { type: 'tool-call' | 'tool-call-invalid' }>): ToolPart {
  const isInvalid = event.type === 'tool-call-invalid';
  const input: JsonValue = isInvalid ? {} : event.input;
  return {
    type: 'tool',
    callId: event.callId,
    name: event.name,
    input,
    state: 'pending',
    ...(isInvalid ? { inputText: event.inputText, error: event.reason } : {}),
    ...(!isInvalid && event.providerMetadata !== undefined
      ? { providerMetadata: event.providerMetadata }
      : {}),
  };
}

export function closeUnrun(part: ToolPart): ToolPart {
  const error = 'Not run: the answer with this call broke off.';
  return { ...part, state: 'error', error, output: [{ type: 'text', text: error }], endedAt: Date.now() };
}
