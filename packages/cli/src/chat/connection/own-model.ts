import type { ReasoningEffort } from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import { chooseModel, type ModelChoice } from '../../compose/choose-model.ts';
import type { Settings } from '../../compose/load-settings.ts';
import { nameOf } from '../../compose/open-agent.ts';
import type { Storage } from '../../compose/open-storage.ts';
import { keepAddress } from '../../compose/session-address.ts';
import type { OwnModel } from '../../serve/served-models.ts';
import type { Terminal } from '../../terminal.ts';

export interface OwnModelOptions {
  settings: Settings;
  choice: ModelChoice;
  /** Tokens of the model's window. */
  window: number | undefined;
  terminal: Pick<Terminal, 'env'>;
}

/** The model that the flags or the session name, and what was changed since. */
export async function openOwnModel({ settings, choice, window, terminal: { env } }: OwnModelOptions) {
  let { config } = settings;
  let chosen = choice;
  let tokens = window;
  let current: OwnModel | undefined;
  let problem: string | undefined;
  const resolve = async () => {
    current = { model: await chooseModel(config, chosen, env), window: tokens };
    problem = undefined;
  };
  const resolveOrExplain = () =>
    resolve().catch((error: unknown) => {
      if (!(error instanceof LonghaulError)) throw error;
      current = undefined;
      problem = error.message;
    });
  await resolveOrExplain();
  return {
    get current() {
      return current;
    },
    get problem() {
      return problem;
    },
    /** Keys or settings have changed. */
    async useConfig(changed: Settings['config']) {
      config = changed;
      await resolveOrExplain();
    },
    required(): OwnModel {
      if (current === undefined) throw new LonghaulError('model_not_configured', problem ?? '');
      return current;
    },
    /** @throws {LonghaulError} as `chooseModel`; nothing is changed then. */
    async change({
      model,
      effort,
      window: next,
    }: {
      model?: string | undefined;
      effort?: ReasoningEffort | undefined;
      window?: number | undefined;
    }) {
      const before = { chosen, tokens };
      // The address belongs to the model that was given with it.
      const isSame = model === undefined || (current !== undefined && nameOf(current.model) === model);
      const address = isSame ? {} : { baseUrl: undefined, isAddressGiven: false };
      const name = model ?? (current === undefined ? chosen.model : nameOf(current.model));
      chosen = { ...chosen, ...address, model: name, effort: effort ?? chosen.effort };
      tokens = next ?? (isSame ? tokens : undefined);
      try {
        await resolve();
      } catch (error) {
        ({ chosen, tokens } = before);
        throw error;
      }
    },
    async keepAddress({ store }: Storage, sessionId: string) {
      if (chosen.isAddressGiven === true && current !== undefined)
        await keepAddress(store, sessionId, current.model);
    },
  };
}
