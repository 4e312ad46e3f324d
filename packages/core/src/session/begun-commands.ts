import { backgroundOf, endedInBackground } from '@longhaul/context/engine';
import { isObject, type JsonObject, type Message, type Session } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';
import type { SessionState } from './session-state.ts';

/** Key in the session's metadata. A fork has it too: the commands do not run for it. */
const KEY = 'backgroundCommands';
const MAX_COMMANDS = 50;
const MAX_COMMAND_CHARS = 500;

/** A background command whose end is not in the log. */
export interface BegunCommand {
  handle: string;
  command: string;
  /** Of a command that outlives its run: the mark of its stored process. */
  keptMark?: string | undefined;
}

/** Returns the commands whose end no message reports: a killed process may have stored a result without the rest. */
export function unreportedCommands(
  session: Pick<Session, 'metadata'>,
  messages: readonly Message[],
): BegunCommand[] {
  const reported = new Set(
    messages.flatMap((message) => [...endedInBackground(message), ...endsIn(message)]),
  );
  return loadBegunCommands(session).filter(({ handle }) => !reported.has(handle));
}

function endsIn({ parts }: Message): string[] {
  return parts.flatMap((part) => {
    const stated = part.type === 'tool' ? backgroundOf(part) : undefined;
    return stated?.runs === false ? [stated.handle] : [];
  });
}

/** Returns the background commands that the metadata of a session names. Entries that cannot be read are skipped. */
export function loadBegunCommands({ metadata }: Pick<Session, 'metadata'>): BegunCommand[] {
  const stored = metadata?.[KEY];
  if (!Array.isArray(stored)) return [];
  return stored.slice(0, MAX_COMMANDS).flatMap((each) => {
    if (!isObject(each)) return [];
    const { handle, command, keptMark } = each;
    if (typeof handle !== 'string' || typeof command !== 'string') return [];
    return [{ handle, command, ...(typeof keptMark === 'string' && { keptMark }) }];
  });
}

/** Returns the commands that run in the background of a session. Between runs, only kept ones do. */
export function backgroundCommands(
  session: Pick<Session, 'metadata'>,
  state: SessionState,
): { handle: string; command: string; isKept: boolean }[] {
  return loadBegunCommands(session)
    .map(({ handle, command, keptMark }) => ({ handle, command, isKept: keptMark !== undefined }))
    .filter(({ isKept }) => isKept || state === 'running');
}

export async function saveBegunCommands(
  store: Pick<Store, 'updateSession'>,
  sessionId: string,
  begun: readonly BegunCommand[],
): Promise<void> {
  const shown = begun.slice(-MAX_COMMANDS).map(({ handle, command, keptMark }) => ({
    handle,
    command: command.slice(0, MAX_COMMAND_CHARS),
    ...(keptMark !== undefined && { keptMark }),
  }));
  const metadata: JsonObject = { [KEY]: shown.length === 0 ? null : shown };
  await store.updateSession(sessionId, { metadata });
}
