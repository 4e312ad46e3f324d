import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  trimMessages,
} from '@langchain/core/messages';
import type { ReplayMethod } from '@longhaul/replay';
import { type Unit, unitsBefore, unitsOf } from './units.ts';

/**
 * LangChain `trimMessages`: before each request, keeps the newest messages that fit the usable window, starting with a
 * question or an answer. The first user message is passed as the system message, which is always kept. Otherwise the
 * task would be lost.
 */
export const langchainTrim: ReplayMethod = {
  name: 'langchain trimMessages',
  start(session, { usableTokens }) {
    const units = unitsOf(session);
    const task = units.findIndex((unit) => unit.kind === 'user');
    const tokens = new Map(units.map((unit, index) => [String(index), unit.tokens]));
    const tokenCounter = (counted: BaseMessage[]) =>
      counted.reduce((sum, { id }) => sum + (tokens.get(id ?? '') ?? 0), 0);
    let system: BaseMessage | undefined;
    let kept: BaseMessage[] = [];
    let next = 0;
    return {
      async viewBefore({ firstEvent }) {
        const end = unitsBefore(units, next, firstEvent);
        const added = units.slice(next, end).map((unit, at) => toMessage(unit, next + at, task));
        next = end;
        system ??= added.find((message) => message.getType() === 'system');
        const rest = [...kept, ...added].filter((message) => message !== system);
        // Dropped messages would be dropped again: the newest messages that fit are always among the kept and the new
        // ones.
        const trimmed = await trimMessages([...(system === undefined ? [] : [system]), ...rest], {
          maxTokens: usableTokens,
          tokenCounter,
          strategy: 'last',
          includeSystem: true,
          startOn: ['human', 'ai'],
        });
        // If not even the newest message fits, the result contains undefined.
        kept = trimmed.filter((message) => message !== undefined && message.id !== system?.id);
        const sent = system === undefined ? kept : [system, ...kept];
        return { view: sent.flatMap(({ id }) => [...(units[Number(id)]?.events ?? [])]) };
      },
    };
  },
};

function toMessage(unit: Unit, index: number, task: number): BaseMessage {
  const id = String(index);
  const text = unit.events
    .filter((event) => event.kind !== 'call')
    .map((event) => event.text)
    .join('\n');
  if (index === task) return new SystemMessage({ id, content: text });
  if (unit.kind === 'user') return new HumanMessage({ id, content: text });
  if (unit.kind === 'result') return new ToolMessage({ id, content: text, tool_call_id: String(unit.call) });
  const first = unit.end - unit.events.length;
  const calls = unit.events.flatMap((event, at) =>
    event.kind === 'call' ? [{ id: String(first + at), name: 'tool', args: {} }] : [],
  );
  return new AIMessage({ id, content: text, tool_calls: calls });
}
