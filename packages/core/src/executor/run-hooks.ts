import { toLonghaulError } from '@longhaul/protocol';
import type { Hook, HookContext, HookEvent, HookResult } from '../ports/hook.ts';
import type { MessageDraft } from '../ports/index.ts';
import type { DueHooks } from '../session/due-hooks.ts';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { SessionWriter } from '../session/session-writer.ts';

export interface RunHooksOptions {
  hooks: readonly Hook[];
  context: HookContext;
  writer: SessionWriter;
  due: DueHooks;
}

const MAX_TEXT_CHARS = 10_000;
const MAX_CONTINUES = 3;
const REPEATED = 'may run a second time for this call: the process stopped before the call started';

/** Runs the hooks of one run, one after the other. What they do is a warning in the log. */
export class RunHooks {
  readonly #options: RunHooksOptions;
  #continued = 0;

  constructor(options: RunHooksOptions) {
    this.#options = options;
  }

  get due(): DueHooks {
    return this.#options.due;
  }

  has(on: HookEvent['on']): boolean {
    return this.#options.hooks.some((hook) => hook.on === on);
  }

  /** Runs the hooks of the session's start, unless they have run. */
  async start(): Promise<void> {
    const { due } = this.#options;
    if (!due.isStartDue || !this.has('session.start')) return;
    await this.note({ on: 'session.start' }, { stored: () => due.startHasRun() });
  }

  /** The first refusal counts. Each hook gets the input that the one before it has returned. */
  async run(event: HookEvent): Promise<HookResult> {
    const texts: string[] = [];
    let current = event;
    for (const hook of this.#options.hooks.filter((each) => isFor(each, event))) {
      if ('isRepeated' in event && event.isRepeated) await this.#warn(hook, REPEATED);
      const result = await this.#runOne(hook, current);
      if (result.text !== undefined && result.text.trim() !== '')
        texts.push(result.text.slice(0, MAX_TEXT_CHARS));
      if (result.notice !== undefined) await this.#warn(hook, result.notice);
      if (result.deny !== undefined) {
        await this.#warn(hook, `${event.on === 'run.end' ? 'continues' : 'refused'}: ${result.deny}`);
        return {
          ...inputOf(current, event),
          text: joined(texts),
          deny: result.deny.slice(0, MAX_TEXT_CHARS),
        };
      }
      if (result.input !== undefined && current.on === 'tool.before') {
        current = { ...current, input: result.input };
        await this.#warn(hook, `changed the input of ${current.toolName}`);
      }
    }
    return { ...inputOf(current, event), text: joined(texts) };
  }

  /**
   * Runs hooks whose text is a message for the model.
   *
   * @param options `stored` stores that they have run. If the run is cancelled while they run, it is not called.
   */
  async note(
    event: HookEvent,
    {
      stored,
      draft = draftHookNote,
    }: { stored: () => Promise<void>; draft?: (text: string) => MessageDraft },
  ): Promise<void> {
    const { context, writer } = this.#options;
    const { text } = await this.run(event);
    if (context.signal.aborted) return;
    // Both are made in one tick, so that the store commits them together.
    await Promise.all([text === undefined ? undefined : writer.appendMessage(draft(text)), stored()]);
  }

  /** Whether hooks want the run to continue after its final answer. At most three times a run. */
  async continuesAfter(answer: string): Promise<boolean> {
    if (!this.has('run.end')) return false;
    const { deny, text } = await this.run({ on: 'run.end', answer, isContinued: this.#continued > 0 });
    if (deny === undefined) return false;
    if (this.#continued >= MAX_CONTINUES) {
      const message = `Hooks have continued this run ${MAX_CONTINUES} times. The answer is accepted.`;
      await this.#options.writer.announce({ type: 'context:warning', message });
      return false;
    }
    this.#continued += 1;
    const reason = [deny, ...(text === undefined ? [] : [text])].join('\n');
    await this.#options.writer.appendMessage(draftHookNote(reason));
    return true;
  }

  async #runOne(hook: Hook, event: HookEvent): Promise<HookResult> {
    try {
      return (await hook.run(event, this.#options.context)) ?? {};
    } catch (thrown) {
      if (this.#options.context.signal.aborted) return {};
      await this.#warn(hook, `failed, and has no effect: ${toLonghaulError(thrown).message}`);
      return {};
    }
  }

  #warn({ on, name }: Hook, text: string): Promise<void> {
    const message = `Hook ${name} (${on}) ${text}`.slice(0, MAX_TEXT_CHARS);
    return this.#options.writer.announce({ type: 'context:warning', message });
  }
}

/** Drafts the message that gives the model a hook's text. */
export function draftHookNote(text: string): MessageDraft {
  return draftSyntheticMessage(`A note from a hook of the user's configuration:\n${text}`, 'hook');
}

function isFor({ on, matches = () => true }: Hook, event: HookEvent): boolean {
  return on === event.on && (!('toolName' in event) || matches(event.toolName));
}

function inputOf(current: HookEvent, event: HookEvent): Pick<HookResult, 'input'> {
  return current !== event && current.on === 'tool.before' ? { input: current.input } : {};
}

function joined(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : texts.join('\n\n');
}
