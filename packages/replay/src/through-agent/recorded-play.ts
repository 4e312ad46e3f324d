import { isBlank, type Message, type ToolPart, type UserMessageContentPart } from '@longhaul/protocol';

/** A recorded user message that is sent to the agent again. */
export interface PlayedUser {
  /** Of the recorded message. */
  readonly id: string;
  readonly content: readonly UserMessageContentPart[];
  /** True if the recorded agent's runtime wrote it, not a user. */
  readonly isInjected: boolean;
}

/** A recorded answer that the model gives again. */
export interface PlayedStep {
  /** Of the recorded message. */
  readonly id: string;
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly ToolPart[];
  /**
   * User messages from the time its calls ran. They are sent before the results exist, and the agent takes them before
   * the next step.
   */
  readonly usersAfter: readonly PlayedUser[];
}

/** User messages and the steps up to an answer without calls. The agent then waits for the next message. */
export interface PlayedTurn {
  readonly users: readonly PlayedUser[];
  readonly steps: readonly PlayedStep[];
}

/** A kind of recorded content that is not played, and how often it occurs. */
export interface LeftOut {
  readonly what: string;
  readonly count: number;
}

/** A recorded session to play to an agent: every message once, in order. */
export interface RecordedPlay {
  readonly turns: readonly PlayedTurn[];
  readonly steps: readonly PlayedStep[];
  readonly users: readonly PlayedUser[];
  readonly leftOut: readonly LeftOut[];
}

const NO_ANSWER = 'answers with neither text nor calls';
const NO_RESULT = 'results that are not in the recording: the agent gets a note instead';
const NO_MEDIA = 'images and files whose bytes are not in the recording: replaced by a line of text';
const NOT_SHOWN = 'user messages without content for a model';

/**
 * Returns the messages of a recorded session to play. Pure, so that the model's process and the agent's get the same
 * from the same file.
 */
export function recordedPlay(messages: readonly Message[]): RecordedPlay {
  const builder = new PlayBuilder();
  for (const message of messages) {
    if (message.role === 'user') builder.user(message);
    else builder.answer(message);
  }
  return builder.end();
}

type Growing<T> = { -readonly [Key in keyof T]: T[Key] };
type GrowingStep = Growing<PlayedStep> & { usersAfter: PlayedUser[] };
type GrowingTurn = { users: PlayedUser[]; steps: GrowingStep[] };

class PlayBuilder {
  readonly #turns: GrowingTurn[] = [];
  readonly #leftOut = new Map<string, number>();
  #isTurnOver = true;

  user(message: Message): void {
    const content = message.parts.flatMap((part) => this.#userContent(part));
    if (content.every((part) => part.type === 'text' && isBlank(part.text))) {
      this.#leaveOut(NOT_SHOWN);
      return;
    }
    const user = { id: message.id, content, isInjected: message.metadata?.synthetic === 'injected' };
    const turn = this.#turn();
    const lastStep = turn.steps.at(-1);
    (lastStep?.usersAfter ?? turn.users).push(user);
  }

  answer(message: Message): void {
    const step = toStep(message);
    if (isBlank(step.text) && step.calls.length === 0) {
      this.#leaveOut(NO_ANSWER);
      return;
    }
    this.#turn().steps.push(step);
    this.#isTurnOver = step.calls.length === 0;
    for (const call of step.calls) {
      if (call.output === undefined) this.#leaveOut(NO_RESULT);
      for (const content of call.output ?? []) if (!hasBytes(content)) this.#leaveOut(NO_MEDIA);
    }
  }

  end(): RecordedPlay {
    const steps = this.#turns.flatMap((turn) => turn.steps);
    const users = this.#turns.flatMap((turn) => [
      ...turn.users,
      ...turn.steps.flatMap((step) => step.usersAfter),
    ]);
    const leftOut = [...this.#leftOut].map(([what, count]) => ({ what, count }));
    return { turns: this.#turns, steps, users, leftOut };
  }

  #turn(): GrowingTurn {
    const last = this.#turns.at(-1);
    if (last !== undefined && !this.#isTurnOver) return last;
    const turn: GrowingTurn = { users: [], steps: [] };
    this.#turns.push(turn);
    this.#isTurnOver = false;
    return turn;
  }

  #userContent(part: Message['parts'][number]): UserMessageContentPart[] {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'notice') return part.forModel ? [{ type: 'text', text: part.text }] : [];
    if (part.type !== 'file') return [];
    const { mediaType, data, filename } = part;
    if (!hasBytes({ type: 'file', data })) {
      this.#leaveOut(NO_MEDIA);
      return [{ type: 'text', text: mediaLine(mediaType) }];
    }
    if (mediaType.startsWith('image/')) return [{ type: 'image', data, mediaType }];
    return [{ type: 'file', data, mediaType, filename }];
  }

  #leaveOut(what: string): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1);
  }
}

function toStep({ id, parts }: Message): GrowingStep {
  const textOf = (type: 'text' | 'reasoning') =>
    parts.flatMap((part) => (part.type === type && part.text !== '' ? [part.text] : [])).join('\n\n');
  return {
    id,
    reasoning: textOf('reasoning'),
    text: textOf('text'),
    calls: parts.filter((part) => part.type === 'tool'),
    usersAfter: [],
  };
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether the recording contains the bytes of an image or file, and not only a reference or a URL. */
export function hasBytes(content: { type: string; data?: string }): boolean {
  if (content.type === 'text') return true;
  const { data = '' } = content;
  return data.length >= 4 && BASE64.test(data.slice(0, 4_096).replace(/\s/g, ''));
}

/** Returns the text that replaces an image or file whose bytes are not in the recording. */
export function mediaLine(mediaType: string | undefined): string {
  return `[${mediaType ?? 'image'}: not in the recording]`;
}
