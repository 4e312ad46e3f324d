import type { IncomingMessage } from 'node:http';
import type { LonghaulError } from '@longhaul/protocol';
import { textDigest } from '../compaction/conversation/message-digest.ts';
import type { ContextNotice } from '../compaction/types.ts';
import type { GatewayCore } from '../gateway-core.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import { sendError } from '../http/send-error.ts';
import { noticeOf } from '../notices.ts';
import { AnswerStreams } from '../proxy/answer-streams.ts';
import { ClientStream } from '../proxy/client-stream.ts';
import { contextHeaders } from '../proxy/context-headers.ts';
import { continueWhole } from '../proxy/continue-whole.ts';
import { doubtWindowAfter, explainFailure, type FailedAnswer } from '../proxy/explain-failure.ts';
import { TurnContext } from '../proxy/turn-context.ts';
import { TurnLessons } from '../proxy/turn-lessons.ts';
import { readWhole, sendWhole, type WholeAnswer } from '../proxy/whole-answer.ts';
import type { Route } from '../upstream/router.ts';
import { withMember, withModel } from '../wire/edit-body.ts';
import { withoutLoneSurrogates } from '../wire/lone-surrogates.ts';
import { isStream, parsedEvent, usageIn } from './read-answer.ts';
import type { ReadWay } from './read-way.ts';
import { WayRelay } from './way-relay.ts';

/**
 * Handles one request of another protocol: prepares and sends it, repeats it compacted if it is refused, and passes the
 * answer on. If the window becomes full, it continues the answer in a new request.
 */
export class WayTurn {
  readonly #core: GatewayCore;
  readonly #exchange: Exchange;
  readonly #read: ReadWay;
  readonly #route: Route;
  readonly #client: ClientStream;
  readonly #context: TurnContext;
  readonly #lessons: TurnLessons;
  readonly #streams: AnswerStreams;
  #relay: WayRelay | undefined;
  readonly #explain: (thrown: unknown, answer?: FailedAnswer) => LonghaulError;

  constructor(core: GatewayCore, exchange: Exchange, { read, route }: { read: ReadWay; route: Route }) {
    this.#core = core;
    this.#exchange = exchange;
    this.#read = read;
    this.#route = route;
    const { signal } = exchange;
    this.#explain = (thrown, answer) => explainFailure({ route, signal }, thrown, answer);
    const { keepAliveMs } = core.settings;
    const client = new ClientStream(exchange, { manner: 'off', keepAliveMs, model: read.model });
    this.#client = client;
    this.#context = new TurnContext(core, {
      chat: read,
      route,
      client: textDigest(exchange.clientKey ?? ''),
      signal,
      onNotice: (notice) => this.#showNotice(notice),
      onPrepared: () => {
        if (!client.hasBegun) client.stopKeepAlive();
      },
    });
    this.#lessons = new TurnLessons(core, this.#context);
    this.#streams = new AnswerStreams(core, exchange, {
      client,
      context: this.#context,
      lessons: this.#lessons,
      send: () => this.#send(),
      explain: this.#explain,
    });
  }

  /** Never rejects: an error becomes the answer, in the form of the protocol. */
  async run(): Promise<void> {
    try {
      await this.#context.open();
      while (!(await this.#answer()));
    } catch (thrown) {
      this.#fail(this.#explain(thrown));
    } finally {
      this.#client.stopKeepAlive();
    }
  }

  /** Returns false if the request must be sent again. */
  async #answer(): Promise<boolean> {
    const answer = await this.#send();
    if (answer.statusCode === 200 && isStream(answer)) return this.#streams.pass(answer, this.#sharedRelay());
    const whole = await readWhole(answer, this.#core.settings.maxBodyBytes);
    return whole.isFailure ? this.#passFailure(whole) : this.#passWhole(whole);
  }

  async #send(): Promise<IncomingMessage> {
    const { method, path, headers, signal } = this.#exchange;
    const body = this.#body();
    const free = await this.#context.enterWindow(() => this.#showWait());
    try {
      const without = body === this.#read.body ? [] : ['content-encoding'];
      const answer = await this.#route.upstream.send({
        method,
        path,
        isRoot: !this.#read.way.path.startsWith('/v1/'),
        headers,
        body,
        without,
        signal,
      });
      answer.once('close', free);
      return answer;
    } catch (thrown) {
      free();
      throw thrown;
    }
  }

  /** Returns the received bytes if nothing must be changed. */
  #body(): Buffer {
    const { way, body, plain, write, hadNotices, messages } = this.#read;
    const { prepared } = this.#context;
    const maxTokens = this.#context.limit.maxTokens;
    const { hasPrefix, model } = this.#route;
    let changed = plain;
    if (prepared?.isRewritten === true || hadNotices)
      changed = withoutLoneSurrogates(
        withMember(changed, way.conversationField, write(prepared?.messages ?? messages)),
      );
    if (hasPrefix) changed = withModel(changed, model);
    if (maxTokens !== undefined && way.limitField !== undefined)
      changed = withMember(changed, way.limitField, maxTokens);
    return changed === plain ? body : changed;
  }

  /** A repeated request has the same relay, because the client may have got the beginning of an answer. */
  #sharedRelay(): WayRelay {
    const { way, isStructured } = this.#read;
    this.#relay ??= new WayRelay({
      way,
      client: this.#client,
      headers: () => contextHeaders(this.#context.prepared),
      explain: this.#explain,
      showsNotices: this.#core.settings.notices === 'text' && !isStructured,
    });
    return this.#relay;
  }

  async #passWhole(whole: WholeAnswer): Promise<boolean> {
    const { way } = this.#read;
    const json = parsedEvent(whole.text);
    const usage = json === undefined ? undefined : usageIn(way, json);
    if (usage !== undefined && (await this.#lessons.learnFrom(usage))) {
      if (await this.#context.compactAgain({})) return false;
    }
    const full = await continueWhole(this.#core, whole, {
      form: way.answers,
      usageOf: (answer) => usageIn(way, answer),
      context: this.#context,
      continuer: this.#streams.continuer,
    });
    this.#lessons.renewWindow();
    this.#sendWhole(full);
    return true;
  }

  async #passFailure(whole: WholeAnswer): Promise<boolean> {
    const error = this.#explain(undefined, { status: whole.status, body: whole.text });
    if (await this.#lessons.canRetry(error)) return false;
    if (whole.isHtml) throw error;
    this.#core.noteError(error, this.#context.about);
    if (this.#client.hasBegun) this.#exchange.response.end(this.#read.way.errorEvent(error));
    else this.#sendWhole(whole);
    return true;
  }

  #sendWhole(whole: WholeAnswer): void {
    if (this.#client.hasBegun) this.#exchange.response.end();
    else sendWhole(this.#exchange.response, whole, contextHeaders(this.#context.prepared));
  }

  /** A compaction in the middle of an answer is shown in its text. Before its beginning there is no place for a notice. */
  #showNotice(notice: ContextNotice): void {
    this.#showWait();
    void this.#relay?.notice(noticeOf(notice));
  }

  #showWait(): void {
    // Lines of JSON have no comments.
    if (this.#read.stream && !this.#read.way.streamsByDefault) this.#client.startKeepAlive();
  }

  #fail(error: LonghaulError): void {
    const { response, signal } = this.#exchange;
    doubtWindowAfter(this.#core, this.#route, error);
    if (signal.aborted) return;
    this.#core.noteError(error, this.#context.about);
    const { way } = this.#read;
    if (this.#client.hasBegun) response.end(way.errorEvent(error));
    else sendError(response, error, pageHeaders(response.req), way.errorBody);
  }
}
