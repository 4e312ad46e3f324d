import type { Message, Part, ToolPart } from '@longhaul/protocol';
import { type PreparedSession, prepareSession } from '@longhaul/replay';
import { childAnswer } from './child-answer.ts';
import { filesReadAgain } from './read-again.ts';
import type { Stretch } from './stretches.ts';

/** One exploring stretch as the work of a child. Tokens are those of events, as in a replay. */
export interface Delegation {
  readonly steps: number;
  /** What the stretch took in the recorded session. */
  readonly stretchTokens: number;
  /** The call with the child's prompt, and its answer. */
  readonly answerTokens: number;
  /** Results of the stretch that the parent needs itself, because it later works on their files. */
  readonly readAgainTokens: number;
  /** Names of the stretch that later steps use, and those of them for which the answer had no room. */
  readonly names: number;
  readonly lostNames: number;
  /** The child's own session. */
  readonly child: readonly Message[];
}

export interface Family {
  /** The session with a call instead of each stretch. After the call come the results that the parent reads again. */
  readonly parent: readonly Message[];
  readonly delegations: readonly Delegation[];
}

/** A child's task. It was not recorded, so every child gets a text of 400 characters. */
const PROMPT = 'a plain task in words for the child '.repeat(12).slice(0, 400);

/** Rewrites a session as if a child had done each of the stretches. */
export async function delegate(prepared: PreparedSession, stretches: readonly Stretch[]): Promise<Family> {
  const { messages } = prepared.session;
  const parent: Message[] = [];
  const delegations: Delegation[] = [];
  let next = 0;
  for (const [index, stretch] of stretches.entries()) {
    parent.push(...messages.slice(next, stretch.first));
    next = stretch.last + 1;
    const answer = childAnswer(prepared, stretch);
    const readAgain = await filesReadAgain(messages, stretch);
    const call = assistant([taskCall(index, answer.text)]);
    const again = readAgain.length === 0 ? [] : [assistant(readAgain)];
    parent.push(call, ...again);
    delegations.push({
      steps: stretch.steps,
      stretchTokens: sizeOf(messages.slice(stretch.first, next)),
      answerTokens: sizeOf([call]),
      readAgainTokens: sizeOf(again),
      names: answer.names,
      lostNames: answer.lostNames,
      child: numbered([
        user(PROMPT),
        ...messages.slice(stretch.first, next),
        assistant([{ type: 'text', text: answer.text, state: 'done' }]),
      ]),
    });
  }
  parent.push(...messages.slice(next));
  return { parent: numbered(parent), delegations };
}

/** Tokens of the events of messages. */
function sizeOf(messages: readonly Message[]): number {
  return messages.length === 0 ? 0 : prepareSession(numbered(messages)).session.tokens;
}

function taskCall(index: number, text: string): ToolPart {
  return {
    type: 'tool',
    callId: `task-${index}`,
    name: 'task',
    input: { prompt: PROMPT, agent: 'explore' },
    state: 'completed',
    output: [{ type: 'text', text }],
  };
}

function assistant(parts: Part[]): Message {
  return { ...EMPTY, role: 'assistant', parts };
}

function user(text: string): Message {
  return { ...EMPTY, role: 'user', parts: [{ type: 'text', text, state: 'done' }] };
}

const EMPTY = { id: '', sessionId: '', sequence: 0, status: 'done', createdAt: 0, tokenCount: 0 } as const;

/** Gives messages of several origins ids and sequences in order. */
function numbered(messages: readonly Message[]): Message[] {
  return messages.map((message, index) => ({ ...message, id: `m${index + 1}`, sequence: index + 1 }));
}
