import { isObject, isTextList, type JsonObject } from './json.ts';
import type { Session, ToolPart } from './message.ts';

/**
 * What a child session does. `waiting`: until fewer children of its parent run. `interrupted`: the program stopped, and
 * the next run of the parent continues the child. The other values report how it ended.
 */
export type SubtaskState =
  | 'waiting'
  | 'running'
  | 'completed'
  | 'failed'
  | 'limit'
  | 'cancelled'
  | 'interrupted';

const STATES: ReadonlySet<unknown> = new Set<SubtaskState>([
  'waiting',
  'running',
  'completed',
  'failed',
  'limit',
  'cancelled',
  'interrupted',
]);

/** What a call of `task` says about its child, in the metadata of its part. It advances while the call runs. */
export interface SubtaskFacts {
  /** Id of the child session. */
  sessionId: string;
  agent: string;
  state: SubtaskState;
  /** The call has returned at once, and the result arrives as a message. */
  isBackground?: boolean;
  /** What the child does now, such as the title of its last tool call. */
  title?: string;
  /** Answers of the child's model so far. */
  steps?: number;
  /** Tokens that the child has used so far. */
  tokens?: number;
  /** How full the child's window is: 0 to 100. */
  contextPercent?: number;
}

const PART_KEY = 'subtask';

/** Returns what a call says about its child session. Undefined if it has none. */
export function subtaskOf({ metadata }: Pick<ToolPart, 'metadata'>): SubtaskFacts | undefined {
  const stated = metadata?.[PART_KEY];
  if (!isObject(stated)) return undefined;
  const { sessionId, agent, state, title, steps, tokens, contextPercent, isBackground } = stated;
  if (typeof sessionId !== 'string' || typeof agent !== 'string' || !isState(state)) return undefined;
  return {
    sessionId,
    agent,
    state,
    ...(isBackground === true && { isBackground }),
    ...(typeof title === 'string' && { title }),
    ...(typeof steps === 'number' && { steps }),
    ...(typeof tokens === 'number' && { tokens }),
    ...(typeof contextPercent === 'number' && { contextPercent }),
  };
}

/** Returns the metadata of a part whose call has this child. */
export function subtaskMetadata(facts: SubtaskFacts): JsonObject {
  return { [PART_KEY]: { ...facts } };
}

/** What a child session knows about its place. It is stored in its metadata. */
export interface ChildPlace {
  /** Handle of the parent's call, such as `m12.3`. */
  handle: string;
  /** 1: a child; 2: a child of a child. */
  depth: number;
  isBackground: boolean;
  /** The tools that the parent could call when it started the child. The child can call no others. */
  tools: string[];
  /** Whether the parent has the result of a child in the background. */
  isDelivered: boolean;
  /** `own`: it works in a copy of the parent's workspace. */
  files: 'shared' | 'own';
}

const SESSION_KEY = 'subtask';

/** Returns the place of a child session. Undefined if the session is no child. */
export function childPlaceOf({
  parentId,
  metadata,
}: Pick<Session, 'parentId' | 'metadata'>): ChildPlace | undefined {
  const stored = metadata?.[SESSION_KEY];
  if (parentId === undefined || !isObject(stored)) return undefined;
  const { handle, depth, tools, isBackground, isDelivered, files } = stored;
  if (typeof handle !== 'string' || typeof depth !== 'number' || !isTextList(tools)) return undefined;
  return {
    handle,
    depth,
    tools: [...tools],
    isBackground: isBackground === true,
    isDelivered: isDelivered === true,
    files: files === 'own' ? 'own' : 'shared',
  };
}

/** Returns the metadata of a child session with this place. */
export function childMetadata(place: ChildPlace): JsonObject {
  return { [SESSION_KEY]: { ...place } };
}

function isState(value: unknown): value is SubtaskState {
  return STATES.has(value);
}
