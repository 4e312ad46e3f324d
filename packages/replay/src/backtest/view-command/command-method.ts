import type { JsonObject } from '@longhaul/protocol';
import type { ReplayMethod } from '../method.ts';
import { tokensOf } from '../recorded-session.ts';
import { ChatSegments, chatMessages } from './chat-view.ts';
import { runViewCommand, type ViewCommandLimits } from './run-view-command.ts';

const PREFIX = 'command: ';

/** Returns the name of the method that runs a command. */
export function commandMethodName(command: string): string {
  return `${PREFIX}${command}`;
}

/** Returns the command of a method's name, or undefined for another method. */
export function commandOf(name: string): string | undefined {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
}

/** A smaller context needs no program: it is sent as it is. */
const FROM_SHARE = 0.5;

/**
 * Replays a program of somebody else. Before a step it gets the messages that it returned last time, followed by those
 * that were recorded since, and returns the messages to send. It is not asked while they fill less than half of the
 * window.
 */
export function commandMethod(command: string, limits: ViewCommandLimits = {}): ReplayMethod {
  return {
    name: commandMethodName(command),
    start({ messages }, { windowTokens, usableTokens }) {
      const segments = new ChatSegments();
      let view: JsonObject[] = [];
      let next = 0;
      return {
        async viewBefore({ messageIndex }) {
          view = [...view, ...chatMessages(messages.slice(next, messageIndex))];
          next = Math.max(next, messageIndex);
          if (tokensOf(segments.of(view)) > windowTokens * FROM_SHARE)
            view = await runViewCommand(command, { windowTokens, usableTokens, messages: view }, limits);
          return { view: segments.of(view) };
        },
      };
    },
  };
}
