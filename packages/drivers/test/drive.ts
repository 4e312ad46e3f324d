import type { ViewMessage } from '@longhaul/context/engine';
import type { ModelDriver, ModelInfo, StepEvent, StepRequest } from '@longhaul/core';
import type { LonghaulError } from '@longhaul/protocol';

export const MODEL_INFO: ModelInfo = {
  provider: 'test',
  model: 'served-model',
  windowTokens: 32_768,
  maxOutputTokens: 4096,
  accepts: { images: true, files: true },
};

export function requestOf(messages: readonly ViewMessage[], patch: Partial<StepRequest> = {}): StepRequest {
  return { system: '', messages, tools: [], signal: new AbortController().signal, ...patch };
}

export function userSays(text: string): ViewMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export async function collect(
  driver: ModelDriver,
  request = requestOf([userSays('Hi')]),
): Promise<StepEvent[]> {
  const events: StepEvent[] = [];
  for await (const event of driver.step(request)) events.push(event);
  return events;
}

export async function failureOf(driver: ModelDriver, request?: StepRequest): Promise<LonghaulError> {
  const last = (await collect(driver, request)).at(-1);
  if (last?.type !== 'error') throw new Error(`Expected an error event, got ${JSON.stringify(last)}.`);
  return last.error;
}
