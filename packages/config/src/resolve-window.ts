import type { ModelInfo } from '@longhaul/core';
import {
  type CheckServerOptions,
  isLoopbackUrl,
  type ModelReport,
  type ProbeWindowOptions,
} from '@longhaul/models';
import { LonghaulError } from '@longhaul/protocol';
import type { ResolvedModel } from './resolve-model.ts';

export interface ResolveWindowOptions {
  /** `probeModel` of @longhaul/models. */
  probe: (options: ProbeWindowOptions) => Promise<ModelReport | undefined>;
  /**
   * `checkServer` of @longhaul/models: distinguishes an unreachable server from one that does not report its window. If
   * absent, both are `window_unknown`.
   */
  check?: (options: CheckServerOptions) => Promise<LonghaulError | undefined>;
  /** Returns the window learned from an earlier refusal of this server and model, given the window reported now. */
  remembered?: (reportedTokens: number | undefined) => Promise<number | undefined>;
  /** `--window`: replaces configuration and catalogue, and limits what the server reports. */
  flag?: number;
  signal?: AbortSignal;
}

export interface ResolvedWindow {
  windowTokens: number;
  maxOutputTokens: number;
  /** For people: `Ollama /api/ps`, `configuration`, `catalogue`, `--window`, `an earlier overflow`. */
  source: string;
  /** Whether the model accepts images, if its server reports that. */
  acceptsImages?: boolean;
}

interface Candidate {
  windowTokens: number;
  source: string;
}

/** Used if the maximum output of a model is unknown. */
const DEFAULT_MAX_OUTPUT = 32_000;

/**
 * Determines the window of a model: the server's own report of the loaded length, or else the configuration, or else
 * the catalogue. An earlier overflow error of this server limits it. There is no silent default.
 *
 * @throws {LonghaulError} `window_unknown`, naming the setting; `provider_unreachable`, `provider_timeout` or
 * `provider_auth` if that is why the window is unknown.
 */
export async function resolveWindow(
  model: ResolvedModel,
  options: ResolveWindowOptions,
): Promise<ResolvedWindow> {
  const reported = await report(model, options);
  const learned = await options.remembered?.(reported?.windowTokens);
  const window = smallest([
    remembered(learned),
    fromReport(reported),
    fromFlag(options.flag),
    reported?.windowTokens === undefined && options.flag === undefined ? known(model) : undefined,
  ]);
  if (!window) throw (await whyNotReported(model, options)) ?? unknownWindow(model);
  const maxOutputTokens =
    model.maxOutputTokens ?? Math.min(DEFAULT_MAX_OUTPUT, Math.floor(window.windowTokens / 4));
  const { windowTokens, source } = window;
  return {
    windowTokens,
    source,
    maxOutputTokens: Math.min(maxOutputTokens, windowTokens),
    acceptsImages: reported?.acceptsImages,
  };
}

/**
 * Returns what a driver and the engine need to know about the model. Media are accepted only if the configuration,
 * the catalogue or the server says so.
 */
export function modelInfoOf(
  model: ResolvedModel,
  window: ResolvedWindow,
  withoutTools?: string | undefined,
): ModelInfo {
  return {
    provider: model.provider,
    model: model.model,
    windowTokens: window.windowTokens,
    maxOutputTokens: window.maxOutputTokens,
    price: model.price,
    withoutTools,
    ...(isLocal(model) && { isLocal: true }),
    accepts: {
      images: model.accepts?.images ?? window.acceptsImages ?? false,
      files: model.accepts?.files ?? false,
    },
  };
}

/** Whether a server for local models answers. vLLM keeps the prompts of many conversations. */
function isLocal({ kind, serverKind, baseUrl }: ResolvedModel): boolean {
  const hasLocalKind = [kind, serverKind].some(
    (each) => each === 'lmstudio' || each === 'ollama' || each === 'embedded',
  );
  return hasLocalKind || serverKind === 'llamacpp' || (baseUrl !== undefined && isLoopbackUrl(baseUrl));
}

/** Asks the server for its window. Hosted providers do not report windows; their models are in the catalogue. */
async function report(model: ResolvedModel, options: ResolveWindowOptions): Promise<ModelReport | undefined> {
  const request = requestTo(model, options);
  const { serverKind } = model;
  return request && options.probe({ ...request, ...(serverKind === undefined ? {} : { kind: serverKind }) });
}

async function whyNotReported(
  model: ResolvedModel,
  options: ResolveWindowOptions,
): Promise<LonghaulError | undefined> {
  const request = requestTo(model, options);
  return request && options.check?.({ ...request, provider: model.provider });
}

type ServerTarget = Omit<ProbeWindowOptions, 'kind'>;

function requestTo(model: ResolvedModel, { signal }: ResolveWindowOptions): ServerTarget | undefined {
  const { kind, baseUrl, apiKey } = model;
  const isCloud = kind === 'anthropic' || kind === 'openai' || kind === 'google';
  if (baseUrl === undefined || isCloud) return undefined;
  return {
    baseUrl,
    model: model.model,
    apiKey,
    signal,
  };
}

function remembered(windowTokens: number | undefined): Candidate | undefined {
  return windowTokens === undefined ? undefined : { windowTokens, source: 'an earlier overflow' };
}

function fromReport(report: ModelReport | undefined): Candidate | undefined {
  const { windowTokens, source = '' } = report ?? {};
  return windowTokens === undefined ? undefined : { windowTokens, source };
}

function fromFlag(windowTokens: number | undefined): Candidate | undefined {
  return windowTokens === undefined ? undefined : { windowTokens, source: '--window' };
}

function known({ windowTokens, windowSource = 'configuration' }: ResolvedModel): Candidate | undefined {
  return windowTokens === undefined ? undefined : { windowTokens, source: windowSource };
}

function smallest(candidates: readonly (Candidate | undefined)[]): Candidate | undefined {
  let least: Candidate | undefined;
  for (const candidate of candidates) {
    if (candidate && (!least || candidate.windowTokens < least.windowTokens)) least = candidate;
  }
  return least;
}

function unknownWindow({ provider, model, baseUrl }: ResolvedModel): LonghaulError {
  const key = /^[\w.-]+$/.test(model) ? model : `"${model}"`;
  const tried =
    baseUrl === undefined
      ? 'it is not in the catalogue'
      : `${baseUrl} did not report it; servers report it only for a loaded model`;
  const message = `The context window of ${provider}/${model} is unknown: ${tried}. Set providers.${provider}.models.${key}.window in longhaul.yml, or pass --window TOKENS on the command line.`;
  return new LonghaulError('window_unknown', message, { data: { provider, model } });
}
