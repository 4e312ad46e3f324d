import type { EventPayload, Message } from '@longhaul/protocol';
import type { ModelDriver } from '../../ports/index.ts';

/**
 * Returns the event for a run with another model than that of the session's last answer, whoever changed it and
 * however. None for the first run, and none if the model is the same.
 *
 * @param model `provider/model`, as the session names it.
 */
export function modelSwitch(
  messages: readonly Message[],
  { model, driver }: { model: string; driver: ModelDriver },
): EventPayload[] {
  const { provider, model: own, windowTokens, maxOutputTokens } = driver.info;
  const last = messages.findLast((message) => message.role === 'assistant' && message.model !== undefined);
  if (last === undefined || last.model === model || last.model === `${provider}/${own}`) return [];
  const newConfig = { model, windowTokens, maxOutputTokens };
  return [{ type: 'llm:switched', newConfig, historyRetained: true }];
}
