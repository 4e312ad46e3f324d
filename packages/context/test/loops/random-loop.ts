import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type ContextSession,
  type ContextSessionOptions,
  createContextSession,
  createStrategy,
  STRATEGY_NAMES,
} from '../../src/index.ts';
import type { Host, HostImage } from './hosts.ts';
import { independentCount } from './independent-count.ts';

const PIECES = {
  words: 'The build server went to sleep again after the last update of its disk. ',
  code: 'export function handleIt(request) { return request.body.items[0]; }\n',
  log: '2026-03-04T10:22:31.120Z WARN worker-7 retry 3 of 5 after 1200 ms\n',
  table: '| 17 | 0.331 | 9f8a21c | ok |\n',
  json: '{"id":4711,"tags":["a","b"],"price":12.5,"ok":true,"note":null},',
  chinese: '修改配置文件并运行测试，然后检查日志中的错误信息。',
} as const;

const KINDS = Object.keys(PIECES) as (keyof typeof PIECES)[];

const text = (maxLength: number) =>
  fc
    .record({ kind: fc.constantFrom(...KINDS), chars: fc.nat(maxLength) })
    .map(({ kind, chars }) => PIECES[kind].repeat(Math.ceil(chars / PIECES[kind].length)).slice(0, chars));

const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: rare });

const image = fc.record<HostImage>({ detail: fc.constantFrom('low', 'high'), isLink: fc.boolean() });

const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('system' as const), text: mostly(text(1_500), text(9_000)) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('user' as const),
      text: text(2_500),
      images: mostly(fc.constant<HostImage[]>([]), fc.array(image, { maxLength: 3 })),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      text: fc.oneof(fc.constant(''), text(800)),
      reasoning: mostly(fc.constant(''), text(9_000)),
      results: fc.array(text(6_000), { maxLength: 4 }),
      pathChars: fc.nat(900),
      /** Results in another order than the calls, and one that never comes. */
      isReversed: fc.boolean(),
      isOneMissing: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('edit' as const), at: fc.nat(1_000), text: text(500) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refusal' as const) }) },
);

export type LoopEvent = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

export const anyLoop = fc.record({
  windowTokens: fc.constantFrom(6_000, 12_000, 24_000),
  strategy: fc.constantFrom(...STRATEGY_NAMES),
  hasSystem: fc.boolean(),
  learns: fc.boolean(),
  imageTokens: fc.record({
    low: fc.constantFrom(70, 85, 350),
    small: fc.constantFrom(10, 210, 255),
    large: fc.constantFrom(765, 1_100),
  }),
  /** What a model writes as a narrative. Undefined: there is no summariser. */
  narrative: fc.option(text(1_500), { nil: undefined }),
  events: fc.array(event, { minLength: 5, maxLength: 45 }),
});

export type AnyLoop = typeof anyLoop extends fc.Arbitrary<infer Value> ? Value : never;

export interface LoopOutcome {
  requests: number;
  compactions: number;
  /** Whether the loop ended with `context_exhausted`. */
  isExhausted: boolean;
}

const MAX_OUTPUT_TOKENS = 1_000;

/** Plays a loop whose host keeps the whole history, and counts every request on its own. */
export async function playLoop<M>(host: Host<M>, loop: AnyLoop): Promise<LoopOutcome> {
  const player = new LoopPlayer(host, loop);
  for (const [number, event] of loop.events.entries()) {
    await player.play(event, number);
    if (player.outcome.isExhausted) break;
  }
  return player.outcome;
}

class LoopPlayer<M> {
  readonly outcome: LoopOutcome = { requests: 0, compactions: 0, isExhausted: false };
  readonly #host: Host<M>;
  readonly #loop: AnyLoop;
  #session: ContextSession<M>;
  #history: M[];

  constructor(host: Host<M>, loop: AnyLoop) {
    this.#host = host;
    this.#loop = loop;
    this.#history = [
      ...(loop.hasSystem ? [host.system('You are a careful engineer.')] : []),
      host.user('Find out why the nightly build fails, and fix it.', []),
    ];
    this.#session = createContextSession(this.#options());
  }

  #options(): ContextSessionOptions<M> {
    const { windowTokens, narrative, strategy } = this.#loop;
    return {
      format: this.#host.format,
      windowTokens,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      strategy: createStrategy(strategy),
      ...(narrative === undefined
        ? {}
        : {
            summarise: async ({ messages, maxOutputTokens }) => {
              this.#expectFits(messages, maxOutputTokens, 'a request for a summary');
              return narrative;
            },
          }),
    };
  }

  async play(event: LoopEvent, number: number): Promise<void> {
    const host = this.#host;
    switch (event.kind) {
      case 'system':
        this.#history.push(host.system(event.text));
        break;
      case 'user':
        this.#history.push(host.user(event.text, event.images));
        break;
      case 'answer':
        this.#history.push(...this.#answer(event, number));
        break;
      case 'edit':
        this.#edit(event);
        break;
      case 'restore':
        this.#session = createContextSession({ ...this.#options(), state: this.#session.toJSON() });
        break;
      case 'refusal':
        this.#session.learnRefusal();
        break;
    }
    this.#session.sync(this.#history);
    await this.#fit();
  }

  #answer(event: Extract<LoopEvent, { kind: 'answer' }>, number: number): M[] {
    const calls = event.results.map((_, index) => ({
      id: `call_${number}_${index}`,
      path: `src/part${number}_${index}.ts`.padEnd(event.pathChars, '/deeper'),
    }));
    const results = calls.map(({ id }, index) => ({ id, text: event.results[index] ?? '' }));
    if (event.isReversed) results.reverse();
    if (event.isOneMissing) results.pop();
    const { text, reasoning } = event;
    return [...this.#host.answer({ text, reasoning, calls }), ...this.#host.results(results)];
  }

  /** The user goes back and asks something else. */
  #edit({ at, text }: { at: number; text: string }): void {
    const index = this.#endOfAnswer(1 + (at % this.#history.length));
    this.#history = [...this.#history.slice(0, index), this.#host.user(text, [])];
    if (index >= this.#session.messageCount) return;
    this.#session.truncate(index);
  }

  /** Returns the index after the answer that an index is in. Half an answer is no history of a real program. */
  #endOfAnswer(index: number): number {
    const message = this.#history[index];
    const reading = message === undefined ? undefined : this.#host.format.read(message);
    return reading?.role === 'assistant' && reading.isContinued === true
      ? this.#endOfAnswer(index + 1)
      : index;
  }

  async #fit(): Promise<void> {
    try {
      const { messages, maxOutputTokens, compacted, predictedTokens } = await this.#session.fit({});
      this.outcome.requests += 1;
      if (compacted !== undefined) this.outcome.compactions += 1;
      expect(predictedTokens + maxOutputTokens).toBeLessThanOrEqual(this.#loop.windowTokens);
      const realTokens = this.#expectFits(messages, 0, 'a request');
      if (this.#loop.learns) this.#session.learn(realTokens);
    } catch (error) {
      expect(error).toMatchObject({
        code: 'context_exhausted',
        message: expect.stringMatching(/the task \d+/),
      });
      this.outcome.isExhausted = true;
    }
  }

  #expectFits(messages: readonly M[], answerTokens: number, what: string): number {
    expect(this.#host.complaint?.(messages), what).toBeUndefined();
    const { imageTokens, windowTokens } = this.#loop;
    const tokens = independentCount(messages, ({ isLow, isLink }) => {
      if (isLow) return imageTokens.low;
      return isLink ? imageTokens.large : imageTokens.small;
    });
    expect(tokens + answerTokens, `${what} of ${messages.length} messages`).toBeLessThanOrEqual(windowTokens);
    return tokens;
  }
}
