import type { LonghaulClient } from '@longhaul/client';
import type { LonghaulEvent } from '@longhaul/protocol';
import type { ApprovalList, ResponseOf } from '@longhaul/protocol/api';
import { MessageQueue } from './message-queue.ts';

export type SessionFacts = ResponseOf<'createSession'>;
export type OpenApproval = Pick<
  ApprovalList['approvals'][number],
  'callId' | 'handle' | 'toolName' | 'args' | 'alwaysAllows' | 'child'
>;

export type BackgroundCommand = NonNullable<ResponseOf<'getSession'>['background']>[number];

/** What a chat knows of a session: its facts, whether a run works, what waits, and the open approvals. */
export class SessionState {
  readonly id: string;
  readonly workspace: string;
  readonly queue: MessageQueue;
  /** The process of its last run had ended before the run did, when the session was opened. */
  readonly wasInterrupted: boolean;
  readonly #client: LonghaulClient;
  title: string;
  /** What was done in the session. */
  summary: string | undefined;
  model: string | undefined;
  /** A run works, or waits for its turn. */
  isBusy: boolean;
  /** The place of a run among those that wait for other runs of the server to end. Undefined: it does not wait. */
  position: number | undefined;
  approvals: readonly OpenApproval[] = [];
  /** Commands that run in the background. */
  background: readonly BackgroundCommand[] = [];
  /** Counts events that changed something. */
  #changes = 0;

  constructor({ id, workspace, title, model, state }: SessionFacts, client: LonghaulClient) {
    this.id = id;
    this.workspace = workspace;
    this.title = title;
    this.model = model;
    this.isBusy = isAtWork(state);
    this.wasInterrupted = state === 'interrupted';
    this.queue = new MessageQueue(client, id);
    this.#client = client;
  }

  /** Reads everything from the server. */
  async read(signal: AbortSignal): Promise<void> {
    let changes: number;
    do {
      changes = this.#changes;
      const [{ title, summary, model, state, waiting, background = [] }, { approvals }] = await Promise.all([
        this.#client.sessions.get(this.id, { signal }),
        this.#client.approvals.list(this.id, { open: true, signal }),
        this.queue.read(signal),
      ]);
      this.title = title;
      this.summary = summary;
      this.model = model;
      this.isBusy = isAtWork(state);
      this.position = waiting?.position;
      this.approvals = this.isBusy ? approvals : [];
      this.background = background;
      // An event in the meantime is newer than what was read.
    } while (changes !== this.#changes);
  }

  /** Takes over what an event says. Returns whether the rest must be read. */
  apply(event: LonghaulEvent): boolean {
    switch (event.type) {
      case 'run:started':
        this.isBusy = true;
        this.position = undefined;
        break;
      case 'run:waiting':
        this.isBusy = event.position !== undefined;
        this.position = event.position;
        break;
      case 'approval:answered':
        this.approvals = this.approvals.filter(({ handle }) => handle !== event.handle);
        break;
      // Only the server knows what the answer "always" would allow.
      case 'approval:requested':
      case 'message:queued':
      case 'queue:changed':
      case 'process:started':
      case 'process:ended':
      // The event may be older than a title that a person gave.
      case 'session:titled':
      // A run that follows at once has begun before the state is read.
      case 'run:finished':
        this.#changes += 1;
        return true;
      case 'message:dequeued':
        break;
      default:
        return false;
    }
    this.#changes += 1;
    return false;
  }
}

function isAtWork(state: SessionFacts['state']): boolean {
  return state === 'running' || state === 'waiting';
}
