import {
  activeMarks,
  attemptsAfterRefusal,
  type ContentRefusal,
  type FittedRequest,
  type OmitTarget,
} from '@longhaul/context/engine';
import {
  handleOf,
  type JsonObject,
  type JsonValue,
  type LonghaulError,
  type OmitMark,
} from '@longhaul/protocol';
import type { ModelDriver } from '../ports/index.ts';
import { newId } from '../session/ids.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { contentRefused } from './run-errors.ts';

/** Bounds the requests for one step if each refusal names another part. */
const MAX_ATTEMPTS = 8;

/** Returns what a refused request says about its content. Undefined if it is not refused because of it. */
export function contentRefusalOf({ data }: LonghaulError): ContentRefusal | undefined {
  const content = objectIn(data['content']);
  const about = content?.['about'];
  if (about !== 'media' && about !== 'part' && about !== 'unknown') return undefined;
  const named = objectIn(content?.['named']);
  const [message, part] = [named?.['message'], named?.['part']];
  const isNamed = typeof message === 'number' && typeof part === 'number';
  return {
    about,
    isAboutAll: content?.['isAboutAll'] === true,
    ...(isNamed ? { named: { message, part, isMedia: named?.['isMedia'] === true } } : {}),
  };
}

function objectIn(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/**
 * Leaves content out of a request that the server refused because of it, so that the session can continue. It is left
 * out by a mark, which is undone if that does not help.
 */
export class RefusedContent {
  readonly #writer: SessionWriter;
  readonly #driver: ModelDriver;
  /** The marks of the last attempt. */
  #marks: OmitMark[] = [];
  /** The marks of earlier attempts after which the server refused something else. */
  #helped: OmitMark[] = [];
  #left: OmitTarget[][] = [];
  /** The named part of the last refusal. */
  #named: string | undefined;
  #attempts = 0;

  constructor({ writer, driver }: { writer: SessionWriter; driver: ModelDriver }) {
    this.#writer = writer;
    this.#driver = driver;
  }

  /** Call it after a request that was accepted. If content was left out of it, that is reported. */
  async accepted(): Promise<void> {
    const marks = [...this.#helped.splice(0), ...this.#marks.splice(0)];
    if (marks.length > 0) await this.#report(marks);
    this.#left = [];
    this.#named = undefined;
    this.#attempts = 0;
  }

  /**
   * Leaves something out, so that the request can be made again.
   *
   * @throws {LonghaulError} `error`, with advice, if nothing is left to leave out.
   */
  async afterRefusal(error: LonghaulError, refusal: ContentRefusal, request: FittedRequest): Promise<void> {
    const next = await this.#nextAttempt(refusal, request);
    await this.#writer.announce({
      type: 'llm:error',
      error: error.toShape(),
      recoverable: next !== undefined,
    });
    if (next === undefined) throw contentRefused(error, this.#advice(request, refusal));
    await this.#leaveOut(next);
  }

  async #nextAttempt(refusal: ContentRefusal, { entries }: FittedRequest): Promise<OmitTarget[] | undefined> {
    const marks = activeMarks(this.#writer.log.marks);
    const attempts = attemptsAfterRefusal(entries, marks, refusal);
    const named = refusal.named === undefined ? undefined : JSON.stringify(refusal.named);
    // The server got past what it refused before, and refuses something else.
    const isProgress = this.#marks.length > 0 && named !== undefined && named !== this.#named;
    if (this.#attempts === 0 || isProgress) this.#left = attempts;
    if (isProgress) this.#helped.push(...this.#marks.splice(0));
    else await this.#undo(this.#marks.splice(0));
    this.#named = named;
    this.#attempts += 1;
    return this.#attempts > MAX_ATTEMPTS ? undefined : this.#left.shift();
  }

  /** Call it at the end of a run. Takes back what was left out of a request that was not accepted. */
  async takeBack(): Promise<void> {
    await this.#undo([...this.#helped.splice(0), ...this.#marks.splice(0)]);
  }

  async #undo(marks: readonly OmitMark[]): Promise<void> {
    await Promise.all(marks.map((mark) => this.#writer.undoMark(mark.id)));
  }

  async #leaveOut(targets: readonly OmitTarget[]): Promise<void> {
    const refusalId = newId();
    this.#marks = targets.map((target) => ({
      kind: 'omit',
      id: newId(),
      refusalId,
      createdAt: Date.now(),
      ...target,
    }));
    await this.#writer.recordMarks(this.#marks, []);
  }

  async #report(marks: readonly OmitMark[]): Promise<void> {
    const { provider, model } = this.#driver.info;
    const handles = marks.map((mark) => this.#handleOf(mark));
    const parts = marks.map((mark, index) => `${handles[index]} (${this.#describe(mark)})`);
    const line = `The server refused the request because of its content, and accepted it without some of it. Left out of requests from now on: ${parts.join(', ')}. To take this back: longhaul undo ${this.#writer.lease.sessionId}`;
    const event = { errors: [line], provider, model, details: { handles } };
    await this.#writer.announce({ type: 'llm:unsupported-input', ...event });
  }

  #describe({ messageId, partIndex, what }: OmitTarget): string {
    if (what === 'media') return 'its images and files';
    const message = this.#writer.log.messages.find(({ id }) => id === messageId);
    const part = message?.parts[partIndex];
    return part?.type === 'tool' ? 'the call and its result' : 'the text';
  }

  #handleOf({ messageId, partIndex }: OmitTarget): string {
    const message = this.#writer.log.messages.find(({ id }) => id === messageId);
    return handleOf(message?.sequence ?? 0, partIndex);
  }

  /** Before which message a revert makes requests acceptable again, and which setting turns media off. */
  #advice({ entries }: FittedRequest, { about, named }: ContentRefusal) {
    const source = named === undefined ? undefined : entries[named.message]?.source;
    const newest = entries.findLast((entry) => entry.source?.role === 'user')?.source;
    const { provider, model } = this.#driver.info;
    const { sessionId } = this.#writer.lease;
    const revertTo = (source ?? newest)?.sequence ?? 1;
    return { sessionId, revertTo, provider, model, isAboutMedia: about === 'media' };
  }
}
